// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	gateName       = "scheduling.volcano.sh/queue-allocation-gate"
	queueNameLabel = "scheduling.volcano.sh/queue-name"
)

var gate = corev1.PodSchedulingGate{Name: gateName}

// newPod is a pod of one cpu. An opted-in pod brings its gate, unless a policy is to add it.
func newPod(namespace, name, queue string, optedIn, bringsGate bool) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name,
			Annotations: map[string]string{queueNameLabel: queue},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "main", Image: "none",
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
				},
			}},
		},
	}
	if optedIn {
		pod.Annotations[gateName] = "true"
		if bringsGate {
			pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{gate}
		}
	}
	return pod
}

func hasGate(pod *corev1.Pod) bool { return slices.Contains(pod.Spec.SchedulingGates, gate) }

func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// finish does what a kubelet does when the pod's containers have ended well.
func finish(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	_, err := client.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType,
		[]byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
	return err
}
