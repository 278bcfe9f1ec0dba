// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/engine"
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

	// Held while the engine is told of a workload, so that what it hears last was seen last.
	telling sync.Mutex
}

// step is a Job that is to be looked at, or a workload that nobody owns.
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
	if w.DeletionTimestamp != nil && len(w.OwnerReferences) == 0 {
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
	if err := informer.AddIndexers(cache.Indexers{byOwnerUID: ownerUID, byOwnerName: ownerName}); err != nil {
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
	reconciler := &job.Reconciler{Cluster: clusterOf{h}, Writer: writerOf{h}}
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

func (h *Host) takeStep(ctx context.Context, reconciler *job.Reconciler) bool {
	next, over := h.queued.steps.Get()
	if over {
		return false
	}
	defer h.queued.steps.Done(next)
	if !h.Leads() {
		return true // whoever leads looks at all of them
	}
	take := reconciler.Step
	if next.workload {
		take = reconciler.LetGo
	}
	if err := take(ctx, next.name); err != nil {
		h.log.V(2).Info("A step is tried again", "workload", next.workload,
			"name", next.name.String(), "why", err.Error())
		h.queued.steps.AddRateLimited(next)
		return true
	}
	h.queued.steps.Forget(next)
	return true
}

func ownerUID(object any) ([]string, error) {
	if w, is := object.(*kueue.Workload); is {
		if owner := metav1.GetControllerOfNoCopy(w); owner != nil {
			return []string{string(owner.UID)}, nil
		}
	}
	return nil, nil
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

func (h *Host) jobSeen(old, now *batchv1.Job) {
	if job.Queue(now) == "" && (old == nil || job.Queue(old) == "") {
		return
	}
	h.queued.steps.Add(stepOf(now))
	if old == nil || job.Stopped(old) != job.Stopped(now) || hasEndedJob(old) != hasEndedJob(now) {
		for _, w := range (clusterOf{h}).Owned(now.Namespace, now.UID) {
			h.tellWorkload(w)
		}
	}
}

func hasEndedJob(j *batchv1.Job) bool {
	_, _, ended := job.Ended(j)
	return ended
}

func (h *Host) jobGone(j *batchv1.Job) {
	h.queued.steps.Add(stepOf(j))
	for _, w := range (clusterOf{h}).Owned(j.Namespace, j.UID) {
		h.tellWorkload(w)
	}
}

// workloadUnreadable is one that could not be made typed: somebody has to hear of it.
func (h *Host) workloadUnreadable(object *unstructured.Unstructured) {
	h.told(object, engine.Tail{}, facts.Read(object, &kueue.Workload{}))
}

func (h *Host) workloadSeen(old, w *kueue.Workload) {
	h.tellWorkload(w)
	if wl.Reserved(w) != (old != nil && wl.Reserved(old)) {
		h.observeAgain(w.Namespace, func(pod *v1.Pod) bool {
			return pod.Annotations[kueue.WorkloadAnnotation] == w.Name
		})
	}
	h.queued.follow(w)
	h.queued.changed()
}

func (h *Host) workloadGone(w *kueue.Workload) {
	h.queued.telling.Lock()
	tail, err := h.eng.ForgetWorkerWorkload(string(w.UID), w.Namespace, w.Name)
	h.queued.telling.Unlock()
	h.told(w, tail, err)
	h.observeAgain(w.Namespace, func(pod *v1.Pod) bool {
		return pod.Annotations[kueue.WorkloadAnnotation] == w.Name
	})
	h.queued.follow(w)
	h.queued.changed()
}

// tellWorkload tells of the workload as it is now, with its Job as that is now.
func (h *Host) tellWorkload(w *kueue.Workload) {
	h.queued.telling.Lock()
	defer h.queued.telling.Unlock()
	if w = (clusterOf{h}).Workload(nameOf(w)); w == nil {
		return
	}
	tail, err := h.eng.ObserveWorkerWorkload(facts.Workload(w, h.around(w)))
	h.told(w, tail, err)
}

// tellWorkloads tells again of those whose pods the API server would give other defaults now; "":
// in all namespaces.
func (h *Host) tellWorkloads(namespace string) {
	store := h.queued.workloads.Load()
	if store == nil || !(*store).HasSynced() {
		return
	}
	for _, object := range (*store).GetStore().List() {
		w, is := object.(*kueue.Workload)
		if is && (namespace == "" || w.Namespace == namespace) && !wl.Finished(w) {
			h.tellWorkload(w)
		}
	}
}

// around is what other objects say of a workload.
func (h *Host) around(w *kueue.Workload) *facts.Around {
	a := &facts.Around{JobStopped: h.jobStopped(w)}
	a.Defaults.Overhead = func(class string) v1.ResourceList {
		object, there, err := h.queued.runtime.GetStore().GetByKey(class)
		if err != nil || !there || object.(*nodev1.RuntimeClass).Overhead == nil {
			return nil
		}
		return object.(*nodev1.RuntimeClass).Overhead.PodFixed
	}
	inSpace, err := h.queued.ranges.GetIndexer().ByIndex(cache.NamespaceIndex, w.Namespace)
	for i := 0; err == nil && i < len(inSpace); i++ {
		a.Defaults.Ranges = append(a.Defaults.Ranges, inSpace[i].(*v1.LimitRange))
	}
	slices.SortFunc(a.Defaults.Ranges, func(x, y *v1.LimitRange) int {
		return strings.Compare(x.Name, y.Name)
	})
	return a
}

// jobStopped tells whether nothing runs for the workload. Of an owner that is none of ours it is
// known only of what was never admitted.
func (h *Host) jobStopped(w *kueue.Workload) bool {
	owner := metav1.GetControllerOfNoCopy(w)
	switch {
	case owner == nil:
		return len(w.OwnerReferences) == 0 || !wl.Admitted(w)
	case !isJob(owner):
		return !wl.Admitted(w)
	}
	j := clusterOf{h}.Job(types.NamespacedName{Namespace: w.Namespace, Name: owner.Name})
	return j == nil || j.UID != owner.UID || job.Stopped(j) || hasEndedJob(j)
}

func (h *Host) checkSeen(object *unstructured.Unstructured) {
	var check kueue.AdmissionCheck
	var tail engine.Tail
	err := facts.Read(object, &check)
	if err == nil {
		tail, err = h.eng.ObserveCheck(check.Name, apimeta.IsStatusConditionTrue(
			check.Status.Conditions, kueue.AdmissionCheckActive))
	}
	h.told(object, tail, err)
	h.queued.changed()
}

func (h *Host) checkGone(object *unstructured.Unstructured) {
	tail, err := h.eng.ForgetCheck(object.GetName())
	h.told(object, tail, err)
	h.queued.changed()
}

// workloadClassSeen lets Jobs go on that waited for a class.
func (h *Host) workloadClassSeen(object *unstructured.Unstructured) {
	for _, one := range h.queued.jobs.GetStore().List() {
		j := one.(*batchv1.Job)
		if class, ofWorkloads := job.PriorityClass(j); ofWorkloads && class == object.GetName() {
			h.queued.steps.Add(stepOf(j))
		}
	}
}

// tellLocalQueue tells of a LocalQueue, and whether its ClusterQueue wants its namespace.
func (h *Host) tellLocalQueue(object *unstructured.Unstructured) {
	if !h.args.Workloads {
		return
	}
	var queue kueue.LocalQueue
	var tail engine.Tail
	err := facts.Read(object, &queue)
	if err == nil {
		tail, err = h.eng.ObserveLocalQueue(facts.WorkloadQueue(&queue, h.selected(&queue)))
	}
	h.told(object, tail, err)
	h.queued.changed()
}

func (h *Host) forgetLocalQueue(object *unstructured.Unstructured) {
	if !h.args.Workloads {
		return
	}
	tail, err := h.eng.ForgetLocalQueue(object.GetNamespace(), object.GetName())
	h.told(object, tail, err)
}

// tellLocalQueues tells again of those of which something else may be true now.
func (h *Host) tellLocalQueues(concerned func(*kueue.LocalQueue) bool) {
	if !h.args.Workloads {
		return
	}
	for _, object := range h.listOf(localQueues) {
		var queue kueue.LocalQueue
		if facts.Read(object, &queue) == nil && concerned(&queue) {
			h.tellLocalQueue(object)
		}
	}
	h.queued.changed()
}

func (h *Host) selected(queue *kueue.LocalQueue) bool {
	object := h.customObject(clusterQueues, "", string(queue.Spec.ClusterQueue))
	var cluster kueue.ClusterQueue
	if object == nil || facts.Read(object, &cluster) != nil {
		return true // there is no such queue: the engine says so
	}
	selector, err := metav1.LabelSelectorAsSelector(cluster.Spec.NamespaceSelector)
	space, unknown := h.spaces.Get(queue.Namespace)
	return err == nil && unknown == nil && selector.Matches(labels.Set(space.Labels))
}

// customObject is a custom resource as it was last seen; nil: there is none.
func (h *Host) customObject(of schema.GroupVersionResource, namespace,
	name string) *unstructured.Unstructured {
	lister, followed := h.listers.Load(of)
	if !followed {
		return nil
	}
	all := lister.(cache.GenericLister)
	object, err := all.Get(name)
	if namespace != "" {
		object, err = all.ByNamespace(namespace).Get(name)
	}
	if err != nil {
		return nil
	}
	return object.(*unstructured.Unstructured)
}

func (h *Host) listOf(of schema.GroupVersionResource) (all []*unstructured.Unstructured) {
	lister, followed := h.listers.Load(of)
	if !followed {
		return nil
	}
	objects, err := lister.(cache.GenericLister).List(labels.Everything())
	for i := 0; err == nil && i < len(objects); i++ {
		if object, is := objects[i].(*unstructured.Unstructured); is {
			all = append(all, object)
		}
	}
	return all
}

// Dispatched tells whether the workloads of a LocalQueue go to other clusters: an admission check of
// its ClusterQueue is the manager's.
func (h *Host) Dispatched(namespace, queue string) bool {
	if !h.args.Workloads {
		return false
	}
	var cluster kueue.ClusterQueue
	object := h.customObject(clusterQueues, "", h.local.clusterQueue(namespace, queue))
	if object == nil || facts.Read(object, &cluster) != nil ||
		cluster.Spec.AdmissionChecksStrategy == nil {
		return false
	}
	for _, rule := range cluster.Spec.AdmissionChecksStrategy.AdmissionChecks {
		var check kueue.AdmissionCheck
		object := h.customObject(admissionChecks, "", string(rule.Name))
		if object != nil && facts.Read(object, &check) == nil &&
			check.Spec.ControllerName == kueue.MultiKueueControllerName {
			return true
		}
	}
	return false
}
