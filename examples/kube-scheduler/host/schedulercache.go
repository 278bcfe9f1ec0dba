// SPDX-License-Identifier: Apache-2.0

package host

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

// Cache is what the scheduler has seen. It hears of the same events in another goroutine, and room
// must not be given away before it sees it, too: the pod would find no node, and say so to the
// autoscaler. Nor must a pod go on before its queue has the tolerations of its flavor.
type Cache interface {
	// Counts tells whether the pod is still on its node.
	Counts(pod *v1.Pod) bool
	// Knows tells whether the node is known as it is here, or as it was later.
	Knows(node *v1.Node) bool
	// Queues tells whether the pod is in the queue as it is here, or as it was later, or has left it
	// for a node.
	Queues(pod *v1.Pod) bool
}

// schedulerCache is the one that the host waits for. Without one, what the scheduler has seen is
// not known, and nothing is waited for.
type schedulerCache struct{ Cache }

const (
	cacheLook = time.Millisecond
	cacheWait = 5 * time.Second
)

// await waits until the scheduler's cache has caught up.
func (c *schedulerCache) await(caughtUp func() bool) {
	for waited := time.Duration(0); c.Cache != nil && waited < cacheWait; waited += cacheLook {
		if caughtUp() {
			return
		}
		time.Sleep(cacheLook)
	}
}
