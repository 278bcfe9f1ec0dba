// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// seenOf shows a crowd of three the states of pods, as the letters say: g has its gate, f has none,
// b is bound, e has ended.
func seenOf(v variant, states map[string]string, order ...string) *crowd {
	c := &crowd{variant: &v, lives: make([]life, 3), toEnd: make(chan string, 3), ends: true,
		index: map[string]int{"a": 0, "b": 1, "c": 2},
		lab:   &lab{options: &options{queue: 2}}}
	for _, name := range order {
		state := states[name][0]
		states[name] = states[name][1:]
		pod := newPod(loadSpace, name, loadQueue, v.gated, state == 'g')
		if state == 'b' || state == 'e' {
			pod.Spec.NodeName = "node"
		}
		if state == 'e' {
			pod.Status.Phase = corev1.PodSucceeded
		}
		c.take(pod, time.Now())
	}
	return c
}

func TestGatedPodsHoldFromTheirGateToTheirEnd(t *testing.T) {
	states := map[string]string{"a": "gfbe", "b": "gb", "c": "gf"}
	c := seenOf(named(onBind), states, "a", "b", "c", "a", "b", "a", "a", "c")
	if c.came != 3 || c.gone != 3 || c.bound != 2 || c.end != 1 {
		t.Errorf("%d came, %d lost their gate, %d are bound, %d ended: want 3, 3, 2, 1", c.came, c.gone,
			c.bound, c.end)
	}
	if c.holding != 2 || c.most != 2 || c.fits() != nil {
		t.Errorf("%d hold, at most %d (%v): want 2 and 2", c.holding, c.most, c.fits())
	}
	if len(c.toEnd) != 2 {
		t.Errorf("%d are to be finished, want those that were bound, once each", len(c.toEnd))
	}
}

func TestMoreThanTheQueueIsAnError(t *testing.T) {
	states := map[string]string{"a": "gf", "b": "gf", "c": "gf"}
	over := seenOf(named(onAdmission), states, "a", "b", "c", "a", "b", "c")
	if over.fits() == nil {
		t.Errorf("%d were held in a queue of 2, and that is no error", over.most)
	}
	states = map[string]string{"a": "fb", "b": "fb", "c": "f"}
	if free := seenOf(named(ungated), states, "a", "b", "c", "a", "b"); free.fits() != nil {
		t.Errorf("pods without a gate hold before they are bound: %v", free.fits())
	}
}
