// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"fmt"
	"testing"
	"time"

	"github.com/ebitengine/purego"
)

// nullCall crosses into a function that returns a constant, with as many arguments as a hook has.
func nullCall(fn uintptr) {
	purego.SyscallN(fn, 0, 0, 0, 0, 0)
}

func nullFunction(tb testing.TB) uintptr {
	object, err := purego.Dlopen(library(tb).Path(), purego.RTLD_NOW|purego.RTLD_LOCAL)
	must(tb, err)
	fn, err := purego.Dlsym(object, "sluice_abi")
	must(tb, err)
	return fn
}

const (
	rounds      = 100
	callsARound = 200
)

// fastest is the shortest time that a round of calls takes: of what else runs on the machine it has
// the least in it.
func fastest(best time.Duration, call func()) time.Duration {
	began := time.Now()
	for range callsARound {
		call()
	}
	return min(best, time.Since(began))
}

// against runs step as a benchmark, and says how many null calls it costs: the two are timed in
// turns, since the machine may be busier in one second than in the next.
func against(b *testing.B, step func()) {
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
	fn := nullFunction(b)
	null, whole := time.Hour, time.Hour
	for range rounds {
		null = fastest(null, func() { nullCall(fn) })
		whole = fastest(whole, step)
	}
	b.ReportMetric(float64(whole)/float64(null), "nulls/op")
	b.ReportMetric(float64(whole.Nanoseconds())/callsARound, "best-ns/op")
}

func BenchmarkNullCall(b *testing.B) {
	fn := nullFunction(b)
	against(b, func() { nullCall(fn) })
}

// typical is the pod whose size the design's budgets name.
func typical(n int) *Pod {
	p := gated(fmt.Sprintf("worker-%022d", n), int64(n))
	p.UID = fmt.Sprintf("6f1c0a52-7d1e-4b0e-9b3c-%012d", n)
	p.Namespace = "team-science"
	return p
}

// waiting is an engine with a queue of ten cpus, all granted, and many pods that wait for them.
func waiting(b *testing.B, pods int) *Engine {
	e, _ := leading(b, Config{}, 10)
	for n := range pods + 10 {
		_, err := e.ObservePod(typical(n))
		must(b, err)
	}
	for {
		t, err := e.Tick()
		must(b, err)
		if !t.More {
			return e
		}
	}
}

const waitingPods = 1000

func BenchmarkEncodePod(b *testing.B) {
	p := typical(500)
	w := make(writer, 0, 1<<10)
	against(b, func() {
		w = w[:0]
		w.pod(p)
	})
}

func BenchmarkPreEnqueueKnown(b *testing.B) {
	e := waiting(b, waitingPods)
	p := typical(500)
	if _, known, _, err := e.PreEnqueueKnown(p.UID, p.ResourceVersion); err != nil || !known {
		b.Fatal("the library does not know a pod that it has seen: ", err)
	}
	against(b, func() {
		if v, _, _, err := e.PreEnqueueKnown(p.UID, p.ResourceVersion); err != nil || v.Pass {
			b.Fatal(v, err)
		}
	})
}

func BenchmarkPreEnqueue(b *testing.B) {
	for _, explain := range []bool{false, true} {
		b.Run(fmt.Sprintf("explain=%v", explain), func(b *testing.B) {
			e := waiting(b, waitingPods)
			p := typical(500)
			against(b, func() {
				if v, _, err := e.PreEnqueue(p, explain); err != nil || v.Pass {
					b.Fatal(v, err)
				}
			})
		})
	}
}

func BenchmarkObservePod(b *testing.B) {
	e := waiting(b, waitingPods)
	p := typical(500)
	against(b, func() {
		p.ResourceVersion++
		if _, err := e.ObservePod(p); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkHooks is the rest of a pod's way, one after the other for one granted pod.
func BenchmarkHooks(b *testing.B) {
	e := waiting(b, waitingPods)
	granted := typical(3).UID
	const node = "node-0000"
	ids := make([]uint32, 100)
	for n := range ids {
		id, _, err := e.ObserveNode(&Node{Name: fmt.Sprintf("node-%04d", n)})
		must(b, err)
		ids[n] = id
	}
	bits := make([]byte, 0, len(ids))
	for _, hook := range []struct {
		name string
		call func() error
	}{
		{"pre_filter", func() error { _, _, _, err := e.PreFilter(granted); return err }},
		{"filter-1-node", func() error { _, _, err := e.Filter(granted, ids[:1], bits); return err }},
		{"filter-100-nodes", func() error { _, _, err := e.Filter(granted, ids, bits); return err }},
		{"reserve", func() error { _, _, err := e.Reserve(granted, node); return err }},
		{"permit", func() error { _, _, _, err := e.Permit(granted, node); return err }},
		{"bind", func() error { _, _, err := e.Bind(granted, node); return err }},
		{"post_bind", func() error { _, err := e.PostBind(granted, node); return err }},
		{"unreserve", func() error { _, err := e.Unreserve(granted, node); return err }},
		{"post_filter", func() error { _, err := e.PostFilter(granted); return err }},
		{"tick", func() error { _, err := e.Tick(); return err }},
		{"drain-nothing", func() error { _, _, err := e.Drain(1); return err }},
		{"ack-unknown", func() error { _, _, err := e.Ack([]Ack{{ID: 1, Result: Done}}); return err }},
	} {
		b.Run(hook.name, func(b *testing.B) {
			if hook.name == "drain-nothing" {
				for t, err := e.Tick(); t.Pending > 0; _, t, err = e.Drain(mostEffects) {
					must(b, err)
				}
			}
			against(b, func() {
				if err := hook.call(); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// plainQueue is the capacity check as one would write it first: a tree of maps. It is there to be
// compared with, and checks nothing else.
type plainQueue struct {
	parent          *plainQueue
	ceiling, usage  map[string]int64
	kept            map[string]int64
	waitingByUID    map[string]*Pod
	reservedByClaim map[string]bool
}

func (q *plainQueue) fits(p *Pod) bool {
	for _, asked := range p.Requests {
		value := asked.Value
		for at := q; at != nil; at = at.parent {
			if ceiling, limited := at.ceiling[asked.Name]; limited &&
				at.usage[asked.Name]+value > ceiling {
				return false
			}
			value -= max(0, at.kept[asked.Name]-at.usage[asked.Name])
		}
	}
	return true
}

func BenchmarkSameRuleInGo(b *testing.B) {
	root := &plainQueue{}
	q := &plainQueue{parent: root, ceiling: map[string]int64{"cpu": 10_000},
		usage:           map[string]int64{"cpu": 10_000, "memory": 10 << 30},
		waitingByUID:    map[string]*Pod{},
		reservedByClaim: map[string]bool{}}
	for n := range waitingPods {
		p := typical(n + 10)
		q.waitingByUID[p.UID] = p
	}
	uid := typical(500).UID
	against(b, func() {
		p := q.waitingByUID[uid]
		if p == nil || q.reservedByClaim[uid] || q.fits(p) {
			b.Fatal("a full queue takes a pod")
		}
	})
}
