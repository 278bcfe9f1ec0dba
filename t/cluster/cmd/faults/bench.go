// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"sluice/cluster/plane"
	"sluice/cluster/scenario"
)

// bench is a control plane that faults are tried on, one after the other.
type bench struct {
	options   *options
	shipped   scenario.Shipped
	workloads bool // its controller manager runs

	plane   *plane.Plane
	cluster *scenario.Cluster
	client  kubernetes.Interface
	custom  dynamic.Interface
}

// open makes a control plane if there is none, with all that is shipped, and clears it.
func (b *bench) open(ctx context.Context, workloads bool) error {
	if b.plane != nil && b.workloads != workloads {
		if err := b.close(); err != nil {
			return err
		}
	}
	b.workloads = workloads
	if b.plane == nil {
		p, err := plane.Start(ctx, plane.Options{
			Name: "faults", Keep: b.options.keep, Audit: auditv1.LevelMetadata,
			ControllerManager: workloads,
		})
		if err != nil {
			return err
		}
		b.plane = p
		if b.options.keep {
			fmt.Fprintln(os.Stderr, "faults: the logs are in", p.Dir)
		}
		if b.cluster, err = scenario.NewCluster(ctx, p, b.shipped); err != nil {
			return err
		}
		config := rest.CopyConfig(b.cluster.Admin)
		if b.client, err = kubernetes.NewForConfig(config); err != nil {
			return err
		}
		if b.custom, err = dynamic.NewForConfig(config); err != nil {
			return err
		}
		if err := b.dismissWebhook(ctx); err != nil {
			return err
		}
	}
	if err := b.cluster.Reset(ctx); err != nil {
		return err
	}
	return b.furnish(ctx)
}

// dismissWebhook lets queues be made while no scheduler runs, and malformed ones at any time.
func (b *bench) dismissWebhook(ctx context.Context) error {
	configurations := b.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	err := configurations.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return awaitTrue(ctx, readyTakes, func(ctx context.Context) error {
		return b.create(ctx, "any", object{}, metav1.CreateOptions{DryRun: []string{"All"}})
	})
}

const (
	nodes   = 4
	nodeCPU = 8 // together more than three times the queue
)

func (b *bench) furnish(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}
	err := awaitTrue(ctx, readyTakes, func(ctx context.Context) error {
		_, err := b.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		return plane.Made(err)
	})
	if err != nil {
		return err
	}
	for i := range nodes {
		_, err := b.plane.CreateNode(ctx, plane.Node{
			Name:        fmt.Sprint("node-", i),
			Allocatable: map[string]string{"cpu": strconv.Itoa(nodeCPU), "memory": "32Gi"},
		})
		if err != nil {
			return err
		}
	}
	capability := object{"cpu": strconv.Itoa(limit)}
	return b.createQueue(ctx, queueName, object{"capability": capability})
}

var queues = schema.GroupVersionResource{
	Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "queues",
}

func (b *bench) createQueue(ctx context.Context, name string, spec object) error {
	return b.create(ctx, name, spec, metav1.CreateOptions{})
}

func (b *bench) create(ctx context.Context, name string, spec object,
	options metav1.CreateOptions,
) error {
	queue := &unstructured.Unstructured{Object: object{
		"apiVersion": queues.GroupVersion().String(), "kind": "Queue",
		"metadata": object{"name": name}, "spec": spec,
	}}
	_, err := b.custom.Resource(queues).Create(ctx, queue, options)
	return err
}

// close stops the control plane.
func (b *bench) close() error {
	if b.plane == nil {
		return nil
	}
	err := b.plane.Stop()
	b.plane = nil
	return err
}

// try lets one fault happen. An error is what prevented that; what the fault did is in the result.
func (b *bench) try(ctx context.Context, f *fault) (result *outcome, err error) {
	if err := b.open(ctx, f.workloads); err != nil {
		return nil, err
	}
	result = &outcome{}
	if f.alone != nil {
		return result, f.alone(ctx, b, result)
	}
	t, err := newTrial(ctx, b, f, result)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	return result, t.run()
}

// since is a length of time in words.
func since(at time.Time) string { return time.Since(at).Round(10 * time.Millisecond).String() }
