// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"sluice/kube-scheduler/facts"
)

// nativeVersion is a version of Kubernetes' own groups that is followed.
type nativeVersion struct {
	version           string // of PodGroups, as in v1beta1
	groups, workloads *nativeKind
	composites        *nativeKind // nil: CompositePodGroups are not served
}

// nativeKind is what is followed of one resource.
type nativeKind struct {
	resource schema.GroupVersionResource
	cache.SharedIndexInformer
	refused atomic.Bool // it may not be read
}

// kindOf is what is followed of PodGroups, or of CompositePodGroups; nil: those are not served.
func (v *nativeVersion) kindOf(composite bool) *nativeKind {
	if composite {
		return v.composites
	}
	return v.groups
}

// The resources of Kubernetes' own groups.
const (
	podGroupsOfNative  = "podgroups"
	compositePodGroups = "compositepodgroups"
)

const nativeSyncLook = 20 * time.Millisecond

// byWorkload finds the PodGroups that a Workload was made into.
const byWorkload = "workload"

// byParent finds the groups that are directly below a CompositePodGroup.
const byParent = "parent"

func workloadKey(namespace, name string) string { return namespace + "/" + name }

func newNativeKind(client dynamic.Interface, version, resource string) *nativeKind {
	k := &nativeKind{resource: schema.GroupVersionResource{Group: facts.NativeGroups,
		Version: version, Resource: resource}}
	k.SharedIndexInformer = dynamicinformer.NewFilteredDynamicInformer(client, k.resource, "", 0,
		cache.Indexers{byWorkload: func(object any) ([]string, error) {
			group, is := object.(*unstructured.Unstructured)
			if !is {
				return nil, nil
			}
			name := facts.WorkloadOfGroup(group)
			if name == "" {
				return nil, nil
			}
			return []string{workloadKey(group.GetNamespace(), name)}, nil
		}, byParent: func(object any) ([]string, error) {
			group, is := object.(*unstructured.Unstructured)
			if !is || facts.ParentGroup(group) == "" {
				return nil, nil
			}
			return []string{workloadKey(group.GetNamespace(), facts.ParentGroup(group))}, nil
		}}, nil).Informer()
	return k
}

// object is one as it was last seen; nil: there is none.
func (k *nativeKind) object(namespace, name string) *unstructured.Unstructured {
	object, there, err := k.GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return nil
	}
	return object.(*unstructured.Unstructured)
}

func (k *nativeKind) all() (all []*unstructured.Unstructured) {
	if k == nil {
		return nil
	}
	for _, object := range k.GetStore().List() {
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
	objects, err := k.GetIndexer().ByIndex(index, workloadKey(namespace, name))
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

// served is the version in which the API server has a resource of Kubernetes' own groups; "": in
// none.
func (n *nativeGroups) served(resource string) (string, error) {
	groups, err := n.discoverer.ServerGroups()
	if err != nil {
		return "", err
	}
	for i := range groups.Groups {
		if groups.Groups[i].Name != facts.NativeGroups {
			continue
		}
		for _, version := range groups.Groups[i].Versions {
			list, err := n.discoverer.ServerResourcesForGroupVersion(version.GroupVersion)
			if err != nil && !apierrors.IsNotFound(err) {
				return "", err
			}
			for k := 0; err == nil && k < len(list.APIResources); k++ {
				if list.APIResources[k].Name == resource {
					return version.Version, nil
				}
			}
		}
	}
	return "", nil
}

// follow follows a version until it is served no more.
func (n *nativeGroups) follow(ctx context.Context, version string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	composites, err := n.served(compositePodGroups)
	if err != nil {
		n.cannot(ctx, err)
		return
	}
	now := &nativeVersion{version, newNativeKind(n.clients.custom, version, podGroupsOfNative),
		newNativeKind(n.clients.custom, version, "workloads"), nil}
	if composites != "" {
		now.composites = newNativeKind(n.clients.custom, composites, compositePodGroups)
	}
	if !n.begin(ctx, now) {
		return
	}
	n.engine.log.Info("Following", "resource", now.groups.resource)
	for n.stays(ctx, version) {
	}
}

// begin starts the informers: groups come when it is known where their Workloads are. False: the
// version has gone before all of it was told.
func (n *nativeGroups) begin(ctx context.Context, now *nativeVersion) bool {
	told, err := now.workloads.AddEventHandler(handle(n.workloadSeen, n.workloadGone))
	if err == nil {
		err = n.start(ctx, now.workloads, onlyNamed)
	}
	if err != nil || !n.until(ctx, told, now.workloads.refused.Load) {
		return n.cannot(ctx, err)
	}
	// Who tells of a group looks for its Workload, and for what it is below, here.
	before := n.followed.Swap(now)
	if !n.beginComposites(ctx, now) {
		n.followed.Store(before)
		return false
	}
	told, err = now.groups.AddEventHandler(handle(
		n.groupSeen, n.gone))
	if err == nil {
		err = n.start(ctx, now.groups, bare)
	}
	if err != nil || !n.until(ctx, told, func() bool {
		if now.groups.refused.Load() {
			n.settled.Store(true) // all others need not wait for that
		}
		return false
	}) {
		n.followed.Store(before)
		return n.cannot(ctx, err)
	}
	if before != nil {
		n.forgetGone(before, now)
	}
	n.settled.Store(true)
	return true
}

// beginComposites starts the informer of what is above PodGroups. Where it may not be read, pods
// below wait.
func (n *nativeGroups) beginComposites(ctx context.Context, now *nativeVersion) bool {
	if now.composites == nil {
		return true
	}
	told, err := now.composites.AddEventHandler(handle(n.compositeSeen, n.compositeGone))
	if err == nil {
		err = n.start(ctx, now.composites, bare)
	}
	if err != nil || !n.until(ctx, told, now.composites.refused.Load) {
		return n.cannot(ctx, err)
	}
	return true
}

func (n *nativeGroups) cannot(ctx context.Context, err error) bool {
	if err != nil {
		n.engine.log.Error(err, "Cannot follow", "group", facts.NativeGroups)
		wait(ctx, n.look)
	}
	return false
}

// forgetGone tells of the groups that went while no version of them was followed.
func (n *nativeGroups) forgetGone(before, now *nativeVersion) {
	for _, group := range before.groups.all() {
		is := now.groups.object(group.GetNamespace(), group.GetName())
		if is == nil || is.GetUID() != group.GetUID() {
			n.gone(group)
		}
	}
	for _, group := range before.composites.all() {
		is := n.composite(group.GetNamespace(), group.GetName())
		if is == nil || is.GetUID() != group.GetUID() {
			n.compositeGone(group)
		}
	}
}

func (n *nativeGroups) start(ctx context.Context, kind *nativeKind,
	transform cache.TransformFunc) error {
	if err := kind.SetTransform(transform); err != nil {
		return err
	}
	err := kind.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector,
		err error) {
		switch {
		case apierrors.IsNotFound(err):
			select {
			case n.lost <- struct{}{}:
			default:
			}
		case apierrors.IsForbidden(err) && !kind.refused.Swap(true):
			n.engine.log.Error(err, "May not be read: pods of Kubernetes' own groups wait; apply "+
				"examples/deploy anew", "resource", kind.resource)
		}
		cache.DefaultWatchErrorHandler(ctx, r, err)
	})
	if err != nil {
		return err
	}
	n.groups.done.Go(func() { kind.RunWithContext(ctx) })
	return nil
}

// until waits until all that was there has been told, or nobody needs it. False: it is served no
// more.
func (n *nativeGroups) until(ctx context.Context, told cache.ResourceEventHandlerRegistration,
	enough func() bool) bool {
	for !told.HasSynced() && !enough() {
		select {
		case <-n.lost:
			return false
		default:
		}
		if !wait(ctx, nativeSyncLook) {
			return false
		}
	}
	return true
}

// stays waits for an answer as of what is not served, and tells whether it is served all the same:
// of several API servers one may be older.
func (n *nativeGroups) stays(ctx context.Context, version string) bool {
	select {
	case <-ctx.Done():
		return false
	case <-n.lost:
	}
	for {
		now, err := n.served(podGroupsOfNative)
		if err == nil && now != version {
			return false
		}
		if !wait(ctx, n.look) {
			return false
		}
		if err == nil {
			return true
		}
	}
}
