// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

var commandResource = bus.SchemeGroupVersion.WithResource("commands")

// ruling is what the engine asks for where this host writes the states of queues.
var ruling = []string{sluice.QueueStatus, sluice.Event, sluice.DeleteCommand}

func (q *volcanoQueues) commandSeen(object *unstructured.Unstructured) {
	queue, _, _ := unstructured.NestedString(object.Object, "target", "name")
	q.early.seen(queue, object)
}

func (q *volcanoQueues) tellCommand(object *unstructured.Unstructured) {
	var typed bus.Command
	var tail sluice.Tail
	var outcome sluice.Outcome
	err := facts.Read(object, &typed)
	if err == nil {
		outcome, tail, err = q.engine.Command(facts.Command(&typed))
	}
	if err == nil && !outcome.Ignored && !outcome.Waits {
		q.engine.log.V(2).Info("A command", "command", object.GetNamespace()+"/"+object.GetName(),
			"action", typed.Action, "queue", typed.TargetObject.Name, "state", outcome.State,
			"changed", outcome.Changed, "reason", outcome.Reason)
	}
	q.engine.told(object, tail, err)
}

func (q *volcanoQueues) commandGone(object *unstructured.Unstructured) {
	q.early.gone(object.GetUID())
	tail, err := q.engine.ForgetCommand(string(object.GetUID()))
	q.engine.told(object, tail, err)
}

func (q *volcanoQueues) deleteCommand(ctx context.Context, effect *sluice.Effect) error {
	uid := types.UID(effect.UID)
	return q.clients.objects.Resource(commandResource).Namespace(effect.Namespace).Delete(ctx,
		effect.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
}
