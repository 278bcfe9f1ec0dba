// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// kubelet does for every node what its kubelet would: bound pods run, and deleted ones go.
type kubelet struct {
	ctx    context.Context
	client kubernetes.Interface
}

func startKubelets(t *testing.T, p *plane.Plane) error {
	client, err := p.ClientFor(kubelets)
	if err != nil {
		return err
	}
	k := &kubelet{t.Context(), client}
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    k.look,
		UpdateFunc: func(_, object any) { k.look(object) },
	})
	factory.Start(t.Context().Done())
	return err
}

func (k *kubelet) look(object any) {
	pod, ok := object.(*corev1.Pod)
	switch {
	case !ok || pod.Spec.NodeName == "" || pod.Namespace == shipped.Namespace:
	case pod.DeletionTimestamp != nil:
		go k.end(pod)
	case pod.Status.Phase != corev1.PodPending:
	default:
		go k.write(pod, `"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]`)
	}
}

// write patches under the version that it saw: whoever changes the pod meanwhile makes it look
// again.
func (k *kubelet) write(pod *corev1.Pod, status string) {
	patch := fmt.Sprintf(`{"metadata": {"uid": %q, "resourceVersion": %q}, "status": {%s}}`,
		pod.UID, pod.ResourceVersion, status)
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
