// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// quietCrowd follows nothing and finishes nobody.
func quietCrowd() *crowd {
	return &crowd{lasts: time.Hour, lives: map[types.UID]*life{}, progress: time.Now()}
}

func state(uid string, gated bool, node string, over bool) *corev1.Pod {
	pod := newPod("p-"+uid, queueName)
	pod.UID = types.UID(uid)
	if gated {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gateName}}
	}
	pod.Spec.NodeName = node
	if over {
		pod.Status.Phase = corev1.PodSucceeded
	}
	return pod
}

func (c *crowd) sees(pod *corev1.Pod) { c.see(sight{pods: []*corev1.Pod{pod}}) }

func TestCrowdCountsWhatTheQueueHolds(t *testing.T) {
	c := quietCrowd()
	c.sees(state("1", true, "", false))
	if c.holding != 0 {
		t.Fatalf("a gated pod counts: %d", c.holding)
	}
	c.sees(state("1", false, "", false))
	c.sees(state("1", false, "n", false))
	c.sees(state("2", false, "n", false))
	if c.holding != 2 || c.most != 2 || c.bound != 2 {
		t.Fatalf("holding %d, most %d, bound %d, want 2 of each", c.holding, c.most, c.bound)
	}
	c.sees(state("1", false, "n", true))
	c.sees(state("1", false, "n", true))
	if c.holding != 1 || c.ended != 1 {
		t.Fatalf("holding %d, ended %d, want 1 of each", c.holding, c.ended)
	}
	c.see(sight{pods: []*corev1.Pod{state("2", false, "n", false)}, gone: true})
	if c.holding != 0 {
		t.Fatalf("a deleted pod counts: %d", c.holding)
	}
	if lost := c.lostPods(); len(lost) != 0 {
		t.Fatalf("lost %v, want none: one ended, one was deleted", lost)
	}
}

// What a list brings together happened in an order that nobody has seen.
func TestCrowdCountsAListAsOne(t *testing.T) {
	c := quietCrowd()
	c.sees(state("1", false, "n", false))
	c.sees(state("3", true, "", false))
	c.see(sight{all: true, pods: []*corev1.Pod{
		state("2", false, "n", false), state("1", false, "n", true),
	}})
	if c.most != 1 || c.holding != 1 {
		t.Fatalf("most %d, holding %d, want 1 of each", c.most, c.holding)
	}
	if !c.lives["3"].isGone {
		t.Fatal("a pod that is not in the list is there")
	}
	if lost := c.lostPods(); len(lost) != 1 || lost[0] != "p-2" {
		t.Fatalf("lost %v, want p-2, which has not ended", lost)
	}
}

func TestLastWordsAreTheErrorAndItsLines(t *testing.T) {
	const first = "E1121 09:48:06.5 1 run.go:72] failed err=<"
	got := lastWords("I1121 09:48:06.4 1 a.go:1] fine\n" + first + "\n\twrong\n >\n")
	if want := first + " | \twrong |  >"; got != want {
		t.Fatalf("%q, want %q", got, want)
	}
}
