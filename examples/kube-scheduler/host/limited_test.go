// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

func podIn(name, queue string) *v1.Pod {
	pod := gatedPod(name)
	pod.Annotations[facts.QueueName] = queue
	return pod
}

func (w *world) loseQueue(name string) {
	w.t.Helper()
	if err := w.dynamic.Resource(queues).Delete(context.Background(), name,
		metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) losePod(name string) {
	w.t.Helper()
	if err := w.client.CoreV1().Pods("default").Delete(context.Background(), name,
		metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) knows(queue string) func() bool {
	return func() bool {
		answer, err := w.Engine().Inspect(sluice.Query{What: "queue", Kind: sluice.KindQueue,
			Name: queue})
		return err == nil && answer["known"] == true
	}
}

func (w *world) wasRefused(times int) func() bool {
	return func() bool {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		count := 0
		for _, event := range w.events {
			if strings.HasPrefix(event, "SluiceRefused: ") {
				count++
			}
		}
		return count == times
	}
}

func TestMadeUpNamesTakeNoQueue(t *testing.T) {
	args := config.Args{Removal: config.OnBind}
	args.Limits.Queues = 5
	w := newWorld(t, args, nil)
	for i := range 8 {
		w.create(podIn(fmt.Sprint("p", i), fmt.Sprint("made-up-", i)))
	}
	w.until("the last waits", w.is("p7", "waiting"))
	w.queue("q", "4")
	w.until("the queue is known", w.knows("q"))
	w.queue("made-up-3", "4")
	w.until("who waits for his gets it", w.is("p3", "reserved"))
}

// What a limit refused comes when there is room, each in its turn, and is told once that it waits.
func TestWhatALimitRefusedIsTriedAgain(t *testing.T) {
	args := config.Args{Removal: config.OnBind}
	args.Limits.Queues = 3
	args.Limits.Pods = 2
	args.Limits.Nodes = 1
	w := newWorld(t, args, nil)
	w.queue("a", "4")
	w.until("it is known", w.knows("a"))
	w.queue("b", "4")
	w.until("the second is refused", w.wasRefused(1))
	w.queue("c", "4")
	w.until("the third is refused", w.wasRefused(2))
	w.create(podIn("p1", "a"))
	w.create(podIn("p2", "b"))
	w.until("the one runs", w.is("p1", "reserved"))
	w.until("the other waits", w.is("p2", "waiting"))
	w.create(podIn("p3", "c"))
	w.until("a pod is refused", w.wasRefused(3))
	w.create(podIn("p4", "b"))
	w.until("and another", w.wasRefused(4))
	if _, err := w.PreEnqueue(podIn("p3", "c")); err == nil {
		t.Error("the scheduler is not told to hold it")
	}

	w.loseQueue("a")
	w.until("the second is known", w.knows("b"))
	w.until("its pod goes on", w.is("p2", "reserved"))
	w.loseQueue("b")
	w.until("the third is known", w.knows("c"))
	w.losePod("p1")
	w.until("a pod has room, and its queue", w.is("p3", "reserved"))
	w.until("the scheduler looks at it again", w.wasActivated("p3"))
	w.losePod("p4")
	w.losePod("p2")
	w.create(podIn("p5", "c"))
	w.until("nobody is before it who is gone", w.is("p5", "reserved"))
	if !w.wasRefused(4)() {
		t.Errorf("each is told once: %v", w.events)
	}
	if left := w.engine.limited.count.Load(); left != 0 {
		t.Errorf("%d are left", left)
	}
}

func TestNodesAndGroupsAreTriedAgain(t *testing.T) {
	args := config.Args{Removal: config.OnBind}
	args.Limits.Pods = 1
	args.Limits.Nodes = 1
	w := newWorld(t, args, nil)
	nodes := w.client.CoreV1().Nodes()
	for _, name := range []string{"n1", "n2"} {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1.NodeStatus{
			Allocatable: v1.ResourceList{"cpu": resource.MustParse("1")}}}
		if _, err := nodes.Create(context.Background(), node, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.until("it was seen", func() bool {
			_, known := w.nodes.ids.Load("n1")
			return known && (name == "n1" || w.engine.limited.count.Load() == 1)
		})
	}
	if err := nodes.Delete(context.Background(), "n1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("the other node is known", func() bool {
		_, known := w.nodes.ids.Load("n2")
		return known
	})

	groups := w.dynamic.Resource(podGroups).Namespace("default")
	for _, name := range []string{"g1", "g2"} {
		group := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": volcano.SchemeGroupVersion.String(), "kind": "PodGroup",
			"metadata": map[string]any{"name": name, "namespace": "default", "uid": "uid-" + name},
			"spec":     map[string]any{"minMember": int64(1)},
		}}
		if _, err := groups.Create(context.Background(), group,
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if name == "g1" {
			w.until("the one is known", w.knowsGroup(name))
		}
	}
	w.until("the other is refused", func() bool { return w.engine.limited.count.Load() == 1 })
	if err := groups.Delete(context.Background(), "g1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("the other is known", w.knowsGroup("g2"))
}

func (w *world) knowsGroup(name string) func() bool {
	return func() bool {
		answer, err := w.Engine().Inspect(sluice.Query{What: "group", Namespace: "default",
			Name: name})
		return err == nil && answer["known"] == true
	}
}
