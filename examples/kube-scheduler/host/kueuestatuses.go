// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"encoding/json"
	"errors"
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
	stale     *staleStatuses // nil: none is written
	perSecond int64          // how many counts alone are written while counts change; 0: all
}

// changed notes that the status of any queue may have to say something else.
func (s *kueueStatuses) changed() {
	if s.stale != nil {
		s.stale.addAll()
	}
}

// changedIn notes that about a LocalQueue, and the ClusterQueue behind it.
func (s *kueueStatuses) changedIn(name types.NamespacedName) {
	if s.stale != nil {
		s.stale.add(localQueueNamed(name))
		s.stale.add(s.behind(name))
	}
}

// countedIn notes that counts of both may be others.
func (s *kueueStatuses) countedIn(name types.NamespacedName) {
	if s.stale != nil {
		s.stale.noteCounts(time.Now(), localQueueNamed(name), s.behind(name))
	}
}

// behind is the ClusterQueue of a LocalQueue.
func (s *kueueStatuses) behind(name types.NamespacedName) kueueQueue {
	return clusterQueueNamed(s.local.clusterQueue(name.Namespace, name.Name))
}

// changedBehind notes that about a ClusterQueue, and the LocalQueues that it is behind.
func (s *kueueStatuses) changedBehind(clusterQueue string) {
	if s.stale == nil {
		return
	}
	s.stale.add(clusterQueueNamed(clusterQueue))
	for _, name := range s.local.behind(clusterQueue) {
		s.stale.add(localQueueNamed(name))
	}
}

// run writes them when something changed.
func (s *kueueStatuses) run(ctx context.Context) {
	for s.stale.await(ctx) && wait(ctx, statusTurn) {
		if s.lease.Leads() {
			s.write(ctx)
		} else {
			s.stale.forget() // all are looked at when it does
		}
	}
}

// takeStale returns the queues of whose status anything may have to be another.
func (s *kueueStatuses) takeStale() []kueueQueue {
	all, queues := s.stale.take()
	if all {
		for _, resource := range []schema.GroupVersionResource{clusterQueues, localQueues} {
			for _, object := range s.custom.all(resource) {
				queues[kueueQueue{resource, nameOf(object)}] = true
			}
		}
	}
	return slices.Collect(maps.Keys(queues))
}

// write writes those that are due. One that cannot be written holds up no other: it is due again in
// the next turn, where its object was another by then, or else in a while.
func (s *kueueStatuses) write(ctx context.Context) {
	var failed []kueueQueue
	done := func(queue kueueQueue, err error) {
		switch {
		case err == nil || apierrors.IsNotFound(err):
		case apierrors.IsConflict(err):
			s.stale.add(queue)
		default:
			failed = append(failed, queue)
			if !errors.Is(err, lease.ErrNotLeading) {
				s.engine.log.Error(err, "The status of a queue cannot be written", "queue",
					queue.name.String())
			}
		}
	}
	look := func(queue kueueQueue, countsWait bool) (sent bool) {
		object, lacks, err := s.lacks(queue)
		switch {
		case err != nil || lacks == nil:
		case countsWait && onlyCounts(lacks):
			s.stale.addCounts(queue)
		default:
			sent, err = true, s.send(ctx, queue, object, lacks)
		}
		done(queue, err)
		return sent
	}
	for _, queue := range s.takeStale() {
		look(queue, true)
	}
	s.stale.takeCounts(s.bound(time.Now()), func(queue kueueQueue) bool { return look(queue, false) })
	if !s.keepInUse(ctx) || len(failed) > 0 {
		time.AfterFunc(triedAgain, func() { s.stale.add(failed...) })
	}
}

// whenCalm is how many times as many counts are written where none changes any more: each is
// written once then, and nobody waits for the API server.
const whenCalm = 20

// bound is how many counts alone are written in one turn; 0: all.
func (s *kueueStatuses) bound(now time.Time) int64 {
	if s.stale.isCalm(now) {
		return s.perSecond * whenCalm
	}
	return s.perSecond
}

// lacks returns a queue, and the patch that its status lacks; nil: none.
func (s *kueueStatuses) lacks(queue kueueQueue) (*unstructured.Unstructured, []byte, error) {
	object := s.custom.object(queue.resource, queue.name.Namespace, queue.name.Name)
	if object == nil {
		return nil, nil, nil
	}
	var known, wanted any
	var err error
	if queue.resource == localQueues {
		var seen, now *kueue.LocalQueue
		if seen, now, err = wantedOf(object, s.ofLocalQueue); now != nil {
			known, wanted = seen.Status, now.Status
		}
	} else {
		var seen, now *kueue.ClusterQueue
		if seen, now, err = wantedOf(object, s.ofClusterQueue); now != nil {
			known, wanted = seen.Status, now.Status
		}
	}
	if err != nil || wanted == nil {
		return nil, nil, err
	}
	became, err := withStatus(object, known, wanted)
	if err != nil {
		return nil, nil, err
	}
	patch, err := difference(object, became)
	return object, patch, err
}

// wantedOf returns a queue, and as it is to be; nil where it cannot be read, which others tell.
func wantedOf[T any](object *unstructured.Unstructured,
	of func(*T) (*T, error)) (seen, wanted *T, err error) {
	seen = new(T)
	if facts.Read(object, seen) != nil {
		return nil, nil, nil
	}
	wanted, err = of(seen)
	return seen, wanted, err
}

// send writes into the status of a queue.
func (s *kueueStatuses) send(ctx context.Context, queue kueueQueue,
	object *unstructured.Unstructured, patch []byte) error {
	return s.lease.Write(ctx, func(ctx context.Context) error {
		_, err := s.clients.send(ctx, queue.resource, object, patch, "status")
		return err
	})
}

// onlyCounts tells whether there is a patch of a status that leaves its conditions as they are.
func onlyCounts(patch []byte) bool {
	var lacks struct {
		Status struct{ Conditions json.RawMessage }
	}
	return patch != nil && json.Unmarshal(patch, &lacks) == nil && lacks.Status.Conditions == nil
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

// pendingIn is how many workloads of a queue are pending to Kueue: those that wait for quota.
func pendingIn(answer map[string]any) int32 {
	return int32(number(answer["waiting"]) - number(answer["idle"]))
}

// A usage is one of an answer of the engine.
type usage struct{ flavor, resource, key string }

func (s *kueueStatuses) ofClusterQueue(seen *kueue.ClusterQueue) (*kueue.ClusterQueue, error) {
	answer, err := s.engine.ask(sluice.Query{What: "clusterQueue", Name: seen.Name})
	if err != nil {
		return nil, err
	}
	wanted := seen.DeepCopy()
	status := &wanted.Status
	status.PendingWorkloads = pendingIn(answer)
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

func (s *kueueStatuses) ofLocalQueue(seen *kueue.LocalQueue) (*kueue.LocalQueue, error) {
	answer, err := s.engine.ask(sluice.Query{What: "localQueue", Namespace: seen.Namespace,
		Name: seen.Name})
	if err != nil {
		return nil, err
	}
	wanted := seen.DeepCopy()
	status := &wanted.Status
	status.PendingWorkloads = pendingIn(answer)
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
