// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

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

// note takes what an answer of the engine said about work that is left.
func (m *Manager) note(tail engine.Tail) {
	if tail.More || tail.Pending > 0 || deadline(tail) < m.pump.armed.Load() {
		m.pump.poke()
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

func (m *Manager) runPump(ctx context.Context) {
	var workers sync.WaitGroup
	m.pump.jobs = make(chan engine.Effect, m.config.Effects.Workers)
	m.pump.free.Store(int64(m.config.Effects.Workers))
	for range m.config.Effects.Workers {
		workers.Go(func() {
			for effect := range m.pump.jobs {
				m.pump.acknowledge(m.carryOut(ctx, &effect))
				m.pump.free.Add(1)
				m.pump.poke()
			}
		})
	}
	for ctx.Err() == nil {
		tail, err := m.turn(ctx)
		if err != nil {
			m.log.Error(err, "The engine does not go on")
			tail = engine.Tail{Next: m.eng.Now() + int64(time.Second)}
		}
		if !tail.More {
			m.pump.sleep(ctx, deadline(tail), m.eng.Now)
		}
	}
	close(m.pump.jobs)
	workers.Wait()
	_, _, _ = m.eng.Ack(m.pump.takeAcks())
}

// turn says what became of effects, lets the engine go on, and gives out what may be given out.
func (m *Manager) turn(ctx context.Context) (tail engine.Tail, err error) {
	if acks := m.pump.takeAcks(); len(acks) > 0 {
		if _, _, err := m.eng.Ack(acks); err != nil {
			return tail, err
		}
	}
	tail, err = m.eng.Tick()
	for err == nil && tail.Pending > 0 && ctx.Err() == nil && m.Leads() {
		var effects []engine.Effect
		room := int(m.pump.free.Load())
		if room == 0 {
			return tail, nil // a worker that is done wakes the pump
		}
		effects, tail, err = m.eng.Drain(room)
		if err != nil || len(effects) == 0 {
			return tail, err
		}
		for i := range effects {
			m.pump.free.Add(-1)
			m.pump.jobs <- effects[i]
		}
	}
	return tail, err
}

func (p *pump) sleep(ctx context.Context, until int64, now engine.Clock) {
	p.armed.Store(until)
	defer p.armed.Store(math.MaxInt64) // what is noted while it is awake, it looks at again
	var due <-chan time.Time
	if until != math.MaxInt64 {
		timer := time.NewTimer(time.Duration(until - now()))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-p.wake:
	case <-due:
	}
}
