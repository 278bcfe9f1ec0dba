// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/plane"
)

var (
	volcanoQueues = schema.GroupVersionResource{Group: "scheduling.volcano.sh",
		Version: "v1beta1", Resource: "queues"}
	kueue           = schema.GroupVersion{Group: "kueue.x-k8s.io", Version: "v1beta2"}
	resourceFlavors = kueue.WithResource("resourceflavors")
	clusterQueues   = kueue.WithResource("clusterqueues")
	localQueues     = kueue.WithResource("localqueues")
)

// maker makes objects of kinds for which there is no typed client here.
type maker struct{ client dynamic.Interface }

func newMaker(p *plane.Plane) (*maker, error) {
	client, err := dynamic.NewForConfig(p.REST(plane.Admin))
	return &maker{client}, err
}

func (m *maker) make(ctx context.Context, of schema.GroupVersionResource, namespace, kind,
	name string, spec object) error {
	made := &unstructured.Unstructured{Object: object{
		"apiVersion": of.GroupVersion().String(), "kind": kind,
		"metadata": object{"name": name}, "spec": spec,
	}}
	_, err := m.client.Resource(of).Namespace(namespace).Create(ctx, made, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create %s %s: %w", kind, name, err)
	}
	return nil
}

// queue makes one of Volcano's.
func (m *maker) queue(ctx context.Context, name string, cpu int) error {
	return m.make(ctx, volcanoQueues, "", "Queue", name,
		object{"capability": object{"cpu": strconv.Itoa(cpu)}})
}

func createNode(ctx context.Context, p *plane.Plane, name string) error {
	_, err := p.CreateNode(ctx, plane.Node{Name: name,
		Allocatable: map[string]string{"cpu": strconv.Itoa(nodeCPU), "memory": "32Gi"}})
	return err
}

// createSpaces makes the namespaces of what is measured, and of what only warms up.
func createSpaces(ctx context.Context, p *plane.Plane) error {
	for _, name := range []string{loadSpace, warmSpace} {
		space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := p.Client.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}
