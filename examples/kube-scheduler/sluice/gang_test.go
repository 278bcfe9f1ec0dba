// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"fmt"
	"strings"
	"testing"
)

// withGroups is leading, with groups.
func withGroups(t *testing.T) (*Engine, *testClock) {
	t.Helper()
	e, clock := leading(t, Config{Effects: []string{AnswerPermit}}, 4)
	if !e.Asks(AnswerPermit) {
		t.Skip("this library has no groups")
	}
	return e, clock
}

// gang tells of a PodGroup with a minimum, and of so many pods that name it.
func gang(t *testing.T, e *Engine, name string, minimum int32, pods int) []*Pod {
	t.Helper()
	_, err := e.ObserveGroup(&Group{UID: "uid-" + name, Namespace: "default", Name: name,
		Created: epoch, ResourceVersion: 1, Queue: "q", MinMember: minimum})
	must(t, err)
	var members []*Pod
	for i := range pods {
		pod := gated(fmt.Sprintf("%s-%d", name, i), int64(i))
		pod.Annotations = append(pod.Annotations, [2]string{"scheduling.k8s.io/group-name", name})
		_, err := e.ObservePod(pod)
		must(t, err)
		members = append(members, pod)
	}
	return members
}

// place takes a pod through a cycle, up to Permit.
func place(t *testing.T, e *Engine, pod *Pod) (allow bool, until int64) {
	t.Helper()
	verdict, _, err := e.PreEnqueue(pod, true)
	must(t, err)
	if !verdict.Pass {
		t.Fatalf("%s is held: %+v", pod.Name, verdict)
	}
	verdict, _, _, err = e.PreFilter(pod.UID)
	must(t, err)
	if !verdict.Pass {
		t.Fatalf("%s is refused: %+v", pod.Name, verdict)
	}
	verdict, _, err = e.Reserve(pod.UID, "n")
	must(t, err)
	if !verdict.Pass {
		t.Fatalf("%s may not have the node: %+v", pod.Name, verdict)
	}
	allow, until, _, err = e.Permit(pod.UID, "n")
	must(t, err)
	return allow, until
}

func answers(effects []Effect) map[string]bool {
	found := map[string]bool{}
	for _, effect := range effects {
		if effect.Kind == AnswerPermit {
			found[effect.Name] = effect.Allow
		}
	}
	return found
}

func TestAGangPassesPermitAsOne(t *testing.T) {
	e, clock := withGroups(t)
	members := gang(t, e, "g", 3, 3)
	drain(t, e)
	for _, pod := range members[:2] {
		allow, until := place(t, e, pod)
		if allow || until <= clock.now.Load() {
			t.Errorf("%s: allow %v, until %d", pod.Name, allow, until)
		}
	}
	if allow, until := place(t, e, members[2]); !allow || until != 0 {
		t.Errorf("the last one: allow %v, until %d", allow, until)
	}
	got := answers(drain(t, e))
	if len(got) != 2 || !got["g-0"] || !got["g-1"] {
		t.Errorf("the answers are %v", got)
	}
}

func TestAGangIsLetGoAsOne(t *testing.T) {
	e, _ := withGroups(t)
	members := gang(t, e, "g", 3, 3)
	drain(t, e)
	for _, pod := range members[:2] {
		place(t, e, pod)
	}
	_, err := e.PostFilter(members[2].UID)
	must(t, err)
	got := answers(drain(t, e))
	if allow, is := got["g-0"]; len(got) != 2 || allow || !is {
		t.Errorf("the answers are %v", got)
	}
}

func TestAGangThatIsNotComplete(t *testing.T) {
	e, _ := withGroups(t)
	members := gang(t, e, "g", 3, 2)
	drain(t, e)
	verdict, _, err := e.PreEnqueue(members[0], true)
	must(t, err)
	if verdict.Pass || verdict.Reason != ReasonGroupIncomplete ||
		!strings.Contains(verdict.Message, "2 of the 3") {
		t.Errorf("it gets %+v", verdict)
	}
}

// A host that cannot end the waits gets no groups: its members wait.
func TestGroupsAreForHostsThatAnswer(t *testing.T) {
	e, _ := leading(t, Config{}, 4)
	members := gang(t, e, "g", 1, 1)
	verdict, _, err := e.PreEnqueue(members[0], true)
	must(t, err)
	if verdict.Pass || verdict.Reason != ReasonGroupMissing {
		t.Errorf("it gets %+v", verdict)
	}
}
