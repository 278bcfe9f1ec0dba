// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"

	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// engine is the open engine, and what comes of telling it of objects.
type engine struct {
	*sluice.Engine               // nil before it is open
	ready          chan struct{} // closed when it is
	synced         atomic.Bool   // it knows of all that was there in the beginning
	start          func(context.Context) error

	log      klog.Logger
	recorder events.EventRecorderLogger
	pump     *outbox.Pump
	refusals refusals
	limited  limited
}

// missing says what is missing before pods can be granted; nil: nothing.
func (e *engine) missing() error {
	select {
	case <-e.ready:
	default:
		return fmt.Errorf("the engine is not open yet")
	}
	if !e.synced.Load() {
		return fmt.Errorf("the first listing is not complete")
	}
	return nil
}

// opened is the engine for who cannot wait for Start: the handlers and hooks of a scheduler that
// knows of the plugin only (the command of this module calls Start itself).
func (e *engine) opened() *sluice.Engine {
	select {
	case <-e.ready:
	default:
		if err := e.start(context.Background()); err != nil {
			klog.ErrorS(err, "Cannot open the engine")
			klog.FlushAndExit(klog.ExitFlushTimeout, 1)
		}
	}
	return e.Engine
}

// now is the engine's time.
func (e *engine) now() time.Time { return time.Unix(0, e.Now()) }

// note takes what an answer of the engine said about work that is left.
func (e *engine) note(tail sluice.Tail) {
	e.pump.Note(tail)
	e.limited.look()
}

// told takes what came of telling the engine about an object. An object that the engine refuses
// stays as it was seen before, and somebody has to hear of it.
func (e *engine) told(object runtime.Object, tail sluice.Tail, err error) {
	e.refusals.note(object, err)
	again := e.limited.note(object, err)
	if err == nil {
		e.note(tail)
		return
	}
	if again && sluice.IsLimit(err) {
		return // somebody has heard of it
	}
	metrics.refused.Inc()
	e.log.Error(plain.Error(err), "An object cannot be used", "object", fmt.Sprintf("%T", object))
	if object != nil {
		e.warn(object, "SluiceRefused", "%s", err.Error())
	}
}

// warn makes an event about an object that was seen.
func (e *engine) warn(object runtime.Object, reason, message string, words ...any) {
	e.tell(object, v1.EventTypeWarning, reason, "Observing", fmt.Sprintf(message, words...))
}

// tell makes an event. The API server refuses one whose note is longer.
func (e *engine) tell(about runtime.Object, kind, reason, action, message string) {
	e.recorder.Eventf(about, nil, kind, reason, action, "%s", plain.Text(message, plain.NoteBytes))
}

// declareSynced tells that the first listing is complete.
func (e *engine) declareSynced() bool {
	tail, err := e.Synced()
	e.told(nil, tail, err)
	e.synced.Store(err == nil)
	e.log.Info("The first listing is complete")
	return err == nil
}

// ask asks a question of a person. Before the engine is open it fails with ErrNotOpen.
func (e *engine) ask(q sluice.Query) (map[string]any, error) {
	select {
	case <-e.ready:
		return e.Inspect(q)
	default:
		return nil, ErrNotOpen
	}
}
