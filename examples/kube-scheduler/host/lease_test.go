// SPDX-License-Identifier: Apache-2.0

package host

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
	h, inner := &Host{}, &paper{}
	lock := h.Lock(inner, time.Minute)
	if h.Leads() {
		t.Fatal("it leads before it asked")
	}
	inner.err = errors.New("conflict")
	if err := lock.Create(context.Background(), holder("us")); err == nil || h.Leads() {
		t.Fatalf("a failed write makes it lead: %v", err)
	}
	inner.err = nil
	for name, write := range map[string]func(context.Context,
		resourcelock.LeaderElectionRecord) error{"create": lock.Create, "update": lock.Update} {
		h.lease.set(time.Time{})
		if err := write(context.Background(), holder("us")); err != nil || !h.Leads() {
			t.Errorf("%s: it does not lead: %v", name, err)
		}
	}
	inner.err = errors.New("no answer")
	if _ = lock.Update(context.Background(), holder("us")); !h.Leads() {
		t.Error("one renewal that fails ends it before its time")
	}
}

func TestTheLeaseCountsFromTheQuestion(t *testing.T) {
	h, inner := &Host{}, &paper{wrote: func() { time.Sleep(30 * time.Millisecond) }}
	lock := h.Lock(inner, 20*time.Millisecond)
	if err := lock.Update(context.Background(), holder("us")); err != nil || h.Leads() {
		t.Fatalf("an answer that took longer than the lease lasts makes it lead: %v", err)
	}
}

func TestAReleaseEndsItBeforeItIsWritten(t *testing.T) {
	h, inner := &Host{}, &paper{}
	lock := h.Lock(inner, time.Minute)
	_ = lock.Update(context.Background(), holder("us"))
	inner.wrote = func() {
		if h.Leads() {
			t.Error("it still leads while the release is written")
		}
	}
	_ = lock.Update(context.Background(), holder(""))
	if h.Leads() {
		t.Error("it leads after the release")
	}
}

func TestAWriteEndsWithTheLease(t *testing.T) {
	h := &Host{}
	h.AwaitLease()
	if _, _, err := h.writing(context.Background()); !errors.Is(err, ErrNotLeading) {
		t.Fatalf("got %v", err)
	}
	end := time.Now().Add(time.Second)
	h.lease.set(end)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	ctx, cancel, err := h.writing(stopped)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	if deadline, _ := ctx.Deadline(); !deadline.Equal(end) || ctx.Err() != nil {
		t.Errorf("ends at %v (want %v), %v", deadline, end, ctx.Err())
	}
}
