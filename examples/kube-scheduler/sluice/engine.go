// SPDX-License-Identifier: Apache-2.0

// Package sluice is a client of sluice.so: the queue layer's decisions, asked from Go without cgo.
//
//	lib, err := engine.Load("/usr/lib/sluice/sluice.so")
//	eng, err := lib.Open(engine.Config{Removal: engine.OnBind})
//	tail, err := eng.ObserveQueue(&engine.Queue{Kind: engine.KindQueue, Name: "q"})
//	verdict, tail, err := eng.PreEnqueue(&pod, true)
//	effects, tail, err := eng.Drain(64)
//	err = eng.Close()
//
// There is one method for each hook of the library, and one type for each kind of object that is
// observed. What the fields mean is written in abi/PROTOCOL.md; here is what is particular to Go.
//
// A call encodes its request into a buffer of a pool, crosses into C, and reads the answer in
// place. It uses no reflection. The structs that are passed in are only read, and only during the
// call: they may be reused at once, and should be on hot paths.
//
// Every method may be called by any goroutine. Calls on one Engine wait for each other inside the
// library; a waiting call keeps its thread. Close waits for calls that are under way; later ones
// fail with CodeNoHandle.
//
// Every answer carries a Tail, which says whether effects wait, when Tick is due, and whether work
// is left for it: a host that looks at each Tail never polls.
//
// A call that fails has changed nothing. Its error is an *Error, with a Code that says who is to
// blame, unless the library could not be loaded at all.
package sluice

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Engine is one open handle of the library. It must not be copied.
type Engine struct {
	lib    *Library
	handle atomic.Uint64
	clock  Clock
	asks   []string // the kinds of Config.Effects that the library knows
	native bool     // the library knows Config.PartialGroups

	// The library has answered that it does not know the short form of pre_enqueue.
	longFormOnly atomic.Bool
}

// Clock returns the time in nanoseconds since 1970: the wall clock of some moment plus the
// monotonic time since. It is asked once for each call, by any goroutine.
type Clock func() int64

// NewClock returns a clock that reads the wall clock once, now, and is monotonic from there.
func NewClock() Clock {
	began := time.Now()
	wall := began.UnixNano()
	return func() int64 { return wall + int64(time.Since(began)) }
}

// Tail is what every answer carries.
type Tail struct {
	// Pending is the number of effects that can be drained now.
	Pending int
	// Next is the time at which Tick must be called at the latest; 0: not at all.
	Next int64
	// More is true when work is left: call Tick now.
	More bool
}

// Open makes an engine with this configuration. It is the caller's until Close.
func (l *Library) Open(cfg Config) (*Engine, error) {
	e := &Engine{lib: l, clock: cfg.Clock}
	if e.clock == nil {
		e.clock = NewClock()
	}
	handle, err := e.open(&cfg)
	for err != nil {
		newer := tooNew(err, cfg.Effects)
		switch {
		case newer >= 0:
			cfg.Effects = slices.Concat(cfg.Effects[:newer], cfg.Effects[newer+1:])
		case !cfg.leaveOut(err):
			return nil, err
		}
		handle, err = e.open(&cfg)
	}
	e.asks, e.native = cfg.Effects, cfg.PartialGroups != nil
	e.handle.Store(handle)
	return e, nil
}

func (e *Engine) open(cfg *Config) (uint64, error) {
	c := newCall()
	defer c.done()
	if err := c.req.config(cfg, e.clock()); err != nil {
		return 0, err
	}
	handle, err := e.lib.cross(sluiceOpen, 0, c)
	return uint64(handle), err
}

// tooNew is the index of the kind that the library refuses for not knowing it; -1: it refuses
// something else. The manifest does not list them.
func tooNew(err error, kinds []string) int {
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != CodeField {
		return -1
	}
	for i, kind := range kinds {
		if failed.Key == fmt.Sprintf("effects[%d]", i) && slices.Contains(askedFor, kind) {
			return i
		}
	}
	return -1
}

func refusesKey(err error, key string) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.Code == CodeField && failed.Key == key
}

// Asks tells whether the library may ask for effects of a kind that Config.Effects named.
func (e *Engine) Asks(kind string) bool { return slices.Contains(e.asks, kind) }

// Close waits for the calls that are under way and frees all that the engine holds. Only the first
// Close does; a later one returns the same error as any other call on a closed engine.
func (e *Engine) Close() error {
	handle := e.handle.Swap(0)
	if handle == 0 {
		return closedError(sluiceClose)
	}
	c := newCall()
	defer c.done()
	_, err := e.lib.cross(sluiceClose, handle, c)
	return err
}

// Now is the engine's clock: the time that the next request would carry.
func (e *Engine) Now() int64 { return e.clock() }
