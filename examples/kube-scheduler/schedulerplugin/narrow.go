// SPDX-License-Identifier: Apache-2.0

package schedulerplugin

import (
	"reflect"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// At each event of a node, or of a pod that has one, a scheduler looks at all pods that have no
// place, also at those that only wait in their queues: where these are 100,000 it does little else.
// Behind a feature gate a plugin may say which pods an event can be about (Kubernetes 1.37). A pod
// that waits in its queue is none of them: what happens on nodes makes no queue grant.
const (
	preHints   featuregate.Feature = "SchedulerPreQueueingHints"
	composites featuregate.Feature = "CompositePodGroup" // with it the scheduler looks at all pods
	groups     featuregate.Feature = "GenericWorkload"   // with it also where a pod comes
)

// PreHints tells whether the scheduler asks which pods an event can be about.
func PreHints() bool { return on(preHints) && !on(composites) }

// on tells whether a feature is on. Not every release has each of them.
func on(feature featuregate.Feature) bool {
	_, known := utilfeature.DefaultMutableFeatureGate.GetAll()[feature]
	return known && utilfeature.DefaultFeatureGate.Enabled(feature)
}

// manyOnward is up to how many pods are worth naming: more are found as quickly among all.
const manyOnward = 10000

// onward are the pods that PreEnqueue let go on, until they have a node. A pod without a place that
// is none of them waits in its queue: all others passed here before they came to any other plugin,
// if this one is the first in each profile.
type onward struct {
	mutex sync.Mutex
	pods  listersv1.PodLister
	names map[types.NamespacedName]struct{}
	first bool // in each profile
}

// put notes what PreEnqueue says of a pod.
func (o *onward) put(pod *v1.Pod, passes bool) {
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !passes {
		delete(o.names, name)
		return
	}
	if o.names == nil {
		o.names = map[types.NamespacedName]struct{}{}
	}
	o.names[name] = struct{}{}
}

// leaveOut forgets the pods that have a node by now, or are gone. Each that gets a node, or gives
// one back, is an event, so that few of them are left at any time.
func (o *onward) leaveOut() {
	for name := range o.names {
		if pod, err := o.pods.Pods(name.Namespace).Get(name.Name); err != nil ||
			pod.Spec.NodeName != "" {
			delete(o.names, name)
		}
	}
}

// about are the pods that an event can be about; or all.
func (o *onward) about() (all bool, names []types.NamespacedName) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.first {
		return true, nil
	}
	if o.leaveOut(); len(o.names) > manyOnward {
		return true, nil
	}
	names = make([]types.NamespacedName, 0, len(o.names))
	for name := range o.names {
		names = append(names, name)
	}
	return false, names
}

// ComesFirst says that in each profile of the scheduler the plugin is the first that is asked about
// a pod.
func (f *Factory) ComesFirst() {
	f.onward.mutex.Lock()
	defer f.onward.mutex.Unlock()
	f.onward.first = true
}

// Names of Kubernetes 1.37.
const assignedPod, unscheduledPod fwk.EventResource = "AssignedPod", "UnscheduledPod"

// events are those for which the pods can be named that they are about.
func (o *onward) events() (events []fwk.ClusterEventWithHint) {
	about := []fwk.EventResource{assignedPod, fwk.Node}
	if on(groups) {
		about = append(about, unscheduledPod)
	}
	for _, resource := range about {
		event := fwk.ClusterEventWithHint{
			Event: fwk.ClusterEvent{Resource: resource, ActionType: fwk.All},
			QueueingHintFn: func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) {
				return fwk.QueueSkip, nil
			},
		}
		if o.setPreHint(&event) {
			events = append(events, event)
		}
	}
	return events
}

// setPreHint has the pods named in time. The field is one of Kubernetes 1.37, and this is built
// with 1.36, too.
func (o *onward) setPreHint(event *fwk.ClusterEventWithHint) bool {
	field := reflect.ValueOf(event).Elem().FieldByName("PreQueueingHintFn")
	if !field.IsValid() {
		return false
	}
	kind := field.Type()
	result, problem := kind.Out(0), reflect.Zero(kind.Out(1))
	field.Set(reflect.MakeFunc(kind, func([]reflect.Value) []reflect.Value {
		all, names := o.about()
		said := reflect.New(result).Elem()
		said.FieldByName("AllPods").SetBool(all)
		said.FieldByName("Pods").Set(reflect.ValueOf(names))
		return []reflect.Value{said, problem}
	}))
	return true
}
