// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/config"
)

func TestAnAmountThatCountsForNothingIsTold(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": volcano.SchemeGroupVersion.String(), "kind": "Queue",
		"metadata": map[string]any{"name": "q", "uid": "uid-q"},
		"spec": map[string]any{"capability": map[string]any{
			"cpu": "4", "cores.deviceclass/gpu.nvidia.com": "8"}},
	}}
	client := w.dynamic.Resource(queues)
	if _, err := client.Create(context.Background(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	told := func() (count int) {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		for _, event := range w.events {
			if strings.HasPrefix(event, "SluiceUnsupported: spec.capability[cores.deviceclass/") {
				count++
			}
		}
		return count
	}
	w.until("it is told", func() bool { return told() == 1 })
	w.create(gatedPod("p1"))
	w.until("the queue grants all the same", w.is("p1", "reserved"))
	object.SetLabels(map[string]string{"a": "b"})
	if _, err := client.Update(context.Background(), object, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.queue("r", "4")
	w.until("later news is heard", w.knows("r"))
	if told() != 1 {
		t.Errorf("it is told %d times", told())
	}
}
