// SPDX-License-Identifier: Apache-2.0

package job

import (
	"reflect"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

const made = "job-sample-748c3"

func ends(condition batchv1.JobConditionType) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Status.Active = 0
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: condition,
			Status: v1.ConditionTrue, Message: "so it ended"})
	}
}

func runs(j *batchv1.Job) {
	now := metav1.Now()
	j.Status.StartTime, j.Status.Active = &now, 3
}

func idles(j *batchv1.Job) { j.Status.Active = 0 }

// The whole life: made, admitted, run, evicted, admitted again, over.
func TestLife(t *testing.T) {
	w := start(t, nil)
	template := w.job.Spec.Template.DeepCopy()
	w.settle()
	w.did("create " + made)
	one := w.only()
	owner := metav1.GetControllerOfNoCopy(one)
	set := one.Spec.PodSets[0]
	if owner == nil || owner.UID != uid || owner.Kind != "Job" || owner.APIVersion != "batch/v1" ||
		one.Spec.QueueName != "user" || *one.Spec.Priority != 0 || set.Count != 3 ||
		set.Name != "main" || set.MinCount != nil ||
		one.Labels["kueue.x-k8s.io/job-uid"] != string(uid) ||
		!reflect.DeepEqual(one.Finalizers, []string{"kueue.x-k8s.io/resource-in-use"}) ||
		!reflect.DeepEqual(set.Template.Labels, map[string]string{"app": "sample",
			batchv1.JobNameLabel: "sample"}) {
		t.Errorf("the workload is %+v", one)
	}

	w.condition(kueue.WorkloadQuotaReserved, metav1.ConditionFalse)
	w.settle()
	w.did()

	w.admit(3)
	w.settle()
	w.did("job suspend=false")
	if spec := w.job.Spec.Template.Spec; spec.NodeSelector["kind"] != "spot" ||
		spec.Tolerations[0].Key != "spot" ||
		w.job.Spec.Template.Annotations["kueue.x-k8s.io/workload"] != made {
		t.Errorf("it runs with %v", w.job.Spec.Template)
	}
	w.setJob(runs)
	w.settle()
	w.did()

	w.condition(kueue.WorkloadEvicted, metav1.ConditionTrue)
	w.settle()
	w.did("job suspend=true", "job status")
	if Stopped(w.job) {
		t.Error("it is said to be stopped, and its pods run")
	}
	w.setJob(idles)
	w.settle()
	w.did("job suspend=true")
	if !reflect.DeepEqual(&w.job.Spec.Template, template) || w.job.Annotations[stopping] != "" {
		t.Errorf("its template is %v, it was %v", w.job.Spec.Template, template)
	}
	if !Stopped(w.job) {
		t.Error("it is not stopped")
	}

	w.set(func(one *kueue.Workload) {
		one.Status.Admission = nil
		for _, kind := range []string{kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted,
			kueue.WorkloadEvicted} {
			workload.SetCondition(one, kind, metav1.ConditionFalse, "Test", "")
		}
	})
	w.settle()
	w.did()
	w.admit(3)
	w.settle()
	w.did("job suspend=false")
	w.setJob(runs)
	w.setJob(ends(batchv1.JobFailed))
	w.settle()
	w.did("workload status", "workload")
	c := w.only().Status.Conditions
	if last := c[len(c)-1]; last.Type != "Finished" || last.Reason != "Failed" ||
		last.Message != "so it ended" || len(w.only().Finalizers) != 0 {
		t.Errorf("the workload is %+v", w.only())
	}
}

// A leader that dies after each of the three writes of a stop leaves the rest to the next one.
func TestStopInPieces(t *testing.T) {
	for writes := 1; writes < 3; writes++ {
		w := start(t, nil)
		template := w.job.Spec.Template.DeepCopy()
		w.settle()
		w.admit(3)
		w.settle()
		w.setJob(runs)
		w.condition(kueue.WorkloadEvicted, metav1.ConditionTrue)
		j, err := w.PatchJob(t.Context(), w.job, Suspend(w.job))
		if err != nil {
			t.Fatal(err)
		}
		if writes == 2 {
			cleared := j.DeepCopy()
			cleared.Status.StartTime = nil
			if _, err := w.PatchJob(t.Context(), j, cleared, "status"); err != nil {
				t.Fatal(err)
			}
		}
		w.setJob(idles)
		if Suspended(w.job) {
			t.Error("it counts as suspended before its template is restored")
		}
		w.settle()
		if !Suspended(w.job) || !reflect.DeepEqual(&w.job.Spec.Template, template) {
			t.Errorf("after %d writes of another leader: %v", writes, w.job.Spec)
		}
	}
}

// An edit that is taken back while the pods still go leaves a Job that is stopped, and begins anew.
func TestAnEditIsTakenBack(t *testing.T) {
	w := start(t, nil)
	w.settle()
	w.admit(3)
	w.settle()
	w.setJob(runs)
	three, four := int32(3), int32(4)
	w.setJob(func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &four, &four })
	w.settle()
	w.setJob(func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &three, &three })
	w.settle()
	w.writes = nil
	w.setJob(idles)
	w.settle()
	w.did("job suspend=true", "job suspend=false")
	if w.job.Annotations[stopping] != "" {
		t.Error("it is being stopped for ever")
	}
}

func TestPartialAdmission(t *testing.T) {
	w := start(t, func(j *batchv1.Job) {
		j.Annotations = map[string]string{MinParallelism: "1"}
	})
	w.settle()
	if least := w.only().Spec.PodSets[0].MinCount; least == nil || *least != 1 {
		t.Fatalf("minCount is %v", least)
	}
	w.admit(2)
	w.settle()
	w.did("create "+made, "job suspend=false")
	if *w.job.Spec.Parallelism != 2 || *w.job.Spec.Completions != 3 {
		t.Errorf("it runs %d of %d", *w.job.Spec.Parallelism, *w.job.Spec.Completions)
	}
	w.setJob(runs)
	w.condition(kueue.WorkloadEvicted, metav1.ConditionTrue)
	w.settle()
	w.setJob(idles)
	w.settle()
	if *w.job.Spec.Parallelism != 3 {
		t.Errorf("stopped it has a parallelism of %d", *w.job.Spec.Parallelism)
	}
}

// A Job that runs although nothing admitted it is stopped; so is one whose workload was deleted.
func TestRunsUnasked(t *testing.T) {
	w := start(t, func(j *batchv1.Job) { *j.Spec.Suspend = false })
	w.settle()
	w.did("job suspend=true", "job suspend=true", "create "+made)
	w.setJob(func(j *batchv1.Job) { *j.Spec.Suspend = false })
	w.settle()
	w.did("job suspend=true", "job suspend=true")

	w.admit(3)
	w.settle()
	w.setJob(runs)
	w.writes = nil
	if err := w.DeleteWorkload(t.Context(), w.only()); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.did("delete "+made, "job suspend=true", "job status")
	w.setJob(idles)
	w.settle()
	w.did("job suspend=true", "workload", "create "+made)
}

func TestJobChanges(t *testing.T) {
	w := start(t, nil)
	w.settle()
	w.writes = nil
	w.setJob(func(j *batchv1.Job) {
		j.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("2")
		j.Labels[workload.QueueLabel] = "other"
	})
	w.settle()
	w.did("workload")
	cpu := w.only().Spec.PodSets[0].Template.Spec.Containers[0].Resources.Requests["cpu"]
	if cpu.String() != "2" || w.only().Spec.QueueName != "other" {
		t.Errorf("the workload is %v", w.only().Spec)
	}
	w.setJob(func(j *batchv1.Job) { j.Labels[workload.PriorityClassLabel] = "high" })
	w.settle()
	w.did("workload")
	if w.only().Spec.PriorityClassRef.Name != "high" || *w.only().Spec.Priority != 100 {
		t.Errorf("the workload is %v", w.only().Spec)
	}
	// What runs is another than what was admitted: it is stopped, and asks anew.
	w.admit(3)
	w.settle()
	w.setJob(runs)
	w.writes = nil
	w.setJob(func(j *batchv1.Job) { *j.Spec.Parallelism = 2 })
	w.settle()
	w.did("job suspend=true", "job status")
	w.setJob(idles)
	w.settle()
	w.did("job suspend=true", "workload", "delete "+made, "create "+made)
}

func TestPriority(t *testing.T) {
	for class, want := range map[string]string{"": "", "low": "PriorityClass"} {
		w := start(t, func(j *batchv1.Job) { j.Spec.Template.Spec.PriorityClassName = class })
		w.settle()
		kind := ""
		if ref := w.only().Spec.PriorityClassRef; ref != nil {
			kind = string(ref.Kind)
		}
		if kind != want {
			t.Errorf("pods of class %q: %q, want %q", class, kind, want)
		}
	}
	w := start(t, func(j *batchv1.Job) { j.Labels[workload.PriorityClassLabel] = "missing" })
	if err := w.r.Step(t.Context(), key); !apierrors.IsNotFound(err) || len(w.workloads) != 0 {
		t.Errorf("without its class: %v, %v", err, w.workloads)
	}
	if len(w.events) != 1 || w.events[0] != "ErrWorkloadCompose" {
		t.Errorf("it told %v", w.events)
	}
}

func TestPrebuilt(t *testing.T) {
	for name, fits := range map[string]bool{"it fits": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			w := start(t, func(j *batchv1.Job) {
				j.Annotations = map[string]string{workload.Prebuilt: "theirs"}
			})
			w.settle()
			w.did()
			theirs := Workload(w.job, Priority{})
			theirs.Name, theirs.OwnerReferences, theirs.Finalizers = "theirs", nil, nil
			if !fits {
				theirs.Spec.PodSets[0].Count = 7
			}
			theirs.ResourceVersion = w.next()
			w.workloads["theirs"] = theirs
			w.settle()
			if !metav1.IsControlledBy(w.only(), w.job) {
				t.Errorf("its owners are %v", w.only().OwnerReferences)
			}
			if !fits {
				w.did("workload", "workload status")
				c := w.only().Status.Conditions[0]
				if c.Type != "Finished" || c.Reason != "OutOfSync" {
					t.Errorf("its condition is %v", c)
				}
				return
			}
			w.did("workload")
			w.admit(3)
			w.settle()
			w.did("job suspend=false")
		})
	}
}

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

// Whoever gates a Job's admission says so at the Job; the workload follows until there is nobody.
func TestAdmissionIsGated(t *testing.T) {
	w := start(t, func(j *batchv1.Job) {
		j.Annotations = map[string]string{workload.AdmissionGatedBy: "example.com/budget"}
	})
	w.settle()
	if why := workload.Unsupported(w.only()); why != "Admission is gated by: example.com/budget" {
		t.Errorf("it waits for %q", why)
	}
	w.setJob(func(j *batchv1.Job) { j.Annotations[workload.AdmissionGatedBy] = "" })
	w.writes = nil
	w.settle()
	w.did("workload")
	if why := workload.Unsupported(w.only()); why != "" {
		t.Errorf("it waits for %q", why)
	}
}

// What the API server refuses is told, when it is made and when it is edited.
func TestAWorkloadThatIsRefused(t *testing.T) {
	four := func(j *batchv1.Job) { j.Annotations = map[string]string{MinParallelism: "4"} }
	made := start(t, four)
	edited := start(t, nil)
	edited.settle()
	edited.setJob(four)
	for _, w := range []*world{made, edited} {
		w.events = nil
		if err := w.r.Step(t.Context(), key); err == nil ||
			!reflect.DeepEqual(w.events, []string{"ErrWorkloadCompose"}) {
			t.Errorf("it told %v, and returned %v", w.events, err)
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

// A template that cannot take the admission in ends the workload: trying again would not help.
func TestClash(t *testing.T) {
	w := start(t, func(j *batchv1.Job) {
		j.Spec.Template.Spec.NodeSelector = map[string]string{"kind": "mine"}
	})
	w.settle()
	w.admit(3)
	w.settle()
	c := w.only().Status.Conditions
	if last := c[len(c)-1]; last.Type != "Finished" || last.Reason != "FailedToStart" ||
		!*w.job.Spec.Suspend {
		t.Errorf("the workload's last condition is %v", last)
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

func TestAClassHasAnotherValue(t *testing.T) {
	w := start(t, func(j *batchv1.Job) { j.Labels[workload.PriorityClassLabel] = "high" })
	w.settle()
	w.writes = nil
	tend := func() {
		t.Helper()
		if _, err := w.r.Tend(t.Context(), types.NamespacedName{Name: made}); err != nil {
			t.Fatal(err)
		}
	}
	tend()
	w.did()
	before := int32(7)
	w.set(func(one *kueue.Workload) { one.Spec.Priority = &before })
	tend()
	w.did("workload")
	if got := *w.only().Spec.Priority; got != 100 {
		t.Errorf("its priority is %d", got)
	}
	w.set(func(one *kueue.Workload) {
		one.Spec.Priority = &before
		one.Spec.PriorityClassRef = kueue.NewWorkloadPriorityClassRef("missing")
	})
	w.writes = nil
	tend()
	w.did()
}

func TestNoQueue(t *testing.T) {
	w := start(t, func(j *batchv1.Job) { j.Labels = nil })
	w.settle()
	w.did()
}

func TestNamesTwice(t *testing.T) {
	w := start(t, func(j *batchv1.Job) {
		j.Spec.Template.Spec.Containers[0].Env = []v1.EnvVar{{Name: "A", Value: "1"},
			{Name: "B", Value: "2"}, {Name: "A", Value: "3"}}
	})
	w.settle()
	w.did("create " + made)
	want := []v1.EnvVar{{Name: "A", Value: "3"}, {Name: "B", Value: "2"}}
	if env := w.only().Spec.PodSets[0].Template.Spec.Containers[0].Env; !reflect.DeepEqual(env, want) {
		t.Errorf("the variables are %v", env)
	}
}
