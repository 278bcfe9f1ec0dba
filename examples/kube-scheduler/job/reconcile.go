// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

// Cluster is what was seen of a cluster. What it returns is not to be changed; nil: not there.
type Cluster interface {
	Job(name types.NamespacedName) *batchv1.Job
	Workload(name types.NamespacedName) *kueue.Workload
	Owned(namespace string, job types.UID) []*kueue.Workload
	// OwnedByName finds those whose controller has this name, be it there or not.
	OwnedByName(job types.NamespacedName) []*kueue.Workload
	Flavor(name string) *kueue.ResourceFlavor
	// Priority is that of a class; "": of pods that name none.
	Priority(class string, ofWorkloads bool) (Priority, error)
	// ManagedAbove tells whether the object is part of one that is queued as a whole.
	ManagedAbove(object metav1.Object) bool
}

// Writer writes the difference between what was seen and what is wanted, and only if what was seen
// is still so.
type Writer interface {
	PatchJob(ctx context.Context, seen, wanted *batchv1.Job, subresources ...string) (
		*batchv1.Job, error)
	PatchWorkload(ctx context.Context, seen, wanted *kueue.Workload, subresources ...string) error
	CreateWorkload(ctx context.Context, w *kueue.Workload) error
	DeleteWorkload(ctx context.Context, w *kueue.Workload) error
	// JobIsThere asks the API server itself.
	JobIsThere(ctx context.Context, name types.NamespacedName, uid types.UID) (bool, error)
	// Tell makes an event about a Job or a Workload.
	Tell(about runtime.Object, kind, reason, message string)
}

// Reconciler takes steps.
type Reconciler struct {
	Cluster Cluster
	Writer  Writer
	Now     func() time.Time
}

// failedToStart is why a workload ends whose Job cannot take its admission in.
const failedToStart = "FailedToStart"

// Step does what is next for the Job of this name. After a write it ends: what was written is seen
// again. An error means that the step is to be tried again.
func (r *Reconciler) Step(ctx context.Context, name types.NamespacedName) error {
	j := r.Cluster.Job(name)
	if err := r.orphans(ctx, name, j); err != nil || j == nil || j.DeletionTimestamp != nil {
		return err
	}
	if Queue(j) == "" || r.Cluster.ManagedAbove(j) {
		return nil
	}
	w, wrote, err := r.workloadOf(ctx, j)
	if err != nil || wrote {
		return err
	}
	switch {
	case w == nil:
		return r.without(ctx, j)
	case workload.Finished(w):
		return r.release(ctx, w)
	case w.DeletionTimestamp != nil:
		if wrote, err := r.stop(ctx, j, w, "Workload is deleted"); wrote || err != nil {
			return err
		}
		return r.release(ctx, w)
	}
	if reason, message, ended := Ended(j); ended {
		r.Writer.Tell(j, v1.EventTypeNormal, "FinishedWorkload",
			fmt.Sprintf("Workload '%s/%s' is declared finished", w.Namespace, w.Name))
		return gone(r.Writer.PatchWorkload(ctx, w, Finish(w, reason, message), "status"))
	}
	if counts := reclaimable(j, w); !apiequality.Semantic.DeepEqual(counts,
		w.Status.ReclaimablePods) {
		wanted := w.DeepCopy()
		wanted.Status.ReclaimablePods = counts
		return r.Writer.PatchWorkload(ctx, w, wanted, "status")
	}
	return r.follow(ctx, j, w)
}

// follow makes the Job run or not, as its workload says.
func (r *Reconciler) follow(ctx context.Context, j *batchv1.Job, w *kueue.Workload) error {
	evicted := workload.Evicted(w)
	switch {
	case evicted != nil:
		_, err := r.stop(ctx, j, w, evicted.Message)
		return err
	case !workload.Admitted(w):
		if wrote, err := r.stop(ctx, j, w, "Not admitted by cluster queue"); wrote || err != nil {
			return err
		}
		if queue := kueue.LocalQueueName(Queue(j)); w.Spec.QueueName != queue &&
			!workload.Reserved(w) {
			wanted := w.DeepCopy()
			wanted.Spec.QueueName = queue
			return r.Writer.PatchWorkload(ctx, w, wanted)
		}
		return nil
	case Suspended(j):
		return r.begin(ctx, j, w)
	case isStopping(j): // for an edit that was taken back
		_, err := r.stop(ctx, j, w, "")
		return err
	}
	return nil
}

func (r *Reconciler) begin(ctx context.Context, j *batchv1.Job, w *kueue.Workload) error {
	placements, err := workload.Placements(w, r.Cluster.Flavor)
	var started *batchv1.Job
	if err == nil {
		started, err = Start(j, placements)
	}
	if err == nil {
		_, err = r.Writer.PatchJob(ctx, j, started)
	}
	var clash *workload.Clash
	if errors.As(err, &clash) || apierrors.IsInvalid(err) {
		return r.Writer.PatchWorkload(ctx, w, Finish(w, failedToStart, err.Error()), "status")
	}
	if err == nil {
		r.Writer.Tell(j, v1.EventTypeNormal, "Started", fmt.Sprintf("Admitted by clusterQueue %s",
			w.Status.Admission.ClusterQueue))
	}
	return err
}

// stop suspends the Job, and gives it its template back when none of its pods is active: the API
// server lets nobody change it before. It returns whether there is still something to write.
func (r *Reconciler) stop(ctx context.Context, j *batchv1.Job, w *kueue.Workload,
	why string) (wrote bool, err error) {
	if Suspended(j) {
		return false, nil
	}
	if !isStopping(j) {
		if j, err = r.Writer.PatchJob(ctx, j, Suspend(j)); err != nil {
			return true, err
		}
		r.Writer.Tell(j, v1.EventTypeNormal, "Stopped", why)
	}
	if j.Status.StartTime != nil {
		// With a start time nobody may change the template.
		cleared := j.DeepCopy()
		cleared.Status.StartTime = nil
		if j, err = r.Writer.PatchJob(ctx, j, cleared, "status"); err != nil {
			return true, err
		}
	}
	if j.Status.Active > 0 {
		return true, nil // the next step comes with its status
	}
	_, err = r.Writer.PatchJob(ctx, j, Restore(j, w))
	return true, err
}

// reclaimable is what the workload should say of pods that are needed no more: while it holds quota
// never fewer than were told.
func reclaimable(j *batchv1.Job, w *kueue.Workload) []kueue.ReclaimablePod {
	counts, holds := Reclaimable(j), workload.Reserved(w)
	if len(w.Spec.PodSets) != 1 || len(counts) == 0 && holds {
		return w.Status.ReclaimablePods
	}
	if len(counts) == 0 {
		return nil
	}
	counts[0].Count = min(counts[0].Count, w.Spec.PodSets[0].Count)
	if !holds { // the Job may have been edited
		return counts
	}
	for _, told := range w.Status.ReclaimablePods {
		if told.Name == counts[0].Name {
			counts[0].Count = max(counts[0].Count, told.Count)
		}
	}
	return counts
}

func (r *Reconciler) release(ctx context.Context, w *kueue.Workload) error {
	released := Release(w)
	if len(released.Finalizers) == len(w.Finalizers) {
		return nil
	}
	return gone(r.Writer.PatchWorkload(ctx, w, released))
}

// orphans ends the workloads of Jobs of this name that are gone, or about to go, and lets go of
// them: also when another one has come in their place.
func (r *Reconciler) orphans(ctx context.Context, name types.NamespacedName,
	j *batchv1.Job) error {
	for _, w := range r.Cluster.OwnedByName(name) {
		if workload.Finished(w) && len(Release(w).Finalizers) == len(w.Finalizers) {
			continue // nothing keeps it
		}
		owner := metav1.GetControllerOfNoCopy(w).UID
		if j == nil || owner != j.UID {
			// The news of a Job may come later than that of its workload.
			there, err := r.Writer.JobIsThere(ctx, name, owner)
			if err != nil {
				return err
			}
			if there {
				continue
			}
		} else if j.DeletionTimestamp == nil {
			continue
		}
		if w.DeletionTimestamp == nil && !workload.Finished(w) {
			if err := gone(r.Writer.PatchWorkload(ctx, w, ended(w), "status")); err != nil {
				return err
			}
			continue // it is seen again
		}
		if err := r.release(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

func ended(w *kueue.Workload) *kueue.Workload {
	return Finish(w, kueue.WorkloadFinishedReasonOwnerNotFound,
		"The workload's owner no longer exists")
}

// Tend does what a workload needs whoever owns it: one that nobody owns ends if it was a Job's, and
// goes if it is deleted; any other has the priority that its class of workloads has now, and runs
// no longer than it may. It returns after which time to look again; 0: when something changes.
func (r *Reconciler) Tend(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
	w := r.Cluster.Workload(name)
	switch {
	case w == nil || workload.Finished(w) && w.DeletionTimestamp == nil:
		return 0, nil
	case w.DeletionTimestamp != nil && len(w.OwnerReferences) == 0:
		return 0, r.release(ctx, w)
	case workload.Orphaned(w):
		return 0, gone(r.Writer.PatchWorkload(ctx, w, ended(w), "status"))
	case w.DeletionTimestamp != nil:
		return 0, nil
	}
	left, limited := workload.TimeLeft(w, r.Now())
	if limited && left <= 0 {
		return 0, gone(r.endTime(ctx, w))
	}
	return left, r.followClass(ctx, w)
}

func (r *Reconciler) endTime(ctx context.Context, w *kueue.Workload) error {
	err := r.Writer.PatchWorkload(ctx, w, workload.OutOfTime(w), "status")
	if err == nil {
		r.Writer.Tell(w, v1.EventTypeWarning, kueue.WorkloadMaximumExecutionTimeExceeded,
			fmt.Sprintf("The maximum execution time (%ds) exceeded",
				*w.Spec.MaximumExecutionTimeSeconds))
	}
	return err
}

func (r *Reconciler) followClass(ctx context.Context, w *kueue.Workload) error {
	if !workload.IsOfClass(w) {
		return nil
	}
	priority, err := r.Cluster.Priority(w.Spec.PriorityClassRef.Name, true)
	if err != nil || w.Spec.Priority != nil && *w.Spec.Priority == priority.Value {
		return gone(err) // without its class it keeps what it has
	}
	wanted := w.DeepCopy()
	wanted.Spec.Priority = &priority.Value
	return r.Writer.PatchWorkload(ctx, w, wanted)
}

func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
