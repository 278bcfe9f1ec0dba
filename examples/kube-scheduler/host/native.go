// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// nativeLook is how often the API server is asked whether it serves Kubernetes' own groups, while
// it does not.
const nativeLook = 15 * time.Second

// nativeGroups are Kubernetes' own PodGroups, and the Workloads that they were made from. No two
// releases of Kubernetes serve them in the same version: so the one that is served is looked for,
// and looked for again when it is served no more. In between all of them stay as they were seen.
type nativeGroups struct {
	engine     *engine
	clients    *clients
	groups     *groups
	discoverer discovery.DiscoveryInterface
	scheduler  nativeScheduler
	minimums   bool // they answer the minimum that pods carry
	look       time.Duration

	followed atomic.Pointer[nativeVersion] // the last one; nil: nothing has been served yet
	written  ownWrites
	said     sync.Map      // of said, by the uid of the group
	lost     chan struct{} // there was an answer as of what is not served
	settled  atomic.Bool   // what is served has been told, or cannot be had
	amiss    amiss
}

// run follows what is served, now and later.
func (n *nativeGroups) run(ctx context.Context) {
	if !n.engine.KnowsNativeGroups() {
		n.settled.Store(true)
		n.engine.log.Error(nil, "sluice.so is too old for Kubernetes' own PodGroups: their pods are "+
			"queued one by one")
		return
	}
	for ctx.Err() == nil {
		version, err := n.served(podGroupsOfNative)
		if err != nil {
			n.engine.log.Error(err, "Cannot ask whether PodGroups are served", "group",
				facts.NativeGroups)
			wait(ctx, time.Second)
			continue
		}
		what := n.scheduler.amiss(version, n.followed.Load() != nil)
		if what == "" && version == "" && n.minimums {
			what = errMinimumsUnserved.Error()
		}
		n.say(what)
		if version == "" {
			n.settled.Store(true)
			wait(ctx, n.look)
			continue
		}
		n.follow(ctx, version)
	}
}

// groupSeen tells again of the pods of a PodGroup that has come to be below another group.
func (n *nativeGroups) groupSeen(old, now *unstructured.Unstructured) {
	isPart := facts.ParentGroup(now) != ""
	if isPart && old != nil && equality.Semantic.DeepEqual(old.Object["spec"], now.Object["spec"]) {
		return // its scheduler writes statuses, and the tree is as it was
	}
	n.seen(now)
	if isPart && old == nil {
		n.tellBelow(now)
	}
}

// seen tells of a PodGroup. One that is below a composite group is a part of that.
func (n *nativeGroups) seen(object *unstructured.Unstructured) {
	if object.GetKind() == facts.KindCompositeGroup || facts.ParentGroup(object) != "" {
		n.tellTop(object)
		return
	}
	var seen sluice.Group
	var tail sluice.Tail
	err := facts.NativeGroup(object, &seen)
	priority := seen.Priority
	if err == nil {
		seen.Queue = n.named(object)
		n.groups.place(&seen)
		tail, err = n.engine.ObserveGroup(&seen)
	}
	n.engine.told(object, tail, err)
	n.amiss.tell(n.engine, object)
	n.tellMembers(object, priority)
}

// tellMembers tells again of the members whose priority counts as their group's says, and may have
// been told before it was seen.
func (n *nativeGroups) tellMembers(group *unstructured.Unstructured, priority *int32) {
	if priority == nil {
		return
	}
	isMember := n.membersOf(group)
	n.groups.pods.tellAgainIn(group.GetNamespace(), func(pod *v1.Pod) bool {
		return pod.Spec.Priority != nil && isMember(pod) &&
			(isOfSystem(*priority) || isOfSystem(*pod.Spec.Priority))
	})
}

// isOfSystem tells whether a priority is that of a class system-*.
func isOfSystem(priority int32) bool { return facts.CommonPriority(priority) != priority }

// groupGone tells that a PodGroup, or a CompositePodGroup, is gone.
func (n *nativeGroups) groupGone(object *unstructured.Unstructured) {
	if object.GetKind() == facts.KindCompositeGroup {
		n.compositeGone(object)
		return
	}
	n.gone(object)
}

func (n *nativeGroups) gone(object *unstructured.Unstructured) {
	n.forget(object.GetUID())
	if facts.ParentGroup(object) != "" {
		n.tellTop(object)
		n.tellBelow(object)
		return
	}
	tail, err := n.engine.ForgetNativeGroup(string(object.GetUID()), object.GetNamespace(),
		object.GetName())
	n.engine.told(object, tail, err)
}

// named is the queue that a PodGroup names, or else its Workload; "": that of its pods.
func (n *nativeGroups) named(group *unstructured.Unstructured) string {
	if queue := group.GetAnnotations()[facts.QueueName]; queue != "" {
		return queue
	}
	workload := n.workload(group.GetNamespace(), facts.WorkloadOfGroup(group))
	if workload == nil {
		return ""
	}
	return workload.GetAnnotations()[facts.QueueName]
}

// queueOf is the queue that a PodGroup is in, if it is there and one is named, or what it is below
// is.
func (n *nativeGroups) queueOf(namespace, name string) string {
	group := n.top(namespace, name)
	if group == nil {
		return ""
	}
	return n.groups.bound(namespace, n.named(group))
}

// find returns the PodGroup as it was last seen; nil: there is none.
func (n *nativeGroups) find(namespace, name string) *unstructured.Unstructured {
	if followed := n.followed.Load(); followed != nil {
		return followed.groups.object(namespace, name)
	}
	return nil
}

// priority is that of a PodGroup, or of what it is below; nil: it says none, or is not there.
func (n *nativeGroups) priority(namespace, name string) *int32 {
	group := n.top(namespace, name)
	if group == nil {
		return nil
	}
	priority, err := facts.NativePriority(group)
	if err != nil {
		return nil
	}
	return priority
}

// minimum is how many members a gang needs; 0: it is none, or not known.
func (n *nativeGroups) minimum(name types.NamespacedName) int {
	group := n.find(name.Namespace, name.Name)
	var seen sluice.Group
	if group == nil || facts.NativeGroup(group, &seen) != nil {
		return 0
	}
	return int(seen.MinMember)
}

func (n *nativeGroups) workload(namespace, name string) *unstructured.Unstructured {
	if followed := n.followed.Load(); followed != nil && name != "" {
		return followed.workloads.object(namespace, name)
	}
	return nil
}

// tellAgainOf tells again of the groups that are concerned, by their namespace and queue.
func (n *nativeGroups) tellAgainOf(concerned func(namespace, queue string) bool) {
	followed := n.followed.Load()
	if followed == nil {
		return
	}
	for _, group := range append(followed.groups.all(), followed.composites.all()...) {
		if facts.ParentGroup(group) != "" {
			continue // it is told of with what it is below
		}
		space := group.GetNamespace()
		if concerned(space, n.groups.bound(space, n.named(group))) {
			n.seen(group)
		}
	}
}

// tellAgain tells of a group as it is now.
func (n *nativeGroups) tellAgain(group *unstructured.Unstructured) {
	again(&n.engine.limited, group, func() *unstructured.Unstructured {
		now := n.find(group.GetNamespace(), group.GetName())
		if group.GetKind() == facts.KindCompositeGroup {
			now = n.composite(group.GetNamespace(), group.GetName())
		}
		if now == nil || now.GetUID() != group.GetUID() {
			return nil
		}
		return now
	}, n.seen, n.groupGone)
}

// workloadSeen tells again of the groups of a Workload that names another queue.
func (n *nativeGroups) workloadSeen(old, now *unstructured.Unstructured) {
	before := ""
	if old != nil {
		before = old.GetAnnotations()[facts.QueueName]
	}
	if before != now.GetAnnotations()[facts.QueueName] {
		n.workloadGone(now)
	}
}

// workloadGone tells again of the groups of a Workload.
func (n *nativeGroups) workloadGone(workload *unstructured.Unstructured) {
	followed := n.followed.Load()
	if followed == nil {
		return
	}
	for _, group := range append(followed.groups.of(workload), followed.composites.of(workload)...) {
		n.seen(group)
	}
}
