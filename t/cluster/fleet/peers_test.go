// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/cluster/upstream"
)

// queues are those of a cluster: so many cpus, and who may be preempted.
const queues = `{metadata: {name: cq}, spec: {namespaceSelector: {},
	preemption: {withinClusterQueue: LowerPriority}, resourceGroups: [{coveredResources: [cpu],
	flavors: [{name: default, resources: [{name: cpu, nominalQuota: "%d"}]}]}]%s}}`

// slow is the timeout here: people ask questions within it.
const slow = 15 * time.Second

// TestKueueItself is sluice-manager with two workers that run Kueue as it was released; in the
// manager's cluster it runs, too, without its own MultiKueue. Jobs are run by the real controller
// manager; kubelets are played.
func TestKueueItself(t *testing.T) {
	program, err := upstream.Program(t.Context())
	if errors.Is(err, upstream.ErrUnobtainable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := startWith(t, strings.Replace(orchestrated, timeout.String(), slow.String(), 1), program)
	clusters := []*cluster{f.manager, f.workers["east"], f.workers["west"]}
	var kueues []*upstream.Kueue
	for _, c := range clusters {
		k, err := upstream.Start(t.Context(), c.Plane, program, map[string]bool{
			"VisibilityOnDemand": false, "MultiKueue": false,
			"MultiKueueOrchestratedPreemption": c != f.manager})
		f.must(err)
		f.Cleanup(func() {
			if f.Failed() {
				f.Logf("the end of Kueue's log in %s:\n%s", c.Name, k.Tail(5))
			}
		})
		kueues = append(kueues, k)
	}
	for _, k := range kueues {
		f.must(k.AwaitReady(t.Context(), patience))
	}
	f.answerPeople()
	f.leader = f.run()
	for _, c := range clusters {
		f.furnish(c)
	}
	f.connected()
	east, west := f.crowd(f.workers["east"]), f.crowd(f.workers["west"])
	for _, story := range []struct {
		name string
		tell func(f *fleet, east, west *crowd)
	}{
		{"the sequence of the KEP", sequenceOfTheKEP},
		{"a gate of the user's", gateOfTheUser},
		{"with and without the feature gate", preemptionsOfKueue},
	} {
		if !t.Run(story.name, func(t *testing.T) {
			inner := *f
			inner.T, inner.began = t, time.Now()
			story.tell(&inner, east, west)
			f.leader, f.replicas = inner.leader, inner.replicas
		}) {
			break
		}
	}
}

// furnish makes the queues and priorities of a cluster.
func (f *fleet) furnish(c *cluster) {
	f.Helper()
	cpus, check := 1, ""
	if c == f.manager {
		cpus, check = 10, ", admissionChecksStrategy: {admissionChecks: [{name: "+checkName+"}]}"
	}
	f.create(c, "resourceflavors", `{metadata: {name: default}}`)
	f.create(c, "clusterqueues", fmt.Sprintf(queues, cpus, check))
	f.create(c, "localqueues", `{metadata: {name: q}, spec: {clusterQueue: cq}}`)
	f.create(c, "workloadpriorityclasses", `{metadata: {name: low}, value: 10}`)
	f.create(c, "workloadpriorityclasses", `{metadata: {name: high}, value: 1000}`)
}

// never is how long a Job takes to end that does not.
const never = 1000 * time.Hour

// crowd is what runs in a worker: a Job of low priority that fills it, whose pods are played, and
// those of Jobs that come from the manager, whose pods are the controller manager's.
type crowd struct {
	*cluster
	mutex sync.Mutex
	ends  time.Duration // how long the victim takes to end when it is suspended
	since time.Time     // it is asked to
}

const victim = "victim"

// crowd fills a worker and plays its kubelets until the test ends.
func (f *fleet) crowd(c *cluster) *crowd {
	f.Helper()
	w := &crowd{cluster: c}
	f.create(c, "jobs", fmt.Sprintf(`{metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: q,
		kueue.x-k8s.io/priority-class: low}}, spec: {suspend: true, managedBy: sluice.sh/played,
		%s}}`, victim, template))
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			err := errors.Join(w.playVictim(ctx), w.playPods(ctx))
			if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) {
				f.Logf("%s: %v", c.Name, err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	f.Cleanup(func() {
		stop()
		done.Wait()
	})
	return w
}

func (w *crowd) takes(ends time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.ends = ends
}

// playVictim is the Job's controller and its kubelet.
func (w *crowd) playVictim(ctx context.Context) error {
	job, err := w.Client.BatchV1().Jobs("default").Get(ctx, victim, metav1.GetOptions{})
	if err != nil {
		return err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch running := job.Status.Active > 0; {
	case !*job.Spec.Suspend && !running:
		ready := int32(1)
		job.Status.Active, job.Status.Ready = 1, &ready
	case *job.Spec.Suspend && running && w.since.IsZero():
		w.since = time.Now()
		return nil
	case *job.Spec.Suspend && running && time.Since(w.since) >= w.ends:
		ready := int32(0)
		job.Status.Active, job.Status.Ready = 0, &ready
	default:
		return nil
	}
	w.since = time.Time{}
	_, err = w.Client.BatchV1().Jobs("default").UpdateStatus(ctx, job, metav1.UpdateOptions{})
	return err
}

// playPods lets pods start, and end well after a while.
func (w *crowd) playPods(ctx context.Context) error {
	pods, err := w.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		age := time.Since(pod.CreationTimestamp.Time)
		switch {
		case pod.DeletionTimestamp != nil:
			continue
		case pod.Status.Phase == corev1.PodPending:
			pod.Status.Phase = corev1.PodRunning
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady,
				Status: corev1.ConditionTrue}}
		case pod.Status.Phase == corev1.PodRunning && age > 3*time.Second:
			pod.Status.Phase = corev1.PodSucceeded
			pod.Status.Conditions = nil
		default:
			continue
		}
		_, err := w.Client.CoreV1().Pods("default").UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// full waits until the victim has the whole worker.
func (f *fleet) full(crowds ...*crowd) {
	f.Helper()
	for _, w := range crowds {
		w.takes(0)
		name := f.workloadOf(w.cluster, victim)
		f.await(w.Name+" is full", func() error {
			object, err := of(f.Context(), w.cluster, name)
			if err == nil && (!is(object, "Admitted") || is(object, "Evicted")) {
				err = errors.New("its victim is not admitted, or on its way out")
			}
			if err != nil {
				return err
			}
			job, err := w.Client.BatchV1().Jobs("default").Get(f.Context(), victim,
				metav1.GetOptions{})
			if err == nil && job.Status.Active == 0 {
				err = errors.New("its victim does not run")
			}
			return err
		})
	}
}

// workloadOf is the name of the workload that Kueue has made for a Job.
func (f *fleet) workloadOf(c *cluster, job string) (name string) {
	f.Helper()
	f.await("a workload of "+job+" in "+c.Name, func() error {
		list, err := c.workloads().List(f.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			for _, owner := range list.Items[i].GetOwnerReferences() {
				if owner.Kind == "Job" && owner.Name == job {
					name = list.Items[i].GetName()
					return nil
				}
			}
		}
		return errors.New("there is none")
	})
	return name
}

// dispatch submits a Job of high priority to the manager, and returns its workload's name.
func (f *fleet) dispatch(job string) string {
	f.Helper()
	f.create(f.manager, "jobs", fmt.Sprintf(`{metadata: {name: %s, labels: {
		kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/priority-class: high}}, spec: {suspend: true,
		managedBy: kueue.x-k8s.io/multikueue, %s}}`, job, template))
	return f.workloadOf(f.manager, job)
}

// awaitEnd waits until the Job has run to its end in a worker and the manager's cluster knows it.
func (f *fleet) awaitEnd(job, workload string) {
	f.Helper()
	f.await(job+" is complete in the manager's cluster", func() error {
		found, err := f.manager.in("jobs").Get(f.Context(), job, metav1.GetOptions{})
		if err != nil {
			return err
		}
		succeeded, _, _ := unstructured.NestedInt64(found.Object, "status", "succeeded")
		if succeeded != 1 || !is(found, "Complete") {
			return fmt.Errorf("its status is %v", found.Object["status"])
		}
		return nil
	})
	f.await(workload+" is finished", func() error {
		w, err := of(f.Context(), f.manager, workload)
		if err == nil && !is(w, "Finished") {
			err = errors.New("it is not")
		}
		return err
	})
	for _, c := range f.workers {
		f.awaitGone(c, "workloads", workload)
		f.awaitGone(c, "jobs", job)
	}
}

// Whichever worker is opened first gets nowhere: its victim does not end. The other one is opened
// after the timeout, and admits.
func sequenceOfTheKEP(f *fleet, east, west *crowd) {
	f.full(east, west)
	east.takes(never)
	west.takes(never)
	f.began = time.Now()
	workload := f.dispatch("train")
	first := f.awaitOpening(workload)
	crowds := map[string]*crowd{"east": east, "west": west}
	second := "east"
	if first == second {
		second = "west"
	}
	crowds[second].takes(0)
	f.askWhileGated(workload, first, second)
	f.awaitCluster(workload, second)
	f.askWhileBound(workload, second)
	f.awaitGone(f.workers[first], "workloads", workload)
	f.awaitEnd("train", workload)
	if n := f.count(first, "create", "jobs", "train"); n != 0 {
		f.Errorf("%d jobs were made in %s", n, first)
	}
	f.checkOpenings(workload, slow, first, second)
	f.checkPreemptions(slow, first, second)
	f.tellStory("train", workload)
}

// A gate that a user has set, and nobody opens: each worker gets one copy, which stays, and nobody
// preempts. Once the user opens it in a worker, our gate is opened there, and that one does.
func gateOfTheUser(f *fleet, east, west *crowd) {
	f.full(east, west)
	f.began = time.Now()
	f.create(f.manager, "workloads", fmt.Sprintf(`{metadata: {name: held}, spec: {queueName: q,
		priority: 1000, preemptionGates: [{name: example.com/mine}], podSets: [{name: main, count: 1,
		%s}]}}`, template))
	f.awaitCopies("held")
	if f.asked != "" {
		f.ask([]string{"another gate than " + gateName + " is closed",
			"asks to preempt, but a gate that is not ours is closed there"}, "why", "workload/held")
	}
	time.Sleep(3 * time.Second)
	for name := range f.workers {
		made, gone := f.count(name, "create", "workloads", "held"),
			f.count(name, "delete", "workloads", "held")
		if made != 1 || gone != 0 {
			f.Errorf("in %s %d copies were made and %d deleted, want 1 and 0", name, made, gone)
		}
	}
	f.checkOpenings("held", slow)
	f.checkPreemptions(slow)

	f.await("the user opens it in east", func() error {
		copy, err := of(f.Context(), f.workers["east"], "held")
		if err != nil {
			return err
		}
		gates, _, err := unstructured.NestedSlice(copy.Object, "status", "preemptionGates")
		if err != nil {
			return err
		}
		for _, one := range gates {
			if gate := one.(map[string]any); gate["name"] == "example.com/mine" {
				gate["position"] = "Open"
			}
		}
		if err := unstructured.SetNestedSlice(copy.Object, gates, "status",
			"preemptionGates"); err != nil {
			return err
		}
		_, err = f.workers["east"].workloads().UpdateStatus(f.Context(), copy,
			metav1.UpdateOptions{})
		return err
	})
	f.awaitCluster("held", "east")
	f.checkOpenings("held", slow, "east")
	f.checkPreemptions(slow, "east")
	f.must(f.manager.workloads().Delete(f.Context(), "held", metav1.DeleteOptions{}))
	for _, c := range f.workers {
		f.awaitGone(c, "workloads", "held")
	}
}

// The same story with the feature gate and without it: how many workers preempt. Victims take
// longer than either worker needs to see the copy, and less than the timeout.
func preemptionsOfKueue(f *fleet, east, west *crowd) {
	count := func(job string, want int) {
		f.full(east, west)
		east.takes(3 * time.Second)
		west.takes(3 * time.Second)
		f.began = time.Now()
		f.awaitEnd(job, f.dispatch(job))
		preempted := f.preempting()
		f.tell("%s the feature gate: %d preemptions, in %v", job, len(preempted),
			slices.Sorted(maps.Keys(preempted)))
		if len(preempted) != want {
			f.Errorf("%s the feature gate %d workers preempted, want %d", job, len(preempted), want)
		}
	}
	count("with", 1)
	f.must(f.leader.Stop(10 * time.Second))
	f.configure("workerLostTimeout: 30s\n")
	f.leader = f.run()
	count("without", 2)
}
