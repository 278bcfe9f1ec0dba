// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	creators  = 8
	finishers = 8
	tell      = 10 * time.Second // how often progress is told
	patience  = time.Minute      // how long nothing may happen while something should
)

// crowd is pods that are created together, and what a watch has seen of them.
type crowd struct {
	lab     *lab
	variant *variant
	ends    bool // each pod is finished as soon as it is bound
	names   []string
	lives   []life
	index   map[string]int // of a name
	seen    <-chan sight
	toEnd   chan string

	last          time.Time // something happened
	came, gone    int       // pods created, gates removed
	bound, end    int       // pods bound, pods finished
	holding, most int       // pods that count against the queue, and the most at any time
}

// life is when things happened to a pod. The first is the creator's to write, the others are the
// watch's.
type life struct {
	asked, ungated, bound time.Time
	came, ended, holds    bool
}

func newCrowd(ctx context.Context, l *lab, v *variant, prefix string, size int) *crowd {
	c := &crowd{lab: l, variant: v, lives: make([]life, size), index: map[string]int{},
		seen: follow(ctx, l.client.CoreV1().Pods(loadSpace)), toEnd: make(chan string, size)}
	for i := range size {
		c.names = append(c.names, fmt.Sprintf("%s-%05d", prefix, i))
		c.index[c.names[i]] = i
	}
	return c
}

// come creates the pods and returns when they are there, as the function tells.
func (c *crowd) come(ctx context.Context, there func() bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	next := make(chan int)
	work.Go(func() { c.offer(ctx, next) })
	for range creators {
		work.Go(func() { c.create(ctx, cancel, next) })
	}
	for range finishers {
		work.Go(func() { c.finish(ctx, cancel) })
	}
	err := c.look(ctx, there)
	cancel(err)
	work.Wait()
	return err
}

// pass creates the pods, finishes each when it is bound, and returns when all have ended.
func (c *crowd) pass(ctx context.Context) error {
	c.ends = true
	return c.come(ctx, func() bool { return c.end == len(c.lives) })
}

// offer has one pod after another created, at the rate of the options, and then no more.
func (c *crowd) offer(ctx context.Context, next chan<- int) {
	defer close(next)
	begun, rate := time.Now(), c.lab.options.rate
	for i := range c.names {
		if rate > 0 {
			due := begun.Add(time.Duration(float64(i) / rate * float64(time.Second)))
			select {
			case <-time.After(time.Until(due)):
			case <-ctx.Done():
				return
			}
		}
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}

func (c *crowd) create(ctx context.Context, fail context.CancelCauseFunc, next <-chan int) {
	pods := c.lab.client.CoreV1().Pods(loadSpace)
	for i := range next {
		pod := newPod(loadSpace, c.names[i], loadQueue, c.variant.gated,
			c.lab.bringsGate(c.variant))
		c.lives[i].asked = time.Now()
		if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			fail(fmt.Errorf("create pod %s: %w", pod.Name, err))
			return
		}
	}
}

func (c *crowd) finish(ctx context.Context, fail context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-c.toEnd:
			if err := finish(ctx, c.lab.client, loadSpace, name); err != nil {
				fail(fmt.Errorf("finish pod %s: %w", name, err))
				return
			}
		}
	}
}

func (c *crowd) look(ctx context.Context, there func() bool) error {
	tick := time.NewTicker(tell)
	defer tick.Stop()
	c.last = time.Now()
	for !there() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			say("    %d pods: %d without gate, %d bound, %d finished", len(c.lives), c.gone, c.bound,
				c.end)
			if since := time.Since(c.last); since > patience {
				return c.stuck(since)
			}
		case one := <-c.seen:
			if one.err != nil {
				return one.err
			}
			c.take(one.pod, one.at)
		}
	}
	return c.fits()
}

func (c *crowd) stuck(since time.Duration) error {
	s := c.lab.scheduler
	return fmt.Errorf("nothing has happened for %s: %d of %d pods are bound, %d finished; "+
		"the end of %s:\n%s", since.Round(time.Second), c.bound, len(c.lives), c.end, s.Log, s.Tail(15))
}

// fits tells of a queue that held more than it may.
func (c *crowd) fits() error {
	if limit := c.lab.options.queue; c.variant.sluice && c.most > limit {
		return fmt.Errorf("%s: %d cpu were held at once in a queue of %d", c.variant.name, c.most, limit)
	}
	return nil
}

// take takes in what the watch has seen.
func (c *crowd) take(pod *corev1.Pod, at time.Time) {
	i, ours := c.index[pod.Name]
	if !ours {
		return
	}
	l := &c.lives[i]
	c.last = at
	if !l.came {
		l.came = true
		c.came++
	}
	if c.variant.gated && l.ungated.IsZero() && !hasGate(pod) {
		l.ungated = at
		c.gone++
	}
	if pod.Spec.NodeName != "" && l.bound.IsZero() {
		l.bound = at
		c.bound++
		if c.ends {
			c.toEnd <- pod.Name
		}
	}
	if hasEnded(pod) && !l.ended {
		l.ended = true
		c.end++
	}
	c.count(l)
}

// count adds up what the queue holds: bound and not finished, or without the gate that it had.
func (c *crowd) count(l *life) {
	holds := !l.ended && (!l.bound.IsZero() || !l.ungated.IsZero())
	switch {
	case holds && !l.holds:
		c.holding++
	case !holds && l.holds:
		c.holding--
	}
	l.holds = holds
	c.most = max(c.most, c.holding)
}
