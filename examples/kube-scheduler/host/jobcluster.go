// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/job"
	wl "sluice/kube-scheduler/workload"
)

// Job is one as it was last seen; nil: there is none. With the rest of what the reconciler of Jobs
// asks for it makes a job.Cluster of workloads.
func (ws *workloads) Job(name types.NamespacedName) *batchv1.Job {
	object, there, err := ws.jobs.GetStore().GetByKey(name.String())
	if err != nil || !there {
		return nil
	}
	return object.(*batchv1.Job)
}

func (ws *workloads) Workload(name types.NamespacedName) *kueue.Workload {
	informer := ws.informer.Load()
	if informer == nil {
		return nil
	}
	object, there, err := (*informer).GetStore().GetByKey(name.String())
	if err != nil || !there {
		return nil
	}
	w, _ := object.(*kueue.Workload)
	return w
}

func (ws *workloads) Owned(namespace string, uid types.UID) []*kueue.Workload {
	return ws.indexed(byOwnerUID, string(uid))
}

func (ws *workloads) OwnedByName(name types.NamespacedName) []*kueue.Workload {
	return ws.indexed(byOwnerName, name.String())
}

func (ws *workloads) indexed(index, value string) (found []*kueue.Workload) {
	objects, err := (*ws.informer.Load()).GetIndexer().ByIndex(index, value)
	for i := 0; err == nil && i < len(objects); i++ {
		if w, is := objects[i].(*kueue.Workload); is {
			found = append(found, w)
		}
	}
	return found
}

func (ws *workloads) Flavor(name string) *kueue.ResourceFlavor { return ws.custom.flavor(name) }

func (ws *workloads) Priority(class string, ofWorkloads bool) (job.Priority, error) {
	if ofWorkloads {
		object := ws.custom.object(workloadClasses, "", class)
		var typed kueue.WorkloadPriorityClass
		if object == nil || facts.Read(object, &typed) != nil {
			return job.Priority{}, apierrors.NewNotFound(workloadClasses.GroupResource(), class)
		}
		return job.Priority{Class: kueue.NewWorkloadPriorityClassRef(class), Value: typed.Value}, nil
	}
	var found *schedulingv1.PriorityClass
	for _, object := range ws.classes.GetStore().List() {
		one := object.(*schedulingv1.PriorityClass)
		fits := one.Name == class
		if class == "" {
			fits = one.GlobalDefault && (found == nil || one.Value < found.Value)
		}
		if fits {
			found = one
		}
	}
	switch {
	case found != nil:
		return job.Priority{Class: kueue.NewPodPriorityClassRef(found.Name), Value: found.Value}, nil
	case class != "":
		return job.Priority{}, apierrors.NewNotFound(schedulingv1.Resource("priorityclasses"), class)
	}
	return job.Priority{}, nil
}

func (ws *workloads) ManagedAbove(object metav1.Object) bool {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil || !isJob(owner) {
		return false
	}
	above := ws.Job(types.NamespacedName{Namespace: object.GetNamespace(), Name: owner.Name})
	return above != nil && job.Queue(above) != ""
}

// jobWriter writes what the reconciler wants into Jobs and Workloads. [within the lease]
type jobWriter struct {
	engine  *engine
	clients *clients
}

func (w *jobWriter) PatchJob(ctx context.Context, seen, wanted *batchv1.Job,
	subresources ...string) (*batchv1.Job, error) {
	text, err := difference(seen, wanted)
	if err != nil || text == nil {
		return seen, err
	}
	return w.clients.effects.BatchV1().Jobs(seen.Namespace).Patch(ctx, seen.Name,
		types.MergePatchType, text, metav1.PatchOptions{}, subresources...)
}

func (w *jobWriter) PatchWorkload(ctx context.Context, seen, wanted *kueue.Workload,
	subresources ...string) error {
	_, err := w.clients.patch(ctx, wl.Resource, seen, wanted, subresources...)
	return err
}

func (w *jobWriter) CreateWorkload(ctx context.Context, one *kueue.Workload) error {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(one)
	if err != nil {
		return err
	}
	delete(object, "status")
	_, err = w.clients.objects.Resource(wl.Resource).Namespace(one.Namespace).Create(ctx,
		&unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	return err
}

func (w *jobWriter) DeleteWorkload(ctx context.Context, one *kueue.Workload) error {
	return w.clients.objects.Resource(wl.Resource).Namespace(one.Namespace).Delete(ctx,
		one.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &one.UID}})
}

func (w *jobWriter) JobIsThere(ctx context.Context, name types.NamespacedName, uid types.UID) (
	bool, error) {
	there, err := w.clients.effects.BatchV1().Jobs(name.Namespace).Get(ctx, name.Name,
		metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && there.UID == uid, err
}

func (w *jobWriter) Tell(about runtime.Object, kind, reason, message string) {
	w.engine.tell(about, kind, reason, reason, message)
}

var errUnknownWrite = errors.New("this host knows no such write into a workload: use a newer one")
