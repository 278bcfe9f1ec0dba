// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

var commandResource = bus.SchemeGroupVersion.WithResource("commands")

// ruling is what the engine asks for where this host writes the states of queues.
var ruling = []string{sluice.QueueStatus, sluice.Event, sluice.DeleteCommand}

func (q *volcanoQueues) commandSeen(object *unstructured.Unstructured) {
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
	tail, err := q.engine.ForgetCommand(string(object.GetUID()))
	q.engine.told(object, tail, err)
}

func (q *volcanoQueues) deleteCommand(ctx context.Context, effect *sluice.Effect) error {
	uid := types.UID(effect.UID)
	return q.clients.objects.Resource(commandResource).Namespace(effect.Namespace).Delete(ctx,
		effect.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
}

// tell makes an event whose name says what it tells: once told it is not told again, whoever leads.
func (q *volcanoQueues) tell(ctx context.Context, effect *sluice.Effect) error {
	about := effect.Occurrence
	now := metav1.NewTime(time.Now())
	event := &v1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: about.Name + "." + about.Key, Namespace: about.Namespace},
		InvolvedObject: v1.ObjectReference{Kind: about.Kind, APIVersion: versions[about.Kind],
			Namespace: about.Namespace, Name: about.Name, UID: types.UID(about.UID)},
		Type: about.Type, Reason: effect.Reason,
		Message: plain.Text(effect.Message, plain.NoteBytes),
		Source:  v1.EventSource{Component: "sluice-scheduler"}, Count: 1,
		FirstTimestamp: now, LastTimestamp: now,
	}
	if effect.UID != about.UID { // what a Command asked for is told of its queue
		event.Related = &v1.ObjectReference{Kind: "Command", APIVersion: versions["Command"],
			Namespace: effect.Namespace, Name: effect.Name, UID: types.UID(effect.UID)}
	}
	if event.Namespace == "" {
		event.Namespace = metav1.NamespaceDefault // where those about cluster-wide objects are
	}
	_, err := q.clients.effects.CoreV1().Events(event.Namespace).Create(ctx, event,
		metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

var versions = map[string]string{
	"Pod":     v1.SchemeGroupVersion.String(),
	"Queue":   volcano.SchemeGroupVersion.String(),
	"Command": bus.SchemeGroupVersion.String(),
}
