// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"reflect"
	"slices"
	"testing"
)

// readBack is what another reader makes of a message.
func readBack(t *testing.T, w writer) map[string]any {
	t.Helper()
	r := reader{message: w}
	value, is := r.value(0).(map[string]any)
	if r.err != nil || r.left() != 0 || !is {
		t.Fatalf("% x is no map: %v, %d bytes left", []byte(w), r.err, r.left())
	}
	return value
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAGroupAsItIsWritten(t *testing.T) {
	priority := int32(0)
	var w writer
	w.podGroup(&Group{UID: "u", Namespace: "ns", Name: "g", Created: 7, ResourceVersion: 8,
		Generation: 9, Queue: "q", MinMember: -1, MinResources: []Amount{{"cpu", 500}},
		Priority: &priority, PriorityClass: "high", Ours: true, Deleted: true, Owner: "o",
		NotSelected: true,
		Phase:       "Pending", Running: 1, Succeeded: 2,
		Failed: 3, Condition: &Condition{"Scheduled", "True", "r", "m"}})
	same(t, readBack(t, w), map[string]any{
		"uid": "u", "namespace": "ns", "name": "g", "created": int64(7),
		"resourceVersion": int64(8), "generation": int64(9), "queue": "q",
		"minMember": int64(-1), "minResources": map[string]any{"cpu": int64(500)},
		"priority": int64(0), "priorityClass": "high", "ours": true,
		"deleted": true, "owner": "o", "mayUse": false, "phase": "Pending",
		"running": int64(1), "succeeded": int64(2), "failed": int64(3),
		"condition": map[string]any{"type": "Scheduled", "status": "True", "reason": "r",
			"message": "m"},
	})
	w = nil
	w.podGroup(&Group{UID: "u", Namespace: "ns", Name: "g"})
	same(t, readBack(t, w), map[string]any{
		"uid": "u", "namespace": "ns", "name": "g", "created": int64(0)})
}

func TestAControllerAsItIsWritten(t *testing.T) {
	pod := gated("p", 1)
	var without writer
	without.pod(pod)
	if _, has := readBack(t, without)["controller"]; has {
		t.Error("a pod without a controller has one")
	}
	none := int64(0)
	pod.Controller = &Controller{UID: "u", APIVersion: "apps/v1", Kind: "StatefulSet", Name: "s",
		Replicas: &none, Ordered: true}
	pod.PriorityClass = "high"
	var with writer
	with.pod(pod)
	got := readBack(t, with)
	same(t, got["controller"], map[string]any{"uid": "u", "apiVersion": "apps/v1",
		"kind": "StatefulSet", "name": "s", "replicas": int64(0), "ordered": true})
	same(t, got["priorityClass"], "high")
}

// effectOf reads an effect that is written as the library writes it.
func effectOf(t *testing.T, write func(w *writer)) Effect {
	t.Helper()
	var w writer
	write(&w)
	r := reader{message: w}
	effect := r.effect()
	if r.err != nil || r.left() != 0 {
		t.Fatalf("an effect cannot be read: %v, %d bytes left", r.err, r.left())
	}
	return effect
}

func TestEffectsOfGroups(t *testing.T) {
	same(t, effectOf(t, func(w *writer) {
		w.putMap(9)
		w.int("id", 1)
		w.text("kind", CreateGroup)
		w.text("namespace", "ns")
		w.text("name", "podgroup-u")
		w.putKey("owner")
		w.putMap(4)
		w.text("apiVersion", "apps/v1")
		w.text("kind", "Deployment")
		w.text("name", "web")
		w.text("uid", "u")
		w.text("queue", "q")
		w.int("minMember", 4)
		w.putKey("minResources")
		w.putMap(1)
		w.int("cpu", 4000)
		w.text("priorityClass", "high")
	}), Effect{ID: 1, Kind: CreateGroup, Namespace: "ns", Name: "podgroup-u", NewGroup: &NewGroup{
		Owner: Controller{UID: "u", APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		Queue: "q", MinMember: 4, MinResources: []Amount{{"cpu", 4000}}, PriorityClass: "high"}})

	same(t, effectOf(t, func(w *writer) {
		w.putMap(6)
		w.text("kind", ChangeGroup)
		w.text("uid", "u")
		w.int("resourceVersion", 12)
		w.text("queue", "q")
		w.int("minMember", 4)
		w.text("priorityClass", "high")
	}), Effect{Kind: ChangeGroup, UID: "u", ResourceVersion: 12,
		NewGroup: &NewGroup{Queue: "q", MinMember: 4, PriorityClass: "high"}})

	same(t, effectOf(t, func(w *writer) {
		w.putMap(8)
		w.text("kind", SetGroupStatus)
		w.text("uid", "u")
		w.int("resourceVersion", 12)
		w.text("phase", "Running")
		w.int("running", 4)
		w.int("succeeded", 0)
		w.int("failed", 1)
		w.putKey("conditions")
		w.putArray(1)
		w.putMap(4)
		w.text("type", "Scheduled")
		w.text("status", "True")
		w.text("reason", "r")
		w.text("message", "m")
	}), Effect{Kind: SetGroupStatus, UID: "u", ResourceVersion: 12, GroupStatus: &GroupStatus{
		Phase: "Running", Running: 4, Failed: 1,
		Conditions: []Condition{{"Scheduled", "True", "r", "m"}}}})

	same(t, effectOf(t, func(w *writer) {
		w.putMap(4)
		w.text("kind", AnswerPermit)
		w.text("uid", "u")
		w.bool("allow", true)
		w.text("message", "m")
	}), Effect{Kind: AnswerPermit, UID: "u", Allow: true, Message: "m"})

	same(t, effectOf(t, func(w *writer) {
		w.putMap(3)
		w.text("kind", SetGroup)
		w.text("uid", "u")
		w.text("group", "podgroup-u")
	}), Effect{Kind: SetGroup, UID: "u", Group: "podgroup-u"})
}

func TestAGroupIsTaken(t *testing.T) {
	e, _ := leading(t, Config{Effects: []string{AnswerPermit}}, 4)
	group := &Group{UID: "u", Namespace: "default", Name: "g", Created: epoch, MinMember: 2,
		Queue: "q", MinResources: []Amount{{"cpu", 2000}}}
	_, err := e.ObserveGroup(group)
	must(t, err)
	_, err = e.ForgetGroup("u", "default", "g")
	must(t, err)
}

// A library that is too old for some kinds does without them; one that nobody knows is a mistake.
func TestKindsOfEffectsThatALibraryDoesNotKnow(t *testing.T) {
	known := askedFor
	defer func() { askedFor = known }()
	askedFor = append(slices.Clone(known), "ofTomorrow", "ofNextWeek")
	wanted := []string{"ofTomorrow", QueueStatus, "ofNextWeek"}
	e, _ := open(t, Config{Effects: wanted})
	if e.Asks("ofTomorrow") || !e.Asks(QueueStatus) || e.Asks("ofNextWeek") || e.Asks(Event) {
		t.Errorf("it asks for %q", e.asks)
	}
	same(t, wanted, []string{"ofTomorrow", QueueStatus, "ofNextWeek"})
	_, err := library(t).Open(Config{Effects: []string{QueueStatus, "queueStatsu"}})
	refused(t, err, CodeField, "effects[1]", "queueStatsu")
}
