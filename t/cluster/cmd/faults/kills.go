// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"sync"
	"time"

	"sluice/cluster/faults"
)

// kind is a kind of write that a fault waits for.
type kind struct {
	verb, resource, subresource string
	says                        string // what is in its body
}

var (
	removals = kind{"patch", "pods", "-", "schedulingGates"}
	bindings = kind{"create", "pods", "binding", ""}
)

// rule matches writes of this kind, but does nothing with them yet.
func (k kind) rule() *faults.Rule {
	return &faults.Rule{Verb: k.verb, Resource: k.resource, Subresource: k.subresource, If: k.is}
}

func (k kind) is(request *faults.Request) bool {
	return strings.Contains(string(request.Body), k.says)
}

func kill(t *trial, _ int) error {
	if err := t.somewhere(); err != nil {
		return err
	}
	return t.killAndStart()
}

func (t *trial) killAndStart() error {
	return t.without(func() error {
		if err := t.only().kill(); err != nil {
			return err
		}
		t.ends()
		t.rules()
		return t.again(t.only())
	})
}

const (
	heldAtOnce = 3 // writes that a fault would like to catch together
	catchTakes = 300 * time.Millisecond
	forEver    = time.Hour
)

// killHeld keeps writes from the API server, and kills the scheduler while it waits for them.
func killHeld(k kind) func(*trial, int) error {
	return func(t *trial, round int) error {
		if err := t.flows(round + 1); err != nil {
			return err
		}
		held, err := t.hold(k.rule(), t.only(), forEver)
		if err != nil {
			return err
		}
		t.say("%d writes are held", held)
		return t.killAndStart()
	}
}

// hold lets the writes that a rule matches wait so long, and returns how many do when some are
// caught.
func (t *trial) hold(rule *faults.Rule, r *replica, length time.Duration) (held int, err error) {
	caught := make(chan struct{}, crowdSize)
	matches := rule.If
	rule.Hang = length
	rule.If = func(request *faults.Request) bool {
		is := matches(request)
		if is {
			select {
			case caught <- struct{}{}:
			default:
			}
		}
		return is
	}
	r.proxy.SetRules(rule)
	enough := time.After(patience)
	for held < heldAtOnce {
		select {
		case <-t.ctx.Done():
			return held, t.ctx.Err()
		case <-enough:
			if held == 0 {
				return 0, &stuck{"no write of the kind was seen: " + t.crowd.left()}
			}
			return held, nil
		case <-caught:
			if held++; held == 1 {
				enough = time.After(catchTakes)
			}
		}
	}
	return held, nil
}

// killUnheard lets a write through, and kills the scheduler before it hears of it.
func killUnheard(k kind) func(*trial, int) error {
	return func(t *trial, round int) error {
		if err := t.flows(round + 1); err != nil {
			return err
		}
		if err := t.killAt(k.rule()); err != nil {
			return err
		}
		return t.killAndStart()
	}
}

// killAt kills the scheduler when a write that the rule matches is done, before it hears of that.
func (t *trial) killAt(rule *faults.Rule) error {
	killed := make(chan error, 1)
	var once sync.Once
	r := t.only()
	r.hear(func(request *faults.Request) {
		if request.Lost {
			once.Do(func() {
				t.checker.Excuse(true)
				killed <- r.kill()
			})
		}
	})
	defer r.hear(nil)
	rule.Lose, rule.Times = true, 1
	t.rules(rule)
	select {
	case err := <-killed:
		return err
	case <-time.After(patience):
		return &stuck{"no write of the kind was seen: " + t.crowd.left()}
	}
}
