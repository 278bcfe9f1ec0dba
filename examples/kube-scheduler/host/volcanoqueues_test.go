// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

func (w *world) command(name, action, queue string) {
	w.t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": bus.SchemeGroupVersion.String(), "kind": "Command",
		"metadata": map[string]any{"name": name, "namespace": "default", "uid": "uid-" + name},
		"action":   action,
		"target":   map[string]any{"kind": "Queue", "name": queue},
	}}
	_, err := w.dynamic.Resource(commandResource).Namespace("default").Create(
		context.Background(), object, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) commandIsGone(name string) func() bool {
	return func() bool {
		_, err := w.dynamic.Resource(commandResource).Namespace("default").Get(
			context.Background(), name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}
}

func (w *world) stateWritten(queue string) string {
	object, err := w.dynamic.Resource(queues).Get(context.Background(), queue, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	state, _, _ := unstructured.NestedString(object.Object, "status", "state")
	return state
}

// The state is in the object when the command goes, not after.
func TestACommandIsDeletedWhenItsChangeIsWritten(t *testing.T) {
	w := newWorld(t, config.Args{Removal: sluice.OnBind}, nil)
	w.queue("q", "1")
	w.until("the queue's state is written", func() bool { return w.stateWritten("q") == "Open" })
	w.command("stop", "SuspendQueue", "q")
	w.until("the command is gone", w.commandIsGone("stop"))
	if state := w.stateWritten("q"); state != "Suspended" {
		t.Errorf("the command is gone, and the queue is %q", state)
	}
	w.create(gatedPod("a"))
	w.until("the pod waits", w.is("a", "waiting"))
	w.command("go", "ResumeQueue", "q")
	w.until("the command is gone", w.commandIsGone("go"))
	w.until("the pod is granted", w.is("a", "reserved"))
	if state := w.stateWritten("q"); state != "Open" {
		t.Errorf("the command is gone, and the queue is %q", state)
	}
}

// Whoever creates a queue and suspends it in one file has it suspended, whichever is seen first;
// and of two commands the later one counts.
func TestACommandMayBeSeenBeforeItsQueue(t *testing.T) {
	w := newWorld(t, config.Args{Removal: sluice.OnBind}, nil)
	w.command("first", "SuspendQueue", "q")
	w.command("second", "ResumeQueue", "q")
	w.command("third", "SuspendQueue", "q")
	w.command("other", "SuspendQueue", "r")
	w.queue("q", "1")
	w.until("the commands are gone", func() bool {
		return w.commandIsGone("first")() && w.commandIsGone("second")() &&
			w.commandIsGone("third")()
	})
	if state := w.stateWritten("q"); state != "Suspended" {
		t.Errorf("the queue is %q", state)
	}
	if w.commandIsGone("other")() {
		t.Error("a command for another queue, which may still come, is gone")
	}
	w.until("that one, too, is refused in the end", w.commandIsGone("other"))
}

func TestAMarkOfTheParentComesAndGoes(t *testing.T) {
	w := newWorld(t, config.Args{Removal: sluice.OnBind}, nil)
	w.queue("p", "4")
	child := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
		"metadata": map[string]any{"name": "c"},
		"spec":     map[string]any{"parent": "p"},
	}}
	_, err := w.dynamic.Resource(queues).Create(context.Background(), child, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	marked := func() bool {
		object, err := w.dynamic.Resource(queues).Get(context.Background(), "c",
			metav1.GetOptions{})
		return err == nil && object.GetAnnotations()["volcano.sh/suspended-by-parent"] != ""
	}
	w.until("the child's state is written", func() bool { return w.stateWritten("c") == "Open" })
	w.command("stop", "SuspendQueue", "p")
	w.until("the child is suspended and marked", func() bool {
		return w.stateWritten("c") == "Suspended" && marked()
	})
	w.command("go", "ResumeQueue", "p")
	w.until("the child is open and not marked", func() bool {
		return w.stateWritten("c") == "Open" && !marked()
	})
}

// What stands in the way is told once, however often the same is asked; other commands are left.
func TestWhatACommandCannotDoIsTold(t *testing.T) {
	w := newWorld(t, config.Args{Removal: sluice.OnBind}, nil)
	w.command("lost", "SuspendQueue", "nothing")
	w.until("the command is gone", w.commandIsGone("lost"))
	w.until("there is an event", func() bool {
		events, err := w.client.CoreV1().Events("default").List(context.Background(),
			metav1.ListOptions{})
		return err == nil && len(events.Items) == 1 && events.Items[0].Type == "Warning" &&
			strings.Contains(events.Items[0].Message, "nothing")
	})
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": bus.SchemeGroupVersion.String(), "kind": "Command",
		"metadata": map[string]any{"name": "job", "namespace": "default", "uid": "uid-job"},
		"action":   "AbortJob", "target": map[string]any{"kind": "Job", "name": "j"},
	}}
	_, err := w.dynamic.Resource(commandResource).Namespace("default").Create(
		context.Background(), job, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.command("after", "OpenQueue", "nothing")
	w.until("a later command is gone", w.commandIsGone("after"))
	if w.commandIsGone("job")() {
		t.Error("a command for a Job is gone: that is Volcano's")
	}
}

func TestConditionsKeepTheirTime(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	open := []sluice.Condition{{Type: "Granting", Status: "True", Reason: "Open"}}
	first := conditionsOf(open, nil, now)
	open[0].Reason = "StillOpen"
	second := conditionsOf(open, first, now.Add(time.Hour))
	if at := second[0].(map[string]any)["lastTransitionTime"]; at != "2026-01-02T03:04:05Z" {
		t.Errorf("the status stays, and the time is %v", at)
	}
	open[0].Status = "False"
	third := conditionsOf(open, second, now.Add(time.Hour))
	if at := third[0].(map[string]any)["lastTransitionTime"]; at != "2026-01-02T04:04:05Z" {
		t.Errorf("the status changed, and the time is %v", at)
	}
}

func TestVolcanosOwnControllerIsSeen(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &volcanoControllers{since: began}
	written := func(manager, subresource string, at time.Time) *unstructured.Unstructured {
		queue := &unstructured.Unstructured{Object: map[string]any{}}
		when := metav1.NewTime(at)
		queue.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager,
			Operation: "Update", Subresource: subresource, Time: &when}})
		return queue
	}
	after, before := began.Add(time.Minute), began.Add(-time.Minute)
	for _, one := range []struct {
		queue *unstructured.Unstructured
		want  string
	}{
		{written("vc-controller-manager", "status", after), "vc-controller-manager"},
		{written("vc-scheduler", "status", after), "vc-scheduler"},
		{written("vc-controller-manager", "status", before), ""},
		{written("vc-controller-manager", "", after), ""},
		{written("sluice-scheduler", "status", after), ""},
		{written("kubectl-patch", "status", after), ""},
	} {
		if got := r.wrote(one.queue); got != one.want {
			t.Errorf("%+v: %q, want %q", one.queue.GetManagedFields(), got, one.want)
		}
	}
}
