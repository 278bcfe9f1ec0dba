// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"reflect"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// localJob is the Job that a workload stands for; nil: none that is there.
func (m *Manager) localJob(w *workload) *unstructured.Unstructured {
	name := w.job()
	if name == "" {
		return nil
	}
	job := get(m.jobs, types.NamespacedName{Namespace: w.Namespace, Name: name})
	if job == nil || job.GetUID() != w.owner().UID {
		return nil
	}
	return job
}

// unfit says why a workload cannot be dispatched, ever; "": it can, or it is not known yet.
func (m *Manager) unfit(w *workload) string {
	owner := w.owner()
	if owner == nil {
		return "" // only the workload is dispatched: somebody else runs what it stands for
	}
	if !isJob(owner) {
		return fmt.Sprintf("Only Jobs (batch/v1) are dispatched, not %s %s", owner.APIVersion,
			owner.Kind)
	}
	job := m.localJob(w)
	if job == nil {
		return ""
	}
	by, _, _ := unstructured.NestedString(job.Object, "spec", "managedBy")
	if by != kueue.MultiKueueControllerName {
		return fmt.Sprintf("The owner is not managed by Kueue: Expecting spec.managedBy to be %q not %q",
			kueue.MultiKueueControllerName, by)
	}
	return ""
}

// makeJob makes the Job in the worker; one that is there already is done. What the worker has may
// be newer than what was last seen of it, so only the write itself tells.
func (m *Manager) makeJob(ctx context.Context, s *session, w *workload) error {
	if w.owner() == nil {
		return nil
	}
	local := m.localJob(w)
	if local == nil {
		return fmt.Errorf("the job %s/%s is not there", w.Namespace, w.job())
	}
	clone, err := cloneJob(local, m.config.Origin, w.Name)
	if err != nil {
		return err
	}
	jobs := s.objects.Resource(jobResource).Namespace(w.Namespace)
	_, err = jobs.Create(ctx, clone, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	there, err := jobs.Get(ctx, clone.GetName(), metav1.GetOptions{})
	switch {
	case err != nil:
		return err
	case there.GetLabels()[kueue.MultiKueueOriginLabel] != m.config.Origin:
		return fmt.Errorf("there is another job %s/%s, which is not ours", w.Namespace, w.job())
	case there.GetDeletionTimestamp() != nil || workloadOf(there) != w.Name:
		return fmt.Errorf("the job %s/%s of an earlier workload is still there", w.Namespace, w.job())
	}
	return nil
}

// bringBack writes what became of the Job in the worker into the one here; nil: no worker has one.
func (m *Manager) bringBack(ctx context.Context, w *workload,
	remote *unstructured.Unstructured) error {
	local := m.localJob(w)
	if local == nil {
		return nil
	}
	here, err := readJob(local)
	if err != nil {
		return err
	}
	status := idle(here)
	if remote != nil {
		there, err := readJob(remote)
		if err != nil {
			return err
		}
		status = statusBack(here, there)
	}
	if reflect.DeepEqual(status, &here.Status) {
		return nil
	}
	written, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		return err
	}
	local = local.DeepCopy()
	local.Object["status"] = written
	_, err = m.objects.Resource(jobResource).Namespace(w.Namespace).UpdateStatus(ctx, local,
		metav1.UpdateOptions{})
	return err
}

func readJob(object *unstructured.Unstructured) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	return job, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, job)
}

func suspended(job *batchv1.Job) bool { return job.Spec.Suspend != nil && *job.Spec.Suspend }

func jobIs(job *batchv1.Job, condition batchv1.JobConditionType) bool {
	for i := range job.Status.Conditions {
		if c := &job.Status.Conditions[i]; c.Type == condition && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// statusBack is what the status of the Job here should be, given the one in the worker. While this
// one is suspended and that one runs, nothing is told but that this one is suspended: a Job with a
// start time could not be changed any more when it is admitted.
func statusBack(here, there *batchv1.Job) *batchv1.JobStatus {
	finished := jobIs(there, batchv1.JobComplete) || jobIs(there, batchv1.JobFailed)
	if !suspended(here) || suspended(there) || finished {
		return &there.Status
	}
	status := here.Status.DeepCopy()
	if !jobIs(here, batchv1.JobSuspended) {
		now := metav1.Now()
		status.Conditions = append(status.Conditions, batchv1.JobCondition{Type: batchv1.JobSuspended,
			Status: corev1.ConditionTrue, Reason: "Dispatched", LastTransitionTime: now,
			LastProbeTime: now, Message: "It runs in a worker cluster"})
	}
	return status
}

// idle is the status of a suspended Job that no worker has: Kueue waits until no pod is active.
func idle(job *batchv1.Job) *batchv1.JobStatus {
	if !suspended(job) || job.Status.Active == 0 {
		return &job.Status
	}
	status := job.Status.DeepCopy()
	status.Active, status.Ready, status.Terminating = 0, nil, nil
	return status
}
