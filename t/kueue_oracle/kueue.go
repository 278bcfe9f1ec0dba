// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	_ "unsafe" // for linkname

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/features"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/util/wait"
	"sigs.k8s.io/kueue/pkg/workload"
)

// A cycle of Kueue's scheduler, and what it does its writes with, are not exported. Its own tests
// call just these two.
//
//go:linkname schedule sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func schedule(s *scheduler.Scheduler, ctx context.Context) wait.SpeedSignal

//go:linkname setWrapper sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setWrapper(s *scheduler.Scheduler, wrapper routine.Wrapper)

// atOnce does what the scheduler does in the background before it returns.
type atOnce struct{}

func (atOnce) Run(write func()) { write() }

// silent hears no events.
type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// theirs is Kueue's scheduler with its caches, and what its controllers do beside it.
type theirs struct {
	*cluster
	ctx       context.Context
	log       logr.Logger
	store     *store
	cache     *schdcache.Cache
	queued    *qcache.Manager
	requeuer  requeuer
	scheduler *scheduler.Scheduler
	// preemptor is asked where the scheduler forgets to.
	preemptor *preemption.Preemptor
}

// requeuer moves those that were refused back into their queues, where that was asked for.
type requeuer interface{ ProcessRequeues(context.Context) int }

// The gates of workloads count, as in sluice with `preemptionGates`.
func prepareKueue() error {
	ctrl.SetLogger(logr.Discard())
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{
		string(features.MultiKueueOrchestratedPreemption): true})
}

// newTheirs is Kueue as it begins with these objects.
func newTheirs(c *cluster) (*theirs, error) {
	k := &theirs{cluster: c, log: logr.Discard(), store: &store{cluster: c}}
	k.ctx = ctrl.LoggerInto(context.Background(), k.log)
	expected := preemptexpectations.New()
	k.cache = schdcache.New(k.store)
	queued, requeuer := qcache.NewManagerForUnitTestsWithRequeuer(k.store, k.cache,
		qcache.WithPreemptionExpectations(expected))
	k.queued, k.requeuer = queued, requeuer
	k.scheduler = scheduler.New(k.queued, k.cache, k.store, silent{},
		scheduler.WithClock(nil, testclock.NewFakeClock(c.now)),
		scheduler.WithPreemptionExpectations(expected))
	setWrapper(k.scheduler, atOnce{})
	k.preemptor = preemption.New(k.store, workload.Ordering{}, silent{}, nil, false,
		testclock.NewFakeClock(c.now), nil, expected, nil)
	return k, k.tell()
}

// tell shows all objects to the caches.
func (k *theirs) tell() error {
	for i := range k.flavors {
		k.cache.AddOrUpdateResourceFlavor(k.log, &k.flavors[i])
	}
	for _, cohort := range sorted(k.cohorts) {
		k.queued.AddOrUpdateCohort(k.ctx, cohort)
		if err := k.cache.AddOrUpdateCohort(cohort); err != nil {
			return fmt.Errorf("cohort %s: %w", cohort.Name, err)
		}
	}
	for _, queue := range sorted(k.queues) {
		if err := k.cache.AddClusterQueue(k.ctx, queue); err != nil {
			return fmt.Errorf("ClusterQueue %s: %w", queue.Name, err)
		}
		if err := k.queued.AddClusterQueue(k.ctx, queue); err != nil {
			return fmt.Errorf("ClusterQueue %s: %w", queue.Name, err)
		}
		if err := k.queued.AddLocalQueue(k.ctx, localQueue(queue)); err != nil {
			return fmt.Errorf("LocalQueue %s: %w", queue.Name, err)
		}
	}
	for _, w := range sorted(k.workloads) {
		if workload.HasQuotaReservation(w) {
			k.cache.AddOrUpdateWorkload(k.log, w.DeepCopy())
		} else if err := k.queued.AddOrUpdateWorkload(k.log, w.DeepCopy()); err != nil {
			return fmt.Errorf("workload %s: %w", w.Name, err)
		}
	}
	return nil
}

// mostRounds is how often those that were refused are asked again because something happened.
const mostRounds = 40

// settle runs cycles until nothing happens even when everybody is asked again. False: something
// happens for ever.
func (k *theirs) settle() bool {
	names := sets.New[kueue.ClusterQueueReference]()
	for name := range k.queues {
		names.Insert(kueue.ClusterQueueReference(name))
	}
	for range mostRounds {
		if k.rings() {
			return false
		}
		qcache.NotifyRetryInadmissible(k.queued, names)
		k.requeuer.ProcessRequeues(k.ctx)
		if !k.runCycles() {
			return true
		}
	}
	return false
}

// runCycles runs them until as many came to nothing as it takes to ask each workload about each
// flavor. True: one did not.
func (k *theirs) runCycles() (acted bool) {
	most := (len(k.workloads)+1)*(len(k.flavors)+1) + 2
	for idle := 0; idle < most && !k.rings() && k.someWait(); idle++ {
		before := len(k.acts)
		schedule(k.scheduler, k.ctx)
		k.control()
		if len(k.acts) > before {
			idle, acted = 0, true
		}
	}
	return acted
}

// mostEvictions is how often one is preempted in one step, or it is for ever.
const mostEvictions = 6

// rings tells whether one was preempted too often.
func (k *theirs) rings() bool {
	count := map[string]int{}
	for _, act := range k.acts {
		if act.Does == preempted {
			count[act.Workload]++
			if count[act.Workload] > mostEvictions {
				return true
			}
		}
	}
	return false
}

// someWait tells whether a cycle would find anybody: else it would block.
func (k *theirs) someWait() bool {
	for queue, waiting := range k.queued.Dump() {
		if len(waiting) > 0 && k.cache.ClusterQueueActive(queue) {
			return true
		}
	}
	return false
}

// control does what Kueue's controllers do when workloads were written.
func (k *theirs) control() {
	changed := k.store.changed
	k.store.changed = nil
	slices.Sort(changed)
	for _, name := range slices.Compact(changed) {
		w := k.workloads[name]
		switch {
		case is(w, kueue.WorkloadEvicted) && workload.HasQuotaReservation(w):
			k.stopped(w)
		case workload.HasQuotaReservation(w):
			k.queued.DeleteWorkload(k.log, workload.Key(w))
			k.cache.AddOrUpdateWorkload(k.log, w.DeepCopy())
		}
	}
	k.requeuer.ProcessRequeues(k.ctx)
}

// stopped: nothing of an evicted workload runs any more.
func (k *theirs) stopped(w *kueue.Workload) {
	if k.leave {
		k.end(w.Name)
		return
	}
	after := w.DeepCopy()
	workload.UnsetQuotaReservationWithCondition(after, "Pending", "", k.now)
	workload.SetRequeuedCondition(after, kueue.WorkloadEvictedByPreemption, "", true)
	k.wrote(after)
	k.queued.QueueAssociatedInadmissibleWorkloadsAfter(k.ctx, workload.Key(w), func() {
		_ = k.cache.DeleteWorkload(k.log, workload.Key(w))
		_ = k.queued.AddOrUpdateWorkloadWithoutLock(k.log, after.DeepCopy())
	})
}

// end: the workload is gone.
func (k *theirs) end(name string) {
	w := k.workloads[name]
	if w == nil {
		return
	}
	delete(k.workloads, name)
	k.queued.QueueAssociatedInadmissibleWorkloadsAfter(k.ctx, workload.Key(w), func() {
		_ = k.cache.DeleteWorkload(k.log, workload.Key(w))
	})
	k.queued.DeleteAndForgetWorkload(k.log, workload.Key(w))
}
