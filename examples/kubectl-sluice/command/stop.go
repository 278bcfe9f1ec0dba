// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	"sluice/kubectl-sluice/ask"
)

// Kueue's queues know no Commands: their stopPolicy says what they grant.
var policies = map[ask.Action]string{ask.Suspend: "Hold", ask.Resume: "None"}

const drains = "HoldAndDrain"

// stopView is what -o json prints.
type stopView struct {
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"` // of a LocalQueue
	Name       string `json:"name"`
	StopPolicy string `json:"stopPolicy"`
	State      string `json:"state,omitempty"` // only with --wait, of a ClusterQueue
}

// setStopPolicy suspends or resumes one of Kueue's queues.
func (o *options) setStopPolicy(ctx context.Context, which reference, deed deed, policy string,
	wait bool, timeout time.Duration) error {
	c, namespace, err := o.within()
	if err != nil {
		return err
	}
	if which.of == clusterQueues {
		namespace = ""
	}
	if err := c.StopPolicy(ctx, namespace, which.of.plural, which.name, policy); err != nil {
		return fmt.Errorf("%s %s %s: %w", deed.verb, which.of.singular(), which.name, err)
	}
	view := stopView{Kind: which.of.kind, Namespace: namespace, Name: which.name, StopPolicy: policy}
	done := deed.done
	switch {
	case wait && which.of == clusterQueues:
		if view.State, err = o.awaitStop(ctx, c, which.name, policy, timeout); err != nil {
			return err
		}
	case which.of == clusterQueues:
		done = "will be " + done
	}
	return o.print(answer{
		view:  view,
		names: []string{which.of.object(which.name)},
		text: func() string {
			return fmt.Sprintf("%s/%s %s (stopPolicy %s)\n", which.of.singular(), which.name, done,
				policy)
		},
	})
}

// awaitStop returns the state of a ClusterQueue once the scheduler has seen its new stopPolicy.
func (o *options) awaitStop(ctx context.Context, c *ask.Cluster, name, policy string,
	timeout time.Duration) (string, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	for {
		queue, err := c.Queue(ctx, ask.ClusterQueue, name)
		switch {
		case interrupted(ctx, ctx.Err()):
			return "", ctx.Err()
		case ctx.Err() != nil:
			return "", &ask.Problem{Kind: ask.TimedOut, Err: fmt.Errorf("clusterqueue %s: the scheduler "+
				"has not seen its stopPolicy %s after %s: does a sluice-scheduler lead?", name, policy,
				timeout)}
		case err != nil:
			return "", err
		}
		stopped := queue.State == policies[ask.Suspend] || queue.State == drains
		if queue.State == policy || policy == policies[ask.Resume] && !stopped {
			return queue.State, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(look):
		}
	}
}
