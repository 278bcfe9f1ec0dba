// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// wire is the way from a proxy to the API server. It can go silent, and it can be cut.
type wire struct {
	inner http.RoundTripper

	mu      sync.Mutex
	silence *silence
	watches map[*watched]bool
}

// silence is a time in which nothing is answered.
type silence struct {
	over      chan struct{}
	delivered bool // requests arrive, and only the answers stay away
}

// watched is the answer to a watch.
type watched struct {
	io.ReadCloser
	ctx  context.Context
	wire *wire
}

func newWire(inner http.RoundTripper) *wire {
	return &wire{inner: inner, watches: map[*watched]bool{}}
}

// goSilent lets nothing be answered until the function that it returns is called.
func (w *wire) goSilent(delivered bool) (end func()) {
	s := &silence{over: make(chan struct{}), delivered: delivered}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silence = s
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.silence = nil
		close(s.over)
	}
}

// cutWatches ends every watch, and tells how many there were.
func (w *wire) cutWatches() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.watches {
		_ = one.ReadCloser.Close()
	}
	return len(w.watches)
}

func (w *wire) current() *silence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.silence
}

// await returns when there is no silence, or nobody waits for the answer any more.
func (w *wire) await(ctx context.Context) error {
	s := w.current()
	if s == nil {
		return nil
	}
	select {
	case <-s.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RoundTrip is http.RoundTripper's.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	if s := w.current(); s != nil && !s.delivered {
		if err := w.await(ctx); err != nil {
			return nil, err
		}
	}
	answer, err := w.inner.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if err := w.await(ctx); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	if request.URL.Query().Get("watch") != "" {
		one := &watched{answer.Body, ctx, w}
		w.mu.Lock()
		w.watches[one] = true
		w.mu.Unlock()
		answer.Body = one
	}
	return answer, nil
}

// Read is io.Reader's: what comes in a silence is heard after it.
func (one *watched) Read(to []byte) (int, error) {
	n, err := one.ReadCloser.Read(to)
	if silent := one.wire.await(one.ctx); silent != nil {
		return 0, silent
	}
	return n, err
}

// Close is io.Closer's.
func (one *watched) Close() error {
	one.wire.mu.Lock()
	defer one.wire.mu.Unlock()
	delete(one.wire.watches, one)
	return one.ReadCloser.Close()
}
