// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Of a change in one queue no other queue is looked at.
func TestStaleStatuses(t *testing.T) {
	s := kueueStatuses{local: &localClusters{}}
	s.changed()
	s.changedIn(types.NamespacedName{Namespace: "ns", Name: "a"}) // nobody writes any: nothing grows
	s.stale = newStaleStatuses()
	a, b := types.NamespacedName{Namespace: "ns", Name: "a"}, types.NamespacedName{
		Namespace: "other", Name: "a"}
	s.local.set(a.Namespace, a.Name, "c")
	s.local.set(b.Namespace, b.Name, "c")
	ofA, ofB, ofC := localQueueNamed(a), localQueueNamed(b), clusterQueueNamed("c")
	inA, ofAll := func() { s.changedIn(a) }, func() { s.changedBehind("c"); s.changed() }
	behind := func() { s.changedBehind("c") }
	for what, one := range map[string]struct {
		change func()
		all    bool
		want   []kueueQueue
	}{
		"nothing":             {func() {}, false, nil},
		"in a LocalQueue":     {inA, false, []kueueQueue{ofA, ofC}},
		"of its ClusterQueue": {behind, false, []kueueQueue{ofA, ofB, ofC}},
		"of a flavor":         {s.changed, true, nil},
		"of both":             {ofAll, true, []kueueQueue{ofA, ofB, ofC}},
	} {
		one.change()
		want := map[kueueQueue]bool{}
		for _, queue := range one.want {
			want[queue] = true
		}
		if all, queues := s.stale.take(); all != one.all || !maps.Equal(queues, want) {
			t.Errorf("after a change %s: all: %v, of them: %v", what, all, queues)
		}
		if woke := len(s.stale.some) > 0; woke != (what != "nothing") {
			t.Errorf("after a change %s somebody is to look: %v", what, woke)
		}
		if len(s.stale.some) > 0 {
			s.stale.await(t.Context())
		}
	}
}

// Whose counts always change is behind those who wait already; who has nothing to write costs
// nobody his turn.
func TestStaleCounts(t *testing.T) {
	s, written := newStaleStatuses(), []string{}
	same := ""
	play := func(bound int64, names ...string) {
		for _, name := range names {
			s.addCounts(clusterQueueNamed(name))
		}
		s.takeCounts(bound, func(queue kueueQueue) bool {
			if queue.name.Name == same {
				return false
			}
			written = append(written, queue.name.Name)
			return true
		})
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(written, want) {
			t.Errorf("%s: %v were written, want %v", what, written, want)
		}
		written = nil
	}
	for range 3 {
		play(2, "a", "b", "c", "d", "e")
	}
	expect("two of five in a turn, three turns", "a", "b", "c", "d", "e", "a")
	s.await(t.Context())
	if len(s.some) > 0 || len(s.turns) == 0 {
		t.Errorf("somebody looks %d times more at those that wait: %v", len(s.some), s.turns)
	}
	same = "c"
	play(2)
	expect("c has nothing to write", "b", "d")
	play(0, "f", "c")
	expect("without a bound", "f")
	if len(s.turns)+len(s.counts) > 0 {
		t.Errorf("there wait still: %v, %v", s.turns, s.counts)
	}
}

// Where no count has changed for a while more are written, since each of them stays as it is.
func TestStaleCountsInCalm(t *testing.T) {
	s := kueueStatuses{stale: newStaleStatuses(), perSecond: 5}
	now := time.Now()
	s.stale.noteCounts(now, clusterQueueNamed("a"))
	for after, want := range map[time.Duration]int64{0: 5, calmAfter - 1: 5, calmAfter: 100} {
		if bound := s.bound(now.Add(after)); bound != want {
			t.Errorf("%v after a change %d are written, want %d", after, bound, want)
		}
	}
	if s.perSecond = 0; s.bound(now) != 0 || s.bound(now.Add(calmAfter)) != 0 {
		t.Error("what has no bound has one")
	}
}

// While nobody looks, names do not pile up; all are looked at afterwards.
func TestStaleIsForgotten(t *testing.T) {
	s := newStaleStatuses()
	s.add(clusterQueueNamed("a"))
	s.addCounts(clusterQueueNamed("b"))
	s.forget()
	if len(s.turns)+len(s.counts) > 0 || len(s.some) == 0 {
		t.Errorf("there wait %v, %v; somebody looks: %d", s.turns, s.counts, len(s.some))
	}
	if all, queues := s.take(); !all || len(queues) > 0 {
		t.Errorf("all: %v, of them: %v", all, queues)
	}
}
