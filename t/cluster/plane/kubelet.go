// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Kubelets do for every node what its kubelet would: bound pods run or have ended, deleted ones go.
type Kubelets struct {
	Client kubernetes.Interface
	Starts time.Duration // how long a container takes for that

	// Phase is what a bound pod comes to, Running or Succeeded; "": it is nothing to them.
	Phase func(*corev1.Pod) corev1.PodPhase
}

// Start lets them see all pods until the context ends.
func (k Kubelets) Start(ctx context.Context) error {
	look := func(object any) {
		if pod, ok := object.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
			k.look(ctx, pod)
		}
	}
	factory := informers.NewSharedInformerFactory(k.Client, 0)
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    look,
		UpdateFunc: func(_, object any) { look(object) },
	})
	factory.Start(ctx.Done())
	return err
}

func (k Kubelets) look(ctx context.Context, pod *corev1.Pod) {
	phase := k.Phase(pod)
	switch {
	case phase == "":
	case pod.DeletionTimestamp != nil:
		go k.end(ctx, pod)
	case pod.Status.Phase == corev1.PodPending:
		go k.run(ctx, pod, phase)
	}
}

// run patches under the version that it saw: whoever changes the pod meanwhile makes it look again.
func (k Kubelets) run(ctx context.Context, pod *corev1.Pod, phase corev1.PodPhase) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(k.Starts):
	}
	ready := corev1.ConditionFalse
	if phase == corev1.PodRunning {
		ready = corev1.ConditionTrue
	}
	patch := fmt.Sprintf(`{"metadata": {"uid": %q, "resourceVersion": %q}, "status": {
		"phase": %q, "conditions": [{"type": "Ready", "status": %q}]}}`,
		pod.UID, pod.ResourceVersion, phase, ready)
	// A pod that is gone by now needs no kubelet; any other failure leaves it Pending for all to see.
	_, _ = k.Client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
}

func (k Kubelets) end(ctx context.Context, pod *corev1.Pod) {
	now := int64(0)
	_ = k.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
}
