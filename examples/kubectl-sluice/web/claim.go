// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"slices"
	"strings"

	"sluice/kubectl-sluice/ask"
)

// The kinds of claims. A key is KIND/NAMESPACE/NAME: there is one of that name at a time.
const (
	pod      = "Pod"
	gang     = "Gang"
	workload = "Workload"
)

// Claim is a pod, a gang or a workload.
type Claim struct {
	Key        string            `json:"key"`
	Kind       string            `json:"kind"`
	Namespace  string            `json:"namespace"`
	Name       string            `json:"name"`
	Queue      string            `json:"queue,omitempty"`
	LocalQueue string            `json:"localQueue,omitempty"`
	State      string            `json:"state"`
	Reason     string            `json:"reason,omitempty"`
	Message    string            `json:"message,omitempty"`
	Told       *bool             `json:"told,omitempty"` // false: why it waits was not asked
	Priority   int32             `json:"priority,omitempty"`
	Created    int64             `json:"created,omitempty"`
	Granted    int64             `json:"granted,omitempty"`
	Asks       map[string]int64  `json:"asks,omitempty"`
	Ahead      map[string]int64  `json:"ahead,omitempty"`
	Estimate   *int64            `json:"estimate,omitempty"`
	Earliest   *int64            `json:"earliest,omitempty"`
	Latest     *int64            `json:"latest,omitempty"`
	Basis      string            `json:"basis,omitempty"`
	On         *On               `json:"on,omitempty"`
	Node       string            `json:"node,omitempty"`
	Flavors    map[string]string `json:"flavors,omitempty"`
	Gang       string            `json:"gang,omitempty"`
	Native     bool              `json:"native,omitempty"`
	Minimum    int64             `json:"minimum,omitempty"`
	Pods       int64             `json:"pods,omitempty"`
	Ready      int64             `json:"ready,omitempty"`
	Reserved   int64             `json:"reserved,omitempty"`
	Allocated  int64             `json:"allocated,omitempty"`
	Succeeded  int64             `json:"succeeded,omitempty"`
	Failed     int64             `json:"failed,omitempty"`
	PodSets    []PodSet          `json:"podSets,omitempty"`
	Gates      map[string]string `json:"gates,omitempty"`
	Checks     map[string]string `json:"checks,omitempty"`
	Victims    []string          `json:"victims,omitempty"`
	For        string            `json:"for,omitempty"`
}

// On is what a claim lacks, and where.
type On struct {
	Queue    string `json:"queue"`
	Resource string `json:"resource"`
	Room     int64  `json:"room"`
	Asked    int64  `json:"asked"`
	Wanted   int64  `json:"wanted"`
}

// PodSet is a part of a workload.
type PodSet struct {
	Name    string            `json:"name"`
	Count   int64             `json:"count"`
	Flavors map[string]string `json:"flavors,omitempty"`
}

func claimKey(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// claimNamed reads a key; what is none is of no kind.
func claimNamed(key string) (kind, namespace, name string) {
	parts := strings.Split(key, "/")
	if len(parts) != 3 || !slices.Contains([]string{pod, gang, workload}, parts[0]) {
		return "", "", ""
	}
	return parts[0], parts[1], parts[2]
}

func onRow(from *ask.On) *On {
	if from == nil {
		return nil
	}
	return &On{Queue: queueKey(from.Kind, from.Name), Resource: from.Resource, Room: from.Room,
		Asked: from.Asked, Wanted: from.Wanted}
}

// estimated is none where nobody knows.
func estimated(ns int64) *int64 {
	if ns < 0 {
		return nil
	}
	ms := millis(ns)
	return &ms
}

func queueOf(kind, name string) string {
	if name == "" {
		return ""
	}
	return queueKey(cmp.Or(kind, ask.VolcanoQueue), name)
}

func podRow(from *ask.Pod) Claim {
	earliest, latest := from.Range()
	row := Claim{Key: claimKey(pod, from.Namespace, from.Name), Kind: pod, Namespace: from.Namespace,
		Name: from.Name, Queue: queueOf(from.QueueKind, from.Queue), State: from.State,
		Reason: from.Reason, Message: from.Message, Priority: from.Priority,
		Created: millis(from.Created), Granted: millis(from.Granted), Asks: from.Asks,
		Ahead: from.Ahead, Estimate: estimated(from.Estimate),
		Earliest: estimated(earliest), Latest: estimated(latest), Basis: from.Basis,
		On:   onRow(from.On),
		Node: from.Node, Flavors: from.Flavors}
	if from.Group != "" {
		row.Gang = claimKey(gang, from.Namespace, from.Group)
	}
	return row
}

func gangRow(from *ask.Group) Claim {
	earliest, latest := from.Range()
	return Claim{Key: claimKey(gang, from.Namespace, from.Name), Kind: gang,
		Namespace: from.Namespace, Name: from.Name, Queue: queueOf(from.QueueKind, from.Queue),
		State: from.State, Reason: from.Reason, Message: from.Message, Priority: from.Priority,
		Created: millis(from.Created), Asks: from.Asks, Ahead: from.Ahead,
		Estimate: estimated(from.Estimate),
		Earliest: estimated(earliest), Latest: estimated(latest), Basis: from.Basis,
		On:     onRow(from.On),
		Native: from.Native, Minimum: from.Minimum, Pods: from.Pods, Ready: from.Ready,
		Reserved: from.Reserved, Allocated: from.Allocated, Succeeded: from.Succeeded,
		Failed: from.Failed}
}

func workloadRow(from *ask.Workload) Claim {
	row := Claim{Key: claimKey(workload, from.Namespace, from.Name), Kind: workload,
		Asks: from.Asks, Ahead: from.Ahead, Basis: from.Basis, On: onRow(from.On),
		Namespace: from.Namespace, Name: from.Name,
		Queue: queueOf(ask.ClusterQueue, from.ClusterQueue), LocalQueue: from.Queue,
		State: from.State, Reason: from.Reason, Message: from.Message, Priority: from.Priority,
		Created: millis(from.Created), Gates: map[string]string{}, Checks: map[string]string{}}
	if from.Basis != "" { // an older scheduler says nothing of it
		earliest, latest := from.Range()
		row.Estimate, row.Earliest = estimated(from.Estimate), estimated(earliest)
		row.Latest = estimated(latest)
	}
	for _, set := range from.PodSets {
		row.PodSets = append(row.PodSets, PodSet(set))
	}
	for _, gate := range from.Gates {
		row.Gates[gate.Name] = "Closed"
		if gate.Open {
			row.Gates[gate.Name] = "Open"
		}
	}
	for _, check := range from.Checks {
		row.Checks[check.Name] = check.State
	}
	for _, victim := range from.Victims {
		row.Victims = append(row.Victims, victim.Namespace+"/"+victim.Name)
	}
	if from.For != nil {
		row.For = from.For.Namespace + "/" + from.For.Name
	}
	return row
}

// waitingRow is all that a line says of one who waits.
func waitingRow(from *ask.Waiting, queue string) Claim {
	kind := pod
	if from.Members > 0 {
		kind = gang
	}
	return Claim{Key: claimKey(kind, from.Namespace, from.Name), Kind: kind, Told: new(bool),
		Namespace: from.Namespace, Name: from.Name, Queue: queue, State: "waiting",
		Priority: from.Priority, Created: millis(from.Created), Pods: from.Members}
}
