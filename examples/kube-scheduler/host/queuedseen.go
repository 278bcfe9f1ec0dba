// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/job"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
)

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
	h.told(object, sluice.Tail{}, facts.Read(object, &kueue.Workload{}))
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
	var tail sluice.Tail
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

// workloadClassSeen lets Jobs go on that waited for a class, and workloads have its priority.
func (h *Host) workloadClassSeen(object *unstructured.Unstructured) {
	for _, one := range h.queued.jobs.GetStore().List() {
		j := one.(*batchv1.Job)
		if class, ofWorkloads := job.PriorityClass(j); ofWorkloads && class == object.GetName() {
			h.queued.steps.Add(stepOf(j))
		}
	}
	store := h.queued.workloads.Load()
	if store == nil {
		return // they are all looked at when they come
	}
	for _, one := range (*store).GetStore().List() {
		w, is := one.(*kueue.Workload)
		if is && wl.IsOfClass(w) && w.Spec.PriorityClassRef.Name == object.GetName() {
			h.queued.steps.Add(step{true, nameOf(w)})
		}
	}
}

// tellLocalQueue tells of a LocalQueue, and whether its ClusterQueue wants its namespace. Those who
// have news of either tell one after the other, so that what the engine hears last was so last.
func (h *Host) tellLocalQueue(object *unstructured.Unstructured) {
	if !h.args.Workloads {
		return
	}
	h.queued.tellingQueues.Lock()
	defer h.queued.tellingQueues.Unlock()
	if object = h.customObject(localQueues, object.GetNamespace(), object.GetName()); object == nil {
		return
	}
	var queue kueue.LocalQueue
	var tail sluice.Tail
	err := facts.Read(object, &queue)
	if err == nil {
		selected := h.selects(string(queue.Spec.ClusterQueue), queue.Namespace)
		tail, err = h.eng.ObserveLocalQueue(facts.WorkloadQueue(&queue, selected))
	}
	h.told(object, tail, err)
	h.queued.changed()
}

func (h *Host) forgetLocalQueue(object *unstructured.Unstructured) {
	if !h.args.Workloads {
		return
	}
	h.queued.tellingQueues.Lock()
	defer h.queued.tellingQueues.Unlock()
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

// selects tells whether a ClusterQueue takes what is in a namespace. One that is not known yet is
// not selected: there will be news of it.
func (h *Host) selects(clusterQueue, namespace string) bool {
	space, err := h.spaces.Get(namespace)
	return err == nil && h.spaceSelectors.selects(clusterQueue, space.Labels)
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

// HasQueue tells whether there is such a LocalQueue.
func (h *Host) HasQueue(namespace, name string) bool {
	return h.args.Workloads && h.local.clusterQueue(namespace, name) != ""
}

// Dispatched tells whether the workloads of a LocalQueue go to other clusters: an admission check
// of its ClusterQueue is the manager's.
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
