// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	devices     sync.Map // uid of a Queue -> what of it counts for nothing
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
	queueSeen(q.engine, facts.Queue)(object)
	q.warnOfDevices(object)
}

func (q *volcanoQueues) gone(object *unstructured.Unstructured) {
	q.devices.Delete(object.GetUID())
	queueGone(q.engine, sluice.KindQueue)(object)
}

// warnOfDevices says of a queue that some of its amounts count for nothing, once for each edit: who
// writes it past the webhook hears of it nowhere else.
func (q *volcanoQueues) warnOfDevices(object *unstructured.Unstructured) {
	var queue volcano.Queue
	if facts.Read(object, &queue) != nil {
		return
	}
	ignored := facts.DeviceQuota(&queue)
	if ignored == "" {
		q.devices.Delete(queue.UID)
		return
	}
	if before, told := q.devices.Swap(queue.UID, ignored); !told || before != ignored {
		q.engine.warn(object, "SluiceUnsupported", "%s", ignored)
	}
}
