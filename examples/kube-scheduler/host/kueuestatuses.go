// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/lease"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
	"sluice/plain"
)

// statusTurn is how often the status of a ClusterQueue or a LocalQueue is written at most.
const statusTurn = time.Second

// unsupported is the reason of a queue that asks for something that is out of scope.
const unsupported = "Unsupported"

// kueueStatuses are what is written into Kueue's queues of the counts that the engine has, and the
// finalizers of what is in use.
type kueueStatuses struct {
	engine    *engine
	lease     *lease.Lease
	clients   *clients
	custom    *customResources
	local     *localClusters
	workloads func() []any  // as they were last seen
	dirty     chan struct{} // a status may say something else; nil: none is written
	perSecond int64         // how many counts alone are written; 0: all
	turn      countTurn     // of those who wait to be written
}

// countTurn are the statuses of a turn of which only counts are others: so many are written, whose
// wait is the longest.
type countTurn struct {
	number uint64
	since  map[types.UID]uint64 // the turn in which those began to wait who did before
	waits  []countWrite
}

// countWrite is what waits for its turn.
type countWrite struct {
	queue metav1.Object
	since uint64 // the turn in which it began to wait
	write func() error
}

// add lets a queue wait.
func (t *countTurn) add(queue metav1.Object, write func() error) {
	since, waited := t.since[queue.GetUID()]
	if !waited {
		since = t.number
	}
	t.waits = append(t.waits, countWrite{queue, since, write})
}

// due returns those whose turn it is, at most so many (0: all), and the next turn, in which the
// others go on waiting.
func (t *countTurn) due(bound int64) (due []countWrite, next *countTurn) {
	slices.SortStableFunc(t.waits, func(a, b countWrite) int { return cmp.Compare(a.since, b.since) })
	count := len(t.waits)
	if bound > 0 {
		count = min(count, int(bound))
	}
	next = &countTurn{number: t.number + 1, since: map[types.UID]uint64{}}
	for _, other := range t.waits[count:] {
		next.since[other.queue.GetUID()] = other.since
	}
	return t.waits[:count], next
}

// changed notes that the status of queues may have to say something else.
func (s *kueueStatuses) changed() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

// run writes them when something changed.
func (s *kueueStatuses) run(ctx context.Context) {
	for again := false; ; {
		if !again {
			select {
			case <-ctx.Done():
				return
			case <-s.dirty:
			}
		}
		pause := statusTurn
		if again {
			pause = servedLook
		}
		if !wait(ctx, pause) {
			return
		}
		again = s.lease.Leads() && !s.writeAll(ctx)
	}
}

// writeAll returns whether all say what is so.
func (s *kueueStatuses) writeAll(ctx context.Context) bool {
	all, idle := true, s.idle()
	for _, object := range s.custom.all(clusterQueues) {
		var queue kueue.ClusterQueue
		if facts.Read(object, &queue) != nil {
			continue
		}
		wanted, err := s.ofClusterQueue(&queue, idle)
		if err == nil {
			err = s.patchStatus(ctx, clusterQueues, object, queue.Status, wanted.Status)
		}
		all = s.wrote(err, &queue) && all
	}
	for _, object := range s.custom.all(localQueues) {
		var queue kueue.LocalQueue
		if facts.Read(object, &queue) != nil {
			continue
		}
		wanted, err := s.ofLocalQueue(&queue, idle)
		if err == nil {
			err = s.patchStatus(ctx, localQueues, object, queue.Status, wanted.Status)
		}
		all = s.wrote(err, &queue) && all
	}
	due, next := s.turn.due(s.perSecond)
	for _, one := range due {
		all = s.wrote(one.write(), one.queue) && all
	}
	if s.turn = *next; len(next.since) > 0 {
		s.changed()
	}
	return s.keepInUse(ctx) && all
}

func (s *kueueStatuses) wrote(err error, queue metav1.Object) bool {
	if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		s.engine.log.Error(err, "The status of a queue cannot be written", "queue",
			nameOf(queue).String())
	}
	return err == nil || apierrors.IsNotFound(err)
}

// patchStatus writes what the status of an object lacks of the wanted one: a condition at once,
// counts alone when they have their turn.
func (s *kueueStatuses) patchStatus(ctx context.Context, of schema.GroupVersionResource,
	seen *unstructured.Unstructured, known, wanted any) error {
	became, err := withStatus(seen, known, wanted)
	if err != nil {
		return err
	}
	lacks, err := difference(seen, became)
	if err != nil || lacks == nil {
		return err
	}
	write := func() error {
		return s.lease.Write(ctx, func(ctx context.Context) error {
			_, err := s.clients.send(ctx, of, seen, lacks, "status")
			return err
		})
	}
	if onlyCounts(lacks) {
		s.turn.add(seen, write)
		return nil
	}
	return write()
}

// onlyCounts tells whether the patch of a status leaves its conditions as they are.
func onlyCounts(patch []byte) bool {
	var lacks struct {
		Status struct{ Conditions json.RawMessage }
	}
	return json.Unmarshal(patch, &lacks) == nil && lacks.Status.Conditions == nil
}

// withStatus goes by the object as it was read: a count that was never written is not 0 yet, and
// people see a blank. What the type of the status, as it was known, has no field for stays.
func withStatus(seen *unstructured.Unstructured, known, wanted any) (*unstructured.Unstructured,
	error) {
	was, err := asMap(known)
	if err != nil {
		return nil, err
	}
	is, err := asMap(wanted)
	if err != nil {
		return nil, err
	}
	status := map[string]any{}
	if read, has := seen.Object["status"].(map[string]any); has {
		maps.Copy(status, read)
	}
	maps.DeleteFunc(status, func(key string, _ any) bool { _, ours := was[key]; return ours })
	maps.Copy(status, is)
	became := &unstructured.Unstructured{Object: maps.Clone(seen.Object)}
	became.Object["status"] = status
	return became, nil
}

func (s *kueueStatuses) patch(ctx context.Context, of schema.GroupVersionResource, seen,
	wanted metav1.Object, subresources ...string) error {
	return s.lease.Write(ctx, func(ctx context.Context) error {
		_, err := s.clients.patch(ctx, of, seen, wanted, subresources...)
		return err
	})
}

// idle counts, by LocalQueue, the workloads that hold nothing and wait for no quota: those that are
// deactivated or gated, and those of a stopped LocalQueue. To the engine they are held, and in
// Kueue's counts they are not pending.
func (s *kueueStatuses) idle() map[types.NamespacedName]int64 {
	counts, stopped := map[types.NamespacedName]int64{}, map[types.NamespacedName]bool{}
	for _, object := range s.custom.all(localQueues) {
		policy, _, _ := unstructured.NestedString(object.Object, "spec", "stopPolicy")
		stopped[nameOf(object)] = policy != "" && policy != string(kueue.None)
	}
	for _, object := range s.workloads() {
		w, is := object.(*kueue.Workload)
		if !is || wl.Finished(w) || wl.Reserved(w) {
			continue
		}
		queue := types.NamespacedName{Namespace: w.Namespace, Name: string(w.Spec.QueueName)}
		if !wl.Active(w) || wl.Gates(w) != "" || stopped[queue] {
			counts[queue]++
		}
	}
	return counts
}

// A usage is one of an answer of the engine.
type usage struct{ flavor, resource, key string }

func (s *kueueStatuses) ofClusterQueue(seen *kueue.ClusterQueue,
	idle map[types.NamespacedName]int64) (*kueue.ClusterQueue, error) {
	answer, err := s.engine.ask(sluice.Query{What: "clusterQueue", Name: seen.Name})
	if err != nil {
		return nil, err
	}
	wanted := seen.DeepCopy()
	status := &wanted.Status
	waiting := number(answer["waiting"])
	for name, count := range idle {
		if s.local.clusterQueue(name.Namespace, name.Name) == seen.Name {
			waiting -= count
		}
	}
	status.PendingWorkloads = int32(max(waiting, 0))
	status.ReservingWorkloads = int32(number(answer["reserving"]))
	status.AdmittedWorkloads = int32(number(answer["admitted"]))
	used := usages(answer)
	status.FlavorsReservation, status.FlavorsUsage = nil, nil
	for g := range seen.Spec.ResourceGroups {
		group := &seen.Spec.ResourceGroups[g]
		for f := range group.Flavors {
			name := group.Flavors[f].Name
			reserved, admitted := kueue.FlavorUsage{Name: name}, kueue.FlavorUsage{Name: name}
			for r := range group.Flavors[f].Resources {
				resource := group.Flavors[f].Resources[r].Name
				of := usage{string(name), string(resource), "reserved"}
				reserved.Resources = append(reserved.Resources, resourceUsage(resource, used, of,
					used[usage{of.flavor, of.resource, "borrowed"}]))
				of.key = "admitted"
				admitted.Resources = append(admitted.Resources, resourceUsage(resource, used, of,
					min(used[of], used[usage{of.flavor, of.resource, "borrowed"}])))
			}
			status.FlavorsReservation = append(status.FlavorsReservation, reserved)
			status.FlavorsUsage = append(status.FlavorsUsage, admitted)
		}
	}
	reason, message := text(answer["reason"]), text(answer["message"])
	active, _ := answer["active"].(bool)
	if seen.DeletionTimestamp != nil {
		active, reason = false, kueue.ClusterQueueActiveReasonTerminating
		message = "Can't admit new workloads; clusterQueue is terminating"
	} else if why := wl.UnsupportedQueue(seen); why != "" {
		active, reason, message = false, unsupported, "Can't admit new workloads: "+why
	} else if why := s.unsupportedFlavors(seen); why != "" && !active {
		reason, message = unsupported, "Can't admit new workloads: "+why
	}
	setActive(&status.Conditions, kueue.ClusterQueueActive, active, reason, message,
		"Can admit new workloads", seen.Generation)
	return wanted, nil
}

func resourceUsage(name v1.ResourceName, used map[usage]int64, of usage,
	borrowed int64) kueue.ResourceUsage {
	return kueue.ResourceUsage{Name: name,
		Total:    wl.Quantity(sluice.Amount{Name: of.resource, Value: used[of]}),
		Borrowed: wl.Quantity(sluice.Amount{Name: of.resource, Value: borrowed})}
}

// unsupportedFlavors says which flavor of the queue nobody gets, and why.
func (s *kueueStatuses) unsupportedFlavors(queue *kueue.ClusterQueue) string {
	for g := range queue.Spec.ResourceGroups {
		for f := range queue.Spec.ResourceGroups[g].Flavors {
			name := string(queue.Spec.ResourceGroups[g].Flavors[f].Name)
			if flavor := s.custom.flavor(name); flavor != nil {
				if why := wl.UnsupportedFlavor(flavor); why != "" {
					return "resource flavor " + name + ": " + why
				}
			}
		}
	}
	return ""
}

func (s *kueueStatuses) ofLocalQueue(seen *kueue.LocalQueue,
	idle map[types.NamespacedName]int64) (*kueue.LocalQueue, error) {
	answer, err := s.engine.ask(sluice.Query{What: "localQueue", Namespace: seen.Namespace,
		Name: seen.Name})
	if err != nil {
		return nil, err
	}
	wanted := seen.DeepCopy()
	status := &wanted.Status
	status.PendingWorkloads = int32(max(number(answer["waiting"])-idle[nameOf(seen)], 0))
	status.ReservingWorkloads = int32(number(answer["reserving"]))
	status.AdmittedWorkloads = int32(number(answer["admitted"]))
	status.FlavorsReservation = localUsage(answer, "reserved")
	status.FlavorsUsage = localUsage(answer, "admitted")
	active, _ := answer["active"].(bool)
	setActive(&status.Conditions, kueue.LocalQueueActive, active, text(answer["reason"]),
		text(answer["message"]), "Can submit new workloads to localQueue", seen.Generation)
	return wanted, nil
}

func localUsage(answer map[string]any, key string) (all []kueue.LocalQueueFlavorUsage) {
	rows, _ := answer["usage"].([]any)
	for _, row := range rows {
		of, _ := row.(map[string]any)
		name, resource := kueue.ResourceFlavorReference(text(of["flavor"])), text(of["resource"])
		one := kueue.LocalQueueResourceUsage{Name: v1.ResourceName(resource),
			Total: wl.Quantity(sluice.Amount{Name: resource, Value: number(of[key])})}
		if last := len(all) - 1; last >= 0 && all[last].Name == name {
			all[last].Resources = append(all[last].Resources, one)
		} else {
			all = append(all, kueue.LocalQueueFlavorUsage{Name: name,
				Resources: []kueue.LocalQueueResourceUsage{one}})
		}
	}
	return all
}

func usages(answer map[string]any) map[usage]int64 {
	read := map[usage]int64{}
	rows, _ := answer["usage"].([]any)
	for _, row := range rows {
		of, _ := row.(map[string]any)
		for _, key := range []string{"reserved", "admitted", "borrowed"} {
			read[usage{text(of["flavor"]), text(of["resource"]), key}] = number(of[key])
		}
	}
	return read
}

func number(value any) int64 { n, _ := value.(int64); return n }
func text(value any) string  { s, _ := value.(string); return s }

func setActive(conditions *[]metav1.Condition, kind string, active bool, reason, message,
	well string, generation int64) {
	now := metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason,
		Message: plain.Text(message, plain.ConditionBytes), ObservedGeneration: generation}
	if active {
		now.Message = well
	} else {
		now.Status = metav1.ConditionFalse
	}
	if now.Reason == "" {
		now.Reason = kueue.ClusterQueueActiveReasonUnknown
	}
	apimeta.SetStatusCondition(conditions, now)
}
