// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Leads tells whether effects may be carried out now.
func (h *Host) Leads() bool { return h.lease.Leads() }

// AwaitLease makes the host follow a lease instead of leading from the start. [before Start]
func (h *Host) AwaitLease() { h.lease.Await() }

// Lock wraps the lock of the scheduler's election, so that the host follows the lease.
func (h *Host) Lock(inner resourcelock.Interface,
	renewDeadline time.Duration) resourcelock.Interface {
	return h.lease.Lock(inner, renewDeadline)
}

func (h *Host) followLease(ctx context.Context) { h.lease.Follow(ctx, h.lead) }

func (h *Host) lead(leads bool) {
	tail, err := h.engine.Lead(leads)
	h.engine.told(nil, tail, err)
	h.log.Info("Leading", "leads", leads)
	if leads {
		h.workloads.lookAtAll()
	}
}
