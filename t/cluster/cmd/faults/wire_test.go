// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func wired(t *testing.T, handler http.HandlerFunc) (*wire, string) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newWire(http.DefaultTransport), server.URL
}

func ask(t *testing.T, w *wire, url string, patience time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.RoundTrip(request)
}

func TestSilenceHoldsRequestsOrAnswers(t *testing.T) {
	for _, delivered := range []bool{false, true} {
		var came atomic.Int64
		w, url := wired(t, func(http.ResponseWriter, *http.Request) { came.Add(1) })
		end := w.goSilent(delivered)
		if _, err := ask(t, w, url, 50*time.Millisecond); err == nil {
			t.Fatalf("delivered %t: there is an answer in a silence", delivered)
		}
		if arrived := came.Load() == 1; arrived != delivered {
			t.Fatalf("delivered %t: %d requests arrived", delivered, came.Load())
		}
		end()
		answer, err := ask(t, w, url, time.Minute)
		if err != nil {
			t.Fatalf("delivered %t: no answer after the silence: %v", delivered, err)
		}
		answer.Body.Close()
	}
}

func TestCutEndsWatches(t *testing.T) {
	w, url := wired(t, func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(out, "event")
		out.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	answer, err := ask(t, w, url+"?watch=true", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	go func() {
		time.Sleep(20 * time.Millisecond)
		w.cutWatches()
	}()
	text, err := io.ReadAll(answer.Body)
	if err == nil || string(text) != "event" {
		t.Fatalf("read %q and %v, want the event, and then an error", text, err)
	}
	answer.Body.Close()
	if left := w.cutWatches(); left != 0 {
		t.Fatalf("%d watches are left", left)
	}
}
