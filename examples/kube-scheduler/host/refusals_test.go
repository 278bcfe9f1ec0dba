// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

func podNamedQuery(name string) sluice.Query {
	return sluice.Query{What: "pod", Namespace: "default", Name: name}
}

func TestWhoWaitsForARefusedQueueIsToldSo(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.queue("q", "-1")
	w.until("it is refused", func() bool {
		var refused *Refused
		_, err := w.Inspect(sluice.Query{What: "queue", Kind: sluice.KindQueue, Name: "q"})
		return errors.As(err, &refused)
	})
	pod := gatedPod("p1")
	pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse,
		Reason: v1.PodReasonUnschedulable}}
	w.create(pod)
	w.until("its condition is another", func() bool {
		return w.seen("p1").Status.Conditions[0].Reason != v1.PodReasonUnschedulable
	})
	if told := w.seen("p1").Status.Conditions[0]; told.Reason != v1.PodReasonSchedulingGated ||
		!strings.HasPrefix(told.Message, sluice.ReasonQueueUnknown+": queue q was refused: ") {
		t.Errorf("its condition is %+v", told)
	}
	w.create(gatedPod("p2"))
	w.until("the second waits", w.is("p2", "waiting"))
	answer, err := w.Inspect(podNamedQuery("p2"))
	message, _ := answer["message"].(string)
	if err != nil || !strings.HasPrefix(message, "queue q was refused: ") ||
		!strings.Contains(message, "capability") {
		t.Errorf("%v, it is told %q", err, message)
	}
	answer, err = w.Inspect(sluice.Query{What: "queue", Kind: sluice.KindQueue, Name: "q"})
	if why, _ := answer["refused"].(string); err != nil || !strings.Contains(why, "capability") {
		t.Errorf("%v, the queue is %v", err, answer)
	}

	err = w.dynamic.Resource(queues).Delete(context.Background(), "q", metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.until("it does not exist any more", func() bool {
		answer, _ := w.Inspect(podNamedQuery("p2"))
		return answer["message"] == "queue q does not exist"
	})
}

func TestARefusedPodIsNotUnknown(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := gatedPod("p1")
	pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("-3")
	w.create(pod)
	var refused *Refused
	w.until("it is refused", func() bool {
		_, err := w.Inspect(podNamedQuery("p1"))
		return errors.As(err, &refused)
	})
	if _, err := w.Inspect(sluice.Query{What: "pod", UID: "uid-p1"}); err == nil ||
		err.Error() != refused.Error() || !strings.Contains(refused.Why, "-3") {
		t.Errorf("by its uid it is %v, by its name %v", err, refused)
	}
	w.create(gatedPod("p2"))
	w.until("another is known", func() bool { return w.state("p2") != "unknown" })
	if err := w.client.CoreV1().Pods("default").Delete(context.Background(), "p1",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("it is unknown", func() bool {
		var unknown *sluice.Error
		_, err := w.Inspect(podNamedQuery("p1"))
		return errors.As(err, &unknown) && unknown.Code == sluice.CodeField
	})
}
