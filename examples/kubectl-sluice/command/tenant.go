// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

// Who asks about a namespace needs no right but in that namespace. Who has none there may be one
// who may ask about all: so what is refused within a namespace is asked of the whole.

// orWhole keeps what was answered within the namespace, or else asks the whole; if that is refused,
// too, both are said.
func orWhole[T any](answer T, err error, whole func() (T, error)) (T, error) {
	if !ask.Whole(err) {
		return answer, err
	}
	all, problem := whole()
	if problem != nil && ask.KindOf(problem) == ask.Forbidden {
		problem = &ask.Problem{Kind: ask.Forbidden, Err: fmt.Errorf("%w\nnor may all be asked for: %v",
			err, problem)}
	}
	return all, problem
}

func whyPod(ctx context.Context, c *ask.Cluster, namespace, name string) (*ask.Why, error) {
	why, err := c.WhyWithin(ctx, namespace, "pods", name)
	if ask.KindOf(err) == ask.NotFound {
		return nil, c.Stranger(ctx, namespace, name)
	}
	return orWhole(why, err, func() (*ask.Why, error) {
		pod, err := c.Pod(ctx, namespace, name)
		if err != nil {
			return nil, err
		}
		why := &ask.Why{Pod: pod}
		if pod.Group != "" {
			// Between the two questions the group may have gone, and older schedulers tell of none.
			if why.Group, err = c.Group(ctx, namespace, pod.Group,
				pod.Native); err != nil {
				why.Group = nil
			}
		}
		why.Queues, err = c.Queues(ctx)
		return why, err
	})
}

func whyGroup(ctx context.Context, c *ask.Cluster, namespace, name string) (*ask.Why, error) {
	why, err := c.WhyWithin(ctx, namespace, "podgroups", name)
	return orWhole(why, err, func() (*ask.Why, error) {
		group, err := c.Group(ctx, namespace, name, false)
		if err != nil {
			return nil, err
		}
		queues, err := c.Queues(ctx)
		return &ask.Why{Group: group, Queues: queues}, err
	})
}

func whyWorkload(ctx context.Context, c *ask.Cluster, namespace, name string) (*ask.Workload,
	error) {
	why, err := c.WhyWithin(ctx, namespace, "workloads", name)
	return orWhole(why.Workload, err, func() (*ask.Workload, error) {
		return c.Workload(ctx, namespace, name)
	})
}

// seen is what the namespace that was asked for has; else all there is, or, for who may not see
// that, what his own namespace has.
func seen[T any](o *options, within func(namespace string) (T, error), whole func() (T, error)) (T,
	error) {
	_, namespace, err := o.within()
	if err != nil {
		var none T
		return none, err
	}
	if *o.flags.Namespace != "" {
		some, err := within(namespace)
		return orWhole(some, err, whole)
	}
	all, problem := whole()
	if ask.KindOf(problem) != ask.Forbidden {
		return all, problem
	}
	some, err := within(namespace)
	switch {
	case err == nil:
		fmt.Fprintf(o.err, "This is of the namespace %s: of all one needs the role sluice-viewer.\n",
			namespace)
	case ask.Whole(err):
		err = &ask.Problem{Kind: ask.Forbidden, Err: fmt.Errorf("%w\nnor may it be asked about the "+
			"namespace %s: %v", problem, namespace, err)}
	}
	return some, err
}

func (o *options) seenQueues(ctx context.Context, c *ask.Cluster) ([]ask.Queue, error) {
	return seen(o,
		func(namespace string) ([]ask.Queue, error) { return c.QueuesWithin(ctx, namespace) },
		func() ([]ask.Queue, error) { return c.Queues(ctx) })
}

// waiting is what waits, for programs and as a table.
type waiting struct {
	pods, workloads []show.WaitingView
	subjects        []subject // of each row, what it is
	rows            []show.WaitingRow
}

func newWaiting() *waiting {
	return &waiting{pods: []show.WaitingView{}, workloads: []show.WaitingView{}}
}

func (w *waiting) add(view show.WaitingView, place string, one *ask.Waiting) {
	to, of := &w.pods, pods
	switch {
	case one.Workload:
		to, of = &w.workloads, workloads
	case one.Members > 0:
		of = podGroups
	}
	*to = append(*to, view)
	w.subjects = append(w.subjects, subject{of, view.Namespace, view.Name})
	w.rows = append(w.rows, show.PendingRow(&view, place, one, time.Now()))
}

// addTo adds one of a queue; i counts from 0.
func (w *waiting) addTo(queue *ask.Queue, i int, one *ask.Waiting) {
	w.add(show.ViewWaiting(queue, i, one), fmt.Sprint(i+1), one)
}

// names are as -o name prints them.
func (w *waiting) names() []string {
	var names []string
	for _, one := range w.subjects {
		names = append(names, one.of.object(one.name))
	}
	return names
}

// seenWaiting is what waits in all queues, or in one; so much of it, 0: all.
func (o *options) seenWaiting(ctx context.Context, kind, name string, most int) (*waiting, error) {
	c, err := o.cluster()
	if err != nil {
		return nil, err
	}
	within := func(namespace string) (*waiting, error) {
		rows, err := c.PendingWithin(ctx, namespace)
		all := newWaiting()
		for i := range rows {
			if most > 0 && len(all.rows) == most {
				break
			}
			if in, queue := rows[i].In(); name == "" || in == kind && queue == name {
				all.add(show.ViewPending(&rows[i]), placeOf(&rows[i]), asWaiting(&rows[i]))
			}
		}
		return all, err
	}
	return seen(o, within, func() (*waiting, error) {
		all := newWaiting()
		err := o.eachWaiting(ctx, all.addTo, kind, name, most)
		return all, err
	})
}

// placeOf is its place in its queue; of who has none, why.
func placeOf(p *ask.Pending) string {
	switch {
	case p.Position == 0:
		return p.Reason
	case p.AtLeast:
		return fmt.Sprintf("%d+", p.Position)
	}
	return fmt.Sprint(p.Position)
}

func asWaiting(p *ask.Pending) *ask.Waiting {
	w := &ask.Waiting{Workload: p.Of == "Workload", UID: p.UID, Namespace: p.Namespace, Name: p.Name,
		Priority: p.Priority, Created: p.Created}
	if p.Of == "PodGroup" {
		w.Members = max(p.Minimum, 1)
	}
	return w
}
