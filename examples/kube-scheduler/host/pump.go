// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/engine"
)

// pump is the one place that lets the engine go on and empties its outbox. It sleeps until an
// answer of the engine says that there is something to do, or until the engine's own deadline.
type pump struct {
	wake  chan struct{}
	armed atomic.Int64 // the deadline that it sleeps to
	jobs  chan engine.Effect
	free  atomic.Int64 // workers without a job

	mutex sync.Mutex
	acks  []engine.Ack
}

func (p *pump) init() {
	p.wake = make(chan struct{}, 1)
	p.armed.Store(math.MaxInt64)
}

// Note takes what an answer of the engine said about work that is left.
func (h *Host) Note(tail engine.Tail) {
	if tail.More || tail.Pending > 0 || deadline(tail) < h.pump.armed.Load() {
		h.pump.poke()
	}
}

func deadline(tail engine.Tail) int64 {
	if tail.Next == 0 {
		return math.MaxInt64
	}
	return tail.Next
}

func (p *pump) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *pump) acknowledge(ack engine.Ack) {
	p.mutex.Lock()
	p.acks = append(p.acks, ack)
	p.mutex.Unlock()
	p.poke()
}

func (p *pump) takeAcks() []engine.Ack {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	acks := p.acks
	p.acks = nil
	return acks
}

func (h *Host) runPump(ctx context.Context) {
	var workers sync.WaitGroup
	h.pump.jobs = make(chan engine.Effect, h.args.Effects.Workers)
	h.pump.free.Store(int64(h.args.Effects.Workers))
	for range h.args.Effects.Workers {
		workers.Go(func() {
			for effect := range h.pump.jobs {
				h.pump.acknowledge(h.carryOut(ctx, &effect))
				h.pump.free.Add(1)
			}
		})
	}
	for ctx.Err() == nil {
		tail, err := h.turn(ctx)
		if err != nil {
			h.log.Error(err, "The engine does not go on")
			tail = engine.Tail{Next: h.eng.Now() + int64(time.Second)}
		}
		if tail.More {
			runtime.Gosched() // hooks that wait for the engine go first
			continue
		}
		h.pump.sleep(ctx, deadline(tail), h.eng.Now)
	}
	close(h.pump.jobs)
	workers.Wait()
	_, _, _ = h.eng.Ack(h.pump.takeAcks())
}

// turn says what became of effects, lets the engine go on, and gives out what may be given out.
func (h *Host) turn(ctx context.Context) (tail engine.Tail, err error) {
	if acks := h.pump.takeAcks(); len(acks) > 0 {
		unknown, _, err := h.eng.Ack(acks)
		if err != nil {
			return tail, err
		}
		metrics.unplaced.Add(float64(unknown))
	}
	tail, err = h.eng.Tick()
	for err == nil && tail.Pending > 0 && ctx.Err() == nil && h.Leads() {
		var effects []engine.Effect
		room := int(h.pump.free.Load())
		if room == 0 {
			return tail, nil // a worker that is done wakes the pump
		}
		effects, tail, err = h.eng.Drain(room)
		if err != nil || len(effects) == 0 {
			return tail, err
		}
		h.give(effects)
	}
	return tail, err
}

// give hands out the effects: those on the scheduler's queue in one call, those that write to
// workers. Answers to pods in Permit wait for nobody: each may have to wait itself.
func (h *Host) give(effects []engine.Effect) {
	batch := map[string]*v1.Pod{}
	for i := range effects {
		effect := &effects[i]
		if effect.Kind == engine.AnswerPermit {
			h.answer(effect)
			continue
		}
		if effect.Kind != engine.Activate {
			h.pump.free.Add(-1)
			h.pump.jobs <- *effect
			continue
		}
		result := engine.Gone
		if pod := h.pod(effect); pod != nil {
			batch[effect.Namespace+"/"+effect.Name] = pod
			result = engine.Done
		}
		metrics.effects.WithLabelValues(effect.Kind, result).Inc()
		defer h.pump.acknowledge(engine.Ack{ID: effect.ID, Result: result})
	}
	if len(batch) > 0 {
		h.activator.Activate(h.log, batch)
	}
}

// answer answers a pod in Permit.
func (h *Host) answer(effect *engine.Effect) {
	h.done.Go(func() {
		result := h.answerPermit(effect)
		metrics.effects.WithLabelValues(effect.Kind, result).Inc()
		h.pump.acknowledge(engine.Ack{ID: effect.ID, Result: result})
	})
}

func (p *pump) sleep(ctx context.Context, until int64, now engine.Clock) {
	p.armed.Store(until)
	defer p.armed.Store(math.MaxInt64) // what is noted while it is awake, it looks at again
	for {
		length := time.Duration(math.MaxInt64)
		if until != math.MaxInt64 {
			length = time.Duration(until - now())
		}
		if length <= 0 {
			return
		}
		if movable() {
			length = min(length, movableLook)
		}
		timer := time.NewTimer(length)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-p.wake:
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}
