// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/lease"
)

// pods are those of the scheduler's own informer, which leaves out the ones that have ended. The
// engine is told of each, with what it inherits, and again when something changes on which that
// depends.
type pods struct {
	engine      *engine
	clients     *clients
	cache       *schedulerCache
	lister      corelisters.PodLister
	index       cache.Indexer
	observeOnly bool
	lease       *lease.Lease

	describer *describer
	groups    *groups
	permits   *permits
	flavored  *flavoredPods
	wakeups   *wakeups
	turns     *nativeTurns

	surroundings atomic.Uint64 // goes up when something changes that pods depend on
}

func (p *pods) seen(old, pod *v1.Pod) {
	p.engine.opened()
	if toleratesMore(old, pod) {
		p.cache.await(func() bool { return p.cache.Queues(pod) })
	}
	if saysElsewhere(old, pod) {
		p.seenElsewhere(old, pod)
		return
	}
	p.seenNow(pod)
}

// toleratesMore tells whether our gate has made way for the tolerations of the pod's flavor:
// without them it finds no node.
func toleratesMore(old, pod *v1.Pod) bool {
	return old != nil && pod.Spec.NodeName == "" && pod.Annotations[facts.Flavors] != "" &&
		len(pod.Spec.SchedulingGates) < len(old.Spec.SchedulingGates) &&
		len(pod.Spec.Tolerations) > len(old.Spec.Tolerations)
}

func (p *pods) seenNow(pod *v1.Pod) {
	p.turns.seen(pod)
	for _, other := range p.describer.members.seen(pod) {
		p.tellAgain(other)
	}
	heir, _ := p.describer.heir(pod, true)
	shared := p.describer.devices.shared.seen(heir)
	p.heirsSeen(shared.more)
	if facts.Grouped(heir) {
		p.groups.memberSeen(heir)
	} else {
		p.tell(heir)
	}
	p.heirsSeen(shared.less)
}

// heirsSeen tells again of pods that may inherit, or ask for, something else now.
func (p *pods) heirsSeen(pods []*v1.Pod) {
	if len(pods) == 0 {
		return
	}
	p.surroundings.Add(1)
	for _, pod := range pods {
		p.tellAgain(pod)
	}
}

// tell tells of a pod. What it depends on beside itself has other watches: where that changes
// meanwhile, whoever tells of the change may have told of the pod already, and it is told again.
func (p *pods) tell(pod *v1.Pod) {
	for told := false; !told; {
		before := p.surroundings.Load()
		p.tellOnce(pod)
		told = p.surroundings.Load() == before
	}
}

func (p *pods) tellOnce(pod *v1.Pod) {
	seen, complete := p.describer.describe(pod)
	defer p.describer.pool.Put(seen)
	if !complete {
		return
	}
	tail, err := p.engine.ObservePod(seen)
	p.engine.told(pod, tail, err)
	if err == nil {
		p.wakeups.wake(pod)
	}
}

func (p *pods) gone(pod *v1.Pod) {
	if pod.Spec.NodeName != "" {
		p.cache.await(func() bool { return !p.cache.Counts(pod) })
	}
	p.flavored.forget(pod.UID)
	p.wakeups.take(pod.UID)
	p.permits.forget(pod.UID)
	p.turns.gone(pod)
	heir, _ := p.describer.heir(pod, false)
	p.describer.heritage.podGone(pod)
	for _, other := range p.describer.members.gone(pod.UID) {
		p.tellAgain(other)
	}
	// Who bears a claim from now on counts it before the one that did gives it back.
	p.heirsSeen(p.describer.devices.shared.gone(pod).more)
	if facts.Grouped(heir) {
		p.engine.opened()
		p.groups.memberLeft(heir)
		return
	}
	p.groups.owners.gone(pod)
	tail, err := p.engine.opened().ForgetPod(string(pod.UID))
	p.engine.told(pod, tail, err)
}

// tellAgainIn tells the engine about pods whose queue may be another one now.
func (p *pods) tellAgainIn(namespace string, concerned func(*v1.Pod) bool) {
	objects, err := p.index.ByIndex(cache.NamespaceIndex, namespace)
	if err != nil {
		p.engine.log.Error(err, "Pods of a namespace", "namespace", namespace)
		return
	}
	p.surroundings.Add(1)
	for _, object := range objects {
		if pod := object.(*v1.Pod); concerned(pod) {
			p.tellAgain(pod)
		}
	}
}

// tellAllAgain tells the engine again about the pods of any namespace that are concerned.
func (p *pods) tellAllAgain(concerned func(*v1.Pod) bool) {
	p.surroundings.Add(1)
	for _, object := range p.index.List() {
		if pod := object.(*v1.Pod); concerned(pod) {
			p.tellAgain(pod)
		}
	}
}

// tellAgain tells of a pod as it is now.
func (p *pods) tellAgain(pod *v1.Pod) {
	again(&p.engine.limited, pod, func() *v1.Pod {
		return p.groups.member(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod.UID)
	}, func(now *v1.Pod) { p.seen(nil, now) }, p.gone)
}

// indexByNamespace adds what the scheduler's own pod informer does without.
func indexByNamespace(informer cache.SharedIndexInformer) error {
	if _, has := informer.GetIndexer().GetIndexers()[cache.NamespaceIndex]; has {
		return nil
	}
	return informer.AddIndexers(cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}
