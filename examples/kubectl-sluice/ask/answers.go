// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"fmt"
	"net/url"
)

// The kinds of queues.
const (
	VolcanoQueue = "Queue"
	ClusterQueue = "ClusterQueue"
	Cohort       = "Cohort"
	LocalQueue   = "LocalQueue" // nothing waits in it: it leads to a ClusterQueue
)

// Queue is what the scheduler says of a queue; PROTOCOL.md says what the fields mean. Amounts are
// in base units: thousandths of cpu, units of all else.
type Queue struct {
	Kind      string           `json:"kind"`
	Name      string           `json:"name"`
	Parent    string           `json:"parent"`
	Known     bool             `json:"known"`
	State     string           `json:"state"`
	Reason    string           `json:"reason"`
	Own       string           `json:"own"`
	ByParent  bool             `json:"byParent"`
	Written   *bool            `json:"written"` // nil: this scheduler writes no states
	Leaf      bool             `json:"leaf"`
	Strategy  string           `json:"strategy"`
	Waiting   int64            `json:"waiting"`
	Held      int64            `json:"held"`
	Reserved  int64            `json:"reserved"`
	Allocated int64            `json:"allocated"`
	Granted   int64            `json:"granted"`
	Released  int64            `json:"released"`
	Demoted   int64            `json:"demoted"`
	Asks      map[string]int64 `json:"asks"` // of all that waits in it and below; nil: not known
	Quota     []Quota          `json:"quota"`
}

// Quota is one resource of one flavor.
type Quota struct {
	Flavor    string `json:"flavor"`
	Resource  string `json:"resource"`
	Share     int64  `json:"share"`
	Kept      int64  `json:"kept"`
	Ceiling   *int64 `json:"ceiling"`
	Usage     int64  `json:"usage"`
	Reserved  int64  `json:"reserved"`
	Allocated int64  `json:"allocated"`
}

// Outlook is how long something may wait, in nanoseconds, below 0: nobody can tell; the range is
// where four of five end.
type Outlook struct {
	Estimate int64  `json:"estimate"`
	Earliest int64  `json:"earliest"`
	Latest   int64  `json:"latest"`
	Basis    string `json:"basis" plain:"text"`
}

// Range is the two of them, or -1, also where an older scheduler says nothing of it.
func (o *Outlook) Range() (earliest, latest int64) {
	if o.Latest == 0 {
		return -1, -1
	}
	return o.Earliest, o.Latest
}

// Pod is what the scheduler says of a pod.
type Pod struct {
	UID       string           `json:"uid"`
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Queue     string           `json:"queue"`
	QueueKind string           `json:"queueKind"`
	State     string           `json:"state"`
	Reason    string           `json:"reason"`
	Message   string           `json:"message" plain:"text"`
	Node      string           `json:"node"`
	Priority  int32            `json:"priority"`
	Created   int64            `json:"created"`
	Granted   int64            `json:"granted"`
	Position  int64            `json:"position"`
	AtLeast   bool             `json:"atLeast"` // position and ahead are more, but not how much
	Asks      map[string]int64 `json:"asks"`
	On        *On              `json:"on"`
	Ahead     map[string]int64 `json:"ahead"`
	Outlook
	Flavors map[string]string `json:"flavors"`
	Group   string            `json:"group"`
	Native  bool              `json:"native"` // that group is one of Kubernetes' own
	Members int64             `json:"members"`
	Minimum int64             `json:"minimum"`
}

// On is the queue and the resource that have no room for a pod, or for its gang.
type On struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Resource string `json:"resource"`
	Room     int64  `json:"room"`
	Asked    int64  `json:"asked"`
	Wanted   int64  `json:"wanted"` // by all that waits in that queue and below it
}

// Group is what the scheduler says of a group of pods.
type Group struct {
	UID       string           `json:"uid"`
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Known     bool             `json:"known"`  // there is a PodGroup
	Native    bool             `json:"native"` // it is one of Kubernetes' own, not of Volcano's
	Queue     string           `json:"queue"`
	QueueKind string           `json:"queueKind"`
	State     string           `json:"state"`
	Reason    string           `json:"reason"`
	Message   string           `json:"message" plain:"text"`
	Phase     string           `json:"phase"`
	Priority  int32            `json:"priority"`
	Created   int64            `json:"created"`
	Minimum   int64            `json:"minimum"`
	Pods      int64            `json:"pods"`
	Ready     int64            `json:"ready"`
	Reserved  int64            `json:"reserved"`
	Allocated int64            `json:"allocated"`
	Succeeded int64            `json:"succeeded"`
	Failed    int64            `json:"failed"`
	Position  int64            `json:"position"`
	AtLeast   bool             `json:"atLeast"`
	Asks      map[string]int64 `json:"asks"`
	On        *On              `json:"on"`
	Ahead     map[string]int64 `json:"ahead"`
	Outlook
	Members []Member `json:"members"`
}

// Member is a pod of a group that has not ended.
type Member struct {
	UID    string `json:"uid"`
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	Node   string `json:"node"`
}

// Waiting is one row of what waits in a queue.
type Waiting struct {
	Workload  bool   `json:"-"` // else it is a pod, or a gang's minimum
	UID       string `json:"uid"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Priority  int32  `json:"priority"`
	Created   int64  `json:"created"`
	Members   int64  `json:"members"`
}

// Queues are all of them.
func (c *Cluster) Queues(ctx context.Context) ([]Queue, error) {
	return page[Queue](ctx, c, "queues", "queues", nil)
}

// Queue is one of them.
func (c *Cluster) Queue(ctx context.Context, kind, name string) (*Queue, error) {
	var queue Queue
	err := c.question(ctx, "queue", url.Values{"kind": {kind}, "name": {name}}, &queue)
	if err != nil {
		return nil, wrap(err, "%s %s", kind, name)
	}
	return &queue, nil
}

// Pending is what waits in a queue, in its order.
func (c *Cluster) Pending(ctx context.Context, kind, name string) ([]Waiting, error) {
	return page[Waiting](ctx, c, "pending", "pods", url.Values{"kind": {kind}, "name": {name}})
}

// Group is what the scheduler knows of one group. Native: of Kubernetes' own of this name; else of
// Volcano's, if there is one.
func (c *Cluster) Group(ctx context.Context, namespace, name string, native bool) (*Group, error) {
	var group Group
	query := url.Values{"namespace": {namespace}, "name": {name}}
	if native {
		query.Set("native", "true")
	}
	err := c.question(ctx, "group", query, &group)
	if err != nil {
		return nil, wrap(err, "group %s/%s", namespace, name)
	}
	return &group, nil
}

// Pod is what the scheduler knows of one pod.
func (c *Cluster) Pod(ctx context.Context, namespace, name string) (*Pod, error) {
	var pod Pod
	query := url.Values{"namespace": {namespace}, "name": {name}}
	err := c.question(ctx, "pod", query, &pod)
	if KindOf(err) == NotFound {
		return nil, c.Stranger(ctx, namespace, name)
	}
	return &pod, wrap(err, "pod %s/%s", namespace, name)
}

// PodNames are those of the pods with some labels, as the API server has them, so many at most (0:
// all), and how many more there are.
func (c *Cluster) PodNames(ctx context.Context, namespace, selector string, most int) ([]string,
	int64, error) {
	var list struct {
		Items []struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		} `json:"items"`
	}
	query := url.Values{"labelSelector": {selector}}
	err := c.get(ctx, "/api/v1/namespaces/"+url.PathEscape(namespace)+"/pods", query, &list)
	if err != nil {
		return nil, 0, wrap(err, "pods with the labels %s", selector)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Metadata.Name)
	}
	if most == 0 || len(names) <= most {
		return names, 0, nil
	}
	return names[:most], int64(len(names) - most), nil
}

// Stranger says why the scheduler does not know a pod.
func (c *Cluster) Stranger(ctx context.Context, namespace, name string) error {
	return &Problem{NotFound, c.stranger(ctx, namespace, name)}
}

func (c *Cluster) stranger(ctx context.Context, namespace, name string) error {
	var pod struct {
		Spec struct {
			SchedulerName string `json:"schedulerName"`
			NodeName      string `json:"nodeName"`
		} `json:"spec"`
		Status struct {
			Phase string `json:"phase"`
		} `json:"status"`
	}
	path := "/api/v1/namespaces/" + url.PathEscape(namespace) + "/pods/" + url.PathEscape(name)
	err := c.get(ctx, path, nil, &pod)
	switch {
	case err != nil:
		return fmt.Errorf("sluice-scheduler knows no pod %s/%s: %w", namespace, name, err)
	case pod.Status.Phase == "Succeeded" || pod.Status.Phase == "Failed":
		return fmt.Errorf("pod %s/%s has ended (%s): it holds nothing, and waits for nothing",
			namespace, name, pod.Status.Phase)
	case pod.Spec.NodeName != "":
		return fmt.Errorf("pod %s/%s is on node %s, and no queue counts it (schedulerName %s)",
			namespace, name, pod.Spec.NodeName, pod.Spec.SchedulerName)
	}
	return fmt.Errorf("pod %s/%s is not in a queue: its schedulerName is %s; sluice holds pods of "+
		"its own scheduler that carry the annotation "+
		"scheduling.volcano.sh/queue-allocation-gate: \"true\"", namespace, name,
		pod.Spec.SchedulerName)
}

// wrap puts what the error is about before it.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
