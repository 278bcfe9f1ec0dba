// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/sluice"
)

// asleep are the pods that PreEnqueue held and that the engine will not wake. Either it could not
// be asked: their controller is not known yet, or they cannot be used. Or they are none of its pods
// and have a gate of somebody else's, which nobody but us looks at where the profile has no plugin
// for gates. Once there is news of one, the scheduler looks at it again.
type asleep struct {
	uids sync.Map
}

func (u *asleep) add(uid types.UID) { u.uids.Store(uid, nil) }

// take tells whether the pod was one of them. It is none any more.
func (u *asleep) take(uid types.UID) bool {
	_, was := u.uids.LoadAndDelete(uid)
	return was
}

// wake lets the scheduler look again at a pod of which there is news. It may be called where the
// scheduler's own events are handled, which its queue's lock must not hold up.
func (h *Host) wake(pod *v1.Pod) {
	if h.asleep.take(pod.UID) {
		go h.activator.Activate(h.log, map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
	}
}

// hasGate holds a pod that has a gate of somebody else's until there is news of it. The scheduler
// may ask about a version that is not the last: its queue hears of the news later than we do, and
// by then nobody wakes the pod any more.
func (h *Host) hasGate(pod *v1.Pod, held sluice.Verdict) (sluice.Verdict, error) {
	h.asleep.add(pod.UID)
	last, err := h.podLister.Pods(pod.Namespace).Get(pod.Name)
	if err != nil || last.UID != pod.UID ||
		len(last.Spec.SchedulingGates) == len(pod.Spec.SchedulingGates) {
		return held, nil
	}
	verdict, err := h.mayEnter(last)
	if verdict.Pass {
		h.asleep.take(pod.UID)
	}
	return verdict, err
}
