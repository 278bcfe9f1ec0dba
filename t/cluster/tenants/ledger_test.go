// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	resourcehelper "k8s.io/component-helpers/resource"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// ledger sums up what runs, by what the API server says of pods alone: a pod counts from when it
// has a node until it is gone or has ended, in the queue that it named when it was first seen,
// whatever it says later. Nothing that a tenant writes changes that, so it knows no exemptions but
// those that a test makes known.
type ledger struct {
	mutex  sync.Mutex
	limits map[string]*big.Rat
	queues map[types.UID]string // of each pod, as it was first said
	asks   map[types.UID]*big.Rat
	exempt map[types.UID]bool // pods of a DaemonSet, by its uid
	broken []string
}

// keep follows the pods of the plane until the test ends, and fails it for each limit that was
// exceeded.
func keep(t *testing.T, p *plane.Plane) *ledger {
	t.Helper()
	l := &ledger{limits: map[string]*big.Rat{}, queues: map[types.UID]string{},
		asks: map[types.UID]*big.Rat{}, exempt: map[types.UID]bool{}}
	factory := informers.NewSharedInformerFactory(p.Client, 0)
	informer := factory.Core().V1().Pods().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { l.seen(object, false) },
		UpdateFunc: func(_, object any) { l.seen(object, false) },
		DeleteFunc: func(object any) { l.seen(object, true) },
	}); err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context().Done())
	if !cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced) {
		t.Fatal("the pods are not listed")
	}
	t.Cleanup(func() {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		for _, each := range l.broken {
			t.Error(each)
		}
	})
	return l
}

// limit makes the limit of a queue known, as cpu.
func (l *ledger) limit(queue, cpu string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	limit, _ := new(big.Rat).SetString(cpu)
	l.limits[queue] = limit
}

// exempts makes a DaemonSet known, whose pods no queue counts.
func (l *ledger) exempts(uid types.UID) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.exempt[uid] = true
}

func (l *ledger) seen(object any, gone bool) {
	if missed, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = missed.Obj
	}
	pod, ok := object.(*corev1.Pod)
	if !ok || pod.Namespace != space || pod.Spec.SchedulerName != shipped.Name {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, known := l.queues[pod.UID]; !known {
		l.queues[pod.UID] = said(pod)
	}
	if gone || pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodSucceeded ||
		pod.Status.Phase == corev1.PodFailed || l.isExempt(pod) {
		delete(l.asks, pod.UID)
		return
	}
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	cpu := requests[corev1.ResourceCPU]
	l.asks[pod.UID] = big.NewRat(cpu.MilliValue(), 1000)
	l.look(l.queues[pod.UID], pod)
}

func (l *ledger) isExempt(pod *corev1.Pod) bool {
	for _, owner := range pod.OwnerReferences {
		if l.exempt[owner.UID] {
			return true
		}
	}
	return false
}

// said is the queue that a pod names: Kueue's by the name of the LocalQueue.
func said(pod *corev1.Pod) string {
	for _, name := range []string{pod.Labels[local], pod.Annotations[queueName]} {
		if name != "" {
			return name
		}
	}
	return "default"
}

// look holds the limit. [mutex is held]
func (l *ledger) look(queue string, pod *corev1.Pod) {
	limit := l.limits[queue]
	if limit == nil {
		return
	}
	used := new(big.Rat)
	for uid, asked := range l.asks {
		if l.queues[uid] == queue {
			used.Add(used, asked)
		}
	}
	if used.Cmp(limit) > 0 {
		l.broken = append(l.broken, fmt.Sprintf("%s cpu run in queue %s, whose limit is %s, with pod %s",
			strings.TrimSuffix(used.FloatString(3), ".000"), queue, limit.RatString(), pod.Name))
	}
}
