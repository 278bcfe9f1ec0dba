// SPDX-License-Identifier: Apache-2.0

package door

import (
	"runtime/debug"
	"sync"
	"time"
)

// GiveBack is how long after the last large body of a flood its memory is the system's again.
// Without that the runtime keeps it for minutes, and gives back only a part.
const GiveBack = 10 * time.Second

// floodBytes are so many of large bodies that what they left behind is worth a collection.
const floodBytes = 32 << 20

// memory knows how much went through a door since it was last given back.
type memory struct {
	give  func()
	mutex sync.Mutex
	bytes int64
	timer *time.Timer // runs while there is something to give back
}

func giveBack() { debug.FreeOSMemory() }

// passed counts a large body that is done with. When as much as a flood has passed, and none has
// come for a while, memory is given back.
func (m *memory) passed(bytes int64, quiet func() bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.bytes += bytes
	switch {
	case m.bytes < floodBytes:
	case m.timer == nil:
		m.timer = time.AfterFunc(GiveBack/2, func() { m.rest(quiet) })
	default:
		m.timer.Reset(GiveBack / 2)
	}
}

func (m *memory) rest(quiet func() bool) {
	m.mutex.Lock()
	if !quiet() {
		m.timer.Reset(GiveBack / 2)
		m.mutex.Unlock()
		return
	}
	m.bytes, m.timer = 0, nil
	m.mutex.Unlock()
	m.give()
}
