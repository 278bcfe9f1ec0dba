// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

const (
	gateName  = "scheduling.volcano.sh/queue-allocation-gate"
	queueName = "scheduling.volcano.sh/queue-name"
	epoch     = int64(1_700_000_000_000_000_000)
	second    = int64(1_000_000_000)
)

// libraryPath is $SLUICE_LIB, or the build of the checkout that this file is in.
func libraryPath(tb testing.TB) string {
	tb.Helper()
	if path := os.Getenv("SLUICE_LIB"); path != "" {
		return path
	}
	folder, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		path := filepath.Join(folder, "build", "sluice.so")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if filepath.Dir(folder) == folder {
			tb.Fatal("there is no build/sluice.so in any folder above: build it " +
				"(meson setup build && ninja -C build), or name one in SLUICE_LIB")
		}
		folder = filepath.Dir(folder)
	}
}

var loadOnce = sync.OnceValues(func() (*Library, error) { return Load(loadPath) })
var loadPath string

func library(tb testing.TB) *Library {
	tb.Helper()
	path := libraryPath(tb)
	if loadPath == "" {
		loadPath = path
	}
	lib, err := loadOnce()
	if err != nil {
		tb.Fatal(err)
	}
	return lib
}

// testClock stands still until a test moves it.
type testClock struct{ now atomic.Int64 }

func (c *testClock) advance(ns int64) { c.now.Add(ns) }

func open(tb testing.TB, cfg Config) (*Engine, *testClock) {
	tb.Helper()
	clock := &testClock{}
	clock.now.Store(epoch)
	if cfg.Clock == nil {
		cfg.Clock = clock.now.Load
	}
	e, err := library(tb).Open(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil && !isCode(err, CodeNoHandle) {
			tb.Error(err)
		}
	})
	return e, clock
}

// leading is an engine that is synced and leads, with a queue `q` of so many cpus.
func leading(tb testing.TB, cfg Config, cpus int64) (*Engine, *testClock) {
	tb.Helper()
	e, clock := open(tb, cfg)
	_, err := e.ObserveQueue(&Queue{Kind: KindQueue, Name: "q",
		Capability: []Amount{{"cpu", cpus * 1000}}})
	must(tb, err)
	_, err = e.Synced()
	must(tb, err)
	_, err = e.Lead(true)
	must(tb, err)
	return e, clock
}

// gated is a pod of one cpu behind our gate, in the queue `q`.
func gated(name string, created int64) *Pod {
	return &Pod{UID: "uid-" + name, Namespace: "default", Name: name, Created: epoch + created,
		Generation: 1, ResourceVersion: 1, Scheduler: "default-scheduler", Phase: "Pending",
		Gates:       []string{gateName},
		Annotations: [][2]string{{gateName, "true"}, {queueName, "q"}},
		Requests:    []Amount{{"cpu", 1000}, {"memory", 1 << 30}}}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func isCode(err error, code Code) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.Code == code
}
