// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/job"
	wl "sluice/kube-scheduler/workload"
)

var (
	clusterQueues   = kueue.SchemeGroupVersion.WithResource("clusterqueues")
	localQueues     = kueue.SchemeGroupVersion.WithResource("localqueues")
	admissionChecks = kueue.SchemeGroupVersion.WithResource("admissionchecks")
	flavorResource  = kueue.SchemeGroupVersion.WithResource("resourceflavors")
	workloadClasses = kueue.SchemeGroupVersion.WithResource("workloadpriorityclasses")
)

// queued is what the host knows of Workloads and Jobs beside the engine. Without the configuration
// and Kueue's CRDs nothing of it runs.
type queued struct {
	factory informers.SharedInformerFactory
	jobs    cache.SharedIndexInformer
	ranges  cache.SharedIndexInformer // LimitRanges
	runtime cache.SharedIndexInformer // RuntimeClasses
	classes cache.SharedIndexInformer // of pods' priorities

	workloads atomic.Pointer[cache.SharedIndexInformer] // of *kueue.Workload
	steps     workqueue.TypedRateLimitingInterface[step]
	dirty     chan struct{} // a queue's status may say something else

	// Held while the engine is told of a workload, or of a LocalQueue, so that what it hears last was
	// seen last.
	telling, tellingQueues sync.Mutex
}

// step is a Job that is to be looked at, or a workload by itself.
type step struct {
	workload bool
	name     types.NamespacedName
}

// Indexes of Workloads and Jobs.
const (
	byOwnerUID  = "ownerUID"
	byOwnerName = "ownerName"
	byPrebuilt  = "prebuilt"
)

func (h *Host) initQueued(client kubernetes.Interface) {
	if !h.args.Workloads {
		return
	}
	q := &h.queued
	q.factory = informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTransform(withoutManagers))
	q.jobs = q.factory.Batch().V1().Jobs().Informer()
	q.ranges = q.factory.Core().V1().LimitRanges().Informer()
	q.runtime = q.factory.Node().V1().RuntimeClasses().Informer()
	q.classes = q.factory.Scheduling().V1().PriorityClasses().Informer()
	q.steps = workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[step](100*time.Millisecond, time.Minute))
	q.dirty = make(chan struct{}, 1)
}

// withoutManagers leaves out who manages which field: nobody here asks.
func withoutManagers(object any) (any, error) {
	if one, is := object.(metav1.Object); is {
		one.SetManagedFields(nil)
	}
	return object, nil
}

// changed notes that the status of queues may have to say something else.
func (q *queued) changed() {
	select {
	case q.dirty <- struct{}{}:
	default:
	}
}

// all Jobs and workloads are looked at: this replica leads now.
func (q *queued) all() {
	store := q.workloads.Load()
	if store == nil {
		return
	}
	for _, object := range q.jobs.GetStore().List() {
		q.steps.Add(stepOf(object.(*batchv1.Job)))
	}
	for _, object := range (*store).GetStore().List() {
		if w, is := object.(*kueue.Workload); is {
			q.follow(w)
			if wl.IsOfClass(w) {
				q.steps.Add(step{true, nameOf(w)})
			}
		}
	}
	q.changed()
}

func stepOf(j *batchv1.Job) step { return step{false, nameOf(j)} }

func nameOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

// follow has those looked at that the workload concerns.
func (q *queued) follow(w *kueue.Workload) {
	if owner := metav1.GetControllerOfNoCopy(w); owner != nil && isJob(owner) {
		q.steps.Add(step{false, types.NamespacedName{Namespace: w.Namespace, Name: owner.Name}})
	}
	if w.DeletionTimestamp != nil && len(w.OwnerReferences) == 0 || wl.Orphaned(w) ||
		w.Spec.MaximumExecutionTimeSeconds != nil {
		q.steps.Add(step{true, nameOf(w)})
	}
	jobs, err := q.jobs.GetIndexer().ByIndex(byPrebuilt, w.Namespace+"/"+w.Name)
	for i := 0; err == nil && i < len(jobs); i++ {
		q.steps.Add(stepOf(jobs[i].(*batchv1.Job)))
	}
}

func isJob(owner *metav1.OwnerReference) bool {
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && version.Group == batchv1.GroupName && owner.Kind == job.Kind.Kind
}

// typed makes Workloads of what a dynamic client reads; one that cannot be read stays as it came.
func typed(object any) (any, error) {
	from, is := object.(*unstructured.Unstructured)
	if !is {
		return object, nil
	}
	from.SetManagedFields(nil)
	w := &kueue.Workload{}
	if facts.Read(from, w) != nil {
		return object, nil
	}
	return w, nil
}

// followWorkloads begins what Workloads need beside themselves.
func (h *Host) followWorkloads(ctx context.Context, informer cache.SharedIndexInformer) (
	synced []cache.InformerSynced, err error) {
	q := &h.queued
	if err := informer.SetTransform(typed); err != nil {
		return nil, err
	}
	if err := informer.AddIndexers(cache.Indexers{byOwnerUID: controllerUID,
		byOwnerName: ownerName}); err != nil {
		return nil, err
	}
	if err := q.jobs.AddIndexers(cache.Indexers{byPrebuilt: prebuilt}); err != nil {
		return nil, err
	}
	q.workloads.Store(&informer)
	for of, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		q.jobs: handle(h.jobSeen, h.jobGone),
		q.ranges: handle(func(_, now *v1.LimitRange) { h.tellWorkloads(now.Namespace) },
			func(now *v1.LimitRange) { h.tellWorkloads(now.Namespace) }),
		q.runtime: handle(func(_, _ *nodev1.RuntimeClass) { h.tellWorkloads("") },
			func(*nodev1.RuntimeClass) { h.tellWorkloads("") }),
		q.classes: handle(func(_, _ *schedulingv1.PriorityClass) {},
			func(*schedulingv1.PriorityClass) {}),
	} {
		registration, err := of.AddEventHandler(handler)
		if err != nil {
			return nil, err
		}
		synced = append(synced, registration.HasSynced)
	}
	// What a workload stands on is listed before it is told of.
	before := slices.Clone(synced)
	h.listed.Range(func(_, listed any) bool {
		before = append(before, listed.(cache.InformerSynced))
		return true
	})
	complete := false
	wait := func() {
		if !complete {
			complete = cache.WaitForCacheSync(ctx.Done(), before...)
		}
	}
	registration, err := informer.AddEventHandler(handle(
		func(old, now *kueue.Workload) { wait(); h.workloadSeen(old, now) },
		func(now *kueue.Workload) { wait(); h.workloadGone(now) }))
	if err != nil {
		return nil, err
	}
	synced = append(synced, registration.HasSynced)
	q.factory.Start(ctx.Done())
	h.done.Go(func() { h.runQueued(ctx, synced) })
	return synced, nil
}

// runQueued takes steps, and writes the status of queues, once all was listed.
func (h *Host) runQueued(ctx context.Context, synced []cache.InformerSynced) {
	q := &h.queued
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		q.steps.ShutDown()
		return
	}
	reconciler := &job.Reconciler{Cluster: clusterOf{h}, Writer: writerOf{h}, Now: h.now}
	for range h.args.Effects.Workers {
		h.done.Go(func() {
			for h.takeStep(ctx, reconciler) {
			}
		})
	}
	h.done.Go(func() { h.keepStatuses(ctx) })
	q.all()
	<-ctx.Done()
	q.steps.ShutDown()
}

// loudAfter so many tries, 6 s, a step that fails is told to whoever reads the log: no other
// version is on its way that would mend it.
const loudAfter = 6

func (h *Host) takeStep(ctx context.Context, reconciler *job.Reconciler) bool {
	next, over := h.queued.steps.Get()
	if over {
		return false
	}
	defer h.queued.steps.Done(next)
	if !h.Leads() {
		return true // whoever leads looks at all of them
	}
	var again time.Duration
	var err error
	if next.workload {
		again, err = reconciler.Tend(ctx, next.name)
	} else {
		err = reconciler.Step(ctx, next.name)
	}
	if err != nil {
		words := []any{"workload", next.workload, "name", next.name.String()}
		h.log.V(2).Info("A step is tried again", append(words, "why", err.Error())...)
		if h.queued.steps.NumRequeues(next) == loudAfter {
			h.log.Error(err, "A step fails again and again, and goes on being tried", words...)
		}
		h.queued.steps.AddRateLimited(next)
		return true
	}
	h.queued.steps.Forget(next)
	if again > 0 {
		h.queued.steps.AddAfter(next, again)
	}
	return true
}

func ownerName(object any) ([]string, error) {
	if w, is := object.(*kueue.Workload); is {
		if owner := metav1.GetControllerOfNoCopy(w); owner != nil && isJob(owner) {
			return []string{w.Namespace + "/" + owner.Name}, nil
		}
	}
	return nil, nil
}

func prebuilt(object any) ([]string, error) {
	if j, is := object.(*batchv1.Job); is {
		if name := wl.PrebuiltName(j); name != "" {
			return []string{j.Namespace + "/" + name}, nil
		}
	}
	return nil, nil
}
