// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// wakeups are owed to the pods that PreEnqueue held and that the engine will not wake. Either it
// could not be asked: their controller is not known yet, or they cannot be used. Or they are none
// of its pods and have a gate of somebody else's, which nobody but us looks at where the profile
// has no plugin for gates. Once there is news of one, the scheduler looks at it again.
type wakeups struct {
	engine    *engine
	activator fwk.PodActivator
	uids      sync.Map
}

func (w *wakeups) owe(uid types.UID) { w.uids.Store(uid, nil) }

// take tells whether the pod was one of them. It is none any more.
func (w *wakeups) take(uid types.UID) bool {
	_, was := w.uids.LoadAndDelete(uid)
	return was
}

// wake lets the scheduler look again at a pod of which there is news. It may be called where the
// scheduler's own events are handled, which its queue's lock must not hold up.
func (w *wakeups) wake(pod *v1.Pod) {
	if w.take(pod.UID) {
		go w.activator.Activate(w.engine.log, map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
	}
}
