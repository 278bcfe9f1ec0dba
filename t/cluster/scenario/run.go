// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// No news for so long, and nothing under way in the scheduler, is rest.
	quiet = 100 * time.Millisecond
	// Pods that the scheduler tries again after a second of its own are waited for once, and not
	// for ever.
	backsOff = 1500 * time.Millisecond
	// A cluster that never rests is looked at all the same.
	restlessAtMost = 20 * time.Second
	// Steps so near to each other mean to race.
	race = 100 * time.Millisecond
	// The last step has so long to come true.
	lastStep = 600 * time.Second
	// What the story's time would give to the scheduler's own real times.
	leastPatience, mostPatience = 2 * time.Second, 8 * time.Second

	turn = 5 * time.Millisecond
)

func (t *telling) tellAll() error {
	for i, step := range t.s.Steps {
		if i > 0 || step.At > 0 {
			if err := t.passTo(step.At, t.s.Steps[max(i-1, 0)]); err != nil {
				return err
			}
			t.expectations.end(t)
		}
		if err := t.do(step); err != nil {
			return err
		}
		t.expectations.begin(step)
	}
	last := t.s.Steps[len(t.s.Steps)-1]
	if err := t.passTo(last.At+lastStep, last); err != nil {
		return err
	}
	t.expectations.end(t)
	t.checkRefusals()
	for _, violation := range t.checker.Settle() {
		t.expectations.failures = append(t.expectations.failures, Failure{
			Where: t.s.File, At: t.clock.Now(), What: "checker: " + violation.Rule,
			Wanted: "never", Seen: violation.String(),
		})
	}
	return nil
}

// passTo lets time pass until a moment. What is due at that moment comes after it. While anything
// is under way the story's time stands still: how fast this machine is makes no difference to it.
//
//	step ──news, timers──▶ rest ──look──▶ jump to what is next ──▶ ... ──▶ rest at the line
func (t *telling) passTo(line time.Duration, step *Step) error {
	interval := line - step.At
	if interval < race && step.Expect == nil {
		return t.raceTo(line)
	}
	t.clock.Hold(t.clock.Now())
	t.restless = time.Now()
	var waits time.Time // since when all is done but what is expected
	for t.err == nil {
		if err := t.settle(line); err != nil {
			return err
		}
		t.tellChecker()
		if t.newSight().countEffects() == "0" {
			t.checker.AtRest() // else a write is still to come, in its own time
		}
		t.expectations.atRest(t)
		next, more := t.nextMoment(line)
		if more && t.clock.Now() < next {
			t.clock.Jump(next)
			t.busy()
			waits = time.Time{}
			continue
		}
		if t.expectations.satisfied() {
			return t.err
		}
		if waits.IsZero() {
			waits = time.Now()
		}
		if time.Since(waits) > min(max(interval, leastPatience), mostPatience) {
			return t.err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return t.err
}

// raceTo lets the time between two steps pass as it is.
func (t *telling) raceTo(line time.Duration) error {
	t.clock.Hold(line)
	for t.clock.Now() < line && t.err == nil {
		if err := t.runTimers(line); err != nil {
			return err
		}
		t.hearAll()
		time.Sleep(time.Millisecond)
	}
	return t.err
}

// busy notes that something was done that others have to see first.
func (t *telling) busy() {
	t.acted = time.Now()
	t.restless = t.acted
}

func (t *telling) runTimers(line time.Duration) error {
	for {
		run, ok := t.timers.take(min(t.clock.Now(), line-1))
		if !ok {
			return nil
		}
		t.busy()
		if err := run(); err != nil {
			return err
		}
	}
}

// settle waits until the cluster has come to rest.
func (t *telling) settle(line time.Duration) error {
	looked := time.Now()
	for t.err == nil {
		if err := t.runTimers(line); err != nil {
			return err
		}
		t.hearAll()
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := t.reviveScheduler(); err != nil {
			return err
		}
		if t.isAtRest() {
			return nil
		}
		if time.Since(looked) > quiet {
			looked = time.Now()
			t.expectations.lookAtNevers(t, t.newSight(), false)
		}
		select {
		case <-t.world.heard:
		case <-time.After(turn):
		}
	}
	return t.err
}

// reviveScheduler starts the process again if it has ended itself over a deletion that it was not
// told of: the stock scheduler does that when another pod of a bound one's name comes, and a
// Deployment would start it again. If it has ended for any other reason the story is over.
func (t *telling) reviveScheduler() error {
	if t.host.process.Running() {
		return nil
	}
	end := t.host.process.Tail(15)
	if !t.dropped || !strings.Contains(end, "Scheduler cache is corrupted") {
		return fmt.Errorf("the scheduler has ended at %s:\n%s", ShowTime(t.clock.Now()), end)
	}
	t.note("at %s the scheduler ended itself (its cache is corrupted: a deletion was dropped), "+
		"and was started again", ShowTime(t.clock.Now()))
	t.excuse(true)
	defer t.excuse(false)
	return t.startHost(!t.standby)
}

// isAtRest tells whether nothing more will happen by itself, but by time.
func (t *telling) isAtRest() bool {
	now := time.Now()
	if now.Sub(t.restless) > restlessAtMost {
		t.tell("the cluster does not come to rest")
		return true
	}
	if now.Sub(t.acted) < quiet || t.world.sinceNews() < quiet || t.host.sinceWrite() < quiet {
		return false
	}
	if t.host.proxy.UnderWay() > 0 || !t.hasCaughtUp() || !t.workloadsRest() {
		return false
	}
	limits, err := t.host.debug.ask(t.ctx, "limits", nil)
	if err != nil {
		t.warn(err)
		return false
	}
	if _, told := limits["next"]; !told {
		t.warn(errors.New("/debug/sluice/limits does not tell the engine's next deadline (next): " +
			"it may be jumped over"))
	}
	t.engineNext = limits.number("next")
	if limits.number("pending") > 0 || limits.truth("more") {
		return false
	}
	scheduler, err := t.host.debug.metrics(t.ctx)
	if err != nil {
		t.warn(err)
		return false
	}
	if scheduler.pending("active") > 0 {
		return false
	}
	return scheduler.pending("backoff") == 0 || now.Sub(t.restless) > backsOff
}

// hasCaughtUp tells whether this program has been told of its own latest write of a pod. On a
// machine that has much to do silence alone means nothing.
func (t *telling) hasCaughtUp() bool {
	if t.latest == "" {
		return true
	}
	before := t.touched[t.latest]
	t.podNow(t.latest)
	if before {
		t.restless = time.Now()
	}
	t.latest = ""
	return !before
}

// nextMoment is the next at which something happens by itself, the line at the latest. False: after
// the last step nothing will.
func (t *telling) nextMoment(line time.Duration) (time.Duration, bool) {
	next, something := line, t.expectations.isBeforeAStep(t, line)
	consider := func(at time.Duration, ok bool) {
		if ok && at < line && at > t.clock.Now() {
			next, something = min(next, at), true
		}
	}
	consider(t.timers.next())
	consider(t.host.proxy.Due())
	if t.engineNext > 0 {
		consider(t.clock.Since(t.engineNext), true)
	}
	return next, something
}

// isBeforeAStep tells whether the line is another step's beginning.
func (e *expectations) isBeforeAStep(t *telling, line time.Duration) bool {
	return line <= t.s.Steps[len(t.s.Steps)-1].At
}

// tellChecker tells the checker of pods without a gate that wait all the same: that only the engine
// knows.
func (t *telling) tellChecker() {
	sight := t.newSight()
	for _, pod := range t.world.sortedPods() {
		if pod.Spec.NodeName != "" || len(pod.Spec.SchedulingGates) > 0 || isOver(pod) {
			continue
		}
		state := sight.engineOf(pod).text("state", "")
		t.checker.Waits(pod.UID, state == "held" || state == "waiting")
	}
}
