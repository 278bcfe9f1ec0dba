// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// carryOut does what the effect says and returns what became of it.
func (h *Host) carryOut(ctx context.Context, effect *sluice.Effect) sluice.Ack {
	ack := sluice.Ack{ID: effect.ID}
	err := h.lease.Write(ctx, func(ctx context.Context) (err error) {
		ack.ResourceVersion, err = h.write(ctx, effect)
		return err
	})
	ack.Result = outbox.Result(err)
	metrics.effects.WithLabelValues(effect.Kind, ack.Result).Inc()
	if apierrors.IsTooManyRequests(err) && effect.Kind == sluice.EvictPod {
		h.log.V(2).Info("A disruption budget holds a pod that is to be evicted",
			"pod", effect.Namespace+"/"+effect.Name, "attempt", effect.Attempt)
	} else if err != nil && (ack.Result == sluice.Retry || apierrors.IsInvalid(err)) {
		h.log.Error(plain.Error(err), "An effect failed and will be tried again", "effect", effect.Kind,
			"object", effect.Namespace+"/"+effect.Name, "attempt", effect.Attempt)
	}
	return ack
}

// write does it within the lease. It returns the version that it wrote, where the engine wants to
// know it.
func (h *Host) write(ctx context.Context, effect *sluice.Effect) (int64, error) {
	switch effect.Kind {
	case sluice.RemoveGates, sluice.SetCondition, sluice.SetGroup:
		return h.pods.write(ctx, effect)
	case sluice.QueueStatus:
		return h.volcanoQueues.write(ctx, effect)
	case sluice.Event:
		return 0, h.volcanoQueues.clients.tell(ctx, effect)
	case sluice.DeleteCommand:
		return 0, h.volcanoQueues.deleteCommand(ctx, effect)
	case sluice.CreateGroup:
		return 0, h.groups.create(ctx, effect)
	case sluice.CreateNative:
		return 0, h.native.create(ctx, effect)
	case sluice.ChangeGroup:
		return 0, h.groups.change(ctx, effect)
	case sluice.SetGroupStatus:
		if effect.GroupStatus.Native {
			return 0, h.native.setStatus(ctx, effect)
		}
		return 0, h.groups.setStatus(ctx, effect)
	case sluice.EvictPod:
		return 0, h.pods.evict(ctx, effect)
	case sluice.WriteWorkload:
		return h.workloads.write(ctx, effect)
	}
	return 0, errors.New("this host does not know effects of this kind: use a newer one")
}

func (h *Host) runPump(ctx context.Context) {
	h.engine.pump.Run(ctx, outbox.Work{
		Engine:   h.engine.Engine,
		Leads:    h.Leads,
		Workers:  h.args.Effects.Workers,
		Log:      h.log,
		CarryOut: h.carryOut,
		Take:     h.take,
		Unknown:  func(n int) { metrics.unplaced.Add(float64(n)) },
	})
}

// take deals with the effects on the scheduler's queue in one call, and with answers to pods in
// Permit, which wait for nobody: each may have to wait itself. Workers do the others.
func (h *Host) take(effects []sluice.Effect) (writes []sluice.Effect) {
	batch := map[string]*v1.Pod{}
	for i := range effects {
		effect := &effects[i]
		if effect.Kind == sluice.AnswerPermit {
			h.answer(effect)
			continue
		}
		if effect.Kind != sluice.Activate {
			writes = append(writes, *effect)
			continue
		}
		result := sluice.Gone
		if pod := podOf(h.pods.lister, effect); pod != nil {
			batch[effect.Namespace+"/"+effect.Name] = pod
			result = sluice.Done
		}
		metrics.effects.WithLabelValues(effect.Kind, result).Inc()
		defer h.engine.pump.Acknowledge(sluice.Ack{ID: effect.ID, Result: result})
	}
	if len(batch) > 0 {
		h.activator.Activate(h.log, batch)
	}
	return writes
}

// answer answers a pod in Permit.
func (h *Host) answer(effect *sluice.Effect) {
	h.done.Go(func() {
		result := h.permits.answer(effect)
		metrics.effects.WithLabelValues(effect.Kind, result).Inc()
		h.engine.pump.Acknowledge(sluice.Ack{ID: effect.ID, Result: result})
	})
}
