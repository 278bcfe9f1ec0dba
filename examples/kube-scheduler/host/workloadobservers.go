// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/job"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
)

func (ws *workloads) jobSeen(old, now *batchv1.Job) {
	if job.Queue(now) == "" && (old == nil || job.Queue(old) == "") {
		return
	}
	ws.steps.Add(stepOf(now))
	if old == nil || job.Stopped(old) != job.Stopped(now) || hasEndedJob(old) != hasEndedJob(now) {
		for _, w := range ws.Owned(now.Namespace, now.UID) {
			ws.tell(w)
		}
	}
}

func hasEndedJob(j *batchv1.Job) bool {
	_, _, ended := job.Ended(j)
	return ended
}

func (ws *workloads) jobGone(j *batchv1.Job) {
	ws.steps.Add(stepOf(j))
	for _, w := range ws.Owned(j.Namespace, j.UID) {
		ws.tell(w)
	}
}

// unreadable is one that could not be made typed: somebody has to hear of it.
func (ws *workloads) unreadable(object *unstructured.Unstructured) {
	ws.engine.told(object, sluice.Tail{}, facts.Read(object, &kueue.Workload{}))
}

func (ws *workloads) seen(old, w *kueue.Workload) {
	ws.tell(w)
	ws.settleMembers(w)
	if wl.Reserved(w) != (old != nil && wl.Reserved(old)) {
		ws.tellPods(w)
	}
	ws.look(w)
	if old != nil && old.Spec.QueueName != w.Spec.QueueName {
		ws.statuses.countedIn(localQueueName(old))
	}
	ws.statuses.countedIn(localQueueName(w))
}

func localQueueName(w *kueue.Workload) types.NamespacedName {
	return types.NamespacedName{Namespace: w.Namespace, Name: string(w.Spec.QueueName)}
}

func (ws *workloads) gone(w *kueue.Workload) {
	ws.telling.Lock()
	tail, err := ws.engine.ForgetWorkerWorkload(string(w.UID), w.Namespace, w.Name)
	ws.telling.Unlock()
	ws.engine.told(w, tail, err)
	ws.settleMembers(w)
	ws.tellPods(w)
	ws.look(w)
	ws.statuses.countedIn(localQueueName(w))
}

// settleMembers tells again of pods for which this workload pays now, or no more.
func (ws *workloads) settleMembers(w *kueue.Workload) {
	for _, pod := range ws.pods.describer.members.changed(nameOf(w)) {
		ws.pods.tellAgain(pod)
	}
}

// tellPods tells again of the pods that say they are of this workload.
func (ws *workloads) tellPods(w *kueue.Workload) {
	ws.pods.tellAgainIn(w.Namespace, func(pod *v1.Pod) bool {
		return pod.Annotations[kueue.WorkloadAnnotation] == w.Name
	})
}

// tell tells of the workload as it is now, with its Job as that is now.
func (ws *workloads) tell(w *kueue.Workload) {
	ws.telling.Lock()
	defer ws.telling.Unlock()
	if w = ws.Workload(nameOf(w)); w == nil {
		return
	}
	tail, err := ws.engine.ObserveWorkerWorkload(facts.Workload(w, ws.around(w)))
	ws.engine.told(w, tail, err)
}

// tellAgain tells of a workload as it is now.
func (ws *workloads) tellAgain(w *kueue.Workload) {
	again(&ws.engine.limited, w, func() *kueue.Workload {
		now := ws.Workload(nameOf(w))
		if now == nil || now.UID != w.UID {
			return nil
		}
		return now
	}, ws.tell, ws.gone)
}

// tellAll tells again of all workloads: of their pods something else may be so now.
func (ws *workloads) tellAll() { ws.tellWhere(func(*kueue.Workload) bool { return true }) }

// tellIn tells again of those of a namespace.
func (ws *workloads) tellIn(namespace string) {
	ws.tellWhere(func(w *kueue.Workload) bool { return w.Namespace == namespace })
}

// tellOf tells again of those of a LocalQueue.
func (ws *workloads) tellOf(queue types.NamespacedName) {
	ws.tellWhere(func(w *kueue.Workload) bool {
		return w.Namespace == queue.Namespace && string(w.Spec.QueueName) == queue.Name
	})
}

func (ws *workloads) tellWhere(concerned func(*kueue.Workload) bool) {
	store := ws.informer.Load()
	if store == nil || !(*store).HasSynced() {
		return
	}
	for _, object := range (*store).GetStore().List() {
		w, is := object.(*kueue.Workload)
		if is && concerned(w) && !wl.Finished(w) {
			ws.tell(w)
		}
	}
}

// claimTemplate is what claims are to say that are made from a template; nil: it is not there.
func (ws *workloads) claimTemplate(name types.NamespacedName) *resourcev1.ResourceClaimSpec {
	object := ws.custom.object(claimTemplates, name.Namespace, name.Name)
	var template resourcev1.ResourceClaimTemplate
	if object == nil || facts.Read(object, &template) != nil {
		return nil
	}
	return &template.Spec.Spec
}

// retell tells again of the workloads whose pods need claims that are made from this template.
func (ws *workloads) retell(template *unstructured.Unstructured) {
	ws.tellWhere(func(w *kueue.Workload) bool {
		return w.Namespace == template.GetNamespace() &&
			slices.ContainsFunc(w.Spec.PodSets, func(set kueue.PodSet) bool {
				return slices.ContainsFunc(set.Template.Spec.ResourceClaims,
					func(claim v1.PodResourceClaim) bool {
						from := claim.ResourceClaimTemplateName
						return from != nil && *from == template.GetName()
					})
			})
	})
}

// around is what other objects say of a workload.
func (ws *workloads) around(w *kueue.Workload) *facts.Around {
	a := &facts.Around{JobStopped: ws.jobStopped(w), DeviceNames: ws.devices,
		ClaimTemplate: func(name string) *resourcev1.ResourceClaimSpec {
			return ws.claimTemplate(types.NamespacedName{Namespace: w.Namespace, Name: name})
		}}
	a.SystemPriorities = ws.queues.selectors.countSystemPriorities(
		ws.queues.local.clusterQueue(w.Namespace, string(w.Spec.QueueName)))
	a.Defaults.Overhead = func(class string) v1.ResourceList {
		object, there, err := ws.runtime.GetStore().GetByKey(class)
		if err != nil || !there || object.(*nodev1.RuntimeClass).Overhead == nil {
			return nil
		}
		return object.(*nodev1.RuntimeClass).Overhead.PodFixed
	}
	inSpace, err := ws.ranges.GetIndexer().ByIndex(cache.NamespaceIndex, w.Namespace)
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
func (ws *workloads) jobStopped(w *kueue.Workload) bool {
	owner := metav1.GetControllerOfNoCopy(w)
	switch {
	case owner == nil:
		return len(w.OwnerReferences) == 0 || !wl.Admitted(w)
	case !isJob(owner):
		return !wl.Admitted(w)
	}
	j := ws.Job(types.NamespacedName{Namespace: w.Namespace, Name: owner.Name})
	return j == nil || j.UID != owner.UID || job.Stopped(j) || hasEndedJob(j)
}
