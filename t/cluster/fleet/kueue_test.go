// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// kueue plays what Kueue does with the workloads of a cluster, as its conditions say it.
type kueue struct {
	*fleet
	cluster *cluster
	step    func(w *unstructured.Unstructured) bool // whether it changed the status

	mutex sync.Mutex
	first map[types.UID]time.Time
	plans map[string]plan
	marks map[string]time.Time // of an event of a workload: when it was played
	times map[string]int       // by workload and event
}

// plan is what a worker does with a workload. Times count from when it is first seen there.
type plan struct {
	ignore  bool          // it finds no place for it
	signal  time.Duration // it would have to preempt, and says so then; 0: it need not
	admit   time.Duration // how long it takes from then, or from the opening, to admission
	stuck   bool          // preempts, and never gets what it preempted for
	evictAt time.Duration // it evicts what it has admitted
}

// play goes on until the test ends.
func (f *fleet) play(c *cluster, step func(k *kueue, w *unstructured.Unstructured) bool) *kueue {
	k := &kueue{fleet: f, cluster: c, first: map[types.UID]time.Time{}, plans: map[string]plan{},
		marks: map[string]time.Time{}, times: map[string]int{}}
	k.step = func(w *unstructured.Unstructured) bool { return step(k, w) }
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			k.round(ctx)
			time.Sleep(50 * time.Millisecond)
		}
	})
	f.Cleanup(func() {
		stop()
		done.Wait()
	})
	return k
}

func (k *kueue) round(ctx context.Context) {
	list, err := k.cluster.workloads().List(ctx, metav1.ListOptions{})
	if err != nil {
		return // the cluster is away
	}
	for i := range list.Items {
		w := &list.Items[i]
		if w.GetDeletionTimestamp() != nil || is(w, "Finished") {
			continue
		}
		k.mutex.Lock()
		if k.first[w.GetUID()].IsZero() {
			k.first[w.GetUID()] = time.Now()
		}
		changed := k.step(w)
		k.mutex.Unlock()
		if !changed {
			continue
		}
		_, err := k.cluster.workloads().UpdateStatus(ctx, w, metav1.UpdateOptions{})
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			// An API server that dies or has just come back refuses; the next round tries again, and
			// a story that needs the write does not go on without it.
			k.tell("%s: the status of %s: %v", k.cluster.Name, w.GetName(), err)
		}
	}
}

func (k *kueue) plan(workload string, p plan) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.plans[workload] = p
}

// mark tells once that something is played, and when.
func (k *kueue) mark(w *unstructured.Unstructured, what string) time.Time {
	key := string(w.GetUID()) + "/" + what
	if at := k.marks[key]; !at.IsZero() {
		return at
	}
	now := time.Now()
	k.marks[key] = now
	k.times[w.GetName()+" "+what]++
	k.tell("%s: %s %s", k.cluster.Name, w.GetName(), what)
	return now
}

// played is how often that was.
func (k *kueue) played(workload, what string) int {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.times[workload+" "+what]
}

func (k *kueue) awaitPlayed(on *fleet, workload, what string) {
	on.Helper()
	on.await(k.cluster.Name+": "+workload+" "+what, func() error {
		if k.played(workload, what) == 0 {
			return errors.New("not yet")
		}
		return nil
	})
}

func set(w *unstructured.Unstructured, kind, status, reason string) bool {
	if condition(w, kind)["status"] == status {
		return false
	}
	list, _, _ := unstructured.NestedSlice(w.Object, "status", "conditions")
	list = slices.DeleteFunc(list, func(one any) bool { return one.(map[string]any)["type"] == kind })
	list = append(list, map[string]any{"type": kind, "status": status, "reason": reason,
		"message": "", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)})
	return unstructured.SetNestedSlice(w.Object, list, "status", "conditions") == nil
}

func reserve(w *unstructured.Unstructured) {
	set(w, "QuotaReserved", "True", "QuotaReserved")
	_ = unstructured.SetNestedMap(w.Object, map[string]any{"clusterQueue": "cq",
		"podSetAssignments": []any{map[string]any{"name": "main", "count": int64(1)}}},
		"status", "admission")
}

// position of the gate of ours; "": it has none in its status.
func position(w *unstructured.Unstructured) string {
	list, _, _ := unstructured.NestedSlice(w.Object, "status", "preemptionGates")
	for _, one := range list {
		if gate := one.(map[string]any); gate["name"] == gateName {
			return gate["position"].(string)
		}
	}
	return ""
}

func gated(w *unstructured.Unstructured) bool {
	list, _, _ := unstructured.NestedSlice(w.Object, "spec", "preemptionGates")
	return len(list) == 1 && list[0].(map[string]any)["name"] == gateName
}

// worker is a step of Kueue in a worker.
func worker(k *kueue, w *unstructured.Unstructured) bool {
	p, since := k.plans[w.GetName()], time.Since(k.first[w.GetUID()])
	switch {
	case p.ignore:
		return false
	case is(w, "Admitted"):
		if p.evictAt == 0 || since < p.evictAt {
			return false
		}
		k.mark(w, "evicts")
		set(w, "Evicted", "True", "Preempted")
		set(w, "Admitted", "False", "NoReservation")
		return set(w, "QuotaReserved", "False", "Pending")
	case is(w, "Evicted"):
		return false
	}
	ready := p.admit
	if p.signal > 0 {
		if since < p.signal {
			return false
		}
		if gated(w) && position(w) != "Open" {
			k.mark(w, "signals that it would preempt")
			return set(w, "BlockedOnPreemptionGates", "True", "PreemptionGated")
		}
		preempts := k.mark(w, "preempts")
		ready = p.admit + preempts.Sub(k.first[w.GetUID()])
	}
	if p.stuck || since < ready {
		return false
	}
	k.mark(w, "admits")
	set(w, "BlockedOnPreemptionGates", "False", "Reserved")
	reserve(w)
	return set(w, "Admitted", "True", "Admitted")
}

// manager is a step of Kueue in the manager's cluster.
func manager(k *kueue, w *unstructured.Unstructured) bool {
	check := state(w)
	switch {
	case is(w, "Evicted") && !is(w, "QuotaReserved"):
		k.mark(w, "is queued again")
		return set(w, "Evicted", "False", "Requeued")
	case !is(w, "QuotaReserved"):
		reserve(w)
		return setState(w, "Pending")
	case check == "Ready":
		return set(w, "Admitted", "True", "Admitted")
	case check == "Retry":
		k.mark(w, "is evicted")
		set(w, "Evicted", "True", "AdmissionCheck")
		set(w, "Admitted", "False", "NoReservation")
		set(w, "QuotaReserved", "False", "Pending")
		unstructured.RemoveNestedField(w.Object, "status", "admission")
		unstructured.RemoveNestedField(w.Object, "status", "clusterName")
		unstructured.RemoveNestedField(w.Object, "status", "nominatedClusterNames")
		return setState(w, "Pending")
	}
	return false
}

// state of our check; "": the workload has none.
func state(w *unstructured.Unstructured) string {
	list, _, _ := unstructured.NestedSlice(w.Object, "status", "admissionChecks")
	for _, one := range list {
		if check := one.(map[string]any); check["name"] == checkName {
			return check["state"].(string)
		}
	}
	return ""
}

func setState(w *unstructured.Unstructured, state string) bool {
	return unstructured.SetNestedSlice(w.Object, []any{map[string]any{"name": checkName,
		"state": state, "message": "", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}},
		"status", "admissionChecks") == nil
}
