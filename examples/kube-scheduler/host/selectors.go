// SPDX-License-Identifier: Apache-2.0

package host

import (
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// queueTerms are what a queue says of those who may use it.
type queueTerms struct {
	namespaces       *metav1.LabelSelector // nil: none
	parent           string                // whose terms hold, too; "": no other's do
	systemPriorities bool                  // they count
}

// selectors know the terms of the queues of one kind. What a queue is about to say and what the
// engine was told of it come one after the other, and nobody is to be granted by half of it:
//
//	narrow   only who both terms select
//	         the engine is told of the queue
//	widen    who the new ones select
type selectors struct {
	mutex sync.RWMutex
	of    map[string]*selecting // by the queue's name
	bound int                   // how many of them do not take everybody
}

type selecting struct {
	terms    queueTerms
	selector labels.Selector
	before   *selecting // nil: the engine knows all that the queue says
}

// deepest is how many queues may be above each other, and one that nobody may be below.
const deepest = 9

// selectorOf is one that selects nothing where there is none, or none that can be used.
func selectorOf(spec *metav1.LabelSelector) labels.Selector {
	selector, err := metav1.LabelSelectorAsSelector(spec)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// takesAll tells whether the terms are as if nothing were said.
func (s *selecting) takesAll() bool { return s.selector.Empty() && !s.terms.systemPriorities }

// count keeps the number of those that do not take everybody.
func (s *selectors) count(one *selecting, more int) {
	if one != nil && !one.takesAll() {
		s.bound += more
	}
}

// narrow notes what a queue says now. It tells whether that may select fewer.
func (s *selectors) narrow(name string, terms queueTerms) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := s.of[name]
	if known != nil && reflect.DeepEqual(known.terms, terms) {
		return false
	}
	now := &selecting{terms: terms, selector: selectorOf(terms.namespaces)}
	if known != nil {
		now.before = &selecting{terms: known.terms, selector: known.selector}
	}
	if s.of == nil {
		s.of = map[string]*selecting{}
	}
	s.count(known, -1)
	s.count(now, 1)
	s.of[name] = now
	return s.bound > 0 || known != nil && !known.takesAll()
}

// widen ends what narrow began. It tells whether that may select more.
func (s *selectors) widen(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := s.of[name]
	if known == nil || known.before == nil {
		return false
	}
	before := known.before
	known.before = nil
	return s.bound > 0 || !before.takesAll()
}

// seen tells the engine of a queue that says this now, and again of its users where they may be
// others: before it for those whom the queue takes no more, and after it for those whom it takes.
func (s *selectors) seen(name string, terms queueTerms, tellEngine, tellUsers func()) {
	if s.narrow(name, terms) {
		tellUsers()
	}
	tellEngine()
	if s.widen(name) {
		tellUsers()
	}
}

func (s *selectors) forget(name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.count(s.of[name], -1)
	delete(s.of, name)
}

// areBound tells whether any queue does not take everybody.
func (s *selectors) areBound() bool {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return s.bound > 0
}

// selects tells whether a queue takes what is in a namespace with these labels. One that does not
// exist does: then the engine says that it does not exist.
func (s *selectors) selects(name string, namespace labels.Set) bool {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return s.selectsAt(name, namespace, 0)
}

func (s *selectors) selectsAt(name string, namespace labels.Set, depth int) bool {
	known := s.of[name]
	for one := known; one != nil; one = one.before {
		if !one.selector.Matches(namespace) || depth < deepest &&
			!s.selectsAt(one.terms.parent, namespace, depth+1) {
			return false
		}
	}
	return true
}

// isAtOrBelow tells whether the terms of a queue are those of another one, too.
func (s *selectors) isAtOrBelow(name, above string) bool {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	for depth := 0; name != "" && depth <= deepest; depth++ {
		if name == above {
			return true
		}
		known := s.of[name]
		if known == nil {
			return false
		}
		name = known.terms.parent
	}
	return false
}

// countSystemPriorities tells whether priorities of the classes system-* count in a queue.
func (s *selectors) countSystemPriorities(name string) bool {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	known := s.of[name]
	return known != nil && known.terms.systemPriorities &&
		(known.before == nil || known.before.terms.systemPriorities)
}
