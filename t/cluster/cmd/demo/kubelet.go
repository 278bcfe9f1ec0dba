// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// kubelet does for every node what its kubelet would: bound pods run, and deleted ones end.
type kubelet struct {
	ctx    context.Context
	client kubernetes.Interface
}

const containerStarts = 200 * time.Millisecond

func (k *kubelet) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    k.look,
		UpdateFunc: func(_, object any) { k.look(object) },
	}
}

func (k *kubelet) look(object any) {
	pod, ok := object.(*corev1.Pod)
	switch {
	case !ok || pod.Spec.NodeName == "":
	case pod.DeletionTimestamp != nil:
		go k.end(pod)
	case pod.Status.Phase == corev1.PodPending:
		go k.run(pod)
	}
}

// run patches under the version that it saw: whoever changes the pod meanwhile makes it look again.
func (k *kubelet) run(pod *corev1.Pod) {
	select {
	case <-k.ctx.Done():
		return
	case <-time.After(containerStarts):
	}
	patch := fmt.Sprintf(`{"metadata": {"uid": %q, "resourceVersion": %q}, "status": {
		"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}`,
		pod.UID, pod.ResourceVersion)
	// A pod that is gone by now needs no kubelet; any other failure leaves it Pending for all to see.
	_, _ = k.client.CoreV1().Pods(pod.Namespace).Patch(k.ctx, pod.Name,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
}

func (k *kubelet) end(pod *corev1.Pod) {
	now := int64(0)
	_ = k.client.CoreV1().Pods(pod.Namespace).Delete(k.ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
}
