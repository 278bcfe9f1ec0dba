// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAWriteEndsWithTheLease(t *testing.T) {
	h := &Host{}
	h.AwaitLease()
	if _, _, err := h.writing(context.Background()); !errors.Is(err, ErrNotLeading) {
		t.Fatalf("got %v", err)
	}
	end := time.Now().Add(time.Second)
	h.lease.Set(end)
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
