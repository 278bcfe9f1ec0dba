// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/faults"
)

// gang tells of a PodGroup with a minimum.
func (f *feed) gang(name string, minimum int64, how ...func(*unstructured.Unstructured)) {
	of := &unstructured.Unstructured{Object: map[string]any{
		"kind": "PodGroup", "spec": map[string]any{"minMember": minimum, "queue": "q"}}}
	of.SetNamespace("default")
	of.SetName(name)
	of.SetUID(types.UID("uid-of-" + name))
	for _, each := range how {
		each(of)
	}
	f.Group(of, false)
}

func inGroup(name string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Annotations[groupName] = name }
}

func onNode(pod *corev1.Pod) {
	pod.Spec.NodeName, pod.Spec.SchedulingGates = "n", nil
}

// rules are the rules that were broken, in order.
func (f *feed) rules() []string {
	var broken []string
	for _, each := range f.Violations() {
		broken = append(broken, each.Rule)
	}
	return broken
}

func TestHalfAGang(t *testing.T) {
	for _, each := range []struct {
		says   string
		bound  int
		lasts  time.Duration
		broken []string
	}{
		{"none of it", 0, time.Hour, nil},
		{"half of it, between writes", 2, gangTakes * Grace / 2, nil},
		{"half of it, for long", 2, gangTakes * Grace, []string{Gang}},
		{"all of it", 4, time.Hour, nil},
	} {
		f := newFeed(t, Config{})
		f.gang("g", 4)
		for i := range 4 {
			f.change(fmt.Sprint("p", i), inGroup("g"))
		}
		for i := range each.bound {
			f.change(fmt.Sprint("p", i), onNode)
		}
		f.now = f.now.Add(each.lasts)
		if got := f.rules(); !slices.Equal(got, each.broken) {
			t.Errorf("%s: %v, want %v", each.says, got, each.broken)
		}
	}
}

// A template was edited: who waits with the former one is no half of a gang, its like are to come.
func TestAGangInTheMiddleOfARollout(t *testing.T) {
	for _, each := range []struct {
		cpu    string
		broken []string
	}{{"1", nil}, {"4", []string{Gang}}} {
		f := newFeed(t, Config{})
		f.gang("g", 4)
		for i := range 2 {
			f.change(fmt.Sprint("old", i), inGroup("g"), asks("cpu", "4"))
		}
		f.now = f.now.Add(time.Minute)
		for i := range 2 {
			made := metav1.NewTime(f.now)
			f.change(fmt.Sprint("new", i), inGroup("g"), asks("cpu", each.cpu), onNode,
				func(pod *corev1.Pod) { pod.CreationTimestamp = made })
		}
		f.now = f.now.Add(gangTakes * Grace)
		if got := f.rules(); !slices.Equal(got, each.broken) {
			t.Errorf("new pods of %s cpu: %v, want %v", each.cpu, got, each.broken)
		}
	}
}

// While a write for a member is under way the API server is slow, and nobody is to blame.
func TestHalfAGangWhileItIsWritten(t *testing.T) {
	f := newFeed(t, Config{})
	f.gang("g", 2)
	f.change("a", inGroup("g"), onNode)
	f.change("b", inGroup("g"))
	write := func(pod string) *faults.Request {
		return &faults.Request{Verb: "create", Resource: "pods", Subresource: "binding",
			Namespace: "default", Name: pod}
	}
	for range 3 {
		binding := write("b")
		f.Asked(binding)
		f.now = f.now.Add(lostAfter / 2)
		if got := f.rules(); len(got) > 0 {
			t.Fatalf("while a binding is under way %v are broken", got)
		}
		f.Note(binding)
		f.now = f.now.Add(gangTakes * Grace / 2)
	}
	if got := f.rules(); len(got) > 0 {
		t.Errorf("between bindings %v are broken", got)
	}
	f.Asked(write("of-nobody"))
	f.now = f.now.Add(gangTakes * Grace / 2)
	if got := f.rules(); !slices.Equal(got, []string{Gang}) {
		t.Errorf("when none is under way %v are broken, want %s", got, Gang)
	}
}

// A write that is never answered, for the scheduler was killed, excuses nobody for ever.
func TestHalfAGangWhoseWriteIsLost(t *testing.T) {
	f := newFeed(t, Config{})
	f.gang("g", 2)
	f.change("a", inGroup("g"), onNode)
	f.change("b", inGroup("g"))
	f.Asked(&faults.Request{Verb: "create", Resource: "pods", Namespace: "default", Name: "b"})
	f.now = f.now.Add(lostAfter)
	if got := f.rules(); len(got) > 0 {
		t.Errorf("%v are broken", got)
	}
	f.now = f.now.Add(gangTakes * Grace)
	if got := f.rules(); !slices.Equal(got, []string{Gang}) {
		t.Errorf("%v are broken, want %s", got, Gang)
	}
}

// At rest nothing moves any more: then half a gang is one at once.
func TestHalfAGangAtRest(t *testing.T) {
	f := newFeed(t, Config{})
	f.gang("g", 2)
	f.change("a", inGroup("g"), onNode)
	f.now = f.now.Add(moment)
	f.AtRest()
	if got := f.rules(); !slices.Equal(got, []string{Gang}) {
		t.Errorf("got %v", got)
	}
}

func TestAGangThatWasWhole(t *testing.T) {
	f := newFeed(t, Config{})
	f.gang("g", 2)
	for _, name := range []string{"a", "b"} {
		f.change(name, inGroup("g"), onNode)
		f.now = f.now.Add(Grace)
	}
	if half := f.LongestHalf(); half != Grace {
		t.Errorf("half of it was bound for %s, want %s", half, Grace)
	}
	f.Pod(f.pods["a"], true)
	f.change("b")
	f.now = f.now.Add(time.Hour)
	if got := f.rules(); len(got) > 0 {
		t.Errorf("a member that goes breaks %v", got)
	}
}

// A pod that was bound before its group was told of is looked at then.
func TestHalfAGangThatIsToldLate(t *testing.T) {
	f := newFeed(t, Config{})
	f.change("a", inGroup("g"), onNode)
	f.gang("g", 2)
	f.now = f.now.Add(gangTakes * Grace)
	if got := f.rules(); !slices.Equal(got, []string{Gang}) {
		t.Errorf("got %v", got)
	}
}

func ownedBy(uid types.UID) func(*unstructured.Unstructured) {
	return func(of *unstructured.Unstructured) {
		of.SetLabels(map[string]string{managedBy: ourselves})
		controls := true
		if uid != "" {
			of.SetOwnerReferences([]metav1.OwnerReference{{UID: uid, Controller: &controls}})
		}
	}
}

func TestOwnersOfGroups(t *testing.T) {
	f := newFeed(t, Config{})
	f.gang("by-hand", 2)
	f.gang("first", 2, ownedBy("a"))
	f.gang("first", 3, ownedBy("a"))
	f.gang("other", 2, ownedBy("b"))
	if got := f.rules(); len(got) > 0 {
		t.Errorf("good groups break %v", got)
	}
	f.gang("second", 2, ownedBy("a"))
	f.gang("nobody's", 2, ownedBy(""))
	if got := f.rules(); !slices.Equal(got, []string{Duplicate, Orphan}) {
		t.Errorf("got %v", got)
	}
}

func TestTheQueueOfAGroup(t *testing.T) {
	f := newFeed(t, Config{})
	f.gang("g", 1)
	pod := f.change("a", inGroup("g"), func(pod *corev1.Pod) {
		pod.Annotations[queueName] = "another"
	})
	if got := f.queueOf(pod); got.name != "q" {
		t.Errorf("its queue is %v", got)
	}
}
