// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"sluice/cluster/faults"
	"sluice/cluster/watch"
)

// fault is a way in which things go wrong.
type fault struct {
	name, does string
	replicas   int           // 0: one, without an election
	lasts      time.Duration // of each pod after it was bound; 0: usualLife
	workloads  bool          // Deployments make pods

	// happen lets it happen once, while the crowd goes through, and returns when it is over and the
	// scheduler may go on.
	happen func(t *trial, round int) error
	// alone is a fault without a crowd of its own.
	alone func(ctx context.Context, b *bench, result *outcome) error
}

// outcome is what came of a fault.
type outcome struct {
	times, pods int
	lost        int
	most        int
	violations  int
	stall       time.Duration // the longest time without a binding
	recovery    time.Duration // the longest from the end of the fault to the next binding
	notes       []string
	problems    []string
	took        time.Duration
}

func (o *outcome) note(format string, values ...any) {
	o.notes = append(o.notes, fmt.Sprintf(format, values...))
}

func (o *outcome) blame(format string, values ...any) {
	o.problems = append(o.problems, fmt.Sprintf(format, values...))
}

// trial is one fault on the control plane.
type trial struct {
	ctx      context.Context
	cancel   context.CancelFunc
	bench    *bench
	fault    *fault
	result   *outcome
	checker  *watch.Checker
	crowd    *crowd
	replicas []*replica
	earlier  int // writes in the audit from before
	started  int // pods of the rounds before
	began    time.Time
	over     time.Time // when the fault of this round ended
}

func newTrial(ctx context.Context, b *bench, f *fault, result *outcome) (*trial, error) {
	t := &trial{bench: b, fault: f, result: result, began: time.Now()}
	t.ctx, t.cancel = context.WithCancel(ctx)
	if err := t.begin(); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

func (t *trial) begin() error {
	b := t.bench
	earlier, err := b.plane.Audit()
	if err != nil {
		return err
	}
	t.earlier = len(earlier)
	t.checker = watch.New(watch.Config{})
	if err := t.checker.Follow(t.ctx, b.cluster.Admin); err != nil {
		return err
	}
	lasts := t.fault.lasts
	if lasts == 0 {
		lasts = usualLife
	}
	t.crowd = newCrowd(t.ctx, b.client, lasts)
	dir := filepath.Join(b.plane.Dir, t.fault.name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for i := range max(1, t.fault.replicas) {
		r, err := newReplica(b, string(rune('a'+i)), dir, t.fault.replicas > 0,
			t.checker.Asked, t.checker.Note)
		if err != nil {
			return err
		}
		t.replicas = append(t.replicas, r)
		if err := r.start(t.ctx, i == 0); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) close() error {
	t.cancel()
	var problems []error
	for _, r := range t.replicas {
		problems = append(problems, r.close())
	}
	return errors.Join(problems...)
}

// run lets the fault happen in each round, and looks what came of it.
func (t *trial) run() error {
	for round := range t.bench.options.rounds {
		t.say("round %d", round+1)
		err := t.round(round)
		var harm *stuck
		switch {
		case errors.As(err, &harm):
			t.result.blame("round %d: %v", round+1, err)
			for _, r := range t.replicas {
				t.result.note("the end of %s:\n%s", r.process.Log, r.tail(25))
			}
		case err != nil:
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		if harm != nil {
			break
		}
	}
	return t.judge()
}

func (t *trial) round(round int) error {
	var names []string
	for i := range crowdSize {
		names = append(names, fmt.Sprintf("r%d-%02d", round+1, i))
	}
	came := make(chan error, 1)
	go func() { came <- t.crowd.come(t.ctx, names) }()
	t.over = time.Time{}
	if err := t.fault.happen(t, round); err != nil {
		return err
	}
	t.ends()
	if err := <-came; err != nil {
		return fmt.Errorf("create pods: %w", err)
	}
	t.started += crowdSize
	t.result.times++
	t.result.pods = t.started
	if err := t.crowd.pass(t.ctx, t.started); err != nil {
		return err
	}
	recovery := t.crowd.nextBound(t.over)
	t.result.recovery = max(t.result.recovery, recovery)
	t.say("all have ended; the next was bound %s after the fault", recovery)
	return nil
}

// ends says that the fault of this round is over, and the scheduler may go on from now.
func (t *trial) ends() {
	if t.over.IsZero() {
		t.over = time.Now()
		bound, _, _ := t.crowd.figures()
		t.say("it is over, %d pods are bound", bound-t.started)
	}
}

// flows waits until so many pods of this round were bound.
func (t *trial) flows(pods int) error { return t.crowd.await(t.ctx, t.started+pods) }

// somewhere waits until the crowd is at a random place on its way through.
func (t *trial) somewhere() error {
	if err := t.flows(1 + rand.IntN(crowdSize*3/4)); err != nil {
		return err
	}
	pause(t.ctx, time.Duration(rand.Int64N(int64(100*time.Millisecond))))
	return nil
}

// only is the scheduler where there is one.
func (t *trial) only() *replica { return t.replicas[0] }

// without does something while the scheduler cannot write.
func (t *trial) without(do func() error) error {
	t.checker.Excuse(true)
	defer t.checker.Excuse(false)
	return do()
}

// again starts a scheduler that was killed, and waits until it leads.
func (t *trial) again(r *replica) error { return r.start(t.ctx, true) }

func (t *trial) rules(rules ...*faults.Rule) {
	for _, r := range t.replicas {
		r.proxy.SetRules(rules...)
	}
}

// judge looks at what is left when all is over.
func (t *trial) judge() error {
	o := t.result
	lost := t.crowd.lostPods()
	o.lost = len(lost)
	if o.lost > 0 {
		o.blame("%d pods are lost, not bound or not finished: %v", o.lost, lost)
	}
	_, o.most, o.stall = t.crowd.figures()
	if o.most > limit {
		o.blame("the queue of %d cpu held %d at once", limit, o.most)
	}
	found := t.checker.Settle()
	if half := t.checker.LongestHalf(); half > 0 {
		o.note("from the first binding of a gang to the last it took %.3f s at most", half.Seconds())
	}
	o.violations = len(found)
	for _, one := range found {
		o.blame("the checker saw: %s", one)
	}
	for _, r := range t.replicas {
		for _, end := range r.unexpected() {
			o.blame("%s", end)
		}
	}
	if err := t.judgeEngine(); err != nil {
		o.blame("%v", err)
	}
	return t.judgeWrites()
}

const settleTakes = 20 * time.Second

// judgeEngine looks what the engines hold when nothing is there any more. A standby knows as much.
func (t *trial) judgeEngine() error {
	var problems []error
	for _, r := range t.replicas {
		err := awaitTrue(t.ctx, settleTakes, func(ctx context.Context) error {
			return r.debug.isIdle(ctx, queueName)
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("scheduler %s, %s after the end: %w", r.name,
				settleTakes, err))
		}
	}
	return errors.Join(problems...)
}

func (t *trial) say(format string, values ...any) {
	if t.bench.options.verbose {
		fmt.Fprintf(os.Stderr, "%8s %s: %s\n", since(t.began), t.fault.name,
			fmt.Sprintf(format, values...))
	}
}
