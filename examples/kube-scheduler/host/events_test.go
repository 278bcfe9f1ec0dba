// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

// eventsAbout are those that the host made by itself.
func (w *world) eventsAbout(pod *v1.Pod) []v1.Event {
	w.t.Helper()
	events := w.Host.clients.effects.CoreV1().Events(pod.Namespace)
	list, err := events.List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return slices.DeleteFunc(list.Items, func(event v1.Event) bool {
		return event.InvolvedObject.UID != pod.UID
	})
}

// What came back is told by the event that is there, with another time; what a leader before told
// is left as it is.
func TestAnEventThatIsThereIsDatedAnewOnlyIfItCameBack(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := w.create(gatedPod("a"))
	effect := &sluice.Effect{Kind: sluice.Event, Namespace: pod.Namespace, Name: pod.Name,
		UID: string(pod.UID), Reason: "QueueUnknown", Message: "first",
		Occurrence: &sluice.Occurrence{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name,
			UID: string(pod.UID), Type: v1.EventTypeWarning, Key: "0123456789abcdef"}}
	w.does(effect, sluice.Done)
	effect.Message = "second"
	w.does(effect, sluice.Done)
	if events := w.eventsAbout(pod); len(events) != 1 || events[0].Message != "first" {
		t.Errorf("it was told %+v", events)
	}
	effect.Occurrence.Again = true
	w.does(effect, sluice.Done)
	if events := w.eventsAbout(pod); len(events) != 1 || events[0].Message != "second" {
		t.Errorf("it was told %+v", events)
	}
}
