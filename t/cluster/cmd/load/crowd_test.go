// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
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

// A rate is kept over all pods, whatever each of them took; without one nobody is waited for.
func TestPodsComeAtTheirRate(t *testing.T) {
	const slow = 50 * time.Millisecond // one takes, and those behind it make up for it
	for rate, want := range map[float64]time.Duration{0: slow, 100: 190 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			c := &crowd{lab: &lab{options: &options{rate: rate}}}
			for i := range 20 {
				c.names = append(c.names, strconv.Itoa(i))
			}
			begun, next := time.Now(), make(chan int)
			go c.offer(t.Context(), next)
			var came []int
			for i := range next {
				if came = append(came, i); i == 5 {
					time.Sleep(slow)
				}
			}
			if len(came) != 20 || came[0] != 0 || came[19] != 19 {
				t.Errorf("at %g a second there came %v", rate, came)
			}
			if took := time.Since(begun); took != want {
				t.Errorf("20 at %g a second took %v, want %v", rate, took, want)
			}
		})
	}
	c := commands["policies"]
	if o, err := c.parse("load policies", []string{"--rate", "7.5"}); err != nil || o.rate != 7.5 {
		t.Errorf("%v, %v", o, err)
	}
	if _, err := c.parse("load policies", []string{"--rate", "-1"}); err == nil ||
		!strings.Contains(err.Error(), "--rate is -1") {
		t.Errorf("a rate of -1: %v", err)
	}
}
