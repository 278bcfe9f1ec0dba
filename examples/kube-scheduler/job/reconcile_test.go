// SPDX-License-Identifier: Apache-2.0

package job

import (
	"reflect"
	"testing"

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

// Whoever gates a Job's admission says so at the Job; the workload follows until there is nobody.
func TestAdmissionIsGated(t *testing.T) {
	w := start(t, func(j *batchv1.Job) {
		j.Annotations = map[string]string{workload.AdmissionGatedBy: "example.com/budget"}
	})
	w.settle()
	if why := workload.Gates(w.only()); why != "Admission is gated by: example.com/budget" {
		t.Errorf("it waits for %q", why)
	}
	w.setJob(func(j *batchv1.Job) { j.Annotations[workload.AdmissionGatedBy] = "" })
	w.writes = nil
	w.settle()
	w.did("workload")
	if why := workload.Gates(w.only()); why != "" {
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
