// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"testing"

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
