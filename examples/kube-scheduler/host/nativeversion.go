// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"sluice/kube-scheduler/facts"
)

// nativeVersion is a version of Kubernetes' own groups that is followed.
type nativeVersion struct {
	version           string // of PodGroups, as in v1beta1
	groups, workloads *nativeKind
	composites        *nativeKind // nil: CompositePodGroups are not served
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
	now := &nativeVersion{version, n.podGroups(version),
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

// podGroups are those of a version: as the scheduler follows them, if it does. That this version is
// served no more is heard of by what is followed beside them.
func (n *nativeGroups) podGroups(version string) *nativeKind {
	if n.scheduler.podGroups != nil && version == n.scheduler.version {
		return podGroupsOfScheduler(version, n.scheduler.podGroups)
	}
	return newNativeKind(n.clients.custom, version, podGroupsOfNative)
}

// begin starts the informers: groups come when it is known where their Workloads are. False: the
// version has gone before all of it was told.
func (n *nativeGroups) begin(ctx context.Context, now *nativeVersion) bool {
	told, err := now.workloads.tell(ctx, n.workloadSeen, n.workloadGone)
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
	told, err = now.groups.tell(ctx, n.groupSeen, n.gone)
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
	now.groups.listed.Store(true)
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
	told, err := now.composites.tell(ctx, n.compositeSeen, n.compositeGone)
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
	if kind.ofScheduler {
		return nil
	}
	if err := kind.informer.SetTransform(transform); err != nil {
		return err
	}
	err := kind.informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector,
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
	n.groups.done.Go(func() { kind.informer.RunWithContext(ctx) })
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
