// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// What the scheduler tells of one namespace to who may see that. The API server sends him on, with
// his name: no token is needed, and no right but in that namespace.
const (
	visibilityGroup = "visibility.sluice.sh"
	visibility      = "/apis/" + visibilityGroup + "/v1alpha1/namespaces/"
)

// Why is why an object waits, and the queues that it is in: its own first, the root last.
type Why struct {
	Pod      *Pod      `json:"pod"`
	Group    *Group    `json:"group"` // asked for, or that of the pod
	Workload *Workload `json:"workload"`
	Queues   []Queue   `json:"queues"`
}

// Pending is one that waits or is held.
type Pending struct {
	Of           string `json:"of"` // Pod, PodGroup, Workload
	UID          string `json:"uid"`
	Namespace    string `json:"namespace"`
	Name         string `json:"name"`
	Queue        string `json:"queue"`
	QueueKind    string `json:"queueKind"`
	ClusterQueue string `json:"clusterQueue"` // of a workload, whose Queue is the LocalQueue
	State        string `json:"state"`
	Reason       string `json:"reason"`
	Position     int64  `json:"position"`
	AtLeast      bool   `json:"atLeast"`
	Priority     int32  `json:"priority"`
	Created      int64  `json:"created"`
	Members      int64  `json:"members"`
	Minimum      int64  `json:"minimum"`
}

// In is the queue that it waits in, by kind and name.
func (p *Pending) In() (kind, name string) {
	if p.Of == "Workload" {
		return ClusterQueue, p.ClusterQueue
	}
	return p.QueueKind, p.Queue
}

// WhyWithin asks about an object of the namespace: of pods, podgroups or workloads.
func (c *Cluster) WhyWithin(ctx context.Context, namespace, resource, name string) (*Why, error) {
	var answer Why
	err := c.within(ctx, namespace, resource+"/"+url.PathEscape(name)+"/why", nil, &answer)
	return &answer, err
}

// QueuesWithin are those that something of the namespace is in, or may be through its LocalQueues,
// and those above them.
func (c *Cluster) QueuesWithin(ctx context.Context, namespace string) ([]Queue, error) {
	var answer struct {
		Items []struct {
			Status Queue `json:"status"`
		} `json:"items"`
	}
	err := c.within(ctx, namespace, "queues", nil, &answer)
	queues := make([]Queue, 0, len(answer.Items))
	for i := range answer.Items {
		queues = append(queues, answer.Items[i].Status)
	}
	return queues, err
}

// PendingWithin is what waits or is held in the namespace: by queue, and there by place; what is
// held last.
func (c *Cluster) PendingWithin(ctx context.Context, namespace string) ([]Pending, error) {
	var rows []Pending
	for query := (url.Values{}); ; {
		var answer struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []struct {
				Status Pending `json:"status"`
			} `json:"items"`
		}
		if err := c.within(ctx, namespace, "pending", query, &answer); err != nil {
			return nil, err
		}
		for i := range answer.Items {
			rows = append(rows, answer.Items[i].Status)
		}
		if answer.Metadata.Continue == "" {
			break
		}
		query.Set("continue", answer.Metadata.Continue)
	}
	slices.SortStableFunc(rows, func(a, b Pending) int {
		kindA, nameA := a.In()
		kindB, nameB := b.In()
		return cmp.Or(cmp.Compare(kindB, kindA), cmp.Compare(nameA, nameB), a.compare(&b))
	})
	return rows, nil
}

// compare puts those without a place last.
func (p *Pending) compare(other *Pending) int {
	last := func(p *Pending) int {
		if p.Position == 0 {
			return 1
		}
		return 0
	}
	return cmp.Or(last(p)-last(other), cmp.Compare(p.Position, other.Position))
}

func (c *Cluster) within(ctx context.Context, namespace, path string, query url.Values,
	into any) error {
	for try := 1; ; try++ {
		request := c.api.Get().AbsPath(visibility + url.PathEscape(namespace) + "/" + path).
			MaxRetries(0)
		for name := range query {
			request = request.Param(name, query.Get(name))
		}
		err := c.call(ctx, request, nil, into)
		if !apierrors.IsServiceUnavailable(err) && !apierrors.IsTooManyRequests(err) {
			return explainWithin(namespace, err)
		}
		if try == leaderTries {
			return &Problem{Unreachable, fmt.Errorf("%s/%s answers no question about namespace %s: %w",
				c.scheduler.Namespace, c.scheduler.Service, namespace, err)}
		}
		select {
		case <-ctx.Done():
			return &Problem{Unreachable, ctx.Err()}
		case <-time.After(leaderWait):
		}
	}
}

// notServed is of an API server that does not know the group.
type notServed struct{ error }

func (n *notServed) Unwrap() error { return n.error }

// explainWithin says what is missing, and who gives it.
func explainWithin(namespace string, err error) error {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return &Problem{Forbidden, fmt.Errorf("%w (the role view, edit or admin of the namespace %s "+
			"gives it)", err, namespace)}
	case apierrors.IsNotFound(err) && errors.As(err, &status) && !isOurs(status):
		return &notServed{&Problem{Unreachable, fmt.Errorf("the API server does not serve %s: is "+
			"sluice-scheduler installed, with its APIService?", visibilityGroup)}}
	}
	return err
}

// isOurs tells whether the scheduler has answered, and not the API server that looked for it.
func isOurs(status apierrors.APIStatus) bool {
	says := status.Status()
	return says.Details != nil && says.Details.Group == visibilityGroup
}

// Whole tells whether somebody who may ask about all namespaces could do without this answer.
func Whole(err error) bool {
	var missing *notServed
	return errors.As(err, &missing) || KindOf(err) == Forbidden
}
