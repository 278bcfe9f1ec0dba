// SPDX-License-Identifier: Apache-2.0

// Package hints has the scheduler ask which pods an event can be about (the feature gate
// SchedulerPreQueueingHints): who only waits in a queue is left out, and nobody else.
package hints

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	gateName = "scheduling.volcano.sh/queue-allocation-gate"
	queueKey = "scheduling.volcano.sh/queue-name"
	patience = 60 * time.Second
	// Without its event a pod would be tried again after five minutes.
	soon  = 20 * time.Second
	space = "default"
)

type cluster struct {
	*testing.T
	*shipped.Sluice
}

// start is a control plane with a node of two cpu, and a replica whose scheduler asks.
func start(t *testing.T, first bool) *cluster {
	t.Helper()
	release, err := plane.Kubernetes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(release, "v1.36.") {
		t.Skipf("a scheduler of %s does not ask which pods an event is about", release)
	}
	p, err := plane.Start(t.Context(), plane.Options{Name: "hints", Ready: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	s, err := shipped.Apply(t.Context(), p, "overlays/instead")
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.First, s.Flags = first, []string{"--feature-gates=SchedulerPreQueueingHints=true"}
	c := &cluster{T: t, Sluice: s}
	c.node("small")
	c.queue("full", "1")
	c.queue("wide", "100")
	if _, err := s.Run(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := c.AwaitLeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// node is one of two cpu.
func (c *cluster) node(name string) {
	c.Helper()
	if _, err := c.CreateNode(c.Context(), plane.Node{Name: name,
		Allocatable: map[string]string{"cpu": "2"}}); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) queue(name, cpu string) {
	c.Helper()
	client, err := dynamic.NewForConfig(c.REST(plane.Admin))
	if err != nil {
		c.Fatal(err)
	}
	queue := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"capability": map[string]any{"cpu": cpu}}}}
	if _, err := client.Resource(schema.GroupVersionResource{Group: "scheduling.volcano.sh",
		Version: "v1beta1", Resource: "queues"}).Create(c.Context(), queue,
		metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
}

// pod asks for one cpu, of a queue unless that is "".
func (c *cluster) pod(name, queue string) {
	c.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("1")}}}}}}
	if queue != "" {
		pod.Annotations = map[string]string{gateName: "true", queueKey: queue}
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gateName}}
	}
	if _, err := c.Client.CoreV1().Pods(space).Create(c.Context(), pod,
		metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) end(name string) {
	c.Helper()
	if err := c.Client.CoreV1().Pods(space).Delete(c.Context(), name,
		*metav1.NewDeleteOptions(0)); err != nil {
		c.Fatal(err)
	}
}

// is waits until this is said of the pod: the name of its node, or why it has none.
func (c *cluster) is(name string, want func(*corev1.Pod) bool, what string, within time.Duration) {
	c.Helper()
	var seen *corev1.Pod
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var err error
		if seen, err = c.Client.CoreV1().Pods(space).Get(c.Context(), name,
			metav1.GetOptions{}); err != nil {
			c.Fatal(err)
		}
		if want(seen) {
			return
		}
	}
	c.Fatalf("pod %s is not %s after %s: node %q, %v", name, what, within, seen.Spec.NodeName,
		seen.Status.Conditions)
}

func bound(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" }

func unschedulable(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			return condition.Reason == corev1.PodReasonUnschedulable
		}
	}
	return false
}

// evaluations is how often the scheduler was told which pods an event is about, or that all are.
func (c *cluster) evaluations(result string) (count float64) {
	c.Helper()
	texts, err := c.Metrics(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	key := fmt.Sprintf(`scheduler_pre_queueing_hint_evaluations_total{plugin="Sluice",result=%q} `,
		result)
	for _, text := range texts {
		if _, rest, has := strings.Cut(text, key); has {
			if _, err := fmt.Sscan(rest, &count); err != nil {
				c.Fatal(err)
			}
		}
	}
	return count
}

// Many pods wait in a full queue. Of two that lack a node, one obeys no queue and one was granted:
// the end of another pod, and a new node, are about these.
func TestEventsAreAboutWhoLacksANode(t *testing.T) {
	c := start(t, true)
	c.pod("runs", "full")
	c.pod("plain", "")
	c.is("runs", bound, "bound", soon)
	c.is("plain", bound, "bound", soon)
	c.pod("next", "full")
	time.Sleep(time.Second) // the age of a pod is told in whole ones
	for i := range 30 {
		c.pod(fmt.Sprint("waits-", i), "full")
	}
	c.pod("lacks", "")
	c.is("lacks", unschedulable, "found unschedulable", soon)
	c.end("plain")
	c.is("lacks", bound, "bound when a pod ends", soon)
	c.pod("granted", "wide")
	c.is("granted", unschedulable, "found unschedulable", soon)
	c.node("new")
	c.is("granted", bound, "bound when a node comes", soon)
	c.end("runs")
	c.is("next", bound, "bound when its queue has room", soon)
	if told, all := c.evaluations("narrowed"), c.evaluations("all_pods"); told == 0 || all > 0 {
		t.Errorf("%g times the pods were named that an event is about, %g times it was all of them",
			told, all)
	}
}

// Where others may have held a pod before Sluice saw it, an event is about all pods.
func TestWhoIsNotFirstNamesNobody(t *testing.T) {
	c := start(t, false)
	c.pod("runs", "full")
	c.is("runs", bound, "bound", soon)
	c.pod("waits", "full")
	c.end("runs")
	c.is("waits", bound, "bound when its queue has room", soon)
	if told := c.evaluations("narrowed"); told > 0 {
		t.Errorf("%g times the pods were named that an event is about", told)
	}
}
