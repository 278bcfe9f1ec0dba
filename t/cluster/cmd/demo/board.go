// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// row is a pod as the table shows it. It is comparable: two rows that are equal look the same.
type row struct {
	name, phase, condition, node, gates string
}

func rowOf(pod *corev1.Pod) row {
	r := row{name: pod.Name, phase: string(pod.Status.Phase), node: pod.Spec.NodeName}
	if condition := scheduled(pod); condition != nil && condition.Status == corev1.ConditionFalse {
		r.condition = condition.Reason
	}
	names := []string{}
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	r.gates = strings.Join(names, ",")
	return r
}

func scheduled(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodScheduled {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// unschedulable is what cluster autoscalers look for, and all that they look for.
func unschedulable(pod *corev1.Pod) bool {
	condition := scheduled(pod)
	return condition != nil && condition.Status == corev1.ConditionFalse &&
		condition.Reason == corev1.PodReasonUnschedulable && pod.Spec.NodeName == ""
}

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// board follows the pods of one namespace at a time, shows them, and remembers what it saw.
type board struct {
	room int64 // of the queue, in milli-cpu

	mu        sync.Mutex
	out       *screen
	namespace string
	all       map[string]map[string]*corev1.Pod // by namespace and name
	seen      memory
	changed   chan struct{}
}

// memory is what was seen of a namespace since it is followed.
type memory struct {
	peak     int64 // the most milli-cpu that bound pods used at once
	came     map[string]time.Time
	asked    map[string]time.Duration // how long after it came a pod was Unschedulable
	tooEarly map[string]bool          // seen Unschedulable while the queue was full
}

func newBoard(room int64, out *screen) *board {
	return &board{
		room: room, out: out, all: map[string]map[string]*corev1.Pod{}, changed: make(chan struct{}, 1),
	}
}

// follow shows the pods of a namespace from now on, and forgets what it saw before.
func (b *board) follow(namespace string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.namespace = namespace
	b.seen = memory{
		came: map[string]time.Time{}, asked: map[string]time.Duration{}, tooEarly: map[string]bool{},
	}
}

// handler tells the board of every pod.
func (b *board) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { b.observe(object, false) },
		UpdateFunc: func(_, object any) { b.observe(object, false) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			b.observe(object, true)
		},
	}
}

func (b *board) observe(object any, gone bool) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	pods := b.all[pod.Namespace]
	if pods == nil {
		pods = map[string]*corev1.Pod{}
		b.all[pod.Namespace] = pods
	}
	if pods[pod.Name] = pod; gone {
		delete(pods, pod.Name)
	}
	if pod.Namespace != b.namespace {
		return
	}
	b.remember()
	b.show()
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

func (b *board) remember() {
	var used int64
	for _, pod := range b.all[b.namespace] {
		if pod.Spec.NodeName != "" && !finished(pod) {
			used += cpuOf(pod)
		}
	}
	b.seen.peak = max(b.seen.peak, used)
	for name, pod := range b.all[b.namespace] {
		if _, before := b.seen.came[name]; !before {
			b.seen.came[name] = time.Now()
		}
		if !unschedulable(pod) {
			continue
		}
		if _, before := b.seen.asked[name]; !before {
			b.seen.asked[name] = time.Since(b.seen.came[name])
		}
		if used >= b.room {
			b.seen.tooEarly[name] = true
		}
	}
}

func cpuOf(pod *corev1.Pod) (milli int64) {
	for i := range pod.Spec.Containers {
		milli += pod.Spec.Containers[i].Resources.Requests.Cpu().MilliValue()
	}
	return milli
}

func (b *board) rows() []row {
	rows := []row{}
	for _, pod := range b.all[b.namespace] {
		rows = append(rows, rowOf(pod))
	}
	slices.SortFunc(rows, func(x, y row) int { return strings.Compare(x.name, y.name) })
	return rows
}

// show draws the table with the autoscaler's view under it.
func (b *board) show() {
	waiting, asking := 0, 0
	for _, pod := range b.all[b.namespace] {
		if pod.Spec.NodeName == "" && !finished(pod) {
			waiting++
		}
		if unschedulable(pod) {
			asking++
		}
	}
	b.out.table(b.rows(), fmt.Sprintf("waiting: %d; what an autoscaler sees, Unschedulable: %d",
		waiting, asking))
}

func (b *board) now() ([]row, memory) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rows(), b.seen
}

// watch makes the handler see all pods until stop is closed.
func watch(client kubernetes.Interface, stop <-chan struct{},
	handler cache.ResourceEventHandler) error {
	list := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "",
		fields.Everything())
	informer := cache.NewSharedIndexInformer(list, &corev1.Pod{}, 0, cache.Indexers{})
	if _, err := informer.AddEventHandler(handler); err != nil {
		return fmt.Errorf("watch the pods: %w", err)
	}
	go informer.Run(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		return fmt.Errorf("watch the pods: stopped before the first listing")
	}
	return nil
}
