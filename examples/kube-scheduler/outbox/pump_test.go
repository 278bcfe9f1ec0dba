// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

const patience = 20 * time.Second

// leading is an engine that is synced and leads, with a queue `q` that has room for so many pods,
// whose gates are removed when they are granted.
func leading(t *testing.T, pods int, clock sluice.Clock) *sluice.Engine {
	t.Helper()
	path := os.Getenv("SLUICE_LIB")
	if path == "" {
		path = "../../../build/sluice.so"
	}
	library, err := sluice.Load(path)
	must(t, err)
	eng, err := library.Open(sluice.Config{Schedulers: []string{"default-scheduler"},
		Removal: sluice.OnAdmission, Clock: clock})
	must(t, err)
	t.Cleanup(func() { must(t, eng.Close()) })
	_, err = eng.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "q",
		Capability: []sluice.Amount{{Name: "cpu", Value: int64(pods) * 1000}}})
	must(t, err)
	_, err = eng.Synced()
	must(t, err)
	_, err = eng.Lead(true)
	must(t, err)
	return eng
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// show tells the engine, and the pump, of so many pods behind our gate.
func show(t *testing.T, eng *sluice.Engine, pump *Pump, pods int) {
	t.Helper()
	for i := range pods {
		name := fmt.Sprint("p", i)
		tail, err := eng.ObservePod(&sluice.Pod{UID: name, Namespace: "default", Name: name,
			Created: eng.Now(), Generation: 1, ResourceVersion: 1, Scheduler: "default-scheduler",
			Phase: "Pending", Gates: []string{facts.GateLong},
			Annotations: [][2]string{{facts.GateLong, "true"}, {facts.QueueName, "q"}},
			Requests:    []sluice.Amount{{Name: "cpu", Value: 1000}}})
		must(t, err)
		pump.Note(tail)
	}
}

// run lets the pump work until the test ends.
func run(t *testing.T, pump *Pump, work Work) {
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	work.Log = klog.Background()
	if work.Leads == nil {
		work.Leads = func() bool { return true }
	}
	done.Go(func() { pump.Run(ctx, work) })
	t.Cleanup(func() {
		stop()
		done.Wait()
	})
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func TestOneWorkerCarriesOutAllThatThereIs(t *testing.T) {
	const pods = 3000
	eng, pump := leading(t, pods, nil), New()
	var done atomic.Int64
	run(t, pump, Work{Engine: eng, Workers: 1,
		CarryOut: func(_ context.Context, effect *sluice.Effect) sluice.Ack {
			done.Add(1)
			return sluice.Ack{ID: effect.ID, Result: sluice.Done}
		}})
	show(t, eng, pump, pods)
	await(t, "every gate is removed", func() bool { return done.Load() >= pods })
}

func TestWhatIsTakenNeedsNoWorker(t *testing.T) {
	const pods = 20
	eng, pump := leading(t, pods, nil), New()
	var taken atomic.Int64
	run(t, pump, Work{Engine: eng, Workers: 1,
		CarryOut: func(context.Context, *sluice.Effect) sluice.Ack {
			t.Error("a worker got an effect")
			return sluice.Ack{}
		},
		Take: func(effects []sluice.Effect) []sluice.Effect {
			for i := range effects {
				pump.Acknowledge(sluice.Ack{ID: effects[i].ID, Result: sluice.Done})
			}
			taken.Add(int64(len(effects)))
			return nil
		}})
	show(t, eng, pump, pods)
	await(t, "all are taken", func() bool { return taken.Load() >= pods })
}

func TestWhoDoesNotLeadGivesNothingOut(t *testing.T) {
	eng, pump := leading(t, 1, nil), New()
	var leads, done atomic.Bool
	run(t, pump, Work{Engine: eng, Workers: 1, Leads: leads.Load,
		CarryOut: func(_ context.Context, effect *sluice.Effect) sluice.Ack {
			done.Store(true)
			return sluice.Ack{ID: effect.ID, Result: sluice.Done}
		}})
	show(t, eng, pump, 1)
	time.Sleep(50 * time.Millisecond)
	if done.Load() {
		t.Fatal("an effect was carried out")
	}
	leads.Store(true)
	pump.Note(sluice.Tail{Pending: 1})
	await(t, "it is carried out", done.Load)
}

// What is under way when the context ends is waited for, and the engine hears of it.
func TestTheEndWaitsForWhatIsUnderWay(t *testing.T) {
	eng, pump := leading(t, 1, nil), New()
	ctx, stop := context.WithCancel(context.Background())
	show(t, eng, pump, 1)
	pump.Run(ctx, Work{Engine: eng, Workers: 1, Leads: func() bool { return true },
		Log: klog.Background(),
		CarryOut: func(_ context.Context, effect *sluice.Effect) sluice.Ack {
			stop()
			time.Sleep(50 * time.Millisecond)
			return sluice.Ack{ID: effect.ID, Result: sluice.Done}
		}})
	effects, tail, err := eng.Drain(10)
	must(t, err)
	if len(effects) != 0 || tail.Pending != 0 {
		t.Errorf("%d effects are left, %d pending", len(effects), tail.Pending)
	}
}

func TestWhatFailedComesAgain(t *testing.T) {
	eng, pump := leading(t, 1, nil), New()
	var tries atomic.Int64
	run(t, pump, Work{Engine: eng, Workers: 1,
		CarryOut: func(_ context.Context, effect *sluice.Effect) sluice.Ack {
			result := Result(errors.New("it is away"))
			if tries.Add(1) == 3 {
				result = Result(nil)
			}
			return sluice.Ack{ID: effect.ID, Result: result}
		}})
	show(t, eng, pump, 1)
	await(t, "it is tried again", func() bool { return tries.Load() == 3 })
}

// Whoever sleeps to a time sees that the clock was moved to it.
func TestAMovedClockWakesThePump(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clock")
	must(t, os.WriteFile(file, make([]byte, 8), 0o600))
	t.Setenv(clockFile, file)
	now, pump := NewClock(), New()
	until := now() + int64(time.Hour)
	woken := make(chan struct{})
	go func() {
		pump.sleep(context.Background(), until, now)
		close(woken)
	}()
	select {
	case <-woken:
		t.Fatal("it does not sleep")
	case <-time.After(3 * movableLook):
	}
	shift := make([]byte, 8)
	binary.NativeEndian.PutUint64(shift, uint64(2*time.Hour))
	into, err := os.OpenFile(file, os.O_WRONLY, 0)
	must(t, err)
	_, err = into.WriteAt(shift, 0)
	must(t, errors.Join(err, into.Close()))
	select {
	case <-woken:
	case <-time.After(patience):
		t.Fatal("it sleeps on")
	}
}
