// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// flow is pods that come and end in all queues of an extent, and what a watch has seen of them. It
// counts for itself what each domain holds.
type flow struct {
	lab     *lab
	gated   bool // what comes has our gate
	seats   []seat
	domains []domain
	pods    map[string]*resident // those that have not ended
	running []string             // those that are bound, and were not asked to end
	seen    <-chan sight
	made    atomic.Int64 // how many pods were made, of which a name is made

	last               time.Time // something happened
	came, bound, ended int
	open               int             // rooms that nobody has taken yet
	waits              []time.Duration // from a room in a domain to the next pod that is bound there
}

// domain is what shares room: a queue, or a cohort.
type domain struct {
	limit, held, most int         // cpu: at most, now, and at any time
	freed             []time.Time // when room came that nobody has taken yet
}

// resident is a pod as the watch saw it last.
type resident struct {
	seat         int
	holds, bound bool
}

// change is what happens to a seat: a pod of it ends, if one is named, and another one comes.
type change struct {
	end  string
	seat int
}

func newFlow(ctx context.Context, l *lab, e extent) *flow {
	f := &flow{lab: l, gated: true, seats: e.seats(), pods: map[string]*resident{},
		seen: follow(ctx, l.client.CoreV1().Pods(loadSpace))}
	for _, limit := range e.limits() {
		f.domains = append(f.domains, domain{limit: limit})
	}
	return f
}

// fill has a pod in each seat run, then lets so many wait behind them.
func (f *flow) fill(ctx context.Context, waiting int) error {
	come := func(count int) <-chan change {
		changes := make(chan change, count)
		for i := range count {
			changes <- change{seat: i % len(f.seats)}
		}
		close(changes)
		return changes
	}
	running := len(f.seats)
	full := func() bool { return f.bound == running }
	if err := f.carry(ctx, come(running), full, nil, nil); err != nil {
		return fmt.Errorf("fill the queues: %w", err)
	}
	there := func() bool { return f.came == running+waiting }
	if err := f.carry(ctx, come(waiting), there, nil, nil); err != nil {
		return fmt.Errorf("let pods wait: %w", err)
	}
	return nil
}

// run has so many pods a second end, each followed by one that comes to the same seat, and returns
// when the last room is taken again. It tells how many a second were: fewer where the changes
// themselves take too long.
func (f *flow) run(ctx context.Context, rate float64, window time.Duration) (reached float64,
	err error) {
	changes := make(chan change, creators)
	random := rand.New(rand.NewPCG(1, 2))
	turn := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer turn.Stop()
	turns, before, asked, over := turn.C, f.ended, 0, false
	end := time.Now().Add(window)
	next := func() {
		switch {
		case over:
		case time.Now().After(end):
			over = true
			close(changes)
		case len(changes) < cap(changes) && len(f.running) > 0:
			changes <- f.pick(random)
			asked++
		}
	}
	taken := func() bool { return over && f.ended-before == asked && f.open == 0 }
	if err := f.carry(ctx, changes, taken, turns, next); err != nil {
		return 0, err
	}
	return float64(asked) / window.Seconds(), nil
}

// pick is the end of any pod that runs.
func (f *flow) pick(random *rand.Rand) change {
	i, last := random.IntN(len(f.running)), len(f.running)-1
	name := f.running[i]
	f.running[i] = f.running[last]
	f.running = f.running[:last]
	return change{end: name, seat: f.pods[name].seat}
}

// carry makes the changes, and looks at what comes of them, until they are there. At each turn the
// next ones may be asked for.
func (f *flow) carry(ctx context.Context, changes <-chan change, there func() bool,
	turns <-chan time.Time, next func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	for range creators {
		work.Go(func() {
			for one := range changes {
				if err := f.make(ctx, one); err != nil {
					cancel(err)
				}
				if ctx.Err() != nil {
					return
				}
			}
		})
	}
	err := f.look(ctx, there, turns, next)
	cancel(err)
	work.Wait()
	return err
}

// make makes a change.
func (f *flow) make(ctx context.Context, c change) error {
	pods := f.lab.client.CoreV1().Pods(loadSpace)
	if c.end != "" {
		if err := finish(ctx, f.lab.client, loadSpace, c.end); err != nil {
			return fmt.Errorf("finish pod %s: %w", c.end, err)
		}
		if err := pods.Delete(ctx, c.end, *metav1.NewDeleteOptions(0)); err != nil {
			return fmt.Errorf("delete pod %s: %w", c.end, err)
		}
	}
	pod := f.pod(c.seat)
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create pod %s in %s: %w", pod.Name, f.seats[c.seat].name, err)
	}
	return nil
}

// seatAnnotation numbers the seat of a pod, for the watch.
const seatAnnotation = "load/seat"

// pod is the next one for a seat.
func (f *flow) pod(number int) *corev1.Pod {
	s := &f.seats[number]
	pod := newPod(loadSpace, fmt.Sprintf("pod-%06d", f.made.Add(1)), s.name, f.gated, true)
	pod.Annotations[seatAnnotation] = strconv.Itoa(number)
	if s.label != "" {
		delete(pod.Annotations, queueNameLabel)
		pod.Labels = map[string]string{s.label: s.name}
	}
	return pod
}

func (f *flow) look(ctx context.Context, there func() bool, turns <-chan time.Time,
	next func()) error {
	progress := time.NewTicker(tell)
	defer progress.Stop()
	f.last = time.Now()
	for !there() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-progress.C:
			say("    %d pods came, %d were bound, %d ended", f.came, f.bound, f.ended)
			if since, s := time.Since(f.last), f.lab.scheduler; since > patience {
				return fmt.Errorf("nothing has happened for %s, with %d rooms free; the end of %s:\n%s",
					since.Round(time.Second), f.open, s.Log, s.Tail(15))
			}
		case <-turns:
			next()
		case one := <-f.seen:
			if one.err != nil {
				return one.err
			}
			if err := f.take(one.pod, one.at); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes in what the watch has seen. What has ended is seen again when it is deleted.
func (f *flow) take(pod *corev1.Pod, at time.Time) error {
	p := f.pods[pod.Name]
	if p == nil {
		if hasEnded(pod) {
			return nil
		}
		number, err := strconv.Atoi(pod.Annotations[seatAnnotation])
		if err != nil {
			return fmt.Errorf("pod %s has no seat: %w", pod.Name, err)
		}
		p = &resident{seat: number}
		f.pods[pod.Name] = p
		f.came++
	}
	f.last = at
	d := &f.domains[f.seats[p.seat].domain]
	switch {
	case hasEnded(pod):
		f.ended++
		f.open++
		d.freed = append(d.freed, at)
		d.held--
		delete(f.pods, pod.Name)
		return nil
	case !p.holds && (pod.Spec.NodeName != "" || !hasGate(pod)):
		p.holds = true
		d.held++
		d.most = max(d.most, d.held)
	}
	if pod.Spec.NodeName != "" && !p.bound {
		p.bound = true
		f.bound++
		f.running = append(f.running, pod.Name)
		if len(d.freed) > 0 {
			f.waits = append(f.waits, at.Sub(d.freed[0]))
			d.freed = d.freed[1:]
			f.open--
		}
	}
	if d.most > d.limit {
		return fmt.Errorf("%d cpu are held in %s, whose domain has %d", d.most,
			f.seats[p.seat].name, d.limit)
	}
	return nil
}
