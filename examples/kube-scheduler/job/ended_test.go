// SPDX-License-Identifier: Apache-2.0

package job

import (
	"reflect"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

func TestReclaimable(t *testing.T) {
	w := start(t, nil)
	w.settle()
	w.admit(3)
	w.settle()
	w.setJob(runs)
	w.writes = nil
	w.setJob(func(j *batchv1.Job) { j.Status.Succeeded, j.Status.Active = 1, 2 })
	w.settle()
	w.did("workload status")
	if got := w.only().Status.ReclaimablePods; len(got) != 1 || got[0].Count != 1 ||
		got[0].Name != "main" {
		t.Errorf("reclaimable are %v", got)
	}
}

// A Job that is edited after it was stopped needs other pods than before.
func TestReclaimableOfAnEditedJob(t *testing.T) {
	ten, two, one := int32(10), int32(2), int32(1)
	w := start(t, func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &ten, &ten })
	w.settle()
	w.admit(10)
	w.settle()
	w.setJob(func(j *batchv1.Job) { j.Status.Succeeded, j.Status.Active = 8, 2 })
	w.settle()
	w.condition(kueue.WorkloadEvicted, metav1.ConditionTrue)
	w.setJob(idles)
	w.settle()
	w.set(func(one *kueue.Workload) {
		one.Status.Admission = nil
		for _, kind := range []string{kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted} {
			workload.SetCondition(one, kind, metav1.ConditionFalse, "Test", "")
		}
	})
	for _, c := range []struct {
		parallelism *int32
		want        []kueue.ReclaimablePod
	}{{&two, nil}, {&ten, []kueue.ReclaimablePod{{Name: "main", Count: 8}}}, {&one, nil}} {
		w.setJob(func(j *batchv1.Job) { j.Spec.Parallelism = c.parallelism })
		w.settle()
		if got := w.only().Status.ReclaimablePods; !reflect.DeepEqual(got, c.want) {
			t.Errorf("with %d pods at a time %v are needed no more", *c.parallelism, got)
		}
	}
}

// An index that is asked for no more is nothing that was reached.
func TestReclaimableOfAnIndexedJob(t *testing.T) {
	four, indexed := int32(4), batchv1.IndexedCompletion
	for indexes, want := range map[string][]kueue.ReclaimablePod{
		"": nil, "5-7": nil, "0,2-9": {{Name: "main", Count: 3}}, "3": {{Name: "main", Count: 1}},
		"1,x-2,5": {{Name: "main", Count: 1}},
	} {
		got := Reclaimable(&batchv1.Job{
			Spec:   batchv1.JobSpec{Parallelism: &four, Completions: &four, CompletionMode: &indexed},
			Status: batchv1.JobStatus{CompletedIndexes: indexes, Succeeded: 4}})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("of %q %v are needed no more, want %v", indexes, got, want)
		}
	}
}

// A class that does not exist, or comes too late, keeps no Job from being stopped.
func TestStopsWithoutItsClass(t *testing.T) {
	for _, class := range []string{"missing", "high"} {
		w := start(t, nil)
		w.settle()
		w.admit(3)
		w.settle()
		w.setJob(func(j *batchv1.Job) { j.Labels[workload.PriorityClassLabel] = class })
		w.condition(kueue.WorkloadEvicted, metav1.ConditionTrue)
		w.events = nil
		w.settle()
		if !Stopped(w.job) || w.events[0] != "ErrWorkloadCompose" {
			t.Errorf("%s: suspend is %v; it told %v", class, *w.job.Spec.Suspend, w.events)
		}
	}
}

// A Job that is gone lets its workload go, and gives its quota back at once.
func TestJobIsGone(t *testing.T) {
	w := start(t, nil)
	w.settle()
	w.admit(3)
	w.settle()
	w.writes, w.job, w.late = nil, nil, true
	w.settle()
	w.did()
	w.late = false
	w.settle()
	w.did("workload status", "workload")
	if !workload.Finished(w.only()) || len(w.only().Finalizers) != 0 {
		t.Errorf("the workload is %+v", w.only())
	}
}

// A Job that takes the place of another one of its name leaves it no quota, and no finalizer.
func TestAnotherJobOfItsName(t *testing.T) {
	for _, label := range []string{"user", ""} {
		w := start(t, nil)
		w.settle()
		w.admit(3)
		w.settle()
		w.setJob(func(j *batchv1.Job) {
			j.UID, j.Labels[workload.QueueLabel] = "another", label
			suspend := true
			j.Spec.Suspend = &suspend
		})
		w.writes = nil
		w.settle()
		old := w.workloads[made]
		if old == nil || !workload.Finished(old) || len(old.Finalizers) != 0 {
			t.Errorf("the workload of the one before is %+v", old)
		}
		if count := len(w.workloads); label != "" && count != 2 {
			t.Errorf("there are %d workloads", count)
		}
	}
}

// It runs no longer than it may, and not again before somebody says so.
func TestOutOfTime(t *testing.T) {
	w := start(t, func(j *batchv1.Job) { j.Labels[workload.MaxExecTimeLabel] = "60" })
	tend := func(want time.Duration, writes ...string) {
		t.Helper()
		w.writes = nil
		again, err := w.r.Tend(t.Context(), types.NamespacedName{Name: made})
		if err != nil || again.Round(time.Second) != want {
			t.Errorf("it is looked at after %v: %v", again, err)
		}
		w.did(writes...)
	}
	w.settle()
	w.now = time.Now()
	tend(0)
	w.admit(3)
	tend(time.Minute)
	before := int32(20)
	w.set(func(one *kueue.Workload) { one.Status.AccumulatedPastExecutionTimeSeconds = &before })
	w.now = w.now.Add(30 * time.Second)
	tend(10 * time.Second)
	w.now = w.now.Add(11 * time.Second)
	tend(0, "workload status")
	one := w.only()
	if c := one.Status.Conditions; c[len(c)-1].Type != "DeactivationTarget" ||
		c[len(c)-1].Reason != "MaximumExecutionTimeExceeded" ||
		one.Status.AccumulatedPastExecutionTimeSeconds != nil {
		t.Errorf("the status is %+v", one.Status)
	}
	if !slices.Contains(w.events, "MaximumExecutionTimeExceeded") {
		t.Errorf("the events are %v", w.events)
	}
	tend(0)
}

func TestNobodyOwnsIt(t *testing.T) {
	w := start(t, nil)
	w.settle()
	now := metav1.Now()
	w.set(func(one *kueue.Workload) { one.OwnerReferences = nil; one.DeletionTimestamp = &now })
	if _, err := w.r.Tend(t.Context(), types.NamespacedName{Name: made}); err != nil {
		t.Fatal(err)
	}
	if len(w.workloads) != 0 {
		t.Errorf("it stays: %v", w.only())
	}
}

// kubectl delete job --cascade=orphan leaves a workload without an owner.
func TestItsJobLeftItBehind(t *testing.T) {
	w := start(t, nil)
	w.settle()
	w.admit(3)
	w.set(func(one *kueue.Workload) { one.OwnerReferences = nil })
	if _, err := w.r.Tend(t.Context(), types.NamespacedName{Name: made}); err != nil {
		t.Fatal(err)
	}
	if !workload.Finished(w.only()) {
		t.Errorf("it holds its quota for ever: %+v", w.only().Status)
	}
}
