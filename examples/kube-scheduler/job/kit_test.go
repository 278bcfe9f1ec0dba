// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

const uid = types.UID("8c1b6e0a-0000-4000-8000-000000000001")

var key = types.NamespacedName{Namespace: "default", Name: "sample"}

// world is a cluster that obeys the API server's rules about Jobs.
type world struct {
	*testing.T
	r         *Reconciler
	version   int
	job       *batchv1.Job
	workloads map[string]*kueue.Workload
	writes    []string
	events    []string
	now       time.Time
	late      bool // the news of the Job has not come yet
}

func start(t *testing.T, change func(*batchv1.Job)) *world {
	w := &world{T: t, workloads: map[string]*kueue.Workload{}}
	w.r = &Reconciler{w, w, func() time.Time { return w.now }}
	suspend, three := true, int32(3)
	w.job = &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: uid,
			ResourceVersion: "1", Labels: map[string]string{workload.QueueLabel: "user"}},
		Spec: batchv1.JobSpec{Suspend: &suspend, Parallelism: &three, Completions: &three,
			Template: v1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "sample",
					batchv1.JobNameLabel: key.Name, batchv1.ControllerUidLabel: string(uid)}},
				Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c",
					Resources: v1.ResourceRequirements{
						Requests: v1.ResourceList{"cpu": resource.MustParse("1")}}}}}}},
	}
	if change != nil {
		change(w.job)
	}
	return w
}

func (w *world) next() string { w.version++; return strconv.Itoa(w.version + 1) }

func (w *world) wrote(format string, values ...any) {
	w.writes = append(w.writes, fmt.Sprintf(format, values...))
}

// settle takes steps until nothing is written any more.
func (w *world) settle() {
	w.Helper()
	for range 20 {
		before := len(w.writes)
		if err := w.r.Step(w.Context(), key); err != nil {
			w.Fatalf("after %v: %v", w.writes, err)
		}
		if len(w.writes) == before {
			return
		}
	}
	w.Fatalf("it writes for ever: %v", w.writes)
}

// did takes what was written since it was last asked.
func (w *world) did(want ...string) {
	w.Helper()
	if !slices.Equal(w.writes, want) {
		w.Errorf("it wrote\n%q, want\n%q", w.writes, want)
	}
	w.writes = nil
}

// only is the one workload that is there.
func (w *world) only() *kueue.Workload {
	w.Helper()
	if len(w.workloads) != 1 {
		w.Fatalf("there are %d workloads", len(w.workloads))
	}
	for _, one := range w.workloads {
		return one
	}
	return nil
}

// set is what the engine, or a user, does to the one workload.
func (w *world) set(change func(*kueue.Workload)) {
	w.Helper()
	changed := w.only().DeepCopy()
	change(changed)
	changed.ResourceVersion = w.next()
	w.workloads[changed.Name] = changed
}

func (w *world) setJob(change func(*batchv1.Job)) {
	changed := w.job.DeepCopy()
	change(changed)
	changed.ResourceVersion = w.next()
	w.job = changed
}

func (w *world) condition(kind string, status metav1.ConditionStatus) {
	w.Helper()
	w.set(func(one *kueue.Workload) { workload.SetCondition(one, kind, status, "Test", "test") })
}

func (w *world) admit(count int32) {
	w.Helper()
	w.set(func(one *kueue.Workload) {
		one.Status.Admission = &kueue.Admission{ClusterQueue: "team",
			PodSetAssignments: []kueue.PodSetAssignment{{Name: "main", Count: &count,
				Flavors: map[v1.ResourceName]kueue.ResourceFlavorReference{"cpu": "spot"}}}}
		workload.SetCondition(one, kueue.WorkloadQuotaReserved, metav1.ConditionTrue, "Test", "")
		workload.SetCondition(one, kueue.WorkloadAdmitted, metav1.ConditionTrue, "Test", "")
	})
}

func (w *world) Job(name types.NamespacedName) *batchv1.Job {
	if w.job == nil || name != key {
		return nil
	}
	return w.job
}

func (w *world) Workload(name types.NamespacedName) *kueue.Workload {
	return w.workloads[name.Name]
}

func (w *world) Owned(_ string, job types.UID) (owned []*kueue.Workload) {
	for _, one := range w.workloads {
		if owner := metav1.GetControllerOfNoCopy(one); owner != nil && owner.UID == job {
			owned = append(owned, one)
		}
	}
	return owned
}

func (w *world) OwnedByName(job types.NamespacedName) (owned []*kueue.Workload) {
	for _, one := range w.workloads {
		if owner := metav1.GetControllerOfNoCopy(one); owner != nil && owner.Name == job.Name {
			owned = append(owned, one)
		}
	}
	return owned
}

func (w *world) Flavor(name string) *kueue.ResourceFlavor {
	return &kueue.ResourceFlavor{Spec: kueue.ResourceFlavorSpec{
		NodeLabels:  map[string]string{"kind": name},
		Tolerations: []v1.Toleration{{Key: name, Operator: v1.TolerationOpExists}}}}
}

func (w *world) Priority(class string, ofWorkloads bool) (Priority, error) {
	switch {
	case class == "":
		return Priority{}, nil
	case class == "missing":
		return Priority{}, apierrors.NewNotFound(v1.Resource("priorityclasses"), class)
	case ofWorkloads:
		return Priority{kueue.NewWorkloadPriorityClassRef(class), 100}, nil
	}
	return Priority{kueue.NewPodPriorityClassRef(class), 10}, nil
}

func (w *world) ManagedAbove(metav1.Object) bool { return false }

func (w *world) PatchJob(_ context.Context, seen, wanted *batchv1.Job, sub ...string) (
	*batchv1.Job, error) {
	if seen.ResourceVersion != w.job.ResourceVersion {
		return nil, apierrors.NewConflict(batchv1.Resource("jobs"), seen.Name, nil)
	}
	now := w.job.DeepCopy()
	if len(sub) > 0 {
		now.Status = wanted.Status
		w.wrote("job status")
	} else {
		wasSuspended := now.Spec.Suspend != nil && *now.Spec.Suspend
		template := wanted.Spec.Template.DeepCopy()
		if fmt.Sprint(now.Spec.Template) != fmt.Sprint(*template) &&
			(!wasSuspended || now.Status.StartTime != nil || now.Status.Active > 0) {
			w.Errorf("the API server refuses another template now")
		}
		now.Spec, now.Labels, now.Annotations = wanted.Spec, wanted.Labels, wanted.Annotations
		w.wrote("job suspend=%t", *now.Spec.Suspend)
	}
	now.ResourceVersion = w.next()
	w.job = now
	return now, nil
}

func (w *world) PatchWorkload(_ context.Context, seen, wanted *kueue.Workload,
	sub ...string) error {
	now := w.workloads[seen.Name]
	if now == nil || now.ResourceVersion != seen.ResourceVersion {
		return apierrors.NewConflict(kueue.Resource("workloads"), seen.Name, nil)
	}
	if err := invalid(wanted); err != nil {
		return err
	}
	if workload.Reserved(now) && (now.Spec.PriorityClassRef == nil) !=
		(wanted.Spec.PriorityClassRef == nil) {
		return apierrors.NewInvalid(kueue.SchemeGroupVersion.WithKind("Workload").GroupKind(),
			now.Name, nil)
	}
	next := now.DeepCopy()
	if len(sub) > 0 {
		next.Status = wanted.Status
		w.wrote("workload status")
	} else {
		status := next.Status
		next = wanted.DeepCopy()
		next.Status = status
		w.wrote("workload")
	}
	next.ResourceVersion = w.next()
	w.workloads[next.Name] = next
	if next.DeletionTimestamp != nil && len(next.Finalizers) == 0 {
		delete(w.workloads, next.Name)
	}
	return nil
}

// invalid is what the definition of Workloads refuses.
func invalid(one *kueue.Workload) error {
	for i := range one.Spec.PodSets {
		if set := &one.Spec.PodSets[i]; set.MinCount != nil && *set.MinCount > set.Count {
			return apierrors.NewInvalid(kueue.SchemeGroupVersion.WithKind("Workload").GroupKind(),
				one.Name, nil)
		}
	}
	return nil
}

func (w *world) CreateWorkload(_ context.Context, one *kueue.Workload) error {
	if err := invalid(one); err != nil {
		return err
	}
	if w.workloads[one.Name] != nil {
		return apierrors.NewAlreadyExists(kueue.Resource("workloads"), one.Name)
	}
	made := one.DeepCopy()
	made.ResourceVersion = w.next()
	w.workloads[one.Name] = made
	w.wrote("create %s", one.Name)
	return nil
}

func (w *world) DeleteWorkload(_ context.Context, one *kueue.Workload) error {
	now := w.workloads[one.Name]
	if now == nil {
		return apierrors.NewNotFound(kueue.Resource("workloads"), one.Name)
	}
	w.wrote("delete %s", one.Name)
	if len(now.Finalizers) > 0 {
		w.set(func(one *kueue.Workload) { t := metav1.Now(); one.DeletionTimestamp = &t })
		return nil
	}
	delete(w.workloads, one.Name)
	return nil
}

func (w *world) JobIsThere(_ context.Context, _ types.NamespacedName, uid types.UID) (bool, error) {
	return w.late || w.job != nil && w.job.UID == uid, nil
}

func (w *world) Tell(_ runtime.Object, _, reason, _ string) { w.events = append(w.events, reason) }
