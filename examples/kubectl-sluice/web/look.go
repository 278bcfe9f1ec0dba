// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/kubectl-sluice/ask"
)

// Several pages may be open: those who ask within this time get the same queues.
const freshFor = time.Second

// A manager that does not answer is asked again after this time: most clusters have none.
const managerPause = time.Minute

// Events are asked for so often at most.
const eventsPause = 10 * time.Second

// copiesMost is how many dispatched workloads are asked about, each by itself.
const copiesMost = 50

// looker asks a cluster for frames. It asks one thing at a time, as the person would.
type looker struct {
	mutex   sync.Mutex
	cluster *ask.Cluster
	manager *ask.Cluster

	queues     []ask.Queue
	groups     []ask.Group
	dispatches []Dispatch
	at         time.Time
	events     []Event
	tryManager time.Time
	tryEvents  time.Time
	may        []string
}

// look is the cluster now, with the line of a queue and all about a claim; "": of none.
func (l *looker) look(ctx context.Context, queue, claim string) (*Frame, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err := l.refresh(ctx); err != nil {
		return nil, err
	}
	frame := &Frame{At: l.at.UnixMilli(), Whole: true, Queues: make([]Queue, 0, len(l.queues)),
		Dispatches: l.dispatches, Clusters: places(l.dispatches),
		Events: l.events}
	rows := map[string]Claim{}
	for i := range l.queues {
		frame.Queues = append(frame.Queues, queueRow(&l.queues[i]))
	}
	for i := range l.groups {
		row := gangRow(&l.groups[i])
		rows[row.Key] = row
	}
	for i := range l.queues {
		if q := &l.queues[i]; queueKey(q.Kind, q.Name) == queue && q.Leaf {
			line, err := l.line(ctx, q, rows)
			if err != nil {
				return nil, err
			}
			frame.Lines = append(frame.Lines, *line)
		}
	}
	l.details(ctx, claim, rows)
	for _, row := range rows {
		frame.Claims = append(frame.Claims, row)
	}
	return frame, nil
}

func (l *looker) refresh(ctx context.Context) error {
	if time.Since(l.at) < freshFor {
		return nil
	}
	queues, err := l.cluster.Queues(ctx)
	if err != nil {
		return err
	}
	groups, err := l.cluster.Groups(ctx)
	if err != nil && ask.KindOf(err) != ask.NotFound { // an older scheduler has no such view
		return err
	}
	l.queues, l.groups, l.at = queues, groups, time.Now()
	if time.Now().After(l.tryEvents) {
		l.askEvents(ctx)
	}
	if time.Now().After(l.tryManager) {
		l.askManager(ctx)
	}
	return nil
}

// askEvents leaves what was known where it cannot be asked: who may see queues need not see events.
func (l *looker) askEvents(ctx context.Context) {
	l.tryEvents = time.Now().Add(eventsPause)
	all, err := l.cluster.Evictions(ctx)
	if err != nil {
		return
	}
	slices.SortFunc(all, func(a, b ask.Eviction) int { return a.Time.Compare(b.Time) })
	l.events = nil
	for i := range all {
		l.events = append(l.events, eventRow(&all[i]))
	}
}

func (l *looker) askManager(ctx context.Context) {
	l.dispatches = nil
	all, err := l.manager.Fleet(ctx)
	if err != nil {
		l.tryManager = time.Now().Add(managerPause)
		return
	}
	for i := range all {
		if i < copiesMost {
			if one, err := l.manager.Dispatched(ctx, all[i].Namespace, all[i].Name); err == nil {
				all[i] = *one
			}
		}
		l.dispatches = append(l.dispatches, dispatchRow(&all[i]))
	}
}

// places are the clusters that copies are in, or have a place in.
func places(dispatches []Dispatch) []Place {
	var all []Place
	seen := map[string]bool{}
	for i := range dispatches {
		for _, replica := range dispatches[i].Replicas {
			if !seen[replica.Cluster] {
				seen[replica.Cluster] = true
				all = append(all, Place{Key: replica.Cluster, Connected: true})
			}
		}
	}
	return all
}

// line puts who waits in a queue, and the workloads that hold quota of it, into rows.
func (l *looker) line(ctx context.Context, queue *ask.Queue, rows map[string]Claim) (*Line, error) {
	key := queueKey(queue.Kind, queue.Name)
	line := &Line{Queue: key, Put: []string{}}
	var loads []ask.Workload
	if queue.Kind == ask.ClusterQueue {
		var err error
		if loads, err = l.cluster.WaitingWorkloads(ctx, queue.Name); err != nil {
			return nil, err
		}
		held, err := l.cluster.HeldWorkloads(ctx, queue.Name)
		if err != nil && ask.KindOf(err) != ask.NotFound {
			return nil, err
		}
		for i := range held {
			if row := workloadRow(&held[i]); row.State != "finished" {
				rows[row.Key] = row
			}
		}
	}
	pods, err := l.cluster.Pending(ctx, queue.Kind, queue.Name)
	if err != nil {
		return nil, err
	}
	// Pods and gangs come in their order, workloads say their place among all.
	for place := int64(1); len(pods)+len(loads) > 0; place++ {
		var row Claim
		if len(loads) > 0 && (loads[0].Position <= place || len(pods) == 0) {
			row, loads = workloadRow(&loads[0]), loads[1:]
		} else {
			row, pods = waitingRow(&pods[0], key), pods[1:]
		}
		if known, is := rows[row.Key]; !is || known.Kind != gang {
			rows[row.Key] = row
		}
		line.Put = append(line.Put, row.Key)
	}
	return line, nil
}

// details asks about one claim, if it is there: why it waits, and for how long.
func (l *looker) details(ctx context.Context, key string, rows map[string]Claim) {
	kind, namespace, name := claimNamed(key)
	switch kind {
	case pod:
		if one, err := l.cluster.Pod(ctx, namespace, name); err == nil {
			rows[key] = podRow(one)
		}
	case gang:
		_, native := rows[key]
		native = native && rows[key].Native
		if one, err := l.cluster.Group(ctx, namespace, name, native); err == nil {
			rows[key] = gangRow(one)
			for i := range one.Members {
				row := memberRow(one, &one.Members[i])
				rows[row.Key] = row
			}
		}
	case workload:
		if one, err := l.cluster.Workload(ctx, namespace, name); err == nil {
			rows[key] = workloadRow(one)
		}
	}
}

func memberRow(of *ask.Group, member *ask.Member) Claim {
	return Claim{Key: claimKey(pod, of.Namespace, member.Name), Kind: pod, Namespace: of.Namespace,
		Name: member.Name, Queue: queueOf(of.QueueKind, of.Queue), State: member.State,
		Reason: member.Reason, Node: member.Node, Gang: claimKey(gang, of.Namespace, of.Name)}
}

// allowed is what who asks may do to queues. It is asked once.
func (l *looker) allowed(ctx context.Context) []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.may != nil {
		return l.may
	}
	l.may = []string{}
	if may, err := l.cluster.MayCommand(ctx); err == nil && may {
		l.may = append(l.may, "suspend", "resume", "open")
	}
	if may, err := l.cluster.MayStop(ctx); err == nil && may {
		l.may = append(l.may, "hold", "release")
	}
	return l.may
}

// act does to a queue what is asked. The API server says whether who asks may.
func (l *looker) act(ctx context.Context, queue, deed string) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	kind, name, _ := strings.Cut(queue, "/")
	actions := map[string]ask.Action{"suspend": ask.Suspend, "resume": ask.Resume, "open": ask.Open}
	policies := map[string]string{"hold": "Hold", "release": "None"}
	action, commands := actions[deed]
	policy, stops := policies[deed]
	switch {
	case kind == ask.VolcanoQueue && commands:
		object, err := l.cluster.Object(ctx, name)
		if err == nil {
			_, err = l.cluster.Command(ctx, object, action)
		}
		return err
	case kind == ask.ClusterQueue && stops:
		return l.cluster.StopPolicy(ctx, "", "clusterqueues", name, policy)
	}
	return &ask.Problem{Kind: ask.Usage, Err: errNoDeed}
}
