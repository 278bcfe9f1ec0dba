// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// flavoredPods are the pods that may use only the nodes of their flavor, from when the scheduler
// looks for one until it has found it. No event of the scheduler's brings back those that found
// none, for the plugin registers none: a node that comes, or gets other labels, does.
type flavoredPods struct {
	engine    *engine
	lister    corelisters.PodLister
	activator fwk.PodActivator

	mutex sync.Mutex
	pods  map[types.UID]types.NamespacedName
}

func (f *flavoredPods) add(pod *v1.Pod) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.pods == nil {
		f.pods = map[types.UID]types.NamespacedName{}
	}
	f.pods[pod.UID] = types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

func (f *flavoredPods) forget(uid types.UID) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	delete(f.pods, uid)
}

func (f *flavoredPods) all() map[types.UID]types.NamespacedName {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return maps.Clone(f.pods)
}

// tryAgain lets the scheduler look at them anew; also at one that it is looking at right now.
func (f *flavoredPods) tryAgain() {
	batch := map[string]*v1.Pod{}
	for uid, name := range f.all() {
		pod, err := f.lister.Pods(name.Namespace).Get(name.Name)
		if err == nil && pod.UID == uid && pod.Spec.NodeName == "" {
			batch[name.String()] = pod
		}
	}
	if len(batch) > 0 {
		f.activator.Activate(f.engine.log, batch)
	}
}
