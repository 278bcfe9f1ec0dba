// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"net/url"
	"slices"
)

// Workload is what the scheduler says of a workload that gets its quota in this cluster;
// PROTOCOL.md says what the fields mean. Times are in nanoseconds; 0: never.
type Workload struct {
	UID          string           `json:"uid"`
	Namespace    string           `json:"namespace"`
	Name         string           `json:"name"`
	Queue        string           `json:"queue"`
	ClusterQueue string           `json:"clusterQueue"`
	State        string           `json:"state"`
	Reason       string           `json:"reason"`
	Message      string           `json:"message" plain:"text"`
	Priority     int32            `json:"priority"`
	Created      int64            `json:"created"`
	Position     int64            `json:"position"`
	AtLeast      bool             `json:"atLeast"`
	Asks         map[string]int64 `json:"asks"` // of all its pods
	On           *On              `json:"on"`
	Ahead        map[string]int64 `json:"ahead"`
	Outlook
	Signal       bool            `json:"signal"`
	SignalSince  int64           `json:"signalSince"`
	PodSets      []PodSet        `json:"podSets"`
	Gates        []Gate          `json:"gates"`
	Checks       []Check         `json:"checks"`
	For          *OtherWorkload  `json:"for"`
	ForOther     bool            `json:"forOther"` // it goes for one that is not named
	Victims      []OtherWorkload `json:"victims"`
	OtherVictims int64           `json:"otherVictims"` // that are not named
}

// PodSet is how many pods of a workload got which flavors, by resource.
type PodSet struct {
	Name    string            `json:"name"`
	Count   int64             `json:"count"`
	Flavors map[string]string `json:"flavors"`
}

// Gate is a preemption gate.
type Gate struct {
	Name string `json:"name"`
	Open bool   `json:"open"`
}

// Check is an admission check.
type Check struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// OtherWorkload is one that goes for another, or that another goes for.
type OtherWorkload struct {
	UID       string `json:"uid"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// WaitingWorkloads are those of a ClusterQueue that wait for quota here, in their order.
func (c *Cluster) WaitingWorkloads(ctx context.Context, clusterQueue string) ([]Workload, error) {
	all, err := page[Workload](ctx, c, "workloads", "workloads",
		url.Values{"kind": {ClusterQueue}, "name": {clusterQueue}})
	if KindOf(err) == NotFound { // an older scheduler has no such view
		return nil, nil
	}
	return slices.DeleteFunc(all, func(w Workload) bool { return w.State != "waiting" }), err
}

// Workload asks about one that gets its quota here.
func (c *Cluster) Workload(ctx context.Context, namespace, name string) (*Workload, error) {
	w := &Workload{}
	err := c.question(ctx, "workload", url.Values{"namespace": {namespace}, "name": {name}}, w)
	return w, wrap(err, "workload %s/%s", namespace, name)
}
