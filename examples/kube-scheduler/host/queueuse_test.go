// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
)

// queueFor is a Queue of 8 cpu that says of its users what these annotations say.
func queueFor(name string, said map[string]string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
		"metadata": map[string]any{"name": name, "uid": name},
		"spec":     map[string]any{"capability": map[string]any{"cpu": "8"}}}}
	object.SetAnnotations(said)
	return object
}

// namespace makes the namespace of the pods of this package what these labels and annotations say.
func (w *world) namespace(labels, annotations map[string]string) {
	w.t.Helper()
	spaces := w.client.CoreV1().Namespaces()
	space := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceDefault,
		Labels: labels, Annotations: annotations}}
	if _, err := spaces.Create(context.Background(), space, metav1.CreateOptions{}); err == nil {
		return
	}
	if _, err := spaces.Update(context.Background(), space, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func TestAQueueTakesPodsOnlyFromItsNamespaces(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.namespace(map[string]string{v1.LabelMetadataName: metav1.NamespaceDefault}, nil)
	w.volcanoQueues.seen(queueFor("q", map[string]string{facts.Namespaces: "other"}))
	w.create(podIn("p", "q"))
	w.until("it is held", w.is("p", "held"))
	w.volcanoQueues.seen(queueFor("q", map[string]string{facts.Namespaces: "other, default"}))
	w.until("it is granted when its namespace is on the list", w.is("p", "reserved"))
	w.volcanoQueues.seen(queueFor("q", map[string]string{facts.NamespaceSelector: "team=red"}))
	w.create(podIn("second", "q"))
	w.until("a namespace without the label is not selected", w.is("second", "held"))
	if w.state("p") != "reserved" {
		t.Errorf("what was granted is now %s", w.state("p"))
	}
	w.namespace(map[string]string{v1.LabelMetadataName: metav1.NamespaceDefault, "team": "red"}, nil)
	w.until("with the label it is", w.is("second", "reserved"))
	w.volcanoQueues.seen(queueFor("q", map[string]string{facts.NamespaceSelector: "team in"}))
	w.create(podIn("third", "q"))
	w.until("what cannot be read selects nobody", w.is("third", "held"))
	w.scheduler.mutex.Lock()
	said := strings.Join(w.events, "\n")
	w.scheduler.mutex.Unlock()
	if !strings.Contains(said, "nobody may use the queue") {
		t.Errorf("nobody heard of it: %s", said)
	}
	w.volcanoQueues.seen(queueFor("q", nil))
	w.until("without a word it is for all", w.is("third", "reserved"))
}

func TestANamespaceBindsItsPods(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.volcanoQueues.seen(queueFor("q", nil))
	w.volcanoQueues.seen(queueFor("theirs", nil))
	w.namespace(nil, map[string]string{facts.QueueName: "theirs"})
	w.create(podIn("p", "q"))
	w.until("a pod says where it is", w.isIn("p", "q"))
	w.namespace(nil, map[string]string{facts.QueueName: "theirs", facts.QueueBinding: "true"})
	w.create(podIn("second", "q"))
	w.until("unless its namespace does", w.isIn("second", "theirs"))
	w.namespace(nil, map[string]string{facts.QueueBinding: "true"})
	w.create(podIn("third", "q"))
	w.until("which may mean the default queue", w.isIn("third", facts.DefaultQueue))
}

func TestSystemPrioritiesDoNotCount(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	critical := int32(2000001000)
	pod := podIn("p", "q")
	pod.Spec.Priority = &critical
	described, _ := w.describer.describe(pod)
	if described.Priority != 0 {
		t.Errorf("in a queue that does not say so it is %d", described.Priority)
	}
	w.volcanoQueues.seen(queueFor("q", map[string]string{facts.SystemPriorities: "true"}))
	if described, _ = w.describer.describe(pod); described.Priority != critical {
		t.Errorf("in a queue that says so it is %d", described.Priority)
	}
}
