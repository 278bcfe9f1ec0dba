// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// triedAgain is after how long what could not be written is tried again.
const triedAgain = 5 * time.Second

// kueueQueue is a ClusterQueue or a LocalQueue.
type kueueQueue struct {
	resource schema.GroupVersionResource
	name     types.NamespacedName
}

func clusterQueueNamed(name string) kueueQueue {
	return kueueQueue{clusterQueues, types.NamespacedName{Name: name}}
}

func localQueueNamed(name types.NamespacedName) kueueQueue { return kueueQueue{localQueues, name} }

// staleStatuses are of the queues whose status may have to say something else. Of those of which
// only counts can be others, whichever has waited longest is next; it is looked at only then, so
// that thousands of busy queues cost no more than those that are written.
type staleStatuses struct {
	mutex  sync.Mutex
	all    bool                // anything of any of them may be another
	queues map[kueueQueue]bool // anything of these may be
	counts map[kueueQueue]bool // only counts of these can be
	turns  []kueueQueue        // those of counts, the longest wait first
	last   time.Time           // when counts became others last
	some   chan struct{}       // holds one where there are any
}

func newStaleStatuses() *staleStatuses {
	return &staleStatuses{queues: map[kueueQueue]bool{}, counts: map[kueueQueue]bool{},
		some: make(chan struct{}, 1)}
}

// wake has somebody look.
func (s *staleStatuses) wake() {
	select {
	case s.some <- struct{}{}:
	default:
	}
}

// addAll notes that anything of any queue may be another.
func (s *staleStatuses) addAll() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.all = true
	s.wake()
}

// add notes that anything of some queues may be another. Where there are none somebody looks all
// the same: of the finalizers of queues nothing is noted here.
func (s *staleStatuses) add(queues ...kueueQueue) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, queue := range queues {
		s.queues[queue] = true
	}
	s.wake()
}

// addCounts notes that counts of queues may be others.
func (s *staleStatuses) addCounts(queues ...kueueQueue) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, queue := range queues {
		if !s.counts[queue] {
			s.counts[queue] = true
			s.turns = append(s.turns, queue)
		}
	}
	s.wake()
}

// noteCounts notes that counts of queues have become others.
func (s *staleStatuses) noteCounts(now time.Time, queues ...kueueQueue) {
	s.addCounts(queues...)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last = now
}

// calmAfter is for how long no count changes before nothing else is taken to happen.
const calmAfter = 5 * time.Second

// isCalm tells whether no count changes any more: whatever is written then stays so.
func (s *staleStatuses) isCalm(now time.Time) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return now.Sub(s.last) >= calmAfter
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

// forget notes all in place of each: nobody looks for a while, and names must not pile up.
func (s *staleStatuses) forget() {
	s.mutex.Lock()
	s.queues, s.counts, s.turns = map[kueueQueue]bool{}, map[kueueQueue]bool{}, nil
	s.mutex.Unlock()
	s.addAll()
}

// take returns those of which anything may be another, and notes them no more.
func (s *staleStatuses) take() (all bool, queues map[kueueQueue]bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	all, queues = s.all, s.queues
	s.all, s.queues = false, map[kueueQueue]bool{}
	return all, queues
}

// takeCounts calls write for those of counts, the longest wait first, until it has written so many
// times (0: as often as it likes); write returns whether it did. Who comes meanwhile comes later.
func (s *staleStatuses) takeCounts(bound int64, write func(kueueQueue) bool) {
	s.mutex.Lock()
	turns := s.turns
	s.turns = nil
	s.mutex.Unlock()
	for written := int64(0); len(turns) > 0 && (bound == 0 || written < bound); turns = turns[1:] {
		s.mutex.Lock()
		delete(s.counts, turns[0])
		s.mutex.Unlock()
		if write(turns[0]) {
			written++
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(turns) > 0 {
		s.turns = slices.Concat(turns, s.turns)
		s.wake()
	}
}
