// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Workload of a story belongs to an object of a kind that the scheduler does not know, and this
// program is its owner's controller. It reads and writes nothing but the Workload:
//
//	Admitted for a second ............. its job runs, with as many pods as it was given
//	no longer Admitted, evicted, not active .. its pods stop, after their grace period
//	evicted, and stopped .............. Admitted=False: that they are gone, and its quota is free
//	complete, fail, sim.sluice.sh/runs-for .. Finished
//
// The pods themselves are not made.
type workload struct {
	ref       string
	now       *unstructured.Unstructured // nil: it is not there
	job       jobState
	epoch     int // counts the job's changes: what was planned before them is void
	evictions int
}

type jobState int

const (
	jobStopped jobState = iota
	jobStarts
	jobRuns
	jobStops
)

// hasWorkloads tells whether the story has Workloads of its own.
func (s *Scenario) hasWorkloads() bool {
	for ref := range s.Documents {
		if isOf(ref, "workload") {
			return true
		}
	}
	return false
}

func (t *telling) workloadOf(ref string) *workload {
	found := t.workloads[ref]
	if found == nil {
		found = &workload{ref: ref}
		t.workloads[ref] = found
	}
	return found
}

// ownerOfWorkload is who controls it.
func ownerOfWorkload(name string) []any {
	return []any{object{
		"apiVersion": "sluice/v1", "kind": "Scenario", "name": name, "uid": ownerUID(name),
		"controller": true,
	}}
}

// createWorkload creates a Workload at the story's time.
func (t *telling) createWorkload(of *unstructured.Unstructured, status *Tree) error {
	if err := t.ensureNamespace(of.GetNamespace()); err != nil {
		return err
	}
	t.letBeSeen()
	how := born{at: t.clock.Wall().Truncate(time.Second), uid: t.nextUID()}
	if said, ok := status.plainMap(); ok {
		how.status = func(now object) {
			for key, value := range said {
				now[key] = value
			}
		}
	}
	return t.store.create(t.ctx, kinds["workload"], of, how)
}

// fillPriority writes the value of a Workload's WorkloadPriorityClass into it, as its owner's
// controller would.
func (t *telling) fillPriority(of *unstructured.Unstructured) error {
	name, named, _ := unstructured.NestedString(of.Object, "spec", "priorityClassRef", "name")
	if _, said := child(of.Object, "spec")["priority"]; said || !named {
		return nil
	}
	class, err := t.clientFor(kinds["workloadpriorityclass"], "").Get(t.ctx, name,
		metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	child(of.Object, "spec")["priority"] = class.Object["value"]
	return nil
}

// hearWorkload looks at a change of a Workload, and for what must never be.
func (t *telling) hearWorkload(one news) {
	t.heardOfWorkload(one.workload)
	if err := t.sawWorkload(one.workload, one.gone); err != nil {
		t.fail(err)
	}
	t.expectations.sawWorkloadState(t, RefOf("workload", one.workload.GetNamespace(),
		one.workload.GetName()))
}

// sawWorkload follows a change of a Workload.
func (t *telling) sawWorkload(now *unstructured.Unstructured, gone bool) error {
	l := t.workloadOf(RefOf("workload", now.GetNamespace(), now.GetName()))
	if l.now != nil && l.now.GetUID() != now.GetUID() {
		if gone {
			return nil // another one of its name is there already
		}
		l.now = nil
	}
	if gone || l.now == nil {
		l.epoch++
		l.job = jobStopped
	}
	before := l.now
	l.now = now
	if gone {
		l.now = nil
		t.tell("%s is gone", l.ref)
		return nil
	}
	t.tellWorkload(before, l)
	reason := conditionOf(now, "Evicted", "reason")
	was := conditionOf(before, "Evicted", "reason")
	if conditionIs(now, "Evicted") && (!conditionIs(before, "Evicted") || reason != was) {
		l.evictions++
	}
	return t.followWorkload(l)
}

func (l *workload) shallRun() bool {
	return conditionIs(l.now, "Admitted") && !conditionIs(l.now, "Evicted") && l.isActive()
}

func (l *workload) isActive() bool {
	active, said, _ := unstructured.NestedBool(l.now.Object, "spec", "active")
	return active || !said
}

func (t *telling) plan(l *workload, after time.Duration, act func(*workload) error) {
	l.epoch++
	epoch := l.epoch
	t.timers.at(t.clock.Now()+after, func() error {
		if epoch != l.epoch {
			return nil
		}
		return act(l)
	})
}

func (t *telling) followWorkload(l *workload) error {
	if conditionIs(l.now, "Finished") {
		return nil
	}
	shall := l.shallRun()
	switch {
	case shall && l.job == jobStopped:
		l.job = jobStarts
		t.plan(l, startsAfter, t.jobRuns)
	case !shall && l.job == jobStarts:
		l.epoch++
		l.job = jobStopped
	case !shall && l.job == jobRuns:
		grace := l.grace()
		t.tell("%s stops, its pods have %v to end", l.ref, grace)
		l.job = jobStops
		t.plan(l, grace, t.jobHasStopped)
	}
	if l.job == jobStopped && conditionIs(l.now, "Evicted") && conditionIs(l.now, "Admitted") {
		return t.writeWorkload(l.ref, func(status object) {
			t.setCondition(status, "Admitted", false, "NoReservation", "Its pods are gone")
		})
	}
	return nil
}

func (t *telling) jobRuns(l *workload) error {
	t.tell("%s runs, %s pods", l.ref, number(l.count()))
	l.job = jobRuns
	text := l.now.GetAnnotations()[runsFor]
	if text == "" {
		return nil
	}
	length, err := (&Tree{Type: Text, Key: runsFor, Text: text}).AsDuration()
	if err != nil {
		return err
	}
	t.plan(l, length, func(l *workload) error { return t.finishWorkload(l, "Succeeded") })
	return nil
}

func (t *telling) jobHasStopped(l *workload) error {
	t.tell("%s: its pods are gone", l.ref)
	l.job = jobStopped
	return t.followWorkload(l)
}

func (t *telling) finishWorkload(l *workload, reason string) error {
	t.tell("%s is over: %s", l.ref, reason)
	l.epoch++
	l.job = jobStopped
	return t.writeWorkload(l.ref, func(status object) {
		t.setCondition(status, "Finished", true, reason, "Its job has ended")
	})
}

// endWorkload lets its job end: Succeeded or Failed.
func (t *telling) endWorkload(where *Tree, ref, reason string) error {
	if l := t.workloads[ref]; l != nil && l.now != nil && l.job == jobRuns {
		return t.finishWorkload(l, reason)
	}
	return where.Say("%s cannot end: it does not run at that time", ref)
}

// count is how many pods it was admitted with.
func (l *workload) count() int64 {
	var sum int64
	for _, set := range l.assignments() {
		count, _ := set["count"].(int64)
		sum += count
	}
	return sum
}

func (l *workload) assignments() (sets []object) {
	list, _, _ := unstructured.NestedSlice(l.now.Object, "status", "admission", "podSetAssignments")
	for _, each := range list {
		if set, ok := each.(object); ok {
			sets = append(sets, set)
		}
	}
	return sets
}

// grace is the longest of its pods.
func (l *workload) grace() time.Duration {
	var longest time.Duration
	sets, _, _ := unstructured.NestedSlice(l.now.Object, "spec", "podSets")
	for _, each := range sets {
		set, _ := each.(object)
		grace := usualGrace
		seconds, said, _ := unstructured.NestedInt64(set, "template", "spec",
			"terminationGracePeriodSeconds")
		if said {
			grace = time.Duration(seconds) * time.Second
		}
		longest = max(longest, grace)
	}
	return longest
}

// writeWorkload changes a status, as one of many who write into it.
func (t *telling) writeWorkload(ref string, change func(status object)) error {
	_, namespace, name := SplitRef(ref)
	client := t.clientFor(kinds["workload"], namespace)
	t.busy()
	for {
		now, err := client.Get(t.ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		change(child(now.Object, "status"))
		written, err := client.UpdateStatus(t.ctx, now, metav1.UpdateOptions{})
		switch {
		case err == nil:
			t.wrote = time.Now()
			t.heardOfWorkload(written)
			return nil
		case apierrors.IsNotFound(err):
			return nil
		case !apierrors.IsConflict(err):
			return fmt.Errorf("the status of %s: %w", ref, err)
		}
	}
}

// tellWorkload says what is new about a Workload.
func (t *telling) tellWorkload(before *unstructured.Unstructured, l *workload) {
	if t.out == nil {
		return
	}
	if before == nil {
		t.tell("%s is created", l.ref)
	}
	conditions, _, _ := unstructured.NestedSlice(l.now.Object, "status", "conditions")
	for _, each := range conditions {
		one, _ := each.(object)
		kind, _ := one["type"].(string)
		now := fmt.Sprintf("%v, %v", one["status"], one["reason"])
		was := conditionOf(before, kind, "status") + ", " + conditionOf(before, kind, "reason")
		if now != was {
			t.tell("%s %s=%s: %v", l.ref, kind, now, one["message"])
		}
	}
	if flavor := l.flavors(""); flavor != "" && (before == nil ||
		(&workload{now: before}).flavors("") != flavor) {
		t.tell("%s is given %s", l.ref, flavor)
	}
}

// flavors are all that it was given, or the one of a resource.
func (l *workload) flavors(resource string) string {
	var names []string
	for _, set := range l.assignments() {
		flavors, _ := set["flavors"].(object)
		if resource != "" {
			if name, _ := flavors[resource].(string); name != "" {
				return name
			}
			continue
		}
		for _, key := range sortedKeys(flavors) {
			name := fmt.Sprint(flavors[key])
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}
