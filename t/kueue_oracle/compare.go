// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sluice/kube-scheduler/sluice"
)

// Difference is the first step after which the two do not agree.
type Difference struct {
	Step int
	// Kueue and Sluice are what they did, and how all stands then.
	Kueue, Sluice Outcome
	// Why no rule explains it.
	Why string
}

// Outcome is what became of one step.
type Outcome struct {
	Acts    []Act
	State   map[string]string
	Settled bool
}

const mostLines = 40

func (o *Outcome) lines() (lines []string) {
	for i, act := range o.Acts {
		if act.Does == leaves {
			continue
		}
		if i == mostLines {
			lines = append(lines, fmt.Sprintf("... %d more", len(o.Acts)-i))
			break
		}
		lines = append(lines, act.String())
	}
	for _, name := range slices.Sorted(maps.Keys(o.State)) {
		lines = append(lines, "  "+name+" "+o.State[name])
	}
	if !o.Settled {
		lines = append(lines, "  and so on for ever")
	}
	return lines
}

// same tells whether both did the same, in whatever order, and all stands the same.
func same(a, b *Outcome) bool {
	return a.Settled == b.Settled && maps.Equal(a.State, b.State) &&
		slices.Equal(decisions(a.Acts), decisions(b.Acts))
}

// decisions are the acts but for signals, which the state tells, in an order of their own.
func decisions(acts []Act) (texts []string) {
	for _, act := range acts {
		if act.Does == admitted || act.Does == preempted {
			texts = append(texts, act.String())
		}
	}
	slices.Sort(texts)
	return texts
}

func (d *Difference) String() string {
	return fmt.Sprintf("step %d: %s\n--- Kueue\n%s\n--- sluice\n%s\n", d.Step, d.Why,
		strings.Join(d.Kueue.lines(), "\n"), strings.Join(d.Sluice.lines(), "\n"))
}

// Sum is how many steps were the same, and how many differ by which rule.
type Sum struct {
	Worlds, Steps, Same, Unexplained int
	Differ                           map[string]int
	// Tell is where each step is told; nil: nowhere.
	Tell io.Writer
}

func newSum() *Sum { return &Sum{Differ: map[string]int{}} }

// compare lets a world happen to both, to sluice as distort makes it (nil: as it is). The answer is
// nil if they agree all the way, or differ by rules. Kueue begins each step where sluice ended the
// one before it.
func compare(library *sluice.Library, w *World, distort func(*World), sum *Sum) (
	*Difference, error) {
	shown := w
	if distort != nil {
		shown = w.copy()
		distort(shown)
	}
	sluice, err := newOurs(library, newCluster(shown))
	if err != nil {
		return nil, err
	}
	defer sluice.close()
	sum.Worlds++
	real := newCluster(w)
	for step := range w.Steps {
		d := Difference{Step: step}
		real.workloads = sluice.copy().workloads
		if err := real.apply(w, step); err != nil {
			return nil, err
		}
		if err := settleTheirs(real, &d.Kueue); err != nil {
			return nil, err
		}
		if err := sluice.apply(shown, step, timeOf(step)); err != nil {
			return nil, err
		}
		if err := settleOurs(sluice, &d.Sluice); err != nil {
			return nil, err
		}
		if !sum.count(w, real, &d) {
			return &d, nil
		}
	}
	return nil, nil
}

// count takes one step into the sum. False: no rule explains its difference.
func (s *Sum) count(w *World, from *cluster, d *Difference) bool {
	s.Steps++
	var by []string
	if same(&d.Kueue, &d.Sluice) {
		s.Same++
	} else {
		found, err := explain(w, from, &d.Kueue, &d.Sluice)
		if err != nil {
			s.Unexplained++
			d.Why = err.Error()
			return false
		}
		by = slices.Sorted(maps.Keys(found))
		for _, rule := range by {
			s.Differ[rule]++
		}
	}
	if s.Tell != nil {
		d.Why = w.Steps[d.Step].String() + "; " + strings.Join(by, "; ")
		_, _ = fmt.Fprintln(s.Tell, d)
	}
	return true
}

func settleTheirs(c *cluster, ret *Outcome) error {
	k, err := newTheirs(c.copy())
	if err != nil {
		return err
	}
	ret.Settled = k.settle()
	ret.Acts, ret.State = k.acts, k.state()
	return nil
}

func settleOurs(s *ours, ret *Outcome) (err error) {
	s.acts = nil
	ret.Settled, err = s.settle()
	ret.Acts, ret.State = s.acts, s.state()
	return err
}
