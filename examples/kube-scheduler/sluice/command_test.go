// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"reflect"
	"strings"
	"testing"
)

// A queue is suspended: what the host is to write, and when the command may go.
func TestACommandBecomesAStatus(t *testing.T) {
	e, _ := leading(t, Config{Effects: []string{QueueStatus, Event, DeleteCommand}}, 4)
	_, err := e.ObserveQueue(&Queue{Kind: KindQueue, Name: "q", UID: "uid-q", ResourceVersion: 7,
		State: "Open", Capability: []Amount{{"cpu", 1000}}})
	must(t, err)
	outcome, _, err := e.Command(&Command{UID: "uid-c", Namespace: "default", Name: "c", Created: 1,
		Action: "SuspendQueue", TargetKind: "Queue", TargetName: "q"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Outcome{State: "Suspended", Changed: true}); outcome != want {
		t.Errorf("got %+v, want %+v", outcome, want)
	}
	effect := only(t, e, QueueStatus)
	if effect.UID != "uid-q" || effect.Name != "q" || effect.Status.State != "Suspended" ||
		len(effect.Status.Conditions) != 1 || effect.Status.Conditions[0].Type != "Granting" ||
		effect.Status.Conditions[0].Status != "False" {
		t.Errorf("got %+v, %+v", effect, effect.Status)
	}
	if _, _, err := e.Ack([]Ack{{ID: effect.ID, Result: Done, ResourceVersion: 8}}); err != nil {
		t.Fatal(err)
	}
	deletion := only(t, e, DeleteCommand)
	if deletion.UID != "uid-c" || deletion.Namespace != "default" || deletion.Name != "c" {
		t.Errorf("got %+v", deletion)
	}
	_, err = e.ForgetCommand("uid-c")
	must(t, err)
	outcome, _, err = e.Command(&Command{UID: "uid-d", Namespace: "default", Name: "d", Created: 2,
		Action: "ResumeQueue", TargetKind: "Queue", TargetName: "q", TargetUID: "uid-of-another"})
	if err != nil || outcome.Changed || !strings.Contains(outcome.Reason, "uid-of-another") {
		t.Errorf("a command for another queue of that name: %+v %v", outcome, err)
	}
}

// only drains until there is an effect of this kind, and acknowledges all others.
func only(t *testing.T, e *Engine, kind string) Effect {
	t.Helper()
	for range 10 {
		effects, _, err := e.Drain(16)
		if err != nil {
			t.Fatal(err)
		}
		for _, effect := range effects {
			if effect.Kind == kind {
				return effect
			}
			if _, _, err := e.Ack([]Ack{{ID: effect.ID, Result: Done}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Fatalf("no effect %s comes", kind)
	return Effect{}
}

func TestACommandForWhatIsNoQueue(t *testing.T) {
	e, _ := leading(t, Config{Effects: []string{QueueStatus, Event, DeleteCommand}}, 4)
	job := &Command{UID: "u", Namespace: "n", Name: "c", Action: "AbortJob", TargetKind: "Job",
		TargetName: "j"}
	if outcome, _, err := e.Command(job); err != nil || !outcome.Ignored {
		t.Errorf("got %+v, %v", outcome, err)
	}
	lost := &Command{UID: "v", Namespace: "n", Name: "d", Action: "SuspendQueue",
		TargetKind: "Queue", TargetName: "nothing"}
	if outcome, _, err := e.Command(lost); err != nil || outcome.Changed || outcome.Reason == "" {
		t.Errorf("got %+v, %v", outcome, err)
	}
	event := only(t, e, Event)
	about := event.Occurrence
	if about.Kind == "" || about.Name == "" || about.Type != "Warning" || len(about.Key) != 16 ||
		event.Message == "" {
		t.Errorf("got %+v, %+v", event, about)
	}
}

// Marks that are nil go, those with a text are set.
func TestStatusIsRead(t *testing.T) {
	var w writer
	w.putMap(4)
	w.text("state", "Open")
	w.putKey("annotations")
	w.putMap(2)
	w.text("a", "true")
	w.putKey("b")
	w.putNil()
	w.putKey("allocated")
	w.putMap(1)
	w.int("cpu", 5)
	w.int("running", 3)
	r, got := reader{message: w}, Status{}
	for n := r.mapping(); n > 0; n-- {
		if key := r.bytes(); !r.readStatus(key, &got) {
			t.Errorf("%q is not read", key)
		}
	}
	want := Status{State: "Open", Set: [][2]string{{"a", "true"}}, Unset: []string{"b"},
		Allocated: []Amount{{"cpu", 5}}, Running: 3}
	if r.err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, r.err, want)
	}
}

// What a webhook asks: a queue that contradicts itself, one that is not to go, and commands.
func TestAdmitQueuesAndCommands(t *testing.T) {
	e, _ := leading(t, Config{Effects: []string{QueueStatus, Event, DeleteCommand}}, 4)
	_, err := e.ObserveQueue(&Queue{Kind: KindQueue, Name: "q", UID: "uid-q"})
	must(t, err)
	queue := func(operation string, q *Queue) func() (Admission, Tail, error) {
		return func() (Admission, Tail, error) { return e.AdmitQueue(operation, q) }
	}
	command := func(action, kind, name string) func() (Admission, Tail, error) {
		return func() (Admission, Tail, error) {
			return e.AdmitCommand(Create, &Command{Namespace: "n", Action: action, TargetKind: kind,
				TargetName: name})
		}
	}
	greedy := &Queue{Kind: KindQueue, Name: "r", Capability: []Amount{{"cpu", 1000}},
		Guarantee: []Amount{{"cpu", 1500}}}
	for name, one := range map[string]struct {
		ask func() (Admission, Tail, error)
		why string // empty: it is allowed
	}{
		"a queue": {queue(Create, &Queue{Kind: KindQueue, Name: "r", Parent: "q"}), ""},
		"a greedy one": {queue(Create, greedy),
			"spec.guarantee.resource.cpu is 1500m, which is more than spec.capability.cpu, 1"},
		"its own parent": {queue(Update, &Queue{Kind: KindQueue, Name: "q", Parent: "q"}), "go round"},
		"to delete it":   {queue(Delete, &Queue{Kind: KindQueue, Name: "q"}), ""},
		"to delete root": {queue(Delete, &Queue{Kind: KindQueue, Name: "root"}), "built in"},
		"a command":      {command("CloseQueue", "Queue", "q"), ""},
		"of no action":   {command("Fly", "Queue", "q"), "Fly is not known"},
		"for no queue":   {command("CloseQueue", "Queue", "none"), "queue none does not exist"},
		"for a Job":      {command("AbortJob", "Job", "j"), ""},
		"a group": {func() (Admission, Tail, error) {
			return e.AdmitGroup(Create, &Group{UID: "g", Namespace: "n", Name: "g", Queue: "q",
				MinMember: 2})
		}, ""},
		"of fewer than none": {func() (Admission, Tail, error) {
			return e.AdmitGroup(Create, &Group{UID: "g", Namespace: "n", Name: "g", MinMember: -1})
		}, "spec.minMember is -1"},
	} {
		admission, _, err := one.ask()
		must(t, err)
		if admission.Allow != (one.why == "") || !strings.Contains(admission.Reason, one.why) {
			t.Errorf("%s: %+v, want %q", name, admission, one.why)
		}
	}
	if _, _, err := e.AdmitCommand(Create, &Command{Namespace: "n"}); !isCode(err, CodeField) {
		t.Errorf("a command without a target: %v, want FIELD", err)
	}
}

// A pod that is created tells who makes it.
func TestAdmitReadsTheController(t *testing.T) {
	e, _ := leading(t, Config{}, 1)
	pod := gated("pod-1", 1)
	pod.Annotations = append(pod.Annotations, [2]string{"scheduling.volcano.sh/group-min-member", "2"})
	pod.Controller = &Controller{UID: "u", Kind: "StatefulSet", Name: "s", Ordered: true}
	admission, _, err := e.Admit(Create, pod)
	must(t, err)
	if admission.Allow || !strings.Contains(admission.Reason, "podManagementPolicy: Parallel") {
		t.Errorf("a gang of which only one comes at a time: %+v", admission)
	}
}
