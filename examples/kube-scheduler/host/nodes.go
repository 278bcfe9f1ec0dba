// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"sync"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	corelisters "k8s.io/client-go/listers/core/v1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// nodes are told to the engine, which gives each a number.
type nodes struct {
	engine   *engine
	cache    *schedulerCache
	lister   corelisters.NodeLister
	flavored *flavoredPods
	pods     *pods
	ids      sync.Map // name -> uint32
}

func (n *nodes) seen(old, node *v1.Node) {
	if old == nil || !apiequality.Semantic.DeepEqual(old.Status.Allocatable,
		node.Status.Allocatable) {
		n.cache.await(func() bool { return n.cache.Knows(node) })
	}
	var seen sluice.Node
	facts.Node(node, &seen)
	id, tail, err := n.engine.opened().ObserveNode(&seen)
	if err == nil {
		n.ids.Store(node.Name, id)
	}
	n.engine.told(node, tail, err)
	if old == nil {
		n.pods.heirsSeen(n.pods.describer.heritage.heirs(node.UID)) // its kubelet's own
	}
	if mayFit(old, node) {
		n.flavored.tryAgain()
	}
}

func (n *nodes) gone(node *v1.Node) {
	n.ids.Delete(node.Name)
	tail, err := n.engine.opened().ForgetNode(node.Name)
	n.engine.told(node, tail, err)
}

// mayFit tells whether a node may be of a flavor now that it was not of before.
func mayFit(old, now *v1.Node) bool { return old == nil || !maps.Equal(old.Labels, now.Labels) }

// tellAgain tells of a node as it is now.
func (n *nodes) tellAgain(node *v1.Node) {
	again(&n.engine.limited, node, func() *v1.Node {
		now, err := n.lister.Get(node.Name)
		if err != nil || now.UID != node.UID {
			return nil
		}
		return now
	}, func(now *v1.Node) { n.seen(nil, now) }, n.gone)
}

// Nodes are those that belong to the flavors that a pod was granted.
type Nodes struct {
	bits []byte
	of   *nodes
}

// Has tells whether the node is one of them.
func (n *Nodes) Has(name string) bool {
	id, known := n.of.ids.Load(name)
	return known && sluice.Has(n.bits, id.(uint32))
}
