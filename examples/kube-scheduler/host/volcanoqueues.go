// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	corelisters "k8s.io/client-go/listers/core/v1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// volcanoQueues are Volcano's Queues and the Commands about them: what is seen of them goes to the
// engine, and what it makes of their states is written into them.
type volcanoQueues struct {
	engine      *engine
	clients     *clients
	custom      *customResources
	controllers *volcanoControllers
	pods        *pods
	groups      *groups
	describer   *describer
	spaces      corelisters.NamespaceLister

	selectors selectors
	listed    atomic.Bool // all queues that were there in the beginning have been seen
	told      sync.Map    // uid of a Queue -> what of it counts for nothing
	early     earlyCommands
}

// queueSeen tells the engine of a queue of any kind.
func queueSeen[T any](e *engine, translate func(*T, *sluice.Queue) error) func(
	*unstructured.Unstructured) {
	return func(object *unstructured.Unstructured) {
		var typed T
		var seen sluice.Queue
		var tail sluice.Tail
		err := facts.Read(object, &typed)
		if err == nil {
			err = translate(&typed, &seen)
		}
		if err == nil {
			tail, err = e.ObserveQueue(&seen)
		}
		e.told(object, tail, err)
	}
}

// queueGone tells the engine that a queue is gone.
func queueGone(e *engine, kind string) func(*unstructured.Unstructured) {
	return func(object *unstructured.Unstructured) {
		tail, err := e.ForgetQueue(kind, object.GetName())
		e.told(object, tail, err)
	}
}

func (q *volcanoQueues) seen(object *unstructured.Unstructured) {
	q.controllers.lookAtQueue(object)
	name := object.GetName()
	q.selectors.seen(name, termsOf(object),
		func() { queueSeen(q.engine, facts.Queue)(object) }, func() { q.tellUsers(name) })
	q.early.queueSeen(name)
	q.warnOfUseless(object)
}

func (q *volcanoQueues) gone(object *unstructured.Unstructured) {
	q.told.Delete(object.GetUID())
	q.early.queueGone(object.GetName())
	queueGone(q.engine, sluice.KindQueue)(object)
	q.selectors.forget(object.GetName())
}

// termsOf are what a Queue says of those who may use it. What cannot be read selects nobody.
func termsOf(object *unstructured.Unstructured) queueTerms {
	said := object.GetAnnotations()
	parent, _, _ := unstructured.NestedString(object.Object, "spec", "parent")
	if parent == "" && object.GetName() != facts.RootQueue {
		parent = facts.RootQueue
	}
	users, _ := facts.UsersOf(said)
	return queueTerms{namespaces: users, parent: parent,
		systemPriorities: said[facts.SystemPriorities] == "true"}
}

// takes tells whether a queue is for what is in a namespace. One that is not known yet is in none:
// there will be news of it.
func (q *volcanoQueues) takes(queue, namespace string) bool {
	if !q.selectors.areBound() {
		return true
	}
	space, err := q.spaces.Get(namespace)
	return err == nil && q.selectors.selects(queue, space.Labels)
}

// tellUsers tells again of the groups and pods of a queue, and of those below it, that may take
// others now, or them otherwise. In the beginning all are told of at once, by allListed.
func (q *volcanoQueues) tellUsers(name string) {
	if !q.listed.Load() {
		return
	}
	q.groups.tellAgainOf(func(_, queue string) bool {
		return queue != "" && q.selectors.isAtOrBelow(queue, name)
	})
	q.pods.tellAllAgain(func(pod *v1.Pod) bool {
		queue := q.describer.volcanoQueue(pod)
		return queue != "" && q.selectors.isAtOrBelow(queue, name)
	})
}

// allListed tells again of everybody in whose queue only some may be, who may have been told of
// before that was known.
func (q *volcanoQueues) allListed() {
	q.listed.Store(true)
	if q.selectors.areBound() {
		q.groups.tellAgainOf(func(string, string) bool { return true })
		q.pods.tellAllAgain(func(*v1.Pod) bool { return true })
	}
}

// warnOfUseless says of a queue what of it counts for nothing, once for each edit: who writes it
// past the webhook hears of it nowhere else.
func (q *volcanoQueues) warnOfUseless(object *unstructured.Unstructured) {
	var queue volcano.Queue
	if facts.Read(object, &queue) != nil {
		return
	}
	useless := facts.DeviceQuota(&queue)
	if _, err := facts.UsersOf(queue.Annotations); err != nil {
		useless = "nobody may use the queue: " + err.Error()
	}
	if useless == "" {
		q.told.Delete(queue.UID)
		return
	}
	if before, told := q.told.Swap(queue.UID, useless); !told || before != useless {
		q.engine.warn(object, "SluiceUnsupported", "%s", useless)
	}
}
