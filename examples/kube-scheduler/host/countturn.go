// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"slices"
)

// countTurn are the statuses of a turn of which only counts are others: so many are written, whose
// wait is the longest.
type countTurn struct {
	number uint64
	since  map[kueueQueue]uint64 // the turn in which those began to wait who did before
	waits  []countWrite
}

// countWrite is what waits for its turn.
type countWrite struct {
	queue kueueQueue
	since uint64 // the turn in which it began to wait
	write func() error
}

// add lets a queue wait.
func (t *countTurn) add(queue kueueQueue, write func() error) {
	since, waited := t.since[queue]
	if !waited {
		since = t.number
	}
	t.waits = append(t.waits, countWrite{queue, since, write})
}

// due returns those whose turn it is, at most so many (0: all), and the next turn, in which the
// others go on waiting.
func (t *countTurn) due(bound int64) (due []countWrite, next *countTurn) {
	slices.SortStableFunc(t.waits, func(a, b countWrite) int { return cmp.Compare(a.since, b.since) })
	count := len(t.waits)
	if bound > 0 {
		count = min(count, int(bound))
	}
	next = &countTurn{number: t.number + 1, since: map[kueueQueue]uint64{}}
	for _, other := range t.waits[count:] {
		next.since[other.queue] = other.since
	}
	return t.waits[:count], next
}
