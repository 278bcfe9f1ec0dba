// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// nodeless are the pods that may use only the nodes of their flavor, from when the scheduler looks
// for one until it has found it. No event of the scheduler's brings back those that found none, for
// the plugin registers none: a node that comes, or gets other labels, does.
type nodeless struct {
	mutex sync.Mutex
	pods  map[types.UID]types.NamespacedName
}

func (n *nodeless) add(pod *v1.Pod) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.pods == nil {
		n.pods = map[types.UID]types.NamespacedName{}
	}
	n.pods[pod.UID] = types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

func (n *nodeless) forget(uid types.UID) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	delete(n.pods, uid)
}

func (n *nodeless) all() map[types.UID]types.NamespacedName {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return maps.Clone(n.pods)
}

// tryAgain lets the scheduler look at them anew; also at one that it is looking at right now.
func (h *Host) tryAgain() {
	batch := map[string]*v1.Pod{}
	for uid, name := range h.nodeless.all() {
		pod, err := h.podLister.Pods(name.Namespace).Get(name.Name)
		if err == nil && pod.UID == uid && pod.Spec.NodeName == "" {
			batch[name.String()] = pod
		}
	}
	if len(batch) > 0 {
		h.activator.Activate(h.log, batch)
	}
}

// mayFit tells whether a node may be of a flavor now that it was not of before.
func mayFit(old, now *v1.Node) bool { return old == nil || !maps.Equal(old.Labels, now.Labels) }
