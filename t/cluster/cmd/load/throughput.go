// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/cluster/plane"
)

// aim is what part of its control's throughput a variant is to reach: with policies, of that
// without.
func (v *variant) aim() float64 {
	if v.policies {
		return 0.97
	}
	return 0.95
}

// controls are what the variants are compared with.
var controls = map[string]string{onBind: stockBare, onAdmission: stockBare, ungated: stock,
	onBindTraced: onBind, onBindPolicies: onBind, onBindBrought: onBind}

// passage is what one run gave.
type passage struct {
	rate         float64 // pods a second, from the first creation to the last binding
	removed      []time.Duration
	bound        []time.Duration
	cost         cost
	allocated    float64 // bytes, by the API server for each pod
	most         int
	writes       map[plane.Write]int
	writesPerPod float64
}

func throughput(ctx context.Context, o *options) error {
	m, err := find(ctx)
	if err != nil {
		return err
	}
	chosen := o.chosen()
	runs := map[string][]passage{}
	for round := range o.rounds {
		order := slices.Clone(chosen)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, v := range order {
			say("round %d of %d: %s", round+1, o.rounds, v.name)
			one, err := pass(ctx, m, o, &v, fmt.Sprintf("%s-%d", v.key, round+1))
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			say("    %.0f pods/s, bound after %.2f s at p50 and %.2f s at p99, cpu %.1f + %.1f s, "+
				"%.0f KiB/pod", one.rate, seconds(quantile(one.bound, 0.5)),
				seconds(quantile(one.bound, 0.99)), seconds(one.cost.scheduler.cpu),
				seconds(one.cost.api.cpu), one.allocated/1024)
			runs[v.key] = append(runs[v.key], one)
		}
	}
	come := "at once"
	if o.rate > 0 {
		come = fmt.Sprintf("that come at %g a second", o.rate)
	}
	fmt.Printf("%d pods of 1 cpu %s, a queue of %d cpu, %d nodes; medians of %d rounds in "+
		"turns; %s\n\n", o.pods, come, o.queue, o.nodes, o.rounds, machine())
	fmt.Println(throughputTable(chosen, runs))
	fmt.Println(ratioTable(chosen, runs))
	fmt.Println("writes for each pod:")
	for _, v := range chosen {
		last := runs[v.key][len(runs[v.key])-1]
		fmt.Printf("  %-28s %s\n", v.name, perPod(last.writes, o.pods))
	}
	return nil
}

// pass lets the pods through a control plane of their own.
func pass(ctx context.Context, m measured, o *options, v *variant, label string) (p passage,
	err error) {
	l, err := newLab(ctx, m, o, (o.policies || v.policies) && v.sluice)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, l.Stop()) }()
	if err := l.start(ctx, v); err != nil {
		return p, err
	}
	return l.measure(ctx, v, label)
}

// measure lets the options' pods through, and says what it took.
func (l *lab) measure(ctx context.Context, v *variant, label string) (p passage, err error) {
	earlier, err := l.AuditEnd()
	if err != nil {
		return p, err
	}
	c := newCrowd(ctx, l, v, "pod", l.options.pods)
	allocated, err := l.Allocated(ctx)
	if err != nil {
		return p, err
	}
	before, err := l.cost()
	if err != nil {
		return p, err
	}
	profiled := l.profile(ctx, label)
	if err := errors.Join(c.pass(ctx), profiled()); err != nil {
		return p, err
	}
	// Events are written behind the bindings.
	if err := l.settle(ctx, 20*time.Second); err != nil {
		return p, err
	}
	after, err := l.cost()
	if err != nil {
		return p, err
	}
	allocatedNow, err := l.Allocated(ctx)
	if err != nil {
		return p, err
	}
	writes, err := l.AuditFrom(earlier)
	if err != nil {
		return p, err
	}
	p = c.passage()
	p.cost = after.minus(before)
	p.allocated = (allocatedNow - allocated) / float64(len(c.lives))
	p.writes = plane.CountWrites(inLoad(writes))
	p.writesPerPod = float64(total(p.writes)) / float64(len(c.lives))
	return p, nil
}

func (c *crowd) passage() passage {
	p := passage{most: c.most}
	first, last := c.lives[0].asked, c.lives[0].bound
	for i := range c.lives {
		if l := &c.lives[i]; l.asked.Before(first) {
			first = l.asked
		}
		if l := &c.lives[i]; l.bound.After(last) {
			last = l.bound
		}
	}
	p.rate = float64(len(c.lives)) / seconds(last.Sub(first))
	p.bound = times(c.lives, func(l *life) time.Time { return l.bound })
	p.removed = times(c.lives, func(l *life) time.Time { return l.ungated })
	return p
}

func throughputTable(chosen []variant, runs map[string][]passage) table {
	t := table{{"", "pods/s", "gate removed p50 / p99 s", "bound p50 / p99 s", "scheduler cpu s",
		"peak MiB", "API server cpu s", "peak MiB", "KiB/pod", "writes/pod", "most held"}}
	pair := func(all []passage, of func(passage) []time.Duration) string {
		at := func(q float64) float64 {
			return medianOf(all, func(p passage) float64 { return seconds(quantile(of(p), q)) })
		}
		return fmt.Sprintf("%.2f / %.2f", at(0.5), at(0.99))
	}
	number := func(all []passage, format string, of func(passage) float64) string {
		return fmt.Sprintf(format, medianOf(all, of))
	}
	for _, v := range chosen {
		all, removed := runs[v.key], ""
		if v.gated {
			removed = pair(all, func(p passage) []time.Duration { return p.removed })
		}
		t.row(v.name,
			number(all, "%.0f", func(p passage) float64 { return p.rate }),
			removed,
			pair(all, func(p passage) []time.Duration { return p.bound }),
			number(all, "%.2f", func(p passage) float64 { return seconds(p.cost.scheduler.cpu) }),
			number(all, "%.0f", func(p passage) float64 { return mib(p.cost.scheduler.peak) }),
			number(all, "%.2f", func(p passage) float64 { return seconds(p.cost.api.cpu) }),
			number(all, "%.0f", func(p passage) float64 { return mib(p.cost.api.peak) }),
			number(all, "%.0f", func(p passage) float64 { return p.allocated / 1024 }),
			number(all, "%.2f", func(p passage) float64 { return p.writesPerPod }),
			number(all, "%.0f", func(p passage) float64 { return float64(p.most) }))
	}
	return t
}

func ratioTable(chosen []variant, runs map[string][]passage) table {
	t := table{{"to its control", "pods/s", "of the rounds", "aim", "", "bound p99", "of the rounds",
		"cpu s", "of the rounds", "API server's", "of the rounds", "its bytes", "of the rounds"}}
	for _, v := range chosen {
		control, any := controls[v.key]
		if !any || runs[control] == nil {
			continue
		}
		rates := ratios(runs[v.key], runs[control], func(p passage) float64 { return p.rate })
		late := ratios(runs[v.key], runs[control], func(p passage) float64 {
			return seconds(quantile(p.bound, 0.99))
		})
		cpus := ratios(runs[v.key], runs[control], func(p passage) float64 {
			return seconds(p.cost.scheduler.cpu + p.cost.api.cpu)
		})
		apis := ratios(runs[v.key], runs[control], func(p passage) float64 {
			return seconds(p.cost.api.cpu)
		})
		bytes := ratios(runs[v.key], runs[control], func(p passage) float64 { return p.allocated })
		t.row(fmt.Sprintf("%s / %s", v.name, named(control).name), fmt.Sprintf("%.3f", median(rates)),
			spread(rates), fmt.Sprint(v.aim()), reached(median(rates) >= v.aim()),
			fmt.Sprintf("%.3f", median(late)), spread(late),
			fmt.Sprintf("%.3f", median(cpus)), spread(cpus),
			fmt.Sprintf("%.3f", median(apis)), spread(apis),
			fmt.Sprintf("%.3f", median(bytes)), spread(bytes))
	}
	return t
}
