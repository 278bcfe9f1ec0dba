// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestKubelets(t *testing.T) {
	p := startPlane(t, Options{})
	pods := p.Client.CoreV1().Pods("default")
	for name, node := range map[string]string{"runs": "n", "ends": "n", "other": "n", "unbound": ""} {
		_, err := pods.Create(t.Context(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PodSpec{NodeName: node,
				Containers: []corev1.Container{{Name: "c", Image: "none"}}},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	kubelets := Kubelets{Client: p.Client, Phase: func(pod *corev1.Pod) corev1.PodPhase {
		return map[string]corev1.PodPhase{"runs": corev1.PodRunning, "ends": corev1.PodSucceeded,
			"unbound": corev1.PodRunning}[pod.Name]
	}}
	if err := kubelets.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	said := func(name string) string {
		pod, err := pods.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		text := string(pod.Status.Phase)
		for _, condition := range pod.Status.Conditions {
			text += fmt.Sprintf(" %s=%s", condition.Type, condition.Status)
		}
		return text
	}
	for name, want := range map[string]string{"runs": "Running Ready=True",
		"ends": "Succeeded Ready=False"} {
		eventually(t, name, func() error {
			if got := said(name); got != want {
				return fmt.Errorf("%s, want %s", got, want)
			}
			return nil
		})
	}
	for _, name := range []string{"runs", "other"} {
		if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "what was deleted is gone", func() error {
		_, err := pods.Get(t.Context(), "runs", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there, and asking for it gives %v", err)
	})
	for _, name := range []string{"other", "unbound"} {
		if got := said(name); got != "Pending" {
			t.Errorf("%s: %s; it is nothing to them", name, got)
		}
	}
}
