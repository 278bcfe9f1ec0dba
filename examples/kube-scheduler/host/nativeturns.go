// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// nativeTurns bring the members of a gang of Kubernetes' own before the scheduler together, where
// their gates go at the grant, one after the other, and the scheduler takes members one by one.
// With the first of them it would begin a cycle for the gang, find too few, and call all that it
// has Unschedulable. So those who were granted are held until as many as the gang needs are in the
// scheduler's queue without a gate; with the last of them it takes the others by itself.
type nativeTurns struct {
	native *nativeGroups
	apply  bool // gates go at the grant
	mutex  sync.Mutex
	free   map[types.NamespacedName]map[types.UID]struct{} // by group: who has no gate, or a node
}

func groupOf(pod *v1.Pod) (group types.NamespacedName, is bool) {
	name := facts.SchedulingGroup(pod)
	return types.NamespacedName{Namespace: pod.Namespace, Name: name}, name != ""
}

// enter says whether a pod that its queue has granted may go on. Who was not stamped is not ours to
// hold.
func (t *nativeTurns) enter(pod *v1.Pod, granted sluice.Verdict) sluice.Verdict {
	group, is := groupOf(pod)
	if !is || !t.apply || len(pod.Spec.SchedulingGates) > 0 || !t.native.scheduler.follows ||
		!t.native.scheduler.takesOneByOne() {
		return granted
	}
	there := t.add(group, pod.UID)
	if pod.Annotations[facts.Granted] == "" || there >= t.native.minimum(group) {
		return granted
	}
	return sluice.Verdict{Reason: sluice.ReasonGroupTurn,
		Message: "other members of its group still have the gates that their grant takes off"}
}

// add counts a member, and returns how many there are.
func (t *nativeTurns) add(group types.NamespacedName, uid types.UID) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	members := t.free[group]
	if members == nil {
		if t.free == nil {
			t.free = map[types.NamespacedName]map[types.UID]struct{}{}
		}
		members = map[types.UID]struct{}{}
		t.free[group] = members
	}
	members[uid] = struct{}{}
	return len(members)
}

// seen counts a member that has a node, of which the scheduler's queue may never hear.
func (t *nativeTurns) seen(pod *v1.Pod) {
	if group, is := groupOf(pod); is && t.apply && pod.Spec.NodeName != "" {
		t.add(group, pod.UID)
	}
}

func (t *nativeTurns) gone(pod *v1.Pod) {
	group, is := groupOf(pod)
	if !is || !t.apply {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	delete(t.free[group], pod.UID)
	if len(t.free[group]) == 0 {
		delete(t.free, group)
	}
}
