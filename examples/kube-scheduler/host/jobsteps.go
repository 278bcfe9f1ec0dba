// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/job"
	wl "sluice/kube-scheduler/workload"
)

// step is a Job that is to be looked at, or a workload by itself.
type step struct {
	workload bool
	name     types.NamespacedName
}

func stepOf(j *batchv1.Job) step { return step{false, nameOf(j)} }

// lookAtAll has all Jobs and workloads looked at: this replica leads now.
func (ws *workloads) lookAtAll() {
	store := ws.informer.Load()
	if store == nil {
		return
	}
	for _, object := range ws.jobs.GetStore().List() {
		ws.steps.Add(stepOf(object.(*batchv1.Job)))
	}
	for _, object := range (*store).GetStore().List() {
		if w, is := object.(*kueue.Workload); is {
			ws.look(w)
			if wl.IsOfClass(w) {
				ws.steps.Add(step{true, nameOf(w)})
			}
		}
	}
	ws.statuses.changed()
}

// look has those looked at that the workload concerns.
func (ws *workloads) look(w *kueue.Workload) {
	if owner := metav1.GetControllerOfNoCopy(w); owner != nil && isJob(owner) {
		ws.steps.Add(step{false, types.NamespacedName{Namespace: w.Namespace, Name: owner.Name}})
	}
	if w.DeletionTimestamp != nil && len(w.OwnerReferences) == 0 || wl.Orphaned(w) ||
		w.Spec.MaximumExecutionTimeSeconds != nil {
		ws.steps.Add(step{true, nameOf(w)})
	}
	jobs, err := ws.jobs.GetIndexer().ByIndex(byPrebuilt, w.Namespace+"/"+w.Name)
	for i := 0; err == nil && i < len(jobs); i++ {
		ws.steps.Add(stepOf(jobs[i].(*batchv1.Job)))
	}
}

// classSeen lets Jobs go on that waited for a class, and workloads have its priority.
func (ws *workloads) classSeen(object *unstructured.Unstructured) {
	for _, one := range ws.jobs.GetStore().List() {
		j := one.(*batchv1.Job)
		if class, ofWorkloads := job.PriorityClass(j); ofWorkloads && class == object.GetName() {
			ws.steps.Add(stepOf(j))
		}
	}
	store := ws.informer.Load()
	if store == nil {
		return // they are all looked at when they come
	}
	for _, one := range (*store).GetStore().List() {
		w, is := one.(*kueue.Workload)
		if is && wl.IsOfClass(w) && w.Spec.PriorityClassRef.Name == object.GetName() {
			ws.steps.Add(step{true, nameOf(w)})
		}
	}
}

// runSteps takes steps, and writes the status of queues, once all was listed. Who only observes
// writes nothing: all of this may be another controller's.
func (ws *workloads) runSteps(ctx context.Context, synced []cache.InformerSynced) {
	if ws.observeOnly || !cache.WaitForCacheSync(ctx.Done(), synced...) {
		ws.steps.ShutDown()
		return
	}
	reconciler := &job.Reconciler{Cluster: ws, Writer: &ws.writer, Now: ws.engine.now}
	for range ws.workers {
		ws.done.Go(func() {
			for ws.takeStep(ctx, reconciler) {
			}
		})
	}
	ws.done.Go(func() { ws.statuses.run(ctx) })
	ws.lookAtAll()
	<-ctx.Done()
	ws.steps.ShutDown()
}

// loudAfter so many tries, 6 s, a step that fails is told to whoever reads the log: no other
// version is on its way that would mend it.
const loudAfter = 6

func (ws *workloads) takeStep(ctx context.Context, reconciler *job.Reconciler) bool {
	next, over := ws.steps.Get()
	if over {
		return false
	}
	defer ws.steps.Done(next)
	if !ws.lease.Leads() {
		return true // whoever leads looks at all of them
	}
	var again time.Duration
	err := ws.lease.Write(ctx, func(ctx context.Context) (err error) {
		if next.workload {
			again, err = reconciler.Tend(ctx, next.name)
			return err
		}
		return reconciler.Step(ctx, next.name)
	})
	if err != nil {
		words := []any{"workload", next.workload, "name", next.name.String()}
		ws.engine.log.V(2).Info("A step is tried again", append(words, "why", err.Error())...)
		if ws.steps.NumRequeues(next) == loudAfter {
			ws.engine.log.Error(err, "A step fails again and again, and goes on being tried", words...)
		}
		ws.steps.AddRateLimited(next)
		return true
	}
	ws.steps.Forget(next)
	if again > 0 {
		ws.steps.AddAfter(next, again)
	}
	return true
}
