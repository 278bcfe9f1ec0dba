// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// describer knows what the engine wants to know of a pod: what the pod says, and what follows from
// its namespace, its queue and its controllers.
type describer struct {
	schedulers []string // of the profiles
	spaces     corelisters.NamespaceLister
	nodes      corelisters.NodeLister
	queues     *kueueQueues
	volcano    *volcanoQueues
	groups     *groups
	members    *workloadMembers
	devices    *deviceClaims
	heritage   *heritage
	owners     *owners
	templates  *templates
	lookups    *lookups
	pool       sync.Pool // of *sluice.Pod
}

// isOurs tells whether a profile of this scheduler is the pod's.
func (d *describer) isOurs(pod *v1.Pod) bool {
	return slices.Contains(d.schedulers, pod.Spec.SchedulerName)
}

// countsOnceBound tells whether some queue counts a pod from when it is bound on.
func (d *describer) countsOnceBound(pod *v1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return d.isOurs(pod) && !facts.Exempt(pod) && facts.Mirrored(pod) == nil &&
		(owner == nil || facts.KindOf(owner) != facts.DaemonSets || !d.heritage.daemon(pod))
}

// namespaceQueue is the queue that a namespace names; "": none. It may bind those in it.
func (d *describer) namespaceQueue(name string) (queue string, binds bool) {
	namespace, err := d.spaces.Get(name)
	if err != nil {
		return "", false
	}
	said := namespace.Annotations
	return said[facts.QueueName], said[facts.QueueBinding] == "true"
}

// heir is the pod with what it inherits. False: that is not known yet; if it is awaited, the pod is
// told of again when it is.
func (d *describer) heir(pod *v1.Pod, await bool) (*v1.Pod, bool) {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || !d.isOurs(pod) || facts.Exempt(pod) ||
		!facts.MayInherit(pod) && facts.KindOf(owner) != facts.DaemonSets {
		return pod, true
	}
	bequest, known := d.heritage.of(pod.Namespace, owner, await)
	return facts.Heir(pod, bequest), known
}

// describe writes what the engine wants to know of a pod into one of the pool, where it
// is put back. False: who controls
// the pod, or what it inherits, is not known yet, and without that the engine must not hear of it.
func (d *describer) describe(pod *v1.Pod) (*sluice.Pod, bool) {
	into := d.pool.Get().(*sluice.Pod)
	heir, known := d.heir(pod, true)
	return into, known && d.fill(heir, into)
}

// newcomer is what the engine wants to know of a pod that is being created, as it will be told when
// the pod is observed. Controllers are read where they are not known: the one from which a pod
// inherits, and the topmost one of a pod that wants a group.
func (d *describer) newcomer(ctx context.Context, pod *v1.Pod) (*sluice.Pod, error) {
	into := &sluice.Pod{}
	pod, daemon, err := d.newHeir(ctx, pod)
	if err != nil {
		return nil, err
	}
	known := d.fill(pod, into)
	if daemon {
		into.Owner = facts.DaemonSets.Kind
	}
	if known {
		return into, nil
	}
	if err := d.lookups.may(pod.Namespace); err != nil {
		return nil, err
	}
	key, _ := keyOf(pod)
	top, at, err := d.owners.topmost(ctx, key)
	if err != nil && !isFinal(err) {
		return nil, fmt.Errorf("its controller %s %s cannot be read: %w", at.Kind, at.Name, err)
	}
	into.Controller = &top
	return into, nil
}

// newHeir tells, too, whether it is of a DaemonSet of which only the API server knows yet.
func (d *describer) newHeir(ctx context.Context, pod *v1.Pod) (heir *v1.Pod, daemon bool,
	err error) {
	heir, known := d.heir(pod, false)
	if known {
		return heir, false, nil
	}
	if err := d.lookups.may(pod.Namespace); err != nil {
		return nil, false, err
	}
	owner := metav1.GetControllerOfNoCopy(pod)
	said, err := d.heritage.read(ctx, pod.Namespace, owner)
	if err != nil {
		return nil, false, fmt.Errorf("its controller %s %s cannot be read: %w", owner.Kind,
			owner.Name, err)
	}
	return facts.Heir(pod, said.bequest), said.has(pod), nil
}

// check takes from what a pod says of itself that with which the objects that it names do not
// agree.
func (d *describer) check(pod *v1.Pod, into *sluice.Pod) {
	if into.Owner == facts.DaemonSets.Kind && !d.heritage.daemon(pod) {
		into.Owner = ""
	}
	if node := facts.Mirrored(pod); node != nil {
		there, err := d.nodes.Get(node.Name)
		into.Mirror = err == nil && there.UID == node.UID
	}
	if facts.WorkloadOf(pod) != "" && !d.members.has(pod) {
		facts.OfNone(into)
	}
}

// foremost brings those requests to the front that the pod's node can give. Of a pod that runs the
// engine takes as many as it can, and its owner may write any.
func (d *describer) foremost(into *sluice.Pod) {
	var offers v1.ResourceList
	if node, err := d.nodes.Get(into.Node); err == nil {
		offers = node.Status.Allocatable
	}
	slices.SortStableFunc(into.Requests, func(a, b sluice.Amount) int {
		return facts.CompareOffered(offers, a.Name, b.Name)
	})
}

// fill writes over `into` what the engine wants to know of a pod. False: but for who controls it,
// which is not known yet.
func (d *describer) fill(pod *v1.Pod, into *sluice.Pod) bool {
	queue, binds := d.namespaceQueue(pod.Namespace)
	facts.Pod(pod, queue, into)
	d.check(pod, into)
	if name := facts.LocalQueue(pod); name != "" {
		clusterQueue := d.queues.local.clusterQueue(pod.Namespace, name)
		facts.InClusterQueue(into, name, clusterQueue)
		into.NotSelected = clusterQueue != "" && !d.queues.selects(clusterQueue, pod.Namespace)
	} else {
		if binds {
			facts.Bind(into)
		}
		into.NotSelected = !d.volcano.takes(facts.QueueOf(into), pod.Namespace)
	}
	into.CompositeGroup = d.above(pod)
	d.devices.describe(pod, into)
	if len(into.Requests) > facts.MostRequests && into.Node != "" {
		d.foremost(into)
	}
	if common := d.commonPriority(pod, into.Priority); common != into.Priority &&
		!d.countsSystemPriority(pod, into) {
		into.Priority = common
	}
	if !facts.WantsGroup(pod) || !d.isOurs(pod) {
		return true
	}
	top, known := d.owners.of(pod)
	into.Controller = top
	if top != nil && d.templates.supersedes(pod) {
		older := *top // which it has in common with the newer ones
		older.Supersedes = true
		into.Controller = &older
	}
	return known
}

// commonPriority is a pod's priority where those of the classes system-* do not count.
func (d *describer) commonPriority(pod *v1.Pod, own int32) int32 {
	if group := facts.SchedulingGroup(pod); group != "" {
		return facts.MemberPriority(own, d.groups.native.priority(pod.Namespace, group))
	}
	return facts.CommonPriority(own)
}

// countsSystemPriority tells whether the priority of a class system-* counts in the queue that a
// pod is in: its group's, or its own.
func (d *describer) countsSystemPriority(pod *v1.Pod, described *sluice.Pod) bool {
	group := d.groups.queueOf(pod.Namespace, pod.Annotations[facts.GroupName])
	if native := facts.SchedulingGroup(pod); native != "" {
		group = d.groups.native.queueOf(pod.Namespace, native)
	}
	if group != "" {
		return d.volcano.selectors.countSystemPriorities(group)
	}
	queue := facts.QueueOf(described)
	if described.QueueKind == sluice.KindClusterQueue {
		return d.queues.selectors.countSystemPriorities(queue)
	}
	return d.volcano.selectors.countSystemPriorities(queue)
}

// place is the queue in which a pod counts, as its stamp would say it: that in which it was
// granted, or else that which its group, or the pod itself, names.
func (d *describer) place(pod *v1.Pod) string {
	if granted := pod.Annotations[facts.GrantedIn]; granted != "" {
		return granted
	}
	group := d.groups.queueOf(pod.Namespace, pod.Annotations[facts.GroupName])
	if native := facts.SchedulingGroup(pod); native != "" {
		group = d.groups.native.queueOf(pod.Namespace, native)
	}
	local := facts.LocalQueue(pod)
	switch {
	case group != "":
		return "queue/" + group
	case local != "":
		return "clusterqueue/" + d.queues.local.clusterQueue(pod.Namespace, local)
	}
	return "queue/" + d.volcanoQueue(pod)
}

// above is the composite group that a pod's native group is below; "": it is below none.
func (d *describer) above(pod *v1.Pod) string {
	return d.groups.native.compositeOf(pod.Namespace, facts.SchedulingGroup(pod))
}

// volcanoQueue is the Queue of Volcano's that a pod names, itself or by its namespace; "": a
// LocalQueue says where it is.
func (d *describer) volcanoQueue(pod *v1.Pod) string {
	if facts.LocalQueue(pod) != "" {
		return ""
	}
	heir, _ := d.heir(pod, false)
	described := sluice.Pod{}
	queue, binds := d.namespaceQueue(pod.Namespace)
	facts.Pod(heir, queue, &described)
	if binds {
		facts.Bind(&described)
	}
	return facts.QueueOf(&described)
}
