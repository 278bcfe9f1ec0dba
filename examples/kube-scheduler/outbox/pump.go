// SPDX-License-Identifier: Apache-2.0

// Package outbox lets an engine go on and empties its outbox: effects go to workers, and what
// became of them comes back. What an effect means, only the owner of the pump knows.
//
//	pump := outbox.New()
//	pump.Note(tail)                     // of every answer of the engine
//	pump.Run(ctx, outbox.Work{...})     // until the context ends and nothing is under way
package outbox

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"

	"sluice/kube-scheduler/sluice"
)

// Work is what a pump is for.
type Work struct {
	Engine  *sluice.Engine
	Leads   func() bool // whether effects may be given out now
	Workers int         // how many effects may be under way at once
	Log     klog.Logger

	// CarryOut does what the effect says, in a worker, and says what became of it.
	CarryOut func(context.Context, *sluice.Effect) sluice.Ack

	// Take deals with effects that need no worker, and returns the others; nil: all need one. What
	// became of those that it takes, it says with Acknowledge.
	Take func([]sluice.Effect) []sluice.Effect

	// Unknown is told of how many acknowledgements the engine did not know the effect; nil: nobody.
	Unknown func(int)
}

// Pump is the one place that lets the engine go on and empties its outbox. It sleeps until an
// answer of the engine says that there is something to do, or until the engine's own deadline.
type Pump struct {
	wake  chan struct{}
	armed atomic.Int64 // the deadline that it sleeps to
	jobs  chan sluice.Effect
	free  atomic.Int64 // workers without a job

	mutex sync.Mutex
	acks  []sluice.Ack
}

// New makes a pump that does not run yet.
func New() *Pump {
	p := &Pump{wake: make(chan struct{}, 1)}
	p.armed.Store(math.MaxInt64)
	return p
}

// Note takes what an answer of the engine said about work that is left.
func (p *Pump) Note(tail sluice.Tail) {
	if tail.More || tail.Pending > 0 || deadline(tail) < p.armed.Load() {
		p.poke()
	}
}

func deadline(tail sluice.Tail) int64 {
	if tail.Next == 0 {
		return math.MaxInt64
	}
	return tail.Next
}

func (p *Pump) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Acknowledge takes what became of an effect.
func (p *Pump) Acknowledge(ack sluice.Ack) {
	p.mutex.Lock()
	p.acks = append(p.acks, ack)
	p.mutex.Unlock()
	p.poke()
}

func (p *Pump) takeAcks() []sluice.Ack {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	acks := p.acks
	p.acks = nil
	return acks
}

// Run works until the context ends, and then until nothing is under way.
func (p *Pump) Run(ctx context.Context, work Work) {
	var workers sync.WaitGroup
	p.jobs = make(chan sluice.Effect, work.Workers)
	p.free.Store(int64(work.Workers))
	for range work.Workers {
		workers.Go(func() {
			for effect := range p.jobs {
				ack := work.CarryOut(ctx, &effect)
				p.free.Add(1) // first: who is woken by the acknowledgement finds this worker free
				p.Acknowledge(ack)
			}
		})
	}
	for ctx.Err() == nil {
		tail, err := p.turn(ctx, &work)
		if err != nil {
			work.Log.Error(err, "The engine does not go on")
			tail = sluice.Tail{Next: work.Engine.Now() + int64(time.Second)}
		}
		if tail.More {
			runtime.Gosched() // whoever waits for the engine goes first
			continue
		}
		p.sleep(ctx, deadline(tail), work.Engine.Now)
	}
	close(p.jobs)
	workers.Wait()
	_, _, _ = work.Engine.Ack(p.takeAcks())
}

// turn says what became of effects, lets the engine go on, and gives out what may be given out.
func (p *Pump) turn(ctx context.Context, work *Work) (tail sluice.Tail, err error) {
	if acks := p.takeAcks(); len(acks) > 0 {
		unknown, _, err := work.Engine.Ack(acks)
		if err != nil {
			return tail, err
		}
		if work.Unknown != nil {
			work.Unknown(unknown)
		}
	}
	tail, err = work.Engine.Tick()
	for err == nil && tail.Pending > 0 && ctx.Err() == nil && work.Leads() {
		var effects []sluice.Effect
		room := int(p.free.Load())
		if room == 0 {
			return tail, nil // a worker that is done wakes the pump
		}
		effects, tail, err = work.Engine.Drain(room)
		if err != nil || len(effects) == 0 {
			return tail, err
		}
		if work.Take != nil {
			effects = work.Take(effects)
		}
		for i := range effects {
			p.free.Add(-1)
			p.jobs <- effects[i]
		}
	}
	return tail, err
}

func (p *Pump) sleep(ctx context.Context, until int64, now sluice.Clock) {
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
