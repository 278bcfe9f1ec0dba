// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"encoding/json"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

var versions = map[string]string{
	"Pod":     v1.SchemeGroupVersion.String(),
	"Queue":   volcano.SchemeGroupVersion.String(),
	"Command": bus.SchemeGroupVersion.String(),
}

// tell makes an event whose name says what it tells: once told it is not told again, whoever leads.
// What ended meanwhile, and came back, is told by the same event, with another time.
func (c *clients) tell(ctx context.Context, effect *sluice.Effect) error {
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
	_, err := c.effects.CoreV1().Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) && about.Again {
		return c.tellAgain(ctx, event)
	}
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// tellAgain dates the event that is there anew. How often it happened nobody may read: the role of
// a scheduler writes events, and reads none.
func (c *clients) tellAgain(ctx context.Context, event *v1.Event) error {
	patch, err := json.Marshal(map[string]any{
		"firstTimestamp": event.FirstTimestamp,
		"lastTimestamp":  event.LastTimestamp,
		"message":        event.Message,
	})
	if err != nil {
		return err
	}
	_, err = c.effects.CoreV1().Events(event.Namespace).Patch(ctx, event.Name,
		types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// tellOfEviction says of a pod that goes for whom it does. What cannot be said is no reason to
// evict it a second time.
func (p *pods) tellOfEviction(ctx context.Context, effect *sluice.Effect) {
	if effect.Occurrence == nil {
		return // an older library gives no event's name
	}
	told := *effect
	told.Occurrence = &sluice.Occurrence{Kind: "Pod", Namespace: effect.Namespace,
		Name: effect.Name, UID: effect.UID, Type: v1.EventTypeNormal, Key: effect.Occurrence.Key}
	if err := p.clients.tell(ctx, &told); err != nil {
		p.engine.log.Error(plain.Error(err), "Nobody was told of an eviction",
			"pod", effect.Namespace+"/"+effect.Name)
	}
}
