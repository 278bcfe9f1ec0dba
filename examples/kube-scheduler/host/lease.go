// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"sluice/kube-scheduler/lease"
)

// Leads tells whether effects may be carried out now.
func (h *Host) Leads() bool { return h.lease.Leads() }

// AwaitLease makes the host follow a lease instead of leading from the start. [before Start]
func (h *Host) AwaitLease() { h.lease.Await() }

// Lock wraps the lock of the scheduler's election, so that the host follows the lease, and grants
// only while no other install does. [before Start]
func (h *Host) Lock(inner resourcelock.Interface,
	renewDeadline time.Duration) resourcelock.Interface {
	if !h.args.ObserveOnly {
		h.grants = lease.NewGrants(
			h.clients.effects.CoordinationV1().Leases(lease.GrantsNamespace), &h.lease,
			inner.Describe(), lease.UsualTimes, h.rivalGrants)
	}
	return h.lease.Lock(inner, renewDeadline)
}

// rivalGrants says that another install grants in the same queues; nil: none does any more.
func (h *Host) rivalGrants(of *coordinationv1.Lease) {
	if of == nil {
		metrics.waitsForRival.Set(0)
		h.log.Info("No other install of sluice grants any more")
		return
	}
	metrics.waitsForRival.Set(1)
	who := ptr.Deref(of.Spec.HolderIdentity, "")
	h.log.Error(nil, "Another install of sluice grants in this cluster: this one grants nothing",
		"itsLease", who, "common", klog.KObj(of))
	h.engine.warn(of, "SluiceRival", "the install whose own lease is %s grants in this cluster: "+
		"another one is there, and grants nothing until this one is gone; remove one of them", who)
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
