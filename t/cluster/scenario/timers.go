// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"container/heap"
	"time"
)

// timers is what is to happen at moments of the story. What is due at the same moment happens in
// the order in which it was asked for.
type timers struct {
	heap    timerHeap
	tickets uint64
}

type timer struct {
	at     time.Duration
	ticket uint64
	run    func() error
}

type timerHeap []timer

func (h timerHeap) Len() int      { return len(h) }
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(timer)) }

func (h timerHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].ticket < h[j].ticket
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	popped := (*h)[last]
	*h = (*h)[:last]
	return popped
}

func (t *timers) at(when time.Duration, run func() error) {
	t.tickets++
	heap.Push(&t.heap, timer{when, t.tickets, run})
}

// next is the moment of the first one.
func (t *timers) next() (time.Duration, bool) {
	if len(t.heap) == 0 {
		return 0, false
	}
	return t.heap[0].at, true
}

// take is the first one that is due by a moment.
func (t *timers) take(by time.Duration) (func() error, bool) {
	if len(t.heap) == 0 || t.heap[0].at > by {
		return nil, false
	}
	return heap.Pop(&t.heap).(timer).run, true
}
