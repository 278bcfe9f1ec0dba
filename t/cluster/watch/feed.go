// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/faults"
)

// Resources are the kinds of queues and groups that are watched.
var resources = []schema.GroupVersionResource{
	{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "queues"},
	{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"},
	{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "clusterqueues"},
	{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "cohorts"},
	{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "localqueues"},
}

// Follow feeds the checker from an API server, through a client of its own, until ctx ends. It
// returns when what is there has been seen.
func (c *Checker) Follow(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	dynamics, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	typed := informers.NewSharedInformerFactory(client, 0)
	untyped := dynamicinformer.NewDynamicSharedInformerFactory(dynamics, 0)
	// Queues come before the pods in them.
	var queues, others []cache.SharedIndexInformer
	for _, resource := range resources {
		queues = append(queues, untyped.ForResource(resource).Informer())
	}
	core := typed.Core().V1()
	queues = append(queues, core.Namespaces().Informer(), core.Nodes().Informer(),
		typed.Apps().V1().Deployments().Informer(), typed.Apps().V1().ReplicaSets().Informer(),
		typed.Apps().V1().StatefulSets().Informer(), typed.Batch().V1().Jobs().Informer(),
		core.ReplicationControllers().Informer())
	others = append(others, core.Pods().Informer())
	for _, some := range [][]cache.SharedIndexInformer{queues, others} {
		for _, informer := range some {
			if _, err := informer.AddEventHandler(c.handler()); err != nil {
				return err
			}
			go informer.RunWithContext(ctx)
			if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				return fmt.Errorf("the API server does not list what is to be watched: %w",
					ctx.Err())
			}
		}
	}
	return nil
}

func (c *Checker) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(now any) { c.see(now, false) },
		UpdateFunc: func(_, now any) { c.see(now, false) },
		DeleteFunc: func(last any) { c.see(last, true) },
	}
}

func (c *Checker) see(what any, gone bool) {
	if unknown, ok := what.(cache.DeletedFinalStateUnknown); ok {
		what = unknown.Obj
	}
	switch of := what.(type) {
	case *corev1.Pod:
		c.Pod(of, gone)
	case *corev1.Node:
		c.Node(of, gone)
	case *corev1.Namespace:
		c.Namespace(of.Name, of.Annotations)
	case *unstructured.Unstructured:
		if of.GetKind() == "PodGroup" {
			c.Group(of, gone)
		} else {
			c.Queue(of, gone)
		}
	case metav1.Object:
		c.Controller(of)
	}
}

// Note hears of the scheduler's requests from a proxy.
func (c *Checker) Note(r *faults.Request) {
	c.answered(r)
	if r.Resource != "pods" || !r.Done() || r.Verb != "patch" && r.Verb != "update" {
		return
	}
	var pod metav1.PartialObjectMetadata
	if json.Unmarshal(r.Answer, &pod) != nil || pod.UID == "" {
		return
	}
	removes := r.Subresource == "" && strings.Contains(string(r.Body), "schedulingGates")
	c.Write(pod.UID, pod.ResourceVersion, pod.Namespace+"/"+pod.Name, removes)
}
