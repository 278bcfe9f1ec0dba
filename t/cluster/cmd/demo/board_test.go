// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func testPod(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "here"}}
	pod.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
	}}}
	pod.Status.Phase = corev1.PodPending
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func on(node string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.NodeName = node }
}

func in(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Phase = phase }
}

func says(status corev1.ConditionStatus, reason string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "Other"},
			{Type: corev1.PodScheduled, Status: status, Reason: reason},
		}
	}
}

func TestUnschedulableIsWhatAutoscalersLookFor(t *testing.T) {
	const reason = corev1.PodReasonUnschedulable
	for _, one := range []struct {
		what string
		pod  *corev1.Pod
		want bool
	}{
		{"no condition", testPod("p"), false},
		{"unschedulable", testPod("p", says(corev1.ConditionFalse, reason)), true},
		{"gated", testPod("p", says(corev1.ConditionFalse, "SchedulingGated")), false},
		{"the condition is true", testPod("p", says(corev1.ConditionTrue, reason)), false},
		{"bound", testPod("p", says(corev1.ConditionFalse, reason), on("n")), false},
	} {
		if got := unschedulable(one.pod); got != one.want {
			t.Errorf("%s: got %t", one.what, got)
		}
	}
}

func TestRow(t *testing.T) {
	pod := testPod("p", on("n"), in(corev1.PodRunning), says(corev1.ConditionTrue, "Old"))
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "a"}, {Name: "b"}}
	want := row{name: "p", phase: "Running", node: "n", gates: "a,b"}
	if got := rowOf(pod); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	pod = testPod("p", says(corev1.ConditionFalse, "Why"))
	if got := rowOf(pod); got != (row{name: "p", phase: "Pending", condition: "Why"}) {
		t.Errorf("got %+v", got)
	}
}

func TestBoardRemembers(t *testing.T) {
	s, _ := testScreen(false, 60)
	b := newBoard(1000, s)
	b.follow("here")
	handler := b.handler()
	asks := says(corev1.ConditionFalse, corev1.PodReasonUnschedulable)
	elsewhere := testPod("x", asks)
	elsewhere.Namespace = "there"

	handler.OnAdd(elsewhere, false)
	handler.OnAdd(testPod("first", asks), false)
	handler.OnAdd(testPod("a"), false)
	handler.OnUpdate(nil, testPod("first"))
	handler.OnUpdate(nil, testPod("a", on("n"), in(corev1.PodRunning)))
	handler.OnAdd(testPod("early", asks), false)
	handler.OnUpdate(nil, testPod("a", on("n"), in(corev1.PodSucceeded)))
	handler.OnAdd(testPod("late", asks), false)
	handler.OnDelete(cache.DeletedFinalStateUnknown{Obj: testPod("early", asks)})
	handler.OnDelete(testPod("first"))

	rows, seen := b.now()
	want := []row{done("a", "n"), unschedulably.of("late")}
	if !slices.Equal(rows, want) {
		t.Errorf("the table is %+v, want %+v", rows, want)
	}
	if seen.peak != 1000 || names(seen.asked) != "early first late" ||
		names(seen.tooEarly) != "early" {
		t.Errorf("remembered peak %d, asked %q, too early %q", seen.peak, names(seen.asked),
			names(seen.tooEarly))
	}
	select {
	case <-b.changed:
	default:
		t.Error("nobody was told of the changes")
	}

	b.follow("there")
	if rows, seen = b.now(); len(rows) != 1 || len(seen.asked) != 0 || seen.peak != 0 {
		t.Errorf("in another namespace: rows %+v, remembered %+v", rows, seen)
	}
}
