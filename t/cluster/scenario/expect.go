// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// expectations watches what steps expect. What a step expects must become true before the next step
// begins, and then stay true until then; what it says under `never` must not have been true at any
// moment since the story began.
//
// The cluster is looked at whenever it has come to rest: while it moves, a pod that is released and
// one that is granted are two writes of two processes, and no moment of the story lies between
// them. What must never be is also looked for in each state of each pod that the API server tells.
type expectations struct {
	step      *Step // the one that is watched; nil: none
	trueSince time.Duration
	wasTrue   bool
	said      bool
	nevers    map[*Step]string // what was, and when
	passing   []passing
	failures  []Failure
	held      int // steps whose expectation held
}

func (e *expectations) failed(t *telling, d difference) {
	e.failures = append(e.failures, Failure{
		Where: d.where.Place(), At: t.clock.Now(), What: d.what, Wanted: d.wanted, Seen: d.seen,
	})
}

func (e *expectations) failedAll(t *telling, differ []difference) {
	e.said = true
	for _, each := range differ {
		e.failed(t, each)
		if e.wasTrue {
			last := &e.failures[len(e.failures)-1]
			last.WasTrue, last.Since = true, e.trueSince
		}
	}
}

func (e *expectations) begin(step *Step) {
	e.step, e.wasTrue, e.said = nil, false, false
	if step.Expect != nil {
		e.step = step
	}
}

// atRest looks at everything.
func (e *expectations) atRest(t *telling) {
	sight := t.newSight()
	e.lookAtNevers(t, sight, true)
	if e.step == nil || e.said {
		return
	}
	differ := sight.differences(e.step.Expect)
	switch {
	case len(differ) == 0 && !e.wasTrue:
		e.wasTrue, e.trueSince = true, t.clock.Now()
	case len(differ) > 0 && e.wasTrue:
		e.failedAll(t, differ)
	}
}

// satisfied tells whether there is nothing to wait for.
func (e *expectations) satisfied() bool { return e.step == nil || e.wasTrue || e.said }

// end is called when the next step begins.
func (e *expectations) end(t *telling) {
	step := e.step
	if step == nil {
		return
	}
	e.step = nil
	if !e.said && !e.wasTrue {
		differ := t.newSight().differences(step.Expect)
		if len(differ) == 0 {
			differ = []difference{{step.Expect, "expect", "true at rest", "true only now"}}
		}
		e.failedAll(t, differ)
	}
	if what := e.nevers[step]; what != "" {
		e.failedAll(t, []difference{{step.Never, "never", "no moment like this", what}})
	}
	if !e.said {
		e.held++
	}
}

func (e *expectations) noteNever(step *Step, which string, at time.Duration) {
	if e.nevers == nil {
		e.nevers = map[*Step]string{}
	}
	e.nevers[step] = fmt.Sprintf("%s was, at %s", which, ShowTime(at))
}

// passing is a state of a pod that must never be, if it is more than what lies between two writes.
type passing struct {
	step *Step
	ref  string
	at   time.Duration
	real time.Time
}

// A gate goes with one write and the node comes with the next: what lasts no longer than that is no
// moment of the story. A condition is one from the first instant on, since autoscalers read it.
const passes = 100 * time.Millisecond

// sawPod looks for what must never be in a state of a pod.
func (e *expectations) sawPod(t *telling, pod *corev1.Pod) {
	ref := podRef(pod)
	e.passing = slices.DeleteFunc(e.passing, func(p passing) bool {
		if p.ref == ref && time.Since(p.real) > passes {
			e.noteNever(p.step, ref, p.at)
		}
		return p.ref == ref
	})
	for _, step := range t.s.Steps {
		if step.Never == nil || e.nevers[step] != "" {
			continue
		}
		for _, entry := range step.Never.Pairs {
			if entry.Key != ref && entry.Key != "pod/*" || entry.Value.Type != Map ||
				asksEngine(entry.Value) {
				continue
			}
			c := comparison{sight: t.newSight()}
			if c.one(ref, pod, entry.Value); len(c.differ) > 0 {
				continue
			}
			if entry.Value.Get("reason") != nil {
				e.noteNever(step, ref, t.clock.Now())
			} else {
				e.passing = append(e.passing, passing{step, ref, t.clock.Now(), time.Now()})
			}
		}
	}
}

// lookAtNevers looks for the rest of what must never be: what the engine and the whole are like.
func (e *expectations) lookAtNevers(t *telling, sight *sight, rest bool) {
	for _, step := range t.s.Steps {
		if step.Never == nil || e.nevers[step] != "" {
			continue
		}
		for _, entry := range step.Never.Pairs {
			ofPod := isOf(entry.Key, "pod")
			if ofPod && !rest {
				continue
			}
			if which := neverNow(sight, entry); which != "" {
				e.noteNever(step, which, t.clock.Now())
			}
		}
	}
}

// neverNow is the name of what is as it must not be; nothing if nothing is.
func neverNow(sight *sight, entry Pair) string {
	if entry.Key != "pod/*" {
		c := comparison{sight: sight}
		if c.entry(entry); len(c.differ) == 0 {
			return entry.Key
		}
		return ""
	}
	for _, pod := range sight.t.world.sortedPods() {
		c := comparison{sight: sight}
		if c.seemsOther(pod, entry.Value) {
			continue
		}
		if c.one(podRef(pod), pod, entry.Value); len(c.differ) == 0 {
			return podRef(pod)
		}
	}
	return ""
}

// seemsOther compares only what the API server tells, so that the engine need not be asked about
// each of thousands of pods.
func (c *comparison) seemsOther(pod *corev1.Pod, want *Tree) bool {
	for _, field := range want.Pairs {
		if !contains(engineKeys, field.Key) {
			c.pod(pod, podRef(pod), field)
		}
	}
	return len(c.differ) > 0
}
