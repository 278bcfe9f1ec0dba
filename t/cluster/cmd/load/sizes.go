// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/kubernetes"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// size is what a cluster of one extent showed.
type size struct {
	extent extent
	filled time.Duration // until all pods were there
	idle   period        // sluice's, while nothing happened
	sluice service
	stock  service
}

// service is what one of the schedulers did in a cluster.
type service struct {
	period                  // while pods ended and came
	reached float64         // how many a second
	waits   []time.Duration // from a room to the next pod that is bound there

	// When it was started with all pods there:
	first  time.Duration // until the first pod was bound
	memory int64         // resident, when it had nothing more to do
	next   time.Duration // from its end to the first pod that its standby bound
}

// period is what happened in some time.
type period struct {
	took   time.Duration
	cost   cost
	writes map[plane.Write]int // of the scheduler
}

// sizes runs sluice as it is shipped in clusters of several extents: full queues, pods that wait
// behind them, and pods that come and end; then the stock scheduler with the same pods.
func sizes(ctx context.Context, o *options) error {
	var all []size
	var failed error
	for _, part := range o.parts {
		one, err := measureSize(ctx, o, whole.part(part))
		if err != nil {
			failed = fmt.Errorf("%s: %w", whole.part(part), err)
			break
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return failed
	}
	fmt.Printf("%g pods a second come and end, for %s; %s\n\n", o.rate, o.window, machine())
	fmt.Println(sizesTable(all))
	fmt.Println("sluice's writes in that time, for each pod that was bound:")
	for _, one := range all {
		fmt.Printf("  %d queues: %s\n", one.extent.running(),
			perPod(one.sluice.writes, len(one.sluice.waits)))
	}
	return failed
}

// starter starts a scheduler under a name.
type starter func(name string) (*plane.Process, error)

// measureSize makes a cluster of its own, and looks at all that is to be seen there.
func measureSize(ctx context.Context, o *options, e extent) (s size, err error) {
	s.extent = e
	say("%s", e)
	p, err := plane.Start(ctx, plane.Options{Name: "load", Keep: o.keep,
		Audit: auditv1.LevelMetadata, Users: []plane.User{{Name: stockUser}}})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	began := time.Now()
	l := &lab{Plane: p, options: o}
	if l.client, err = kubernetes.NewForConfig(quick(l.REST(plane.Admin))); err != nil {
		return s, err
	}
	sluice, err := install(ctx, p, o.hints)
	if err != nil {
		return s, err
	}
	if err := e.furnish(ctx, p); err != nil {
		return s, err
	}
	if l.scheduler, err = sluice("first"); err != nil {
		return s, err
	}
	f := newFlow(ctx, l, e)
	if err := errors.Join(f.fill(ctx, e.waiting), l.settle(ctx, settles)); err != nil {
		return s, err
	}
	s.filled = time.Since(began)
	say("    after %s all are there", s.filled.Round(time.Second))
	if err := l.serve(ctx, f, &s.sluice); err != nil {
		return s, err
	}
	say("    nothing happens, for %s", idleWindow)
	if s.idle, err = l.observe(func() error { return pause(ctx, idleWindow) }); err != nil {
		return s, err
	}
	if err := l.stopScheduler(); err != nil {
		return s, err
	}
	say("    sluice starts anew, and ends beside a standby")
	if err := l.replace(ctx, sluice, &s.sluice, true); err != nil {
		return s, fmt.Errorf("sluice, started anew: %w", err)
	}
	if err := l.stopScheduler(); err != nil || o.alone {
		return s, err
	}
	// With the stock scheduler nobody takes a gate away: what comes now has none.
	f.gated = false
	say("    the stock scheduler does the same")
	if err := l.replace(ctx, l.stock(ctx), &s.stock, false); err != nil {
		return s, fmt.Errorf("the stock scheduler, started anew: %w", err)
	}
	return s, errors.Join(l.serve(ctx, f, &s.stock), l.stopScheduler())
}

// install applies what is shipped, and tells how a replica of it starts.
func install(ctx context.Context, p *plane.Plane, hints bool) (starter, error) {
	if err := shipped.ApplyKueueCRDs(ctx, p); err != nil {
		return nil, err
	}
	sluice, err := shipped.Apply(ctx, p, "overlays/instead")
	if err != nil {
		return nil, err
	}
	if hints {
		sluice.First = true
		sluice.Flags = []string{"--feature-gates=SchedulerPreQueueingHints=true"}
	}
	return func(name string) (*plane.Process, error) {
		replica, err := sluice.Run(ctx, name)
		if err != nil {
			return nil, err
		}
		return replica.Process, nil
	}, nil
}

const (
	idleWindow = 30 * time.Second
	settles    = 2 * time.Minute  // the longest that anybody is waited for to have nothing to do
	starts     = 10 * time.Minute // the longest that a scheduler may take until it works
)

// serve lets pods end and come.
func (l *lab) serve(ctx context.Context, f *flow, s *service) (err error) {
	o := l.options
	say("    %g pods a second end, and come, for %s", o.rate, o.window)
	f.waits = nil
	s.period, err = l.observe(func() (err error) {
		s.reached, err = f.run(ctx, o.rate, o.window)
		return err
	})
	if err != nil {
		return err
	}
	s.waits = f.waits
	say("    %.1f a second did; the next was bound after %.3f s at p50 and %.3f s at p99", s.reached,
		seconds(quantile(s.waits, 0.5)), seconds(quantile(s.waits, 0.99)))
	return l.settle(ctx, settles)
}

// observe tells what something took, and what the scheduler wrote meanwhile.
func (l *lab) observe(do func() error) (p period, err error) {
	began := time.Now()
	cost, events, err := l.during(func() error {
		err := do()
		p.took = time.Since(began)
		return err
	})
	p.cost, p.writes = cost, plane.CountWrites(events)
	maps.DeleteFunc(p.writes, func(w plane.Write, _ int) bool { return who(w.User) != "scheduler" })
	return p, err
}

// replace starts a scheduler, then a second one that takes over, and stays. A pod that waits shows
// when the first one works, and one that comes as it ends shows when the second one does.
func (l *lab) replace(ctx context.Context, start starter, s *service, gated bool) (err error) {
	create := func(name string) error {
		pod := newPod(warmSpace, name, warmQueue, gated, true)
		_, err := l.client.CoreV1().Pods(warmSpace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	}
	kind := "stock"
	if gated {
		kind = "sluice"
	}
	first, second := kind+"-1", kind+"-2"
	if err := create(first); err != nil {
		return err
	}
	began := time.Now()
	leader, err := start(first)
	if err != nil {
		return err
	}
	l.scheduler = leader
	if err := l.awaitBound(ctx, first, starts); err != nil {
		return err
	}
	s.first = time.Since(began)
	if err := l.settle(ctx, settles); err != nil {
		return err
	}
	if s.memory, err = residentOf(leader.Pid()); err != nil {
		return err
	}
	if l.scheduler, err = start(second); err != nil {
		return err
	}
	if err := errors.Join(pause(ctx, s.first), l.settle(ctx, settles)); err != nil {
		return err
	}
	began = time.Now()
	if err := errors.Join(leader.Signal(syscall.SIGTERM), create(second)); err != nil {
		return err
	}
	if err := l.awaitBound(ctx, second, starts); err != nil {
		return err
	}
	s.next = time.Since(began)
	return errors.Join(leader.Stop(10*time.Second), finish(ctx, l.client, warmSpace, first),
		finish(ctx, l.client, warmSpace, second))
}

// stock starts stock schedulers, which have one lease.
func (l *lab) stock(ctx context.Context) starter {
	return func(name string) (*plane.Process, error) {
		v := named(stock)
		return l.launch(ctx, &v, name)
	}
}

// statuses counts those that were written of queues.
func (p *period) statuses() (count int) {
	for w, n := range p.writes {
		if strings.HasSuffix(w.Resource, "queues") && w.Subresource == "status" {
			count += n
		}
	}
	return count
}

// sizesTable has a column for each extent.
func sizesTable(all []size) table {
	t := table{}
	row := func(name, format string, of func(*size) any) {
		cells := []string{name}
		for i := range all {
			cells = append(cells, fmt.Sprintf(format, of(&all[i])))
		}
		t.row(cells...)
	}
	row("nodes", "%d", func(s *size) any { return s.extent.nodes })
	row("Queues, and as many ClusterQueues", "%d", func(s *size) any { return s.extent.queues })
	row("pods that run", "%d", func(s *size) any { return s.extent.running() })
	row("pods that wait", "%d", func(s *size) any { return s.extent.waiting })
	row("until all are there, s", "%.0f", func(s *size) any { return seconds(s.filled) })
	row("idle, cpu s a minute", "%.2f", func(s *size) any {
		return seconds(s.idle.cost.scheduler.cpu) / s.idle.took.Minutes()
	})
	row("idle, writes but for the lease", "%d", func(s *size) any { return s.idle.beyondLease() })
	row("statuses of queues, writes/s", "%.1f", func(s *size) any {
		return float64(s.sluice.statuses()) / s.sluice.took.Seconds()
	})
	for _, one := range []struct {
		name string
		of   func(*size) *service
	}{
		{"sluice", func(s *size) *service { return &s.sluice }},
		{"stock", func(s *size) *service { return &s.stock }},
	} {
		if len(one.of(&all[0]).waits) == 0 {
			continue
		}
		each := func(name, format string, of func(*service) any) {
			row(one.name+": "+name, format, func(s *size) any { return of(one.of(s)) })
		}
		perBound := func(s *service, d time.Duration) any {
			return 1000 * seconds(d) / float64(len(s.waits))
		}
		each("pods/s that end, and come", "%.1f", func(s *service) any { return s.reached })
		wait := func(q float64) func(*service) any {
			return func(s *service) any { return seconds(quantile(s.waits, q)) }
		}
		each("room to bound p50, s", "%.3f", wait(0.5))
		each("room to bound p99, s", "%.3f", wait(0.99))
		each("its cpu ms for a pod", "%.1f",
			func(s *service) any { return perBound(s, s.cost.scheduler.cpu) })
		each("API server's cpu ms for a pod", "%.1f",
			func(s *service) any { return perBound(s, s.cost.api.cpu) })
		each("started anew, first pod after s", "%.1f", func(s *service) any { return seconds(s.first) })
		each("started anew, MiB", "%.0f", func(s *service) any { return mib(s.memory) })
		each("replaced, next pod after s", "%.1f", func(s *service) any { return seconds(s.next) })
	}
	return t
}

// beyondLease counts all writes but those that say that the scheduler leads.
func (p *period) beyondLease() (count int) {
	for w, n := range p.writes {
		if w.Resource != "leases" {
			count += n
		}
	}
	return count
}
