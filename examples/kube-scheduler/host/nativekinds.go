// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"reflect"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"sluice/kube-scheduler/facts"
)

// nativeKind is what is followed of one resource of Kubernetes' own groups: by an informer of its
// own, or by the one that the scheduler itself has for it. A second one of the same objects would
// have the API server say everything twice.
type nativeKind struct {
	resource    schema.GroupVersionResource
	informer    cache.SharedIndexInformer
	ofScheduler bool          // the informer is the scheduler's, whose objects have types
	objects     cache.Indexer // as they were last seen
	refused     atomic.Bool   // it may not be read
	listed      atomic.Bool   // all that was there in the beginning has been told
}

// byWorkload finds the PodGroups that a Workload was made into.
const byWorkload = "workload"

// byParent finds the groups that are directly below a CompositePodGroup.
const byParent = "parent"

func workloadKey(namespace, name string) string { return namespace + "/" + name }

// groupIndexers find groups by what they name.
var groupIndexers = cache.Indexers{byWorkload: naming(facts.WorkloadOfGroup),
	byParent: naming(facts.ParentGroup)}

// naming is an index of objects by what they name in their namespace.
func naming(name func(*unstructured.Unstructured) string) cache.IndexFunc {
	return func(object any) ([]string, error) {
		group, is := object.(*unstructured.Unstructured)
		if !is || name(group) == "" {
			return nil, nil
		}
		return []string{workloadKey(group.GetNamespace(), name(group))}, nil
	}
}

func nativeResource(version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: facts.NativeGroups, Version: version,
		Resource: resource}
}

// newNativeKind has an informer of its own.
func newNativeKind(client dynamic.Interface, version, resource string) *nativeKind {
	k := &nativeKind{resource: nativeResource(version, resource)}
	k.informer = dynamicinformer.NewFilteredDynamicInformer(client, k.resource, "", 0, groupIndexers,
		nil).Informer()
	k.objects = k.informer.GetIndexer()
	return k
}

// podGroupsOfScheduler has the informer of PodGroups that the scheduler runs.
func podGroupsOfScheduler(version string, informer cache.SharedIndexInformer) *nativeKind {
	return &nativeKind{resource: nativeResource(version, podGroupsOfNative), informer: informer,
		ofScheduler: true, objects: cache.NewIndexer(cache.MetaNamespaceKeyFunc, groupIndexers)}
}

// tell calls seen and gone for each object until the context ends.
func (k *nativeKind) tell(ctx context.Context, seen func(old, now *unstructured.Unstructured),
	gone func(*unstructured.Unstructured)) (cache.ResourceEventHandlerRegistration, error) {
	if !k.ofScheduler {
		return k.informer.AddEventHandler(handle(seen, gone))
	}
	told, err := k.informer.AddEventHandler(handle(func(_, now runtime.Object) {
		object := k.untyped(now)
		old := k.object(object.GetNamespace(), object.GetName())
		if ctx.Err() == nil && k.objects.Update(object) == nil {
			seen(old, object)
		}
	}, func(last runtime.Object) {
		object := k.untyped(last)
		if ctx.Err() == nil && k.objects.Delete(object) == nil {
			gone(object)
		}
	}))
	if err == nil {
		context.AfterFunc(ctx, func() { _ = k.informer.RemoveEventHandler(told) })
	}
	return told, err
}

// untyped is what is read here of an object of the scheduler's informer, as one of ours has it. The
// types that two releases have for it are not the same one: so its parts are found by their names.
func (k *nativeKind) untyped(object runtime.Object) *unstructured.Unstructured {
	about, parts := object.(metav1.Object), reflect.ValueOf(object).Elem()
	group := &unstructured.Unstructured{Object: map[string]any{
		"spec": fieldsOf(parts.FieldByName("Spec").Addr().Interface())}}
	group.SetGroupVersionKind(k.resource.GroupVersion().WithKind(facts.KindGroup))
	group.SetNamespace(about.GetNamespace())
	group.SetName(about.GetName())
	group.SetUID(about.GetUID())
	group.SetResourceVersion(about.GetResourceVersion())
	group.SetCreationTimestamp(about.GetCreationTimestamp())
	group.SetDeletionTimestamp(about.GetDeletionTimestamp())
	group.SetLabels(about.GetLabels())
	group.SetAnnotations(about.GetAnnotations())
	said := parts.FieldByName("Status").FieldByName("Conditions").Interface().([]metav1.Condition)
	for i := range said {
		if said[i].Type == facts.QuotaReserved {
			group.Object["status"] = map[string]any{"conditions": []any{fieldsOf(&said[i])}}
		}
	}
	return group
}

// fieldsOf are the fields of a struct of an API.
func fieldsOf(part any) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(part)
	utilruntime.Must(err) // it was read from such fields
	return fields
}

// object is one as it was last seen; nil: there is none.
func (k *nativeKind) object(namespace, name string) *unstructured.Unstructured {
	object, there, err := k.objects.GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return nil
	}
	return object.(*unstructured.Unstructured)
}

func (k *nativeKind) all() (all []*unstructured.Unstructured) {
	if k == nil {
		return nil
	}
	for _, object := range k.objects.List() {
		all = append(all, object.(*unstructured.Unstructured))
	}
	return all
}

// of are the groups of a Workload.
func (k *nativeKind) of(workload *unstructured.Unstructured) []*unstructured.Unstructured {
	return k.found(byWorkload, workload.GetNamespace(), workload.GetName())
}

// below are those that are directly below a CompositePodGroup.
func (k *nativeKind) below(namespace, name string) []*unstructured.Unstructured {
	return k.found(byParent, namespace, name)
}

func (k *nativeKind) found(index, namespace, name string) (all []*unstructured.Unstructured) {
	if k == nil {
		return nil
	}
	objects, err := k.objects.ByIndex(index, workloadKey(namespace, name))
	for i := 0; err == nil && i < len(objects); i++ {
		all = append(all, objects[i].(*unstructured.Unstructured))
	}
	return all
}

// bare is an object without what nobody reads here, and managers write into each.
func bare(object any) (any, error) {
	if one, is := object.(*unstructured.Unstructured); is {
		one.SetManagedFields(nil)
	}
	return object, nil
}

// onlyNamed leaves of a Workload what says in which queue it is.
func onlyNamed(object any) (any, error) {
	workload, is := object.(*unstructured.Unstructured)
	if !is {
		return object, nil
	}
	left := &unstructured.Unstructured{Object: map[string]any{}}
	left.SetGroupVersionKind(workload.GroupVersionKind())
	left.SetNamespace(workload.GetNamespace())
	left.SetName(workload.GetName())
	left.SetUID(workload.GetUID())
	left.SetResourceVersion(workload.GetResourceVersion())
	if queue := workload.GetAnnotations()[facts.QueueName]; queue != "" {
		left.SetAnnotations(map[string]string{facts.QueueName: queue})
	}
	return left, nil
}
