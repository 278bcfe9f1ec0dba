// SPDX-License-Identifier: Apache-2.0

package host

import (
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// selectors are the namespaceSelectors of ClusterQueues: from which namespaces each takes pods and
// workloads. What a ClusterQueue is about to say and what the engine was told of it come one after
// the other, and nobody is to be granted by half of it:
//
//	narrow   only who both selectors select
//	         the engine is told of the ClusterQueue
//	widen    who the new one selects
type selectors struct {
	mutex sync.RWMutex
	of    map[string]*selecting // by the ClusterQueue's name
}

type selecting struct {
	spec     *metav1.LabelSelector
	selector labels.Selector
	before   labels.Selector // nil: the engine knows all that the ClusterQueue says
}

// selectorOf is one that selects nothing where there is none, or none that can be used.
func selectorOf(spec *metav1.LabelSelector) labels.Selector {
	selector, err := metav1.LabelSelectorAsSelector(spec)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// narrow notes what a ClusterQueue says now. It tells whether that may select fewer.
func (s *selectors) narrow(name string, spec *metav1.LabelSelector) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := s.of[name]
	if known != nil && reflect.DeepEqual(known.spec, spec) {
		return false
	}
	now := &selecting{spec: spec, selector: selectorOf(spec)}
	if known != nil {
		now.before = known.selector
	}
	if s.of == nil {
		s.of = map[string]*selecting{}
	}
	s.of[name] = now
	return true
}

// widen ends what narrow began. It tells whether that may select more.
func (s *selectors) widen(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := s.of[name]
	if known == nil || known.before == nil {
		return false
	}
	known.before = nil
	return true
}

func (s *selectors) forget(name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.of, name)
}

// selects tells whether a ClusterQueue takes what is in a namespace with these labels. One that
// does not exist does: then the engine says that it does not exist.
func (s *selectors) selects(name string, namespace labels.Set) bool {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	known := s.of[name]
	return known == nil ||
		known.selector.Matches(namespace) && (known.before == nil || known.before.Matches(namespace))
}
