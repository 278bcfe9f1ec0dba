// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

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

// clusterOf is what the host has seen, for the reconciler of Jobs.
type clusterOf struct{ h *Host }

func (c clusterOf) Job(name types.NamespacedName) *batchv1.Job {
	object, there, err := c.h.queued.jobs.GetStore().GetByKey(name.String())
	if err != nil || !there {
		return nil
	}
	return object.(*batchv1.Job)
}

func (c clusterOf) Workload(name types.NamespacedName) *kueue.Workload {
	object, there, err := (*c.h.queued.workloads.Load()).GetStore().GetByKey(name.String())
	if err != nil || !there {
		return nil
	}
	w, _ := object.(*kueue.Workload)
	return w
}

func (c clusterOf) Owned(namespace string, uid types.UID) []*kueue.Workload {
	return c.indexed(byOwnerUID, string(uid))
}

func (c clusterOf) OwnedByName(name types.NamespacedName) []*kueue.Workload {
	return c.indexed(byOwnerName, name.String())
}

func (c clusterOf) indexed(index, value string) (found []*kueue.Workload) {
	objects, err := (*c.h.queued.workloads.Load()).GetIndexer().ByIndex(index, value)
	for i := 0; err == nil && i < len(objects); i++ {
		if w, is := objects[i].(*kueue.Workload); is {
			found = append(found, w)
		}
	}
	return found
}

func (c clusterOf) Flavor(name string) *kueue.ResourceFlavor {
	object := c.h.customObject(flavorResource, "", name)
	var flavor kueue.ResourceFlavor
	if object == nil || facts.Read(object, &flavor) != nil {
		return nil
	}
	return &flavor
}

func (c clusterOf) Priority(class string, ofWorkloads bool) (job.Priority, error) {
	if ofWorkloads {
		object := c.h.customObject(workloadClasses, "", class)
		var typed kueue.WorkloadPriorityClass
		if object == nil || facts.Read(object, &typed) != nil {
			return job.Priority{}, apierrors.NewNotFound(workloadClasses.GroupResource(), class)
		}
		return job.Priority{Class: kueue.NewWorkloadPriorityClassRef(class), Value: typed.Value}, nil
	}
	var found *schedulingv1.PriorityClass
	for _, object := range c.h.queued.classes.GetStore().List() {
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

func (c clusterOf) ManagedAbove(object metav1.Object) bool {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil || !isJob(owner) {
		return false
	}
	above := c.Job(types.NamespacedName{Namespace: object.GetNamespace(), Name: owner.Name})
	return above != nil && job.Queue(above) != ""
}

// writerOf writes what the reconciler wants, and what the engine does, into Jobs and Workloads.
type writerOf struct{ h *Host }

// difference is the merge patch from one version to another, for that very version; nil: there is
// none. What the types of this program do not know of stays as it is.
func difference(seen, wanted metav1.Object) ([]byte, error) {
	before, err := asMap(seen)
	if err != nil {
		return nil, err
	}
	after, err := asMap(wanted)
	if err != nil {
		return nil, err
	}
	patch := apart(before, after)
	if len(patch) == 0 {
		return nil, nil
	}
	of, _ := patch["metadata"].(map[string]any)
	if of == nil {
		of = map[string]any{}
	}
	of["uid"], of["resourceVersion"] = seen.GetUID(), seen.GetResourceVersion()
	patch["metadata"] = of
	return json.Marshal(patch)
}

// asMap keeps numbers as they are written.
func asMap(object any) (fields map[string]any, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return fields, decoder.Decode(&fields)
}

// apart is what makes the one of the other: nil takes a key away.
func apart(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range before {
		if _, stays := after[key]; !stays {
			patch[key] = nil
		}
	}
	for key, now := range after {
		was, had := before[key]
		inner, isMap := now.(map[string]any)
		outer, wasMap := was.(map[string]any)
		if isMap && wasMap {
			if deeper := apart(outer, inner); len(deeper) > 0 {
				patch[key] = deeper
			}
		} else if !had || !reflect.DeepEqual(was, now) {
			patch[key] = now
		}
	}
	return patch
}

func (w writerOf) PatchJob(ctx context.Context, seen, wanted *batchv1.Job,
	subresources ...string) (*batchv1.Job, error) {
	text, err := difference(seen, wanted)
	if err != nil || text == nil {
		return seen, err
	}
	ctx, cancel, err := w.h.lease.Writing(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return w.h.clients.effects.BatchV1().Jobs(seen.Namespace).Patch(ctx, seen.Name,
		types.MergePatchType, text, metav1.PatchOptions{}, subresources...)
}

func (w writerOf) PatchWorkload(ctx context.Context, seen, wanted *kueue.Workload,
	subresources ...string) error {
	_, err := w.patchWorkload(ctx, seen, wanted, subresources...)
	return err
}

// patchWorkload returns the version that says what is wanted.
func (w writerOf) patchWorkload(ctx context.Context, seen, wanted *kueue.Workload,
	subresources ...string) (int64, error) {
	text, err := difference(seen, wanted)
	if err != nil || text == nil {
		return facts.Version(seen.ResourceVersion), err
	}
	ctx, cancel, err := w.h.lease.Writing(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	written, err := w.h.clients.objects.Resource(wl.Resource).Namespace(seen.Namespace).Patch(
		ctx, seen.Name, types.MergePatchType, text, metav1.PatchOptions{}, subresources...)
	if err != nil {
		return 0, err
	}
	return facts.Version(written.GetResourceVersion()), nil
}

func (w writerOf) CreateWorkload(ctx context.Context, one *kueue.Workload) error {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(one)
	if err != nil {
		return err
	}
	delete(object, "status")
	ctx, cancel, err := w.h.lease.Writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	_, err = w.h.clients.objects.Resource(wl.Resource).Namespace(one.Namespace).Create(ctx,
		&unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	return err
}

func (w writerOf) DeleteWorkload(ctx context.Context, one *kueue.Workload) error {
	ctx, cancel, err := w.h.lease.Writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return w.h.clients.objects.Resource(wl.Resource).Namespace(one.Namespace).Delete(ctx,
		one.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &one.UID}})
}

func (w writerOf) JobIsThere(ctx context.Context, name types.NamespacedName, uid types.UID) (
	bool, error) {
	ctx, cancel, err := w.h.lease.Writing(ctx)
	if err != nil {
		return false, err
	}
	defer cancel()
	there, err := w.h.clients.effects.BatchV1().Jobs(name.Namespace).Get(ctx, name.Name,
		metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && there.UID == uid, err
}

const mostEventBytes = 1024

func (w writerOf) Tell(about runtime.Object, kind, reason, message string) {
	w.h.recorder.Eventf(about, nil, kind, reason, reason, "%s",
		message[:min(len(message), mostEventBytes)])
}

var errUnknownWrite = errors.New("this host knows no such write into a workload: use a newer one")
