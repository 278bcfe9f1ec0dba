// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"sync"
	"time"

	"sluice/kube-scheduler/sluice"
)

// limited are the objects that a limit of the configuration refused. The engine keeps nothing of
// them, and no watch tells of them again: so this manager does, as there may be room by now.
type limited struct {
	mutex sync.Mutex
	again map[limitedKey]func() // tells of it as it is now
}

type limitedKey struct{ kind, name string }

// limitedLook is how often they are told of again.
const limitedLook = 10 * time.Second

// note keeps an object that a limit refused, and forgets one that was not.
func (l *limited) note(key limitedKey, err error, again func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if sluice.IsLimit(err) {
		l.again[key] = again
	} else {
		delete(l.again, key)
	}
}

// take takes one of a kind; nil: there is none.
func (l *limited) take(kind string) (key limitedKey, again func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for key, again = range l.again {
		if key.kind == kind {
			delete(l.again, key)
			return key, again
		}
	}
	return limitedKey{}, nil
}

func (l *limited) has(key limitedKey) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.again[key] != nil
}

// tellAll tells of those of each kind until one of them is refused once more: so would the others
// be.
func (l *limited) tellAll() {
	for _, kind := range []string{"cluster", "workload", "replica"} {
		for {
			key, again := l.take(kind)
			if again == nil {
				break
			}
			if again(); l.has(key) {
				break
			}
		}
	}
}

func (l *limited) run(ctx context.Context) {
	for ticker := time.NewTicker(limitedLook); ; {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return
		case <-ticker.C:
			l.tellAll()
		}
	}
}
