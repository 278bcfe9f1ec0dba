// SPDX-License-Identifier: Apache-2.0

// Package lease knows until when nobody else can have a lease: what a replica does as the leader it
// does before that.
package lease

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Lease is what a replica knows about leading. Without an election it leads from the start.
type Lease struct {
	elected bool

	mutex   sync.Mutex
	until   time.Time
	alone   time.Time // until when no other install grants; it matters to one that shares
	shares  bool
	changed chan struct{}
}

// Await makes it lead only while it has a lease that is elected. [before Follow]
func (l *Lease) Await() { l.elected = true }

// Leads tells whether something may be done as the leader now.
func (l *Lease) Leads() bool { return !l.elected || time.Now().Before(l.end()) }

func (l *Lease) end() time.Time {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.last()
}

// last is the end of the lease, or of the time in which it is alone, if that is sooner. [locked]
func (l *Lease) last() time.Time {
	if l.shares && l.alone.Before(l.until) {
		return l.alone
	}
	return l.until
}

// share makes it lead only while it knows that no other install does.
func (l *Lease) share() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.shares = true
}

// isElected tells whether this replica has the lease of its own install.
func (l *Lease) isElected() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return time.Now().Before(l.until)
}

// setAlone says until when no other install grants.
func (l *Lease) setAlone(until time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.alone = until
	l.tell()
}

// tell wakes who follows. [locked]
func (l *Lease) tell() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// Within is the time after this length, or the end of the lease, if that is sooner.
func (l *Lease) Within(length time.Duration) time.Time {
	at := time.Now().Add(length)
	if end := l.end(); l.elected && end.Before(at) {
		return end
	}
	return at
}

// WriteTimeout is how long a write to an API server may take, with those that belong to it.
const WriteTimeout = 10 * time.Second

// ErrNotLeading is why a write is not even tried.
var ErrNotLeading = errors.New("this replica does not lead (any more)")

// Write does what only a leader may: a write, or a few that belong together. The context that it
// gets ends before the lease could have gone to another, and a shutdown lets it finish.
func (l *Lease) Write(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel, err := l.writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return write(ctx)
}

func (l *Lease) writing(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if !l.Leads() {
		return nil, nil, ErrNotLeading
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), l.Within(WriteTimeout))
	return ctx, cancel, nil
}

// Set says until when nobody else can have it; a Lock does.
func (l *Lease) Set(until time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.until = until
	l.tell()
}

// next returns the end of the lease, and what is closed when there is another one.
func (l *Lease) next() (time.Time, <-chan struct{}) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.last(), l.changed
}

// Follow tells whether this replica leads, when that changes: from the lock's first success on, and
// no longer than the last one lasts. It returns when the context ends.
func (l *Lease) Follow(ctx context.Context, lead func(leads bool)) {
	if !l.elected {
		lead(true)
		return
	}
	for leads := false; ctx.Err() == nil; {
		end, changed := l.next()
		left := time.Until(end)
		if now := left > 0; now != leads {
			leads = now
			lead(leads)
		}
		var over <-chan time.Time
		if left > 0 {
			over = time.After(left)
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-over:
		}
	}
}

// Lock wraps the lock of an election, so that the lease sees each time this replica gets or renews
// it: from when it asked, it lasts for renewDeadline, which is shorter than what others wait.
func (l *Lease) Lock(inner resourcelock.Interface,
	renewDeadline time.Duration) resourcelock.Interface {
	l.Await()
	return &lock{Interface: inner, lease: l, lasts: renewDeadline}
}

type lock struct {
	resourcelock.Interface
	lease *Lease
	lasts time.Duration
}

func (l *lock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(ctx, &record, l.Interface.Create)
}

func (l *lock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(ctx, &record, l.Interface.Update)
}

func (l *lock) write(ctx context.Context, record *resourcelock.LeaderElectionRecord,
	write func(context.Context, resourcelock.LeaderElectionRecord) error) error {
	asked := time.Now()
	mine := record.HolderIdentity == l.Identity()
	if !mine {
		l.lease.Set(time.Time{}) // it is given back: not ours from before it could be another's
	}
	err := write(ctx, *record)
	if err == nil && mine {
		l.lease.Set(asked.Add(l.lasts))
	}
	return err
}
