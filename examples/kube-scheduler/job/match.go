// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

// workloadOf is the one workload that stands for the Job; nil: there is none that does. What else
// claims to is deleted, or made to. It returns whether it wrote: then the rest has to wait.
func (r *Reconciler) workloadOf(ctx context.Context, j *batchv1.Job) (w *kueue.Workload,
	wrote bool, err error) {
	if name := workload.PrebuiltName(j); name != "" {
		return r.prebuilt(ctx, j, name)
	}
	var others []*kueue.Workload
	for _, one := range r.Cluster.Owned(j.Namespace, j.UID) {
		if w == nil && Matches(j, one, r.Cluster.Flavor) {
			w = one
		} else {
			others = append(others, one)
		}
	}
	if len(others) == 0 {
		if w == nil {
			return nil, false, nil
		}
		if wrote, err = r.regate(ctx, j, w); !wrote && err == nil {
			wrote, err = r.reprioritize(ctx, j, w)
		}
		return w, wrote, err
	}
	_, _, ended := Ended(j)
	if w == nil && !Suspended(j) && !ended {
		if _, err := r.stop(ctx, j, others[0], "No matching Workload; restoring pod templates "+
			"according to existent Workload"); err != nil {
			return nil, true, err
		}
		return nil, true, nil
	}
	if w == nil && Suspended(j) && !workload.Reserved(others[0]) &&
		others[0].DeletionTimestamp == nil && !workload.Finished(others[0]) {
		wrote, err := r.rewrite(ctx, j, others[0])
		return nil, wrote, err
	}
	for _, one := range others {
		if err := r.remove(ctx, j, one); err != nil {
			return nil, true, err
		}
	}
	return nil, true, nil
}

// remove deletes a workload that does not stand for the Job.
func (r *Reconciler) remove(ctx context.Context, j *batchv1.Job, w *kueue.Workload) error {
	if err := r.release(ctx, w); err != nil || w.DeletionTimestamp != nil {
		return err
	}
	if err := gone(r.Writer.DeleteWorkload(ctx, w)); err != nil {
		return err
	}
	r.Writer.Tell(j, v1.EventTypeNormal, "DeletedWorkload",
		fmt.Sprintf("Deleted not matching Workload: %s/%s", w.Namespace, w.Name))
	return nil
}

// rewrite makes a workload that holds nothing yet say what the Job says now.
func (r *Reconciler) rewrite(ctx context.Context, j *batchv1.Job, w *kueue.Workload) (bool, error) {
	priority, err := r.priority(j)
	if err != nil {
		return false, err
	}
	wanted := w.DeepCopy()
	active, gates := w.Spec.Active, w.Spec.PreemptionGates
	wanted.Spec = Workload(j, priority).Spec
	wanted.Spec.Active, wanted.Spec.PreemptionGates = active, gates
	if err := r.Writer.PatchWorkload(ctx, w, wanted); err != nil {
		return true, r.refused(j, err)
	}
	r.Writer.Tell(j, v1.EventTypeNormal, "UpdatedWorkload",
		fmt.Sprintf("Updated not matching Workload for suspended job: %s/%s", w.Namespace, w.Name))
	return true, nil
}

// regate follows the Job's annotation: who gates the admission of its workload.
func (r *Reconciler) regate(ctx context.Context, j *batchv1.Job, w *kueue.Workload) (bool, error) {
	by := j.Annotations[workload.AdmissionGatedBy]
	if by == w.Annotations[workload.AdmissionGatedBy] || workload.Finished(w) ||
		w.DeletionTimestamp != nil {
		return false, nil
	}
	wanted := w.DeepCopy()
	delete(wanted.Annotations, workload.AdmissionGatedBy)
	if by != "" {
		metav1.SetMetaDataAnnotation(&wanted.ObjectMeta, workload.AdmissionGatedBy, by)
	}
	if err := r.Writer.PatchWorkload(ctx, w, wanted); err != nil {
		return true, err
	}
	r.Writer.Tell(j, v1.EventTypeNormal, "UpdatedWorkload",
		fmt.Sprintf("Updated workload AdmissionGatedBy to %q", by))
	return true, nil
}

// reprioritize follows the Job's label: another class of workloads, or one where there was none. A
// class that does not exist, or that the API server refuses for what runs, is told, and changes
// nothing: whatever its class, a Job must be stopped when its workload is evicted.
func (r *Reconciler) reprioritize(ctx context.Context, j *batchv1.Job, w *kueue.Workload) (
	bool, error) {
	class, ofWorkloads := PriorityClass(j)
	was := w.Spec.PriorityClassRef
	if !ofWorkloads {
		if was == nil || was.Kind != kueue.WorkloadPriorityClassKind {
			return false, nil
		}
	} else if was != nil && (was.Kind != kueue.WorkloadPriorityClassKind || was.Name == class) {
		return false, nil
	}
	if workload.Finished(w) || w.DeletionTimestamp != nil {
		return false, nil
	}
	priority, err := r.priority(j)
	if apierrors.IsNotFound(err) {
		r.Writer.Tell(j, v1.EventTypeWarning, "ErrWorkloadCompose", err.Error())
		return false, nil
	}
	if err != nil {
		return false, err
	}
	wanted := w.DeepCopy()
	wanted.Spec.PriorityClassRef, wanted.Spec.Priority = priority.Class, &priority.Value
	if err := r.Writer.PatchWorkload(ctx, w, wanted); apierrors.IsInvalid(err) {
		r.Writer.Tell(j, v1.EventTypeWarning, "ErrWorkloadCompose", err.Error())
		return false, nil
	} else if err != nil {
		return true, err
	}
	r.Writer.Tell(j, v1.EventTypeNormal, "UpdatedWorkload",
		fmt.Sprintf("Updated workload priority class: %s/%s", w.Namespace, w.Name))
	return true, nil
}

// refused tells the Job's owner where the API server will have no such workload, as with a
// job-min-parallelism above the parallelism: the Job waits until it is edited.
func (r *Reconciler) refused(j *batchv1.Job, err error) error {
	if apierrors.IsInvalid(err) {
		r.Writer.Tell(j, v1.EventTypeWarning, "ErrWorkloadCompose", err.Error())
	}
	return err
}

func (r *Reconciler) priority(j *batchv1.Job) (Priority, error) {
	return r.Cluster.Priority(PriorityClass(j))
}

// prebuilt is the workload that the Job names: somebody else has made it.
func (r *Reconciler) prebuilt(ctx context.Context, j *batchv1.Job, name string) (
	*kueue.Workload, bool, error) {
	w := r.Cluster.Workload(types.NamespacedName{Namespace: j.Namespace, Name: name})
	if w == nil {
		return nil, false, nil
	}
	switch controller := metav1.GetControllerOfNoCopy(w); {
	case controller == nil && w.DeletionTimestamp == nil:
		return nil, true, r.Writer.PatchWorkload(ctx, w, Adopt(j, w))
	case controller == nil || controller.UID != j.UID:
		return nil, false, nil
	}
	if !workload.Finished(w) && w.DeletionTimestamp == nil && !Matches(j, w, r.Cluster.Flavor) {
		return nil, true, r.Writer.PatchWorkload(ctx, w, Finish(w,
			kueue.WorkloadFinishedReasonOutOfSync,
			"The prebuilt workload is out of sync with its user job"), "status")
	}
	return w, false, nil
}

// without is a Job that no workload stands for: it gets one when it is stopped.
func (r *Reconciler) without(ctx context.Context, j *batchv1.Job) error {
	if _, _, ended := Ended(j); ended {
		return nil
	}
	if wrote, err := r.stop(ctx, j, nil, "Missing Workload; unable to restore pod templates"); wrote ||
		err != nil {
		return err
	}
	if workload.PrebuiltName(j) != "" || j.Status.Active > 0 {
		return nil
	}
	priority, err := r.priority(j)
	if apierrors.IsNotFound(err) {
		r.Writer.Tell(j, v1.EventTypeWarning, "ErrWorkloadCompose", err.Error())
	}
	if err != nil {
		return err
	}
	made := Workload(j, priority)
	if err := r.Writer.CreateWorkload(ctx, made); err != nil {
		return r.refused(j, err)
	}
	r.Writer.Tell(j, v1.EventTypeNormal, "CreatedWorkload",
		fmt.Sprintf("Created Workload: %s/%s", made.Namespace, made.Name))
	return nil
}
