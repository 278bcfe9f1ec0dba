// SPDX-License-Identifier: Apache-2.0

package web

import (
	"time"

	"sluice/kubectl-sluice/ask"
)

// Document is what the page reads, as examples/board/README.md says: one frame that is whole.
type Document struct {
	Format string   `json:"format"`
	Source string   `json:"source"`
	Clock  string   `json:"clock"`
	Title  string   `json:"title"`
	May    []string `json:"may"`
	Frames []Frame  `json:"frames"`
}

// Frame is the cluster now: all queues and groups, and of the rest what was asked for.
type Frame struct {
	At         int64      `json:"at"` // milliseconds since 1970, as all times here
	Whole      bool       `json:"whole"`
	Queues     []Queue    `json:"queues"`
	Claims     []Claim    `json:"claims,omitempty"`
	Lines      []Line     `json:"lines,omitempty"`
	Clusters   []Place    `json:"clusters,omitempty"`
	Dispatches []Dispatch `json:"dispatches,omitempty"`
	Events     []Event    `json:"events,omitempty"`
}

// Event is something that happened. Of a cluster only evictions are told.
type Event struct {
	At     int64  `json:"at"`
	Object string `json:"object"`
	What   string `json:"what"`
	Text   string `json:"text"`
}

// Queue is one of the tree.
type Queue struct {
	Key       string           `json:"key"`
	Kind      string           `json:"kind"`
	Name      string           `json:"name"`
	Parent    string           `json:"parent,omitempty"`
	Leaf      bool             `json:"leaf"`
	Known     bool             `json:"known"`
	State     string           `json:"state"`
	Reason    string           `json:"reason,omitempty"`
	Strategy  string           `json:"strategy,omitempty"`
	ByParent  bool             `json:"byParent,omitempty"`
	Waiting   int64            `json:"waiting,omitempty"`
	Held      int64            `json:"held,omitempty"`
	Reserved  int64            `json:"reserved,omitempty"`
	Allocated int64            `json:"allocated,omitempty"`
	Asks      map[string]int64 `json:"asks,omitempty"`
	Quota     []Quota          `json:"quota"`
}

// Quota is one resource of one flavor.
type Quota struct {
	Flavor    string `json:"flavor"`
	Resource  string `json:"resource"`
	Share     int64  `json:"share,omitempty"`
	Kept      int64  `json:"kept,omitempty"`
	Ceiling   *int64 `json:"ceiling,omitempty"`
	Allocated int64  `json:"allocated,omitempty"`
	Reserved  int64  `json:"reserved,omitempty"`
	Borrowed  int64  `json:"borrowed,omitempty"`
}

// Line is who waits in a queue, in order.
type Line struct {
	Queue string   `json:"queue"`
	At    int      `json:"at"`
	Drop  int      `json:"drop"`
	Put   []string `json:"put"`
}

// Place is a worker cluster.
type Place struct {
	Key       string `json:"key"`
	Connected bool   `json:"connected"`
}

// Dispatch is a workload that sluice-manager dispatches.
type Dispatch struct {
	Key       string    `json:"key"`
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Message   string    `json:"message,omitempty"`
	Cluster   string    `json:"cluster,omitempty"`
	Replicas  []Replica `json:"replicas"`
}

// Replica is that of a workload in one cluster.
type Replica struct {
	Cluster  string `json:"cluster"`
	Gate     string `json:"gate"`
	Signals  bool   `json:"signals,omitempty"`
	There    bool   `json:"there,omitempty"`
	Reserved bool   `json:"reserved,omitempty"`
	Admitted bool   `json:"admitted,omitempty"`
	Evicted  bool   `json:"evicted,omitempty"`
}

func queueKey(kind, name string) string { return kind + "/" + name }

// queueRow is a queue as the scheduler tells of it.
func queueRow(from *ask.Queue) Queue {
	row := Queue{Key: queueKey(from.Kind, from.Name), Kind: from.Kind, Name: from.Name,
		Leaf: from.Leaf, Known: from.Known, State: from.State, Reason: from.Reason,
		Strategy: from.Strategy, ByParent: from.ByParent, Waiting: from.Waiting, Held: from.Held,
		Reserved: from.Reserved, Allocated: from.Allocated, Asks: from.Asks,
		Quota: make([]Quota, 0, len(from.Quota))}
	if from.Parent != "" {
		row.Parent = queueKey(ask.Cohort, from.Parent)
		if from.Kind == ask.VolcanoQueue {
			row.Parent = queueKey(ask.VolcanoQueue, from.Parent)
		}
	}
	for _, q := range from.Quota {
		quota := Quota{Flavor: q.Flavor, Resource: q.Resource, Share: q.Share, Kept: q.Kept,
			Ceiling: q.Ceiling, Allocated: q.Allocated, Reserved: q.Reserved}
		// A queue of Volcano's without `deserved` has no share that it could go beyond.
		if from.Kind != ask.VolcanoQueue || q.Share > 0 {
			quota.Borrowed = max(0, q.Allocated+q.Reserved-q.Share)
		}
		row.Quota = append(row.Quota, quota)
	}
	return row
}

func eventRow(from *ask.Eviction) Event {
	object := from.Kind + "/" + from.Name
	if from.Namespace != "default" {
		object = from.Kind + "/" + from.Namespace + "/" + from.Name
	}
	return Event{At: from.Time.UnixMilli(), Object: object, What: "evicted", Text: from.Message}
}

func dispatchRow(from *ask.Dispatch) Dispatch {
	row := Dispatch{Key: from.Namespace + "/" + from.Name, Namespace: from.Namespace, Name: from.Name,
		State: from.State, Message: from.Message, Cluster: from.Cluster, Replicas: []Replica{}}
	for _, r := range from.Replicas {
		row.Replicas = append(row.Replicas, Replica{Cluster: r.Cluster, Gate: r.Gate,
			Signals: r.Signal > 0, There: r.There, Reserved: r.Reserved, Admitted: r.Admitted,
			Evicted: r.Evicted})
	}
	return row
}

// millis is a time or a duration of the scheduler's.
func millis(ns int64) int64 { return ns / int64(time.Millisecond) }
