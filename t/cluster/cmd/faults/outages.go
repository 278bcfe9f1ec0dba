// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	"sluice/cluster/faults"
)

// beforeOutage is how many pods of a round are bound before an outage begins.
const beforeOutage = 5

// during lets pods flow, and does something while the scheduler cannot write.
func (t *trial) during(do func() error) error {
	if err := t.flows(beforeOutage); err != nil {
		return err
	}
	return t.without(func() error {
		err := do()
		t.ends()
		return err
	})
}

// ofRound is which writes a round is about: both kinds, then only one, then only the other.
func ofRound(round int) []kind {
	return [][]kind{{removals, bindings}, {bindings}, {removals}}[round%3]
}

// refuse answers writes with a status. All patches of pods are meant, also those of conditions.
func refuse(status int) func(*trial, int) error {
	return func(t *trial, round int) error {
		return t.during(func() error {
			var rules []*faults.Rule
			for _, k := range ofRound(round) {
				if k == removals {
					k = kind{verb: k.verb, resource: k.resource}
				}
				rule := k.rule()
				rule.Answer = status
				rules = append(rules, rule)
			}
			t.rules(rules...)
			pause(t.ctx, outage)
			t.rules()
			for _, rule := range rules {
				t.say("%s pods/%s was refused %d times", rule.Verb, rule.Subresource, rule.Acted())
				if rule.Acted() == 0 {
					t.result.note("round %d: no %s of pods/%s came in the %s", round+1, rule.Verb,
						rule.Subresource, outage)
				}
			}
			return nil
		})
	}
}

const answersLost = 10

func loseAnswers(t *trial, round int) error {
	if err := t.flows(beforeOutage); err != nil {
		return err
	}
	var rules []*faults.Rule
	for _, k := range ofRound(round) {
		rule := k.rule()
		rule.Lose, rule.Times = true, answersLost
		rules = append(rules, rule)
	}
	t.rules(rules...)
	defer t.rules()
	for _, rule := range rules {
		err := t.crowd.until(t.ctx, "answers are lost", func() bool {
			return rule.Acted() >= answersLost || t.crowd.bound >= t.started+crowdSize
		})
		if err != nil {
			return err
		}
		t.say("%d answers to %s pods/%s were lost", rule.Acted(), rule.Verb, rule.Subresource)
	}
	return nil
}

// beSilent lets requests stay away from the API server, or in every other round only the answers.
func beSilent(t *trial, round int) error {
	return t.during(func() error {
		end := t.only().wire.goSilent(round%2 == 1)
		defer end()
		pause(t.ctx, outage)
		return nil
	})
}

func pauseAPI(t *trial, _ int) error {
	return t.during(func() error { return t.bench.plane.PauseAPIFor(t.ctx, outage) })
}

// pauseAPIOfTwo lasts longer than the lease: the leader cannot renew it, and ends itself.
func pauseAPIOfTwo(t *trial, _ int) error {
	return t.during(func() error {
		for _, r := range t.replicas {
			r.ending()
		}
		if err := t.bench.plane.PauseAPIFor(t.ctx, outage); err != nil {
			return err
		}
		t.ends()
		ended := 0
		for _, r := range t.replicas {
			if !r.process.Running() {
				ended++
				if err := r.launch(); err != nil {
					return err
				}
			}
		}
		t.say("%d schedulers had ended", ended)
		_, _, err := t.leader()
		return err
	})
}

func stopEtcd(t *trial, _ int) error {
	return t.during(func() error {
		if err := t.bench.plane.StopEtcd(); err != nil {
			return err
		}
		pause(t.ctx, outage)
		if err := t.bench.plane.StartEtcd(); err != nil {
			return err
		}
		t.ends()
		return t.bench.plane.AwaitReady(t.ctx)
	})
}

func closeWatches(t *trial, _ int) error {
	if err := t.flows(1); err != nil {
		return err
	}
	for end := time.Now().Add(outage); time.Now().Before(end); pause(t.ctx, time.Second) {
		t.say("%d watches are closed", t.only().wire.cutWatches())
	}
	return nil
}
