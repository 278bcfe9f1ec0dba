// SPDX-License-Identifier: Apache-2.0

package show

import (
	"time"

	"sluice/kubectl-sluice/ask"
)

// What follows is what -o json and -o yaml print: the scheduler's words with amounts as Kubernetes
// writes them, exactly, and times in RFC 3339. Fields are only added.

// QueueView is a queue.
type QueueView struct {
	Kind     string            `json:"kind"`
	Name     string            `json:"name"`
	Parent   string            `json:"parent,omitempty"`
	State    string            `json:"state"`
	Own      string            `json:"own,omitempty"`
	ByParent bool              `json:"byParent,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Leaf     bool              `json:"leaf"`
	Strategy string            `json:"strategy"`
	Claims   Claims            `json:"claims"`
	Totals   Totals            `json:"totals"`
	Waiting  map[string]string `json:"waiting,omitempty"`
	Quota    []QuotaView       `json:"quota"`
}

// Claims are how many there are in a queue and below.
type Claims struct {
	Waiting   int64 `json:"waiting"`
	Held      int64 `json:"held"`
	Reserved  int64 `json:"reserved"`
	Allocated int64 `json:"allocated"`
}

// Totals are since the scheduler knows the queue.
type Totals struct {
	Granted  int64 `json:"granted"`
	Released int64 `json:"released"`
	Demoted  int64 `json:"demoted"`
}

// QuotaView is one resource of one flavor; a limit that is missing is none.
type QuotaView struct {
	Flavor    string `json:"flavor"`
	Resource  string `json:"resource"`
	Share     string `json:"share"`
	Kept      string `json:"kept"`
	Limit     string `json:"limit,omitempty"`
	Usage     string `json:"usage"`
	Reserved  string `json:"reserved"`
	Allocated string `json:"allocated"`
}

// PodView is a pod.
type PodView struct {
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	UID       string            `json:"uid"`
	Queue     string            `json:"queue"`
	QueueKind string            `json:"queueKind"`
	State     string            `json:"state"`
	Reason    string            `json:"reason,omitempty"`
	Message   string            `json:"message,omitempty"`
	On        *OnView           `json:"on,omitempty"`
	Node      string            `json:"node,omitempty"`
	Priority  int32             `json:"priority"`
	Created   string            `json:"created"`
	Granted   string            `json:"granted,omitempty"`
	Place     int64             `json:"place,omitempty"`
	AtLeast   bool              `json:"atLeast,omitempty"` // place and ahead are more
	Asks      map[string]string `json:"asks,omitempty"`
	Ahead     map[string]string `json:"ahead,omitempty"`
	Estimate  string            `json:"estimate,omitempty"`
	Earliest  string            `json:"earliest,omitempty"`
	Latest    string            `json:"latest,omitempty"`
	Basis     string            `json:"basis,omitempty"`
	Flavors   map[string]string `json:"flavors,omitempty"`
	Group     string            `json:"group,omitempty"`
	Native    bool              `json:"native,omitempty"` // that group is one of Kubernetes' own
	Members   int64             `json:"members,omitempty"`
	Minimum   int64             `json:"minimum,omitempty"`
	Gang      *GroupView        `json:"gang,omitempty"`
}

// OnView is what has no room for a pod, or for its gang.
type OnView struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Resource string `json:"resource"`
	Room     string `json:"room"`
	Asked    string `json:"asked"`
	Wanted   string `json:"wanted"` // by all that waits there
}

// GroupView is a group.
type GroupView struct {
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	UID       string            `json:"uid,omitempty"`
	Native    bool              `json:"native,omitempty"` // it is one of Kubernetes' own
	Queue     string            `json:"queue,omitempty"`
	QueueKind string            `json:"queueKind,omitempty"`
	State     string            `json:"state"`
	Reason    string            `json:"reason,omitempty"`
	Message   string            `json:"message,omitempty"`
	Phase     string            `json:"phase"`
	On        *OnView           `json:"on,omitempty"`
	Priority  int32             `json:"priority"`
	Created   string            `json:"created,omitempty"`
	Minimum   int64             `json:"minimum"`
	Pods      PodsView          `json:"pods"`
	Place     int64             `json:"place,omitempty"`
	AtLeast   bool              `json:"atLeast,omitempty"`
	Asks      map[string]string `json:"asks,omitempty"`
	Ahead     map[string]string `json:"ahead,omitempty"`
	Estimate  string            `json:"estimate,omitempty"`
	Earliest  string            `json:"earliest,omitempty"`
	Latest    string            `json:"latest,omitempty"`
	Basis     string            `json:"basis,omitempty"`
	Members   []MemberView      `json:"members"`
}

// PodsView are how many pods a group has: that have not ended, by their states, and that have.
type PodsView struct {
	Held      int64 `json:"held"` // by something of their own
	Ready     int64 `json:"ready"`
	Reserved  int64 `json:"reserved"`
	Allocated int64 `json:"allocated"`
	Succeeded int64 `json:"succeeded"`
	Failed    int64 `json:"failed"`
}

// MemberView is one that has not ended.
type MemberView struct {
	Name   string `json:"name"`
	UID    string `json:"uid"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	Node   string `json:"node,omitempty"`
}

// WaitingView is one that waits.
type WaitingView struct {
	Queue     string `json:"queue"`
	QueueKind string `json:"queueKind"`
	Place     int    `json:"place"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Priority  int32  `json:"priority"`
	Created   string `json:"created"`
	Members   int64  `json:"members,omitempty"`
	State     string `json:"state,omitempty"`  // where what is held is listed, too
	Reason    string `json:"reason,omitempty"` // likewise
}

// ViewQueue makes one for output.
func ViewQueue(q *ask.Queue) QueueView {
	view := QueueView{Kind: q.Kind, Name: q.Name, Parent: q.Parent, State: q.State, Own: q.Own,
		ByParent: q.ByParent, Reason: q.Reason, Leaf: q.Leaf, Strategy: q.Strategy,
		Claims:  Claims{q.Waiting, q.Held, q.Reserved, q.Allocated},
		Totals:  Totals{q.Granted, q.Released, q.Demoted},
		Waiting: Quantities(q.Asks), Quota: []QuotaView{}}
	for i := range q.Quota {
		from := &q.Quota[i]
		name := from.Resource
		quota := QuotaView{Flavor: from.Flavor, Resource: name, Share: Quantity(name, from.Share),
			Kept: Quantity(name, from.Kept), Usage: Quantity(name, from.Usage),
			Reserved: Quantity(name, from.Reserved), Allocated: Quantity(name, from.Allocated)}
		if from.Ceiling != nil {
			quota.Limit = Quantity(name, *from.Ceiling)
		}
		view.Quota = append(view.Quota, quota)
	}
	return view
}

// ViewPod makes one for output.
func ViewPod(p *ask.Pod, group *ask.Group) PodView {
	view := PodView{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Queue: p.Queue,
		QueueKind: p.QueueKind, State: p.State, Reason: p.Reason, Message: p.Message,
		On: viewOn(p.On), Node: p.Node, Priority: p.Priority, Created: stamp(p.Created),
		Granted: stamp(p.Granted), Place: p.Position, AtLeast: p.AtLeast,
		Asks: Quantities(p.Asks), Ahead: Quantities(p.Ahead), Basis: p.Basis, Flavors: p.Flavors,
		Group: p.Group, Native: p.Native, Members: p.Members, Minimum: p.Minimum}
	if p.State == "waiting" {
		view.Estimate, view.Earliest, view.Latest = viewOutlook(&p.Outlook)
	}
	if group != nil {
		gang := ViewGroup(group)
		view.Gang = &gang
	}
	return view
}

// viewOutlook leaves out what nobody can tell.
func viewOutlook(of *ask.Outlook) (likely, earliest, latest string) {
	say := func(length int64) string {
		if length < 0 {
			return ""
		}
		return time.Duration(length).String()
	}
	from, to := of.Range()
	return say(of.Estimate), say(from), say(to)
}

func viewOn(on *ask.On) *OnView {
	if on == nil {
		return nil
	}
	return &OnView{on.Kind, on.Name, on.Resource, Quantity(on.Resource, on.Room),
		Quantity(on.Resource, on.Asked), Quantity(on.Resource, on.Wanted)}
}

// ViewGroup makes one for output.
func ViewGroup(g *ask.Group) GroupView {
	view := GroupView{Namespace: g.Namespace, Name: g.Name, UID: g.UID, Native: g.Native,
		Queue: g.Queue, QueueKind: g.QueueKind, State: g.State, Reason: g.Reason, Message: g.Message,
		Phase: g.Phase, On: viewOn(g.On), Priority: g.Priority, Created: stamp(g.Created),
		Minimum: g.Minimum, Place: g.Position, AtLeast: g.AtLeast, Asks: Quantities(g.Asks),
		Ahead: Quantities(g.Ahead), Basis: g.Basis, Members: []MemberView{}}
	view.Pods = PodsView{Held: g.Pods - g.Ready - g.Reserved - g.Allocated, Ready: g.Ready,
		Reserved: g.Reserved, Allocated: g.Allocated, Succeeded: g.Succeeded, Failed: g.Failed}
	if g.State == "waiting" {
		view.Estimate, view.Earliest, view.Latest = viewOutlook(&g.Outlook)
	}
	for _, m := range g.Members {
		view.Members = append(view.Members, MemberView{m.Name, m.UID, m.State, m.Reason, m.Node})
	}
	return view
}

// ViewWaiting makes one for output; i counts from 0.
func ViewWaiting(queue *ask.Queue, i int, w *ask.Waiting) WaitingView {
	return WaitingView{Queue: queue.Name, QueueKind: queue.Kind, Place: i + 1,
		Namespace: w.Namespace, Name: w.Name, UID: w.UID, Priority: w.Priority,
		Created: stamp(w.Created), Members: w.Members}
}

// ViewPending makes one for output.
func ViewPending(p *ask.Pending) WaitingView {
	kind, name := p.In()
	return WaitingView{Queue: name, QueueKind: kind, Place: int(p.Position), Namespace: p.Namespace,
		Name: p.Name, UID: p.UID, Priority: p.Priority, Created: stamp(p.Created),
		Members: p.Members, State: p.State, Reason: p.Reason}
}

func stamp(nanoseconds int64) string {
	if nanoseconds == 0 {
		return ""
	}
	return time.Unix(0, nanoseconds).UTC().Format(time.RFC3339)
}
