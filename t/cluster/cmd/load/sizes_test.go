// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestPartsOfTheWhole(t *testing.T) {
	c := commands["sizes"]
	o, err := c.parse("load sizes", []string{"--parts", "0.01,1", "--rate", "7.5", "--hints"})
	if err != nil || len(o.parts) != 2 || o.rate != 7.5 || !o.hints || o.alone {
		t.Errorf("%+v, %v", o, err)
	}
	if e := whole.part(0.01); e != (extent{nodes: 50, queues: 100, waiting: 1000}) {
		t.Errorf("a hundredth is %s", e)
	}
	for said, want := range map[string]string{
		"--parts 0.0101":   `101 queues of each kind: want 10 or a multiple of it`,
		"--parts 0":        `--parts has "0", want numbers above 0`,
		"--parts 1,some":   `--parts has "some", want numbers above 0`,
		"--rate 0":         `--rate is 0 and --window 2m0s, want more than 0`,
		"--window -1s":     `--window -1s`,
		"--parts 1 --no":   `flag provided but not defined: -no`,
		"--parts 0.1 more": `"more" is not understood`,
	} {
		if _, err := c.parse("load sizes", strings.Fields(said)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", said, err, want)
		}
	}
}

// shown is a pod of a seat as a watch shows it: gated, free of its gate, bound, or ended.
func shown(f *flow, seat int, name, state string) *corev1.Pod {
	f.gated = state == "gated"
	pod := f.pod(seat)
	pod.Name = name
	if state == "bound" || state == "ended" {
		pod.Spec.NodeName = "node"
	}
	if state == "ended" {
		pod.Status.Phase = corev1.PodSucceeded
	}
	return pod
}

// A flow in ten Queues and ten ClusterQueues, which are one cohort.
func newTestFlow() *flow {
	e := extent{nodes: 5, queues: 10, waiting: 40}
	f := &flow{seats: e.seats(), pods: map[string]*resident{}}
	for _, limit := range e.limits() {
		f.domains = append(f.domains, domain{limit: limit})
	}
	return f
}

func TestRoomIsTakenByTheNextInItsDomain(t *testing.T) {
	f, now := newTestFlow(), time.Now()
	see := func(seat int, name, state string, after time.Duration) {
		t.Helper()
		if err := f.take(shown(f, seat, name, state), now.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	see(3, "a", "bound", 0)
	see(3, "b", "gated", 0)
	see(12, "c", "bound", 0)
	see(19, "d", "gated", 0)
	see(3, "a", "ended", time.Second)
	see(12, "c", "ended", time.Second)
	see(3, "a", "ended", time.Second) // as it is deleted
	if f.ended != 2 || f.open != 2 || len(f.pods) != 2 {
		t.Errorf("%d ended, %d rooms are open, %d pods are left", f.ended, f.open, len(f.pods))
	}
	see(3, "b", "free", 2*time.Second)
	see(3, "b", "bound", 3*time.Second)
	see(19, "d", "bound", 5*time.Second)
	if f.open != 0 || len(f.waits) != 2 || f.waits[0] != 2*time.Second ||
		f.waits[1] != 4*time.Second {
		t.Errorf("%d rooms are open, the waits are %v", f.open, f.waits)
	}
	random := rand.New(rand.NewPCG(1, 2))
	f.running = f.running[2:] // a and c, which nobody asked to end
	for range 2 {
		if c := f.pick(random); c != (change{"b", 3}) && c != (change{"d", 19}) {
			t.Errorf("%v is to end", c)
		}
	}
}

func TestADomainThatHoldsTooMuchIsTold(t *testing.T) {
	f := newTestFlow()
	if err := f.take(shown(f, 3, "a", "free"), time.Now()); err != nil {
		t.Fatal(err)
	}
	err := f.take(shown(f, 3, "b", "bound"), time.Now())
	if err == nil || !strings.Contains(err.Error(), "2 cpu are held in queue-00003") {
		t.Errorf("two cpu in a queue of one: %v", err)
	}
}
