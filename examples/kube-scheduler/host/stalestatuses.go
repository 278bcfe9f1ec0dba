// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// kueueQueue is a ClusterQueue or a LocalQueue.
type kueueQueue struct {
	resource schema.GroupVersionResource
	name     types.NamespacedName
}

func clusterQueueNamed(name string) kueueQueue {
	return kueueQueue{clusterQueues, types.NamespacedName{Name: name}}
}

func localQueueNamed(name types.NamespacedName) kueueQueue { return kueueQueue{localQueues, name} }

// staleStatuses are of the queues whose status may have to say something else: of thousands of
// queues only these are looked at.
type staleStatuses struct {
	mutex  sync.Mutex
	all    bool // it may be any of them
	queues map[kueueQueue]bool
	some   chan struct{} // holds one where there are any
}

func newStaleStatuses() *staleStatuses {
	return &staleStatuses{queues: map[kueueQueue]bool{}, some: make(chan struct{}, 1)}
}

// add notes some; none: all that there are.
func (s *staleStatuses) add(queues ...kueueQueue) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.all = s.all || len(queues) == 0
	for _, queue := range queues {
		s.queues[queue] = true
	}
	select {
	case s.some <- struct{}{}:
	default:
	}
}

// await returns when there are any, and false when the context has ended.
func (s *staleStatuses) await(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.some:
		return true
	}
}

// take returns what was noted, and notes nothing any more.
func (s *staleStatuses) take() (all bool, queues map[kueueQueue]bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	all, queues = s.all, s.queues
	s.all, s.queues = false, map[kueueQueue]bool{}
	return all, queues
}
