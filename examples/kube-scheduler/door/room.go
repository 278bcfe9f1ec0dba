// SPDX-License-Identifier: Apache-2.0

package door

import (
	"context"
	"sync"
)

// room is so much of something, of which no address has more than half.
type room struct {
	most  int64
	mutex sync.Mutex
	used  int64
	by    map[string]int64
	freed chan struct{} // closed when something is given back
}

func newRoom(most int64) *room {
	return &room{most: most, by: map[string]int64{}, freed: make(chan struct{})}
}

// take waits until there is so much, or the context ends: then false.
func (r *room) take(ctx context.Context, who string, amount int64) bool {
	for {
		r.mutex.Lock()
		if r.used+amount <= r.most && r.by[who]+amount <= (r.most+1)/2 {
			r.used += amount
			r.by[who] += amount
			r.mutex.Unlock()
			return true
		}
		freed := r.freed
		r.mutex.Unlock()
		select {
		case <-ctx.Done():
			return false
		case <-freed:
		}
	}
}

// give gives back what was taken.
func (r *room) give(who string, amount int64) {
	if amount == 0 {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.used -= amount
	if r.by[who] -= amount; r.by[who] == 0 {
		delete(r.by, who)
	}
	close(r.freed)
	r.freed = make(chan struct{})
}

func (r *room) empty() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.used == 0
}
