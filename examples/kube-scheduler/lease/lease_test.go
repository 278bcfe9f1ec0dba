// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// paper is a lock on which every write ends as the test says.
type paper struct {
	resourcelock.Interface
	err   error
	wrote func()
}

func (p *paper) Identity() string { return "us" }

func (p *paper) Update(context.Context, resourcelock.LeaderElectionRecord) error {
	if p.wrote != nil {
		p.wrote()
	}
	return p.err
}

func (p *paper) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return p.Update(ctx, record)
}

func holder(name string) resourcelock.LeaderElectionRecord {
	return resourcelock.LeaderElectionRecord{HolderIdentity: name}
}

func TestTheLeaseIsOursFromASuccessfulWrite(t *testing.T) {
	l, inner := &Lease{}, &paper{}
	lock := l.Lock(inner, time.Minute)
	if l.Leads() {
		t.Fatal("it leads before it asked")
	}
	inner.err = errors.New("conflict")
	if err := lock.Create(context.Background(), holder("us")); err == nil || l.Leads() {
		t.Fatalf("a failed write makes it lead: %v", err)
	}
	inner.err = nil
	for name, write := range map[string]func(context.Context,
		resourcelock.LeaderElectionRecord) error{"create": lock.Create, "update": lock.Update} {
		l.Set(time.Time{})
		if err := write(context.Background(), holder("us")); err != nil || !l.Leads() {
			t.Errorf("%s: it does not lead: %v", name, err)
		}
	}
	inner.err = errors.New("no answer")
	if _ = lock.Update(context.Background(), holder("us")); !l.Leads() {
		t.Error("one renewal that fails ends it before its time")
	}
}

func TestTheLeaseCountsFromTheQuestion(t *testing.T) {
	l, inner := &Lease{}, &paper{wrote: func() { time.Sleep(30 * time.Millisecond) }}
	lock := l.Lock(inner, 20*time.Millisecond)
	if err := lock.Update(context.Background(), holder("us")); err != nil || l.Leads() {
		t.Fatalf("an answer that took longer than the lease lasts makes it lead: %v", err)
	}
}

func TestAReleaseEndsItBeforeItIsWritten(t *testing.T) {
	l, inner := &Lease{}, &paper{}
	lock := l.Lock(inner, time.Minute)
	_ = lock.Update(context.Background(), holder("us"))
	inner.wrote = func() {
		if l.Leads() {
			t.Error("it still leads while the release is written")
		}
	}
	_ = lock.Update(context.Background(), holder(""))
	if l.Leads() {
		t.Error("it leads after the release")
	}
}

func TestWhatIsDoneEndsWithTheLease(t *testing.T) {
	l := &Lease{}
	l.Await()
	end := time.Now().Add(time.Second)
	l.Set(end)
	if at := l.Within(time.Minute); !at.Equal(end) {
		t.Errorf("within a minute: %v, want the lease's end %v", at, end)
	}
	if at := l.Within(time.Millisecond); !at.Before(end) {
		t.Errorf("within a millisecond: %v", at)
	}
	free := &Lease{}
	if at := free.Within(time.Minute); !free.Leads() || !at.After(end) {
		t.Errorf("without an election: %v", at)
	}
}

func TestTheLeaseIsFollowed(t *testing.T) {
	l := &Lease{}
	l.Await()
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan bool)
	go l.Follow(ctx, func(leads bool) { said <- leads })
	l.Set(time.Now().Add(50 * time.Millisecond))
	if !<-said {
		t.Error("it does not begin to lead")
	}
	if <-said {
		t.Error("it leads on when the lease is over")
	}
	l.Set(time.Now().Add(time.Minute))
	if !<-said {
		t.Error("it does not lead again")
	}
	l.Set(time.Time{})
	if <-said {
		t.Error("it leads on when the lease was given back")
	}
	cancel()
}

func TestAWriteEndsWithTheLease(t *testing.T) {
	l := &Lease{}
	l.Await()
	if _, _, err := l.writing(context.Background()); !errors.Is(err, ErrNotLeading) {
		t.Fatalf("got %v", err)
	}
	end := time.Now().Add(time.Second)
	l.Set(end)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	ctx, cancel, err := l.writing(stopped)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	if deadline, _ := ctx.Deadline(); !deadline.Equal(end) || ctx.Err() != nil {
		t.Errorf("ends at %v (want %v), %v", deadline, end, ctx.Err())
	}
}
