// SPDX-License-Identifier: Apache-2.0

package host

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
)

// The scheduler's own informer leaves out pods that have ended, but in a group they still count.
func notRunning(options *metav1.ListOptions) {
	options.FieldSelector = "status.phase!=" + string(v1.PodPending) +
		",status.phase!=" + string(v1.PodRunning) + ",status.phase!=" + string(v1.PodUnknown)
}

// onlyMembers leaves of a pod that is in no group, as most are, only what tells that it is there.
func (g *groups) onlyMembers(object any) (any, error) {
	pod, is := object.(*v1.Pod)
	if !is {
		return object, nil
	}
	heir, known := g.describer.heir(pod, false)
	if facts.Grouped(heir) || !known && metav1.GetControllerOfNoCopy(pod) != nil {
		return heir, nil
	}
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name,
		UID: pod.UID, ResourceVersion: pod.ResourceVersion}}, nil
}

func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// endedPod is a pod of a group that has ended, if that was seen.
func (g *groups) endedPod(namespace, name string, uid types.UID) *v1.Pod {
	object, there, err := g.ended.GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return nil
	}
	if pod := g.withHeritage(object.(*v1.Pod)); pod.UID == uid && facts.Grouped(pod) && hasEnded(pod) {
		return pod
	}
	return nil
}

// withHeritage is a pod that has ended, with what it inherits as far as that is known.
func (g *groups) withHeritage(pod *v1.Pod) *v1.Pod {
	heir, _ := g.describer.heir(pod, false)
	return heir
}

func (g *groups) endedPodSeen(_, pod *v1.Pod) {
	pod = g.withHeritage(pod)
	if facts.Grouped(pod) && hasEnded(pod) {
		g.memberSeen(pod)
	}
}

func (g *groups) endedPodGone(pod *v1.Pod) {
	pod = g.withHeritage(pod)
	if facts.Grouped(pod) && hasEnded(pod) {
		g.memberGone(pod)
	}
}

// memberSeen tells of a pod of a group, if its controller is known.
func (g *groups) memberSeen(pod *v1.Pod) {
	g.telling.Lock()
	defer g.telling.Unlock()
	if g.describer.isOurs(pod) && facts.WantsGroup(pod) {
		g.owners.seen(pod)
	}
	g.pods.tell(pod)
}

// endsWithin is how long the end of a bound pod that nobody deletes may come before the news that
// it succeeded or failed: they are told by two watches.
const endsWithin = 250 * time.Millisecond

// memberLeft is called when the scheduler's informer has lost a pod of a group: it has ended, or
// is gone.
func (g *groups) memberLeft(pod *v1.Pod) {
	if g.served.Load() && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil &&
		g.endedPod(pod.Namespace, pod.Name, pod.UID) == nil {
		time.AfterFunc(endsWithin, func() { g.memberGone(pod) })
		return
	}
	g.memberGone(pod)
}

// memberGone tells that a pod of a group is gone, unless an informer has it still.
func (g *groups) memberGone(pod *v1.Pod) {
	g.telling.Lock()
	defer g.telling.Unlock()
	if g.member(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod.UID) != nil {
		return
	}
	g.owners.gone(pod)
	tail, err := g.engine.opened().ForgetPod(string(pod.UID))
	g.engine.told(pod, tail, err)
}

// member is a pod as the one or the other informer has it; nil: it is gone.
func (g *groups) member(name types.NamespacedName, uid types.UID) *v1.Pod {
	if pod := g.endedPod(name.Namespace, name.Name, uid); pod != nil {
		return pod
	}
	pod, err := g.pods.lister.Pods(name.Namespace).Get(name.Name)
	if err != nil || pod.UID != uid {
		return nil
	}
	return pod
}

func (g *groups) ownerFound(pods map[types.UID]types.NamespacedName) {
	g.telling.Lock()
	defer g.telling.Unlock()
	for uid, name := range pods {
		if pod := g.member(name, uid); pod != nil {
			g.pods.tell(pod)
		}
	}
}

func (g *groups) ownerUnknown(name types.NamespacedName, uid types.UID,
	controller *metav1.OwnerReference, err error) {
	g.engine.log.Error(err, "A controller cannot be read, and is taken for the topmost one",
		"apiVersion", controller.APIVersion, "kind", controller.Kind, "name", controller.Name,
		"pod", name)
	if pod := g.member(name, uid); pod != nil {
		g.engine.warn(pod, "SluiceOwnerUnknown",
			"%s %s (%s) cannot be read, so it is taken for the topmost controller of this pod's "+
				"group: %v", controller.Kind, controller.Name, controller.APIVersion, err)
	}
}
