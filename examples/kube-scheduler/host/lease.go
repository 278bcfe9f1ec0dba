// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lease is what this replica knows about leading. Without an election it leads from the start.
type lease struct {
	elected bool

	mutex   sync.Mutex
	until   time.Time // nobody else can have the lease before
	changed chan struct{}
}

// Leads tells whether effects may be carried out now.
func (h *Host) Leads() bool { return !h.lease.elected || time.Now().Before(h.lease.end()) }

func (l *lease) end() time.Time {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.until
}

// within is the time after this length, or the end of the lease, if that is sooner.
func (l *lease) within(length time.Duration) time.Time {
	at := time.Now().Add(length)
	if end := l.end(); l.elected && end.Before(at) {
		return end
	}
	return at
}

func (l *lease) set(until time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.until = until
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// next returns the end of the lease, and what is closed when there is another one.
func (l *lease) next() (time.Time, <-chan struct{}) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.until, l.changed
}

// runLease tells the engine whether it leads: from the lock's first success on, and no longer than
// the last one lasts.
func (h *Host) runLease(ctx context.Context) {
	if !h.lease.elected {
		h.lead(true)
		return
	}
	for leads := false; ctx.Err() == nil; {
		end, changed := h.lease.next()
		left := time.Until(end)
		if now := left > 0; now != leads {
			leads = now
			h.lead(leads)
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

func (h *Host) lead(leads bool) {
	tail, err := h.eng.Lead(leads)
	h.told(nil, tail, err)
	h.log.Info("Leading", "leads", leads)
}

// Lock wraps the lock of the scheduler's election, so that the host sees each time this replica
// gets or renews the lease: from when it asked, it lasts for renewDeadline, which is shorter than
// what others wait.
func (h *Host) Lock(inner resourcelock.Interface,
	renewDeadline time.Duration) resourcelock.Interface {
	h.AwaitLease()
	return &lock{Interface: inner, lease: &h.lease, lasts: renewDeadline}
}

type lock struct {
	resourcelock.Interface
	lease *lease
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
	ours := record.HolderIdentity == l.Identity()
	if !ours {
		l.lease.set(time.Time{}) // it is given back: not ours from before it could be another's
	}
	err := write(ctx, *record)
	if err == nil && ours {
		l.lease.set(asked.Add(l.lasts))
	}
	return err
}
