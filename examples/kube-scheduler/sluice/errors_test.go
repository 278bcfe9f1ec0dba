// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"errors"
	"strings"
	"testing"
)

// refused checks the code of an error, and that its text has all that a reader needs.
func refused(t *testing.T, err error, code Code, words ...string) {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != code {
		t.Errorf("got %v, want an error with the code %v", err, code)
		return
	}
	for _, word := range append(words, code.String()) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
}

func TestClosedEngine(t *testing.T) {
	e, _ := leading(t, Config{}, 1)
	must(t, e.Close())
	refused(t, e.Close(), CodeNoHandle, "close", "open a new one")
	_, err := e.ObservePod(gated("pod-1", 1))
	refused(t, err, CodeNoHandle, "observe", "open a new one")
	_, err = e.Tick()
	refused(t, err, CodeNoHandle, "tick")
	_, _, _, err = e.PreEnqueueKnown("uid", 1)
	refused(t, err, CodeNoHandle, "pre_enqueue")
	_, err = e.Inspect(Query{What: "queues"})
	refused(t, err, CodeNoHandle, "inspect")
	_, _, err = e.Drain(1)
	refused(t, err, CodeNoHandle, "drain")
	_, _, err = e.Filter("uid", nil, nil)
	refused(t, err, CodeNoHandle, "filter")
}

func TestStaleHandle(t *testing.T) {
	e, _ := leading(t, Config{}, 1)
	stale := &Engine{lib: e.lib, clock: e.clock}
	stale.handle.Store(e.handle.Load())
	must(t, e.Close())
	_, err := stale.Tick()
	refused(t, err, CodeNoHandle, "tick")
	refused(t, stale.Close(), CodeNoHandle, "close")
}

func TestValuesThatAreOfNoUse(t *testing.T) {
	e, _ := leading(t, Config{}, 1)
	pod := func(change func(*Pod)) error {
		p := gated("pod-1", 1)
		change(p)
		_, err := e.ObservePod(p)
		return err
	}
	refused(t, pod(func(p *Pod) { p.Created = -1 }), CodeField, "object.created", "-1")
	refused(t, pod(func(p *Pod) { p.UID = "" }), CodeField, "object.uid")
	refused(t, pod(func(p *Pod) { p.Requests[0].Value = -5 }), CodeField, "object.requests.cpu", "-5")
	refused(t, pod(func(p *Pod) { p.QueueKind = "Cohort" }), CodeField, "object.queueKind", "Cohort")
	refused(t, pod(func(p *Pod) { p.Annotations[1][1] = strings.Repeat("x", 300) }), CodeField,
		"object.annotations", queueName)
	refused(t, pod(func(p *Pod) { p.Gates = make([]string, 65) }), CodeField, "object.gates", "64")
	refused(t, pod(func(p *Pod) { p.Name = "\xff" }), CodeMessage, "observe")
	_, err := e.ObserveQueue(&Queue{Kind: "Cube", Name: "x"})
	refused(t, err, CodeField, "object.kind", "Cube")
	_, err = e.ObserveQueue(&Queue{Kind: KindClusterQueue, Name: "x",
		Groups: []ResourceGroup{{Resources: []string{"cpu"}}}})
	refused(t, err, CodeField, "object.groups[0].flavors")
	_, _, err = e.Ack([]Ack{{ID: 1, Result: "finished"}})
	refused(t, err, CodeField, "acks[0].result", "finished")
	_, err = e.Inspect(Query{What: "nothing"})
	refused(t, err, CodeField, "what", "nothing")
}

func TestLimits(t *testing.T) {
	e, _ := open(t, Config{Limits: Limits{Pods: 1, Nodes: 1, Queues: 4, Message: 1 << 10}})
	_, err := e.ObservePod(gated("pod-1", 1))
	must(t, err)
	_, err = e.ObservePod(gated("pod-2", 2))
	refused(t, err, CodeLimit, "limits.pods", "1")
	_, _, err = e.ObserveNode(&Node{Name: "a"})
	must(t, err)
	_, _, err = e.ObserveNode(&Node{Name: "b"})
	refused(t, err, CodeLimit, "limits.nodes")
	_, _, err = e.ObserveNode(&Node{Name: "a", Labels: [][2]string{{"k", strings.Repeat("v", 2000)}}})
	refused(t, err, CodeMessage, "observe")
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		cfg   Config
		words []string
	}{
		{Config{Removal: "onTuesday"}, []string{"removal", "onTuesday"}},
		{Config{Manage: "some"}, []string{"manage", "some"}},
		{Config{Ceiling: "sky"}, []string{"rootCeiling", "sky"}},
		{Config{Ceiling: Cluster, RootCeiling: map[string]string{"cpu": "1"}}, []string{"one of the"}},
		{Config{RootCeiling: map[string]string{"cpu": "many"}}, []string{"rootCeiling.cpu", "many"}},
		{Config{Undeclared: "maybe"}, []string{"undeclared", "maybe"}},
		{Config{ReservationTimeout: -1}, []string{"reservationTimeout", "-1"}},
		{Config{Record: 1 << 40}, []string{"record"}},
		{Config{Limits: Limits{Message: 1}}, []string{"limits.message"}},
		{Config{Schedulers: []string{""}}, []string{"schedulers[0]"}},
	} {
		_, err := library(t).Open(c.cfg)
		refused(t, err, CodeField, append(c.words, "open")...)
	}
}

// TestUnsupportedKinds sends what only a newer library does, by hand.
func TestUnsupportedKinds(t *testing.T) {
	e, _ := leading(t, Config{}, 1)
	c := e.begin(3)
	defer c.done()
	c.req.text("kind", "group")
	c.req.putKey("object")
	c.req.putMap(0)
	refused(t, e.ask(hookObserve, c), CodeUnsupported, "kind", "group", "newer sluice.so")
}

func TestAfterAnErrorNothingHasChanged(t *testing.T) {
	e, clock := leading(t, Config{}, 1)
	digest := func() any {
		answer, err := e.Inspect(Query{What: "digest"})
		must(t, err)
		return answer["digest"]
	}
	before := digest()
	clock.advance(second)
	pod := gated("pod-1", 1)
	pod.Created = -1
	_, err := e.ObservePod(pod)
	refused(t, err, CodeField)
	if after := digest(); after != before {
		t.Errorf("a refused pod changed the digest from %v to %v", before, after)
	}
}

func TestCodesHaveTheManifestsNames(t *testing.T) {
	for name, number := range library(t).Manifest().Errors {
		if got := Code(number).String(); got != name {
			t.Errorf("code %d is %s, want %s", number, got, name)
		}
	}
	if text := Code(77).String(); text != "code 77" {
		t.Errorf("a code of a later version is %q", text)
	}
}
