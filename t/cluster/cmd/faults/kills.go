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
	verb, subresource string
	removes           bool
}

var (
	removals = kind{"patch", "-", true}
	bindings = kind{"create", "binding", false}
)

// rule matches writes of this kind, but does nothing with them yet.
func (k kind) rule() *faults.Rule {
	return &faults.Rule{Verb: k.verb, Resource: "pods", Subresource: k.subresource, If: k.is}
}

func (k kind) is(request *faults.Request) bool {
	return !k.removes || strings.Contains(string(request.Body), "schedulingGates")
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
		held, err := t.hold(k, t.only(), forEver)
		if err != nil {
			return err
		}
		t.say("%d writes are held", held)
		return t.killAndStart()
	}
}

// hold lets writes wait so long, and returns how many do when some are caught.
func (t *trial) hold(k kind, r *replica, length time.Duration) (held int, err error) {
	caught := make(chan struct{}, crowdSize)
	rule := k.rule()
	rule.Hang = length
	rule.If = func(request *faults.Request) bool {
		is := k.is(request)
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
		rule := k.rule()
		rule.Lose, rule.Times = true, 1
		t.rules(rule)
		select {
		case err := <-killed:
			if err != nil {
				return err
			}
		case <-time.After(patience):
			return &stuck{"no write of the kind was seen: " + t.crowd.left()}
		}
		return t.killAndStart()
	}
}
