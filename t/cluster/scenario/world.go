// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// world is what the API server shows to anybody: every state of every pod and node, in order.
type world struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface

	pods  map[string]*corev1.Pod // by reference
	nodes map[string]*corev1.Node

	groups groupsSeen

	mu    sync.Mutex
	news  []news
	heard chan struct{}
	last  time.Time // when something was heard
}

// news is one change: of a pod, of a node or of a Workload.
type news struct {
	pod      *corev1.Pod
	node     *corev1.Node
	workload *unstructured.Unstructured
	gone     bool
}

func newWorld(ctx context.Context, c *Cluster) (*world, error) {
	w := &world{
		pods: map[string]*corev1.Pod{}, nodes: map[string]*corev1.Node{},
		heard: make(chan struct{}, 1), last: time.Now(),
	}
	var err error
	if w.client, err = kubernetes.NewForConfig(c.Admin); err != nil {
		return nil, err
	}
	if w.dynamic, err = dynamic.NewForConfig(c.Admin); err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(w.client, 0)
	pods := factory.Core().V1().Pods().Informer()
	nodes := factory.Core().V1().Nodes().Informer()
	for _, informer := range []cache.SharedIndexInformer{pods, nodes} {
		if _, err := informer.AddEventHandler(w); err != nil {
			return nil, err
		}
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced, nodes.HasSynced) {
		return nil, fmt.Errorf("the API server does not list pods and nodes: %w", ctx.Err())
	}
	return w, w.groups.follow(ctx, w.dynamic, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.last = time.Now()
	})
}

// followWorkloads lets Workloads be heard of too, each in all of its states.
func (w *world) followWorkloads(ctx context.Context) error {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(w.dynamic, 0)
	informer := factory.ForResource(kinds["workload"].resource).Informer()
	if _, err := informer.AddEventHandler(w); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the API server does not list workloads: %w", ctx.Err())
	}
	return nil
}

// OnAdd, OnUpdate and OnDelete are called by the informers.
func (w *world) OnAdd(now any, _ bool) { w.hear(now, false) }
func (w *world) OnUpdate(_, now any)   { w.hear(now, false) }
func (w *world) OnDelete(last any)     { w.hear(last, true) }
func (w *world) sinceNews() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.last)
}

func (w *world) hear(what any, gone bool) {
	if unknown, ok := what.(cache.DeletedFinalStateUnknown); ok {
		what = unknown.Obj
	}
	one := news{gone: gone}
	switch object := what.(type) {
	case *corev1.Pod:
		one.pod = object
	case *corev1.Node:
		one.node = object
	case *unstructured.Unstructured:
		one.workload = object
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
	w.news = append(w.news, one)
	select {
	case w.heard <- struct{}{}:
	default:
	}
}

// next is the oldest change that was not looked at yet, now part of what is there.
func (w *world) next() (news, bool) {
	w.mu.Lock()
	if len(w.news) == 0 {
		w.mu.Unlock()
		return news{}, false
	}
	one := w.news[0]
	w.news = w.news[1:]
	w.mu.Unlock()
	if one.workload != nil {
		return one, true
	}
	if one.node != nil {
		if one.gone {
			delete(w.nodes, one.node.Name)
		} else {
			w.nodes[one.node.Name] = one.node
		}
		return one, true
	}
	ref := podRef(one.pod)
	switch old := w.pods[ref]; {
	case !one.gone:
		w.pods[ref] = one.pod
	case old != nil && old.UID == one.pod.UID:
		delete(w.pods, ref)
	}
	return one, true
}

func podRef(pod *corev1.Pod) string { return RefOf("pod", pod.Namespace, pod.Name) }

// sortedPods are all pods, the first that was made first.
func (w *world) sortedPods() []*corev1.Pod {
	return slices.SortedFunc(maps.Values(w.pods), func(a, b *corev1.Pod) int {
		return strings.Compare(string(a.UID), string(b.UID))
	})
}

func (w *world) sortedNodes() []*corev1.Node {
	return slices.SortedFunc(maps.Values(w.nodes), func(a, b *corev1.Node) int {
		if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
}

func isOver(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// unscheduled is what the condition PodScheduled says; nothing if it is true, or there is none.
func unscheduled(pod *corev1.Pod) (reason, message string) {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Reason, condition.Message
		}
	}
	return "", ""
}

// peek shows the pod of the change that comes next.
func (w *world) peek(show func(*corev1.Pod)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.news) > 0 && w.news[0].pod != nil {
		show(w.news[0].pod)
	}
}
