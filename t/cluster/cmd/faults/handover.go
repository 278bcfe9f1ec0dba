// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// leader is the replica that leads, and the other one.
func (t *trial) leader() (leads, other *replica, err error) {
	err = awaitTrue(t.ctx, readyTakes, func(ctx context.Context) error {
		for i, r := range t.replicas {
			if does, err := r.debug.leads(ctx); err == nil && does {
				leads, other = r, t.replicas[1-i]
				return nil
			}
		}
		return errors.New("no replica leads")
	})
	return leads, other, err
}

// awaitLead waits until the replica leads.
func (t *trial) awaitLead(r *replica, atMost time.Duration) error {
	return awaitTrue(t.ctx, atMost, func(ctx context.Context) error {
		if does, err := r.debug.leads(ctx); err != nil || does {
			return err
		}
		return &stuck{fmt.Sprintf("scheduler %s does not lead after %s", r.name, atMost)}
	})
}

// takeOver is how long a lease may stay without a leader: it has to run out, others look at it
// again after up to 2.2 retry periods, and the machine may be slow.
const takeOver = leaseDuration + 3*retryPeriod + 3*time.Second

func handOverByKill(t *trial, _ int) error {
	if err := t.somewhere(); err != nil {
		return err
	}
	leads, other, err := t.leader()
	if err != nil {
		return err
	}
	t.say("kill %s", leads.name)
	return t.without(func() error {
		if err := leads.kill(); err != nil {
			return err
		}
		t.ends()
		if err := t.awaitLead(other, takeOver); err != nil {
			return err
		}
		return leads.launch()
	})
}

const (
	exitTakes = 10 * time.Second
	// A lease that is given back is taken at the next try. One that is not would be waited for.
	soon = leaseDuration - time.Second/2
)

func handOverByTerm(t *trial, _ int) error {
	if err := t.somewhere(); err != nil {
		return err
	}
	leads, other, err := t.leader()
	if err != nil {
		return err
	}
	t.say("stop %s", leads.name)
	return t.without(func() error {
		leads.ending()
		asked := time.Now()
		if err := leads.process.Stop(exitTakes); err != nil {
			return err
		}
		t.ends()
		ended := time.Since(asked)
		if code := leads.process.ExitCode(); code != 0 {
			t.result.blame("asked to end, scheduler %s ended with %d:\n%s", leads.name, code,
				leads.tail(12))
		}
		if err := t.awaitLead(other, takeOver); err != nil {
			return err
		}
		led := time.Since(t.over)
		t.result.note("SIGTERM: the leader ended after %.2f s, the other led %.2f s later",
			ended.Seconds(), led.Seconds())
		if led > soon {
			t.result.blame("the other replica led %s after the leader's end: was its lease not "+
				"given back?", led)
		}
		return leads.launch()
	})
}

func handOverByPause(t *trial, _ int) error {
	if err := t.somewhere(); err != nil {
		return err
	}
	leads, other, err := t.leader()
	if err != nil {
		return err
	}
	return t.pauseLeader(leads, other, leaseDuration+2*time.Second)
}

// lateWrites is how long writes of the leader are on their way: until the other one has taken over.
const lateWrites = takeOver

// handOverWhileWriting stops the leader while its writes are on their way. They arrive when the
// other one has taken over.
func handOverWhileWriting(t *trial, round int) error {
	if err := t.flows(round + 1); err != nil {
		return err
	}
	leads, other, err := t.leader()
	if err != nil {
		return err
	}
	held, err := t.hold([]kind{removals, bindings}[round%2].rule(), leads, lateWrites)
	if err != nil {
		return err
	}
	t.say("%d writes of %s are held", held, leads.name)
	defer leads.proxy.SetRules()
	asked := time.Now()
	if err := t.pauseLeader(leads, other, lateWrites+time.Second); err != nil {
		return err
	}
	answers := leads.lateAnswers(asked, lateWrites/2)
	t.result.note("the paused leader's writes arrived %s late, and were answered %v", lateWrites,
		answers)
	if len(answers) == 0 {
		t.result.blame("round %d: none of the %d held writes has arrived", round+1, held)
	}
	return nil
}

// pauseLeader lets the leader stand still so long that the other one leads and has written; after
// that it must not remove a gate, or bind, any more. (The stock scheduler may still write of pods
// that it could not bind, that it could not.)
func (t *trial) pauseLeader(leads, other *replica, length time.Duration) error {
	t.say("pause %s", leads.name)
	leads.ending() // a leader that has lost its lease ends itself
	stopped := time.Now()
	err := t.without(func() error {
		if err := leads.process.Pause(); err != nil {
			return err
		}
		return t.awaitLead(other, takeOver)
	})
	if err != nil {
		return errors.Join(err, leads.process.Resume())
	}
	t.say("%s leads", other.name)
	pause(t.ctx, time.Until(stopped.Add(length)))
	resumed := time.Now()
	t.over = stopped
	if err := leads.process.Resume(); err != nil {
		return err
	}
	select {
	case <-leads.process.Done():
	case <-time.After(readyTakes):
		t.result.blame("scheduler %s goes on %s after it has lost its lease:\n%s", leads.name,
			readyTakes, leads.tail(12))
		return leads.kill()
	}
	for _, write := range leads.writesSince(resumed) {
		if write.Subresource == "status" {
			continue
		}
		t.result.blame("scheduler %s, whose lease was another's, did: %s pods/%s %s", leads.name,
			write.Verb, write.Name, write.Subresource)
	}
	return leads.launch()
}
