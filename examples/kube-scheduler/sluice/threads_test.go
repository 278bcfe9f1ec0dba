// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestManyGoroutines runs whole lives of pods side by side, while others look, and sees that every
// answer belongs to its own question.
func TestManyGoroutines(t *testing.T) {
	const workers, lives = 8, 60
	e, _ := leading(t, Config{}, 1000)
	id, _, err := e.ObserveNode(&Node{Name: "n"})
	must(t, err)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			bits := make([]byte, 0, 1)
			for life := range lives {
				name := fmt.Sprintf("pod-%d-%d", w, life)
				if err := live(e, gated(name, int64(life)), id, bits); err != nil {
					t.Error(name, err)
					return
				}
			}
		})
	}
	all.Go(func() {
		for range lives {
			if _, err := e.Inspect(Query{What: "queues"}); err != nil {
				t.Error(err)
			}
			effects, _, err := e.Drain(10)
			if err != nil {
				t.Error(err)
			}
			for _, effect := range effects {
				if _, _, err := e.Ack([]Ack{{ID: effect.ID, Result: Done}}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	all.Wait()
	queue, err := e.Inspect(Query{What: "queue", Kind: KindQueue, Name: "q"})
	must(t, err)
	if queue["allocated"] != int64(0) || queue["reserved"] != int64(0) {
		t.Errorf("when all pods are gone the queue is %v", queue)
	}
}

func live(e *Engine, pod *Pod, node uint32, bits []byte) error {
	if _, err := e.ObservePod(pod); err != nil {
		return err
	}
	if v, _, err := e.PreEnqueue(pod, true); err != nil || !v.Pass {
		return fmt.Errorf("pre_enqueue: %+v, %w", v, err)
	}
	bits, _, err := e.Filter(pod.UID, []uint32{node}, bits)
	if err != nil || !Has(bits, 0) {
		return fmt.Errorf("filter: %v, %w", bits, err)
	}
	if v, _, err := e.Reserve(pod.UID, "n"); err != nil || !v.Pass {
		return fmt.Errorf("reserve: %+v, %w", v, err)
	}
	patch, _, err := e.Bind(pod.UID, "n")
	if err != nil || len(patch.Gates) != 1 {
		return fmt.Errorf("bind: %+v, %w", patch, err)
	}
	answer, err := e.Inspect(Query{What: "pod", UID: pod.UID})
	if err != nil || answer["name"] != pod.Name {
		return fmt.Errorf("inspect: %v, %w", answer, err)
	}
	_, err = e.ForgetPod(pod.UID)
	return err
}

// TestCloseWhileOthersCall: a call either succeeds or says that the engine is closed.
func TestCloseWhileOthersCall(t *testing.T) {
	for range 20 {
		e, _ := leading(t, Config{}, 1)
		var all sync.WaitGroup
		var began, refusals atomic.Int64
		for range 4 {
			all.Go(func() {
				for {
					began.Add(1)
					_, _, err := e.PreEnqueue(gated("pod-1", 1), true)
					if isCode(err, CodeNoHandle) {
						refusals.Add(1)
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for began.Load() < 20 {
			if _, err := e.Tick(); err != nil {
				t.Error(err)
			}
		}
		must(t, e.Close())
		all.Wait()
		if refusals.Load() != 4 {
			t.Errorf("%d of 4 goroutines were told that the engine is closed", refusals.Load())
		}
	}
}

func TestAnswersThatGrow(t *testing.T) {
	e, _ := leading(t, Config{}, 10_000)
	const pods = 1500
	for i := range pods {
		pod := gated(fmt.Sprintf("pod-%04d-%s", i, strings.Repeat("x", 200)), int64(i))
		pod.UID = fmt.Sprintf("uid-%d", i)
		_, err := e.ObservePod(pod)
		must(t, err)
		_, err = e.PostFilter(pod.UID)
		must(t, err)
	}
	effects := drain(t, e)
	if len(effects) != pods {
		t.Errorf("%d effects, want one for each of %d pods", len(effects), pods)
	}
	var acks []Ack
	for _, effect := range effects {
		acks = append(acks, Ack{ID: effect.ID, Result: Done})
	}
	unknown, _, err := e.Ack(append(acks, Ack{ID: acks[0].ID, Result: Done}))
	must(t, err)
	if unknown != 1 {
		t.Errorf("%d unknown of %d acknowledgements, want the one that is there twice", unknown,
			pods+1)
	}

	// A row that is longer than the buffer that the call begins with.
	groups := make([]ResourceGroup, 16)
	for g := range groups {
		for f := range 16 {
			groups[g].Flavors = append(groups[g].Flavors, FlavorQuotas{
				Name: fmt.Sprintf("flavor-%02d-%02d-%s", g, f, strings.Repeat("f", 200))})
		}
		resource := fmt.Sprintf("example.com/resource-%d", g)
		groups[g].Resources = []string{resource}
		for f := range groups[g].Flavors {
			groups[g].Flavors[f].Quotas = []Quota{{Resource: resource, Nominal: 1}}
		}
	}
	_, err = e.ObserveQueue(&Queue{Kind: KindClusterQueue, Name: "wide", Groups: groups})
	must(t, err)
	queue, err := e.Inspect(Query{What: "queue", Kind: KindClusterQueue, Name: "wide"})
	must(t, err)
	if quotas := queue["quota"].([]any); len(quotas) != 256 {
		t.Errorf("the queue has %d quotas, want 256", len(quotas))
	}
}

// TestOneAllocation is the budget of a crossing.
func TestOneAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	e, _ := leading(t, Config{}, 1)
	first, last := gated("pod-1", 1), gated("pod-2", 2)
	for _, pod := range []*Pod{first, last} {
		_, err := e.ObservePod(pod)
		must(t, err)
	}
	drain(t, e)
	nodes, bits := []uint32{0, 1}, make([]byte, 0, 1)
	for name, crossing := range map[string]func() error{
		"pre_enqueue":        func() error { _, _, err := e.PreEnqueue(last, false); return err },
		"pre_enqueue, known": func() error { _, _, _, err := e.PreEnqueueKnown(last.UID, 1); return err },
		"pre_filter":         func() error { _, _, _, err := e.PreFilter(first.UID); return err },
		"filter":             func() error { _, _, err := e.Filter(first.UID, nodes, bits); return err },
		"observe":            func() error { _, err := e.ObservePod(last); return err },
		"reserve":            func() error { _, _, err := e.Reserve(first.UID, "n"); return err },
		"tick":               func() error { _, err := e.Tick(); return err },
	} {
		if allocated := testing.AllocsPerRun(200, func() { must(t, crossing()) }); allocated > 1 {
			t.Errorf("%s allocates %v times, want once at most", name, allocated)
		}
	}
}
