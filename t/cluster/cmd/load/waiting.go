// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
)

// idleBudget is what waiting pods may cost a minute, beyond what an idle stock scheduler costs.
const idleBudget = 50 * time.Millisecond

// idleness is what a scheduler did while nothing happened.
type idleness struct {
	cost   cost
	writes map[plane.Write]int
	pods   int // of them, writes about the pods that wait
}

// waiting looks at schedulers that have nothing to do: a full queue, and pods that wait for it.
// The stock scheduler is given the same pods, which its own plugin holds for their gates.
func waiting(ctx context.Context, o *options) error {
	m, err := find(ctx)
	if err != nil {
		return err
	}
	chosen := o.chosen()
	runs := map[string][]idleness{}
	for round := range o.rounds {
		if err := waitingRound(ctx, m, o, chosen, round, runs); err != nil {
			return err
		}
		slices.Reverse(chosen)
	}
	chosen = o.chosen()
	fmt.Printf("%d pods wait behind a full queue of %d, for %s; medians of %d rounds in turns; %s\n\n",
		o.pods, o.queue, o.window, o.rounds, machine())
	fmt.Println(waitingTable(chosen, runs))
	fmt.Println(idleTable(o, chosen, runs))
	fmt.Println("writes in that time, of the last round:")
	written := 0
	for _, v := range chosen {
		last := runs[v.key][len(runs[v.key])-1]
		for _, w := range byWriter(last.writes) {
			fmt.Printf("  %-28s %4d  %s (%s)\n", v.name, last.writes[w], kind(w), who(w.User))
		}
		for _, one := range runs[v.key] {
			written += one.pods
		}
	}
	if written > 0 {
		return fmt.Errorf("%d writes about pods that only waited", written)
	}
	return nil
}

// waitingRound fills a queue and lets pods wait, then looks at one scheduler after the other.
func waitingRound(ctx context.Context, m measured, o *options, chosen []variant, round int,
	runs map[string][]idleness) (err error) {
	l, err := newLab(ctx, m, o, o.policies)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Stop()) }()
	say("round %d of %d: %d pods fill the queue, %d come after them", round+1, o.rounds, o.queue,
		o.pods)
	if err := l.fill(ctx); err != nil {
		return fmt.Errorf("fill the queue: %w", err)
	}
	for _, v := range chosen {
		say("round %d of %d: %s, for %s", round+1, o.rounds, v.name, o.window)
		if err := l.start(ctx, &v); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		one, err := l.idle(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		say("    scheduler %.3f s, API server %.2f s, %d writes", seconds(one.cost.scheduler.cpu),
			seconds(one.cost.api.cpu), total(one.writes))
		runs[v.key] = append(runs[v.key], one)
		if err := errors.Join(l.stillWaits(ctx), l.stopScheduler()); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return nil
}

// fill has sluice grant the queue to pods that do not end, and lets others wait.
func (l *lab) fill(ctx context.Context) error {
	v := named(onBind)
	if err := l.start(ctx, &v); err != nil {
		return err
	}
	first := newCrowd(ctx, l, &v, "runs", l.options.queue)
	err := first.come(ctx, func() bool { return first.bound == l.options.queue })
	if err != nil {
		return err
	}
	rest := newCrowd(ctx, l, &v, "waits", l.options.pods)
	err = rest.come(ctx, func() bool { return rest.came == l.options.pods })
	return errors.Join(err, l.stopScheduler())
}

// idle looks on for as long as the options say.
func (l *lab) idle(ctx context.Context) (idleness, error) {
	cost, events, err := l.during(func() error { return pause(ctx, l.options.window) })
	return idleness{cost, plane.CountWrites(events), len(inLoad(events))}, err
}

// stillWaits sees that those who wait have their gates, and those who run their nodes.
func (l *lab) stillWaits(ctx context.Context) error {
	pods, err := l.client.CoreV1().Pods(loadSpace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the pods: %w", err)
	}
	gated, bound := 0, 0
	for i := range pods.Items {
		switch pod := &pods.Items[i]; {
		case hasGate(pod):
			gated++
		case pod.Spec.NodeName != "":
			bound++
		}
	}
	if gated != l.options.pods || bound != l.options.queue {
		return fmt.Errorf("%d pods have their gate and %d a node, want %d and %d", gated, bound,
			l.options.pods, l.options.queue)
	}
	return nil
}

func spent(one idleness) float64 { return seconds(one.cost.scheduler.cpu) }

func waitingTable(chosen []variant, runs map[string][]idleness) table {
	t := table{{"", "scheduler cpu s", "of the rounds", "peak MiB", "API server cpu s",
		"writes about the pods", "other writes"}}
	for _, v := range chosen {
		all := runs[v.key]
		var cpus []float64
		for _, one := range all {
			cpus = append(cpus, spent(one))
		}
		median := func(format string, of func(idleness) float64) string {
			return fmt.Sprintf(format, medianOf(all, of))
		}
		t.row(v.name, median("%.3f", spent), spread(cpus),
			median("%.0f", func(one idleness) float64 { return mib(one.cost.scheduler.peak) }),
			median("%.2f", func(one idleness) float64 { return seconds(one.cost.api.cpu) }),
			median("%.0f", func(one idleness) float64 { return float64(one.pods) }),
			median("%.0f", func(one idleness) float64 { return float64(total(one.writes) - one.pods) }))
	}
	return t
}

// idleTable compares with the stock scheduler of the same round.
func idleTable(o *options, chosen []variant, runs map[string][]idleness) table {
	budget := seconds(idleBudget) * o.window.Minutes()
	t := table{{"scheduler cpu s beyond stock", "median", "of the rounds", "budget", ""}}
	for _, v := range chosen {
		if !v.sluice || runs[stock] == nil {
			continue
		}
		var more []float64
		for i, one := range runs[v.key] {
			more = append(more, spent(one)-spent(runs[stock][i]))
		}
		t.row(v.name, fmt.Sprintf("%.3f", median(more)), spread(more), fmt.Sprintf("%.3f", budget),
			reached(median(more) <= budget))
	}
	return t
}
