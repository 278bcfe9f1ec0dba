// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"

	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

// Note takes what an answer of the engine said about work that is left.
func (h *Host) Note(tail sluice.Tail) {
	h.pump.Note(tail)
	h.limited.look()
}

func (h *Host) runPump(ctx context.Context) {
	h.pump.Run(ctx, outbox.Work{Engine: h.eng, Leads: h.Leads, Workers: h.args.Effects.Workers,
		Log: h.log, CarryOut: h.carryOut, Take: h.take,
		Unknown: func(n int) { metrics.unplaced.Add(float64(n)) }})
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
		if pod := h.pod(effect); pod != nil {
			batch[effect.Namespace+"/"+effect.Name] = pod
			result = sluice.Done
		}
		metrics.effects.WithLabelValues(effect.Kind, result).Inc()
		defer h.pump.Acknowledge(sluice.Ack{ID: effect.ID, Result: result})
	}
	if len(batch) > 0 {
		h.activator.Activate(h.log, batch)
	}
	return writes
}

// answer answers a pod in Permit.
func (h *Host) answer(effect *sluice.Effect) {
	h.done.Go(func() {
		result := h.answerPermit(effect)
		metrics.effects.WithLabelValues(effect.Kind, result).Inc()
		h.pump.Acknowledge(sluice.Ack{ID: effect.ID, Result: result})
	})
}
