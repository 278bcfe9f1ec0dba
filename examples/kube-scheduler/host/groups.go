// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	coreinformers "k8s.io/client-go/informers/core/v1"
	schedulinginformers "k8s.io/client-go/informers/scheduling/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

var podGroups = volcano.SchemeGroupVersion.WithResource("podgroups")

// grouping is what the engine asks for where this host has the groups.
var grouping = []string{sluice.AnswerPermit, sluice.SetGroup, sluice.CreateGroup,
	sluice.SetGroupStatus, sluice.ChangeGroup}

// groups is what the host knows of PodGroups beside the engine. Without their CRD nothing of it
// runs.
type groups struct {
	engine      *engine
	clients     *clients
	describer   *describer
	pods        *pods
	volcano     *volcanoQueues
	controllers *volcanoControllers
	native      *nativeGroups
	done        *sync.WaitGroup

	served  atomic.Bool
	owners  *owners
	written ownWrites

	// Held while the engine is told of a pod of a group. It is known from several informers, and
	// must not be told of it after it was told that the pod is gone.
	telling sync.Mutex

	informer atomic.Pointer[cache.SharedIndexInformer] // of PodGroups
	ended    cache.SharedIndexInformer                 // of pods that have ended
	classes  cache.SharedIndexInformer                 // of priority classes
}

// prepare makes the informers that they need, which do not run yet.
func (g *groups) prepare(client kubernetes.Interface, reader *objectReader) error {
	g.owners = newOwners(reader)
	g.owners.found, g.owners.warn = g.ownerFound, g.ownerUnknown
	g.ended = coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, 0,
		cache.Indexers{}, notRunning)
	g.classes = schedulinginformers.NewPriorityClassInformer(client, 0, cache.Indexers{})
	return g.ended.SetTransform(g.onlyMembers)
}

// begin follows what PodGroups need beside themselves.
func (g *groups) begin(ctx context.Context, informer cache.SharedIndexInformer) (
	synced []cache.InformerSynced, err error) {
	g.informer.Store(&informer)
	g.served.Store(true)
	for of, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		g.ended:   handle(g.endedPodSeen, g.endedPodGone),
		g.classes: handle(g.classSeen, g.classGone),
	} {
		registration, err := of.AddEventHandler(handler)
		if err != nil {
			return nil, err
		}
		synced = append(synced, registration.HasSynced)
		g.done.Go(func() { of.Run(ctx.Done()) })
	}
	return synced, nil
}

func (g *groups) seen(object *unstructured.Unstructured) {
	var typed volcano.PodGroup
	var seen sluice.Group
	var tail sluice.Tail
	err := facts.Read(object, &typed)
	if err == nil {
		err = facts.Group(&typed, g.classPriority(typed.Spec.PriorityClassName), &seen)
	}
	if err == nil {
		g.place(&seen)
		tail, err = g.engine.ObserveGroup(&seen)
	}
	g.engine.told(object, tail, err)
	g.controllers.lookAtGroup(object)
}

// place says where a group is: in the queue that it names, unless its namespace binds it to another
// one, and whether that is for its namespace.
func (g *groups) place(seen *sluice.Group) {
	seen.Queue = g.bound(seen.Namespace, seen.Queue)
	seen.NotSelected = seen.Queue != "" && !g.volcano.takes(seen.Queue, seen.Namespace)
	if seen.Priority != nil && !g.volcano.selectors.countSystemPriorities(seen.Queue) {
		common := facts.CommonPriority(*seen.Priority)
		seen.Priority = &common
	}
}

// queueOf is the queue that a PodGroup is in, if it is there and names one.
func (g *groups) queueOf(namespace, name string) string {
	group := g.find(namespace, name)
	if group == nil {
		return ""
	}
	return g.queueIn(group)
}

// queueIn is the queue that this PodGroup is in, if it names one.
func (g *groups) queueIn(group *unstructured.Unstructured) string {
	queue, _, _ := unstructured.NestedString(group.Object, "spec", "queue")
	return g.bound(group.GetNamespace(), queue)
}

// bound is the queue of a group that names this one: its namespace may bind it to another.
func (g *groups) bound(namespace, queue string) string {
	if home, binds := g.describer.namespaceQueue(namespace); binds && queue != "" {
		return cmp.Or(home, facts.DefaultQueue)
	}
	return queue
}

// tellAgainOf tells again of the groups that are concerned, Kubernetes' own among them, by their
// namespace and queue.
func (g *groups) tellAgainOf(concerned func(namespace, queue string) bool) {
	g.tellAgain(func(group *unstructured.Unstructured) bool {
		return concerned(group.GetNamespace(), g.queueIn(group))
	})
	g.native.tellAgainOf(concerned)
}

// tellAgain tells again of the groups that are concerned.
func (g *groups) tellAgain(concerned func(*unstructured.Unstructured) bool) {
	informer := g.informer.Load()
	if informer == nil {
		return
	}
	for _, object := range (*informer).GetStore().List() {
		if group := object.(*unstructured.Unstructured); concerned(group) {
			g.seen(group)
		}
	}
}

func (g *groups) gone(object *unstructured.Unstructured) {
	g.written.forget(object.GetUID())
	tail, err := g.engine.ForgetGroup(string(object.GetUID()), object.GetNamespace(),
		object.GetName())
	g.engine.told(object, tail, err)
}

// find returns the PodGroup as it was last seen; nil: there is none.
func (g *groups) find(namespace, name string) *unstructured.Unstructured {
	informer := g.informer.Load()
	if informer == nil {
		return nil
	}
	object, there, err := (*informer).GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return nil
	}
	return object.(*unstructured.Unstructured)
}

// classPriority is the value of a priority class; nil: there is none of that name.
func (g *groups) classPriority(name string) *int32 {
	object, there, err := g.classes.GetStore().GetByKey(name)
	if err != nil || !there {
		return nil
	}
	return &object.(*schedulingv1.PriorityClass).Value
}

func (g *groups) classSeen(old, class *schedulingv1.PriorityClass) {
	if old == nil || old.Value != class.Value {
		g.classGone(class)
	}
}

// classGone tells the engine again of the groups of a class.
func (g *groups) classGone(class *schedulingv1.PriorityClass) {
	g.tellAgain(func(group *unstructured.Unstructured) bool {
		name, _, _ := unstructured.NestedString(group.Object, "spec", "priorityClassName")
		return name == class.Name
	})
}
