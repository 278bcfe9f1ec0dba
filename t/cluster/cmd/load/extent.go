// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math"
	"sync"

	"sluice/cluster/plane"
)

// extent is how large a cluster is.
type extent struct {
	nodes   int // of nodeCPU
	queues  int // of Volcano's, and as many ClusterQueues with a LocalQueue each; 1 cpu for each
	waiting int // pods behind the full queues
}

// whole is the extent whose parts are measured.
var whole = extent{nodes: 5000, queues: 10000, waiting: 100000}

// cohortSize is how many ClusterQueues share what they have.
const cohortSize = 10

func (e extent) String() string {
	return fmt.Sprintf("%d nodes, %d Queues, %d ClusterQueues, %d pods that wait", e.nodes, e.queues,
		e.queues, e.waiting)
}

func (e extent) part(of float64) extent {
	some := func(all int) int { return int(math.Round(float64(all) * of)) }
	return extent{some(e.nodes), some(e.queues), some(e.waiting)}
}

// running is how many pods fill all queues.
func (e extent) running() int { return 2 * e.queues }

// fits tells of an extent that cannot be measured.
func (e extent) fits() error {
	switch {
	case e.queues < cohortSize || e.queues%cohortSize != 0:
		return fmt.Errorf("%d queues of each kind: want %d or a multiple of it, for cohorts",
			e.queues, cohortSize)
	case e.running()+warmCPU > nodeCPU*e.nodes:
		return fmt.Errorf("%d nodes of %d cpu hold no %d pods of 1 cpu", e.nodes, nodeCPU,
			e.running()+warmCPU)
	case e.waiting < 2*e.running():
		return fmt.Errorf("%d pods are too few to wait in %d queues while pods come and go",
			e.waiting, e.running())
	}
	return nil
}

// seat is a queue as its pods name it, and the domain whose room it takes.
type seat struct {
	name   string
	label  string // in which a pod says the name; "": in Volcano's annotation
	domain int
}

const localQueueLabel = "kueue.x-k8s.io/queue-name"

// seats are all queues of an extent: Volcano's, each its own domain, then ClusterQueues, whose
// domain is their cohort.
func (e extent) seats() []seat {
	seats := make([]seat, 0, e.running())
	for i := range e.queues {
		seats = append(seats, seat{name: queueName(i), domain: i})
	}
	for i := range e.queues {
		seats = append(seats, seat{name: localName(i), label: localQueueLabel,
			domain: e.queues + i/cohortSize})
	}
	return seats
}

// limits are those of all domains, in cpu.
func (e extent) limits() []int {
	limits := make([]int, e.queues+e.queues/cohortSize)
	for i := range limits {
		limits[i] = 1
		if i >= e.queues {
			limits[i] = cohortSize
		}
	}
	return limits
}

func queueName(i int) string   { return fmt.Sprintf("queue-%05d", i) }
func clusterName(i int) string { return fmt.Sprintf("cluster-%05d", i) }
func localName(i int) string   { return fmt.Sprintf("local-%05d", i) }

// furnish makes the nodes and queues of an extent.
func (e extent) furnish(ctx context.Context, p *plane.Plane) error {
	m, err := newMaker(p)
	if err != nil {
		return err
	}
	if err := createSpaces(ctx, p); err != nil {
		return err
	}
	if err := m.make(ctx, resourceFlavors, "", "ResourceFlavor", "any", object{}); err != nil {
		return err
	}
	if err := m.queue(ctx, warmQueue, warmCPU); err != nil {
		return err
	}
	if err := together(ctx, e.nodes, func(i int) error {
		return createNode(ctx, p, fmt.Sprintf("node-%05d", i))
	}); err != nil {
		return err
	}
	return together(ctx, e.queues, func(i int) error {
		if err := m.queue(ctx, queueName(i), 1); err != nil {
			return err
		}
		if err := m.make(ctx, clusterQueues, "", "ClusterQueue", clusterName(i),
			clusterQueue(i)); err != nil {
			return err
		}
		return m.make(ctx, localQueues, loadSpace, "LocalQueue", localName(i),
			object{"clusterQueue": clusterName(i)})
	})
}

func clusterQueue(i int) object {
	return object{
		"namespaceSelector": object{},
		"cohortName":        fmt.Sprintf("cohort-%05d", i/cohortSize),
		"resourceGroups": []any{object{
			"coveredResources": []any{"cpu"},
			"flavors": []any{object{"name": "any", "resources": []any{
				object{"name": "cpu", "nominalQuota": "1"}}}},
		}},
	}
}

// together calls the function for each number below count, by as many as create pods at once, until
// one fails.
func together(ctx context.Context, count int, each func(int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int, count)
	for i := range count {
		next <- i
	}
	close(next)
	var work sync.WaitGroup
	for range creators {
		work.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				if err := each(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	work.Wait()
	return context.Cause(ctx)
}
