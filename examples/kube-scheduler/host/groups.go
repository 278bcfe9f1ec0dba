// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	coreinformers "k8s.io/client-go/informers/core/v1"
	schedulinginformers "k8s.io/client-go/informers/scheduling/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

var podGroups = volcano.SchemeGroupVersion.WithResource("podgroups")

// grouping is what the engine asks for where this host has the groups.
var grouping = []string{sluice.AnswerPermit, sluice.SetGroup, sluice.CreateGroup,
	sluice.SetGroupStatus, sluice.ChangeGroup}

// groups is what the host knows of PodGroups beside the engine. Without their CRD nothing of it
// runs.
type groups struct {
	client  kubernetes.Interface
	served  atomic.Bool
	owners  *owners
	permits sync.Map // uid of a pod that was told to wait in Permit -> since when
	written sync.Map // uid of a PodGroup -> version that the last write of its status made

	// Held while the engine is told of a pod of a group. It is known from several informers, and
	// must not be told of it after it was told that the pod is gone.
	telling sync.Mutex

	informer atomic.Pointer[cache.SharedIndexInformer] // of PodGroups
	ended    cache.SharedIndexInformer                 // of pods that have ended
	classes  cache.SharedIndexInformer                 // of priority classes
}

// The scheduler's own informer leaves out pods that have ended, but in a group they still count.
func notRunning(options *metav1.ListOptions) {
	options.FieldSelector = "status.phase!=" + string(v1.PodPending) +
		",status.phase!=" + string(v1.PodRunning) + ",status.phase!=" + string(v1.PodUnknown)
}

func (h *Host) initGroups(client kubernetes.Interface) error {
	h.groups.client = client
	reader := newObjectReader(h.clients.custom, h.discoverer)
	h.groups.owners = newOwners(reader)
	h.groups.owners.found = h.ownerFound
	h.groups.owners.warn = h.ownerUnknown
	h.groups.ended = coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, 0,
		cache.Indexers{}, notRunning)
	h.groups.classes = schedulinginformers.NewPriorityClassInformer(client, 0, cache.Indexers{})
	return h.groups.ended.SetTransform(h.onlyMembers)
}

// onlyMembers leaves of a pod that is in no group, as most are, only what tells that it is there.
func (h *Host) onlyMembers(object any) (any, error) {
	pod, is := object.(*v1.Pod)
	if !is {
		return object, nil
	}
	heir, known := h.heir(pod, false)
	if facts.Grouped(heir) || !known && metav1.GetControllerOfNoCopy(pod) != nil {
		return heir, nil
	}
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name,
		UID: pod.UID, ResourceVersion: pod.ResourceVersion}}, nil
}

// followGroups begins what PodGroups need beside themselves.
func (h *Host) followGroups(ctx context.Context, informer cache.SharedIndexInformer) (
	synced []cache.InformerSynced, err error) {
	h.groups.informer.Store(&informer)
	h.groups.served.Store(true)
	for of, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		h.groups.ended:   handle(h.endedPodSeen, h.endedPodGone),
		h.groups.classes: handle(h.classSeen, h.classGone),
	} {
		registration, err := of.AddEventHandler(handler)
		if err != nil {
			return nil, err
		}
		synced = append(synced, registration.HasSynced)
		h.done.Go(func() { of.Run(ctx.Done()) })
	}
	return synced, nil
}

func (h *Host) groupSeen(object *unstructured.Unstructured) {
	var typed volcano.PodGroup
	var seen sluice.Group
	var tail sluice.Tail
	err := facts.Read(object, &typed)
	if err == nil {
		err = facts.Group(&typed, h.classPriority(typed.Spec.PriorityClassName), &seen)
	}
	if err == nil {
		tail, err = h.eng.ObserveGroup(&seen)
	}
	h.told(object, tail, err)
	h.warnOfMadeGroup(object)
}

func (h *Host) groupGone(object *unstructured.Unstructured) {
	h.groups.written.Delete(object.GetUID())
	tail, err := h.eng.ForgetGroup(string(object.GetUID()), object.GetNamespace(),
		object.GetName())
	h.told(object, tail, err)
}

// group is the PodGroup as it was last seen; nil: there is none.
func (h *Host) group(namespace, name string) *unstructured.Unstructured {
	informer := h.groups.informer.Load()
	if informer == nil {
		return nil
	}
	object, there, err := (*informer).GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return nil
	}
	return object.(*unstructured.Unstructured)
}

// classPriority is the value of a priority class; nil: there is none of that name.
func (h *Host) classPriority(name string) *int32 {
	object, there, err := h.groups.classes.GetStore().GetByKey(name)
	if err != nil || !there {
		return nil
	}
	return &object.(*schedulingv1.PriorityClass).Value
}

func (h *Host) classSeen(old, class *schedulingv1.PriorityClass) {
	if old == nil || old.Value != class.Value {
		h.classGone(class)
	}
}

// classGone tells the engine again of the groups of a class.
func (h *Host) classGone(class *schedulingv1.PriorityClass) {
	informer := h.groups.informer.Load()
	for _, object := range (*informer).GetStore().List() {
		group := object.(*unstructured.Unstructured)
		name, _, _ := unstructured.NestedString(group.Object, "spec", "priorityClassName")
		if name == class.Name {
			h.groupSeen(group)
		}
	}
}

func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// endedPod is a pod of a group that has ended, if that was seen.
func (h *Host) endedPod(namespace, name string, uid types.UID) *v1.Pod {
	object, there, err := h.groups.ended.GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return nil
	}
	if pod := h.ended(object.(*v1.Pod)); pod.UID == uid && facts.Grouped(pod) && hasEnded(pod) {
		return pod
	}
	return nil
}

// ended is a pod that has ended, with what it inherits as far as that is known.
func (h *Host) ended(pod *v1.Pod) *v1.Pod {
	heir, _ := h.heir(pod, false)
	return heir
}

func (h *Host) endedPodSeen(_, pod *v1.Pod) {
	pod = h.ended(pod)
	if facts.Grouped(pod) && hasEnded(pod) {
		h.memberSeen(pod)
	}
}

func (h *Host) endedPodGone(pod *v1.Pod) {
	pod = h.ended(pod)
	if facts.Grouped(pod) && hasEnded(pod) {
		h.memberGone(pod)
	}
}

// memberSeen tells of a pod of a group, if its controller is known.
func (h *Host) memberSeen(pod *v1.Pod) {
	h.groups.telling.Lock()
	defer h.groups.telling.Unlock()
	if h.isOurs(pod) && facts.WantsGroup(pod) {
		h.groups.owners.seen(pod)
	}
	h.tellPod(pod)
}

// endsWithin is how long the end of a bound pod that nobody deletes may come before the news that
// it succeeded or failed: they are told by two watches.
const endsWithin = 250 * time.Millisecond

// memberLeft is called when the scheduler's informer has lost a pod of a group: it has ended, or
// is gone.
func (h *Host) memberLeft(pod *v1.Pod) {
	if h.groups.served.Load() && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil &&
		h.endedPod(pod.Namespace, pod.Name, pod.UID) == nil {
		time.AfterFunc(endsWithin, func() { h.memberGone(pod) })
		return
	}
	h.memberGone(pod)
}

// memberGone tells that a pod of a group is gone, unless an informer has it still.
func (h *Host) memberGone(pod *v1.Pod) {
	h.groups.telling.Lock()
	defer h.groups.telling.Unlock()
	if h.member(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod.UID) != nil {
		return
	}
	h.groups.owners.gone(pod)
	tail, err := h.opened().ForgetPod(string(pod.UID))
	h.told(pod, tail, err)
}

// member is a pod as the one or the other informer has it; nil: it is gone.
func (h *Host) member(name types.NamespacedName, uid types.UID) *v1.Pod {
	if pod := h.endedPod(name.Namespace, name.Name, uid); pod != nil {
		return pod
	}
	pod, err := h.podLister.Pods(name.Namespace).Get(name.Name)
	if err != nil || pod.UID != uid {
		return nil
	}
	return pod
}

// isOurs tells whether a profile of this scheduler is the pod's.
func (h *Host) isOurs(pod *v1.Pod) bool {
	for _, scheduler := range h.schedulers {
		if scheduler == pod.Spec.SchedulerName {
			return true
		}
	}
	return false
}

func (h *Host) ownerFound(pods map[types.UID]types.NamespacedName) {
	h.groups.telling.Lock()
	defer h.groups.telling.Unlock()
	for uid, name := range pods {
		if pod := h.member(name, uid); pod != nil {
			h.tellPod(pod)
		}
	}
}

func (h *Host) ownerUnknown(name types.NamespacedName, uid types.UID,
	controller *metav1.OwnerReference, err error) {
	h.log.Error(err, "A controller cannot be read, and is taken for the topmost one",
		"apiVersion", controller.APIVersion, "kind", controller.Kind, "name", controller.Name,
		"pod", name)
	if pod := h.member(name, uid); pod != nil {
		h.recorder.Eventf(pod, nil, v1.EventTypeWarning, "SluiceOwnerUnknown", "Observing",
			"%s %s (%s) cannot be read, so it is taken for the topmost controller of this pod's "+
				"group: %v", controller.Kind, controller.Name, controller.APIVersion, err)
	}
}
