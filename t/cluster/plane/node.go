// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Node is a node as a kubelet would register it.
type Node struct {
	Name        string
	Labels      map[string]string
	Taints      []corev1.Taint
	Allocatable map[string]string // 110 pods if it does not say
}

// CreateNode creates a node that is Ready and has what is allocatable.
func (p *Plane) CreateNode(ctx context.Context, node Node) (*corev1.Node, error) {
	labels := map[string]string{corev1.LabelHostname: node.Name}
	maps.Copy(labels, node.Labels)
	amounts := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")}
	for name, text := range node.Allocatable {
		amount, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, fmt.Errorf("node %s: allocatable %s %q: %w", node.Name, name, text, err)
		}
		amounts[corev1.ResourceName(name)] = amount
	}
	now := metav1.Now()
	object := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: labels},
		Spec:       corev1.NodeSpec{Taints: node.Taints},
		Status: corev1.NodeStatus{
			Capacity:    amounts,
			Allocatable: amounts,
			Conditions: []corev1.NodeCondition{{
				Type:               corev1.NodeReady,
				Status:             corev1.ConditionTrue,
				Reason:             "KubeletReady",
				LastHeartbeatTime:  now,
				LastTransitionTime: now,
			}},
		},
	}
	created, err := p.Client.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create node %s: %w", node.Name, err)
	}
	return created, nil
}
