// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"
	"time"

	basemetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

const subsystem = "sluice"

// metrics are what the host counts itself. What the engine knows (queues, memory) is asked for when
// the metrics are read: see collector.go.
var metrics = struct {
	refused  *basemetrics.Counter
	unplaced *basemetrics.Counter
	rivals   *basemetrics.Counter
	// waitsForRival is 1 while another install grants.
	waitsForRival *basemetrics.Gauge
	// nativeAmiss is 1 while the API server and the scheduler do not agree about native groups.
	nativeAmiss *basemetrics.Gauge

	effects   *basemetrics.CounterVec
	evictions *basemetrics.CounterVec
	removals  *basemetrics.HistogramVec
	hooks     *basemetrics.HistogramVec
}{
	refused: basemetrics.NewCounter(&basemetrics.CounterOpts{
		Subsystem: subsystem, Name: "refused_objects_total", StabilityLevel: basemetrics.ALPHA,
		Help: "Objects that were seen and could not be used.",
	}),
	unplaced: basemetrics.NewCounter(&basemetrics.CounterOpts{
		Subsystem: subsystem, Name: "unknown_acks_total", StabilityLevel: basemetrics.ALPHA,
		Help: "Acknowledgements that came too late for the engine: their effects were given out anew.",
	}),
	rivals: basemetrics.NewCounter(&basemetrics.CounterOpts{
		Subsystem: subsystem, Name: "foreign_queue_writes_total",
		StabilityLevel: basemetrics.ALPHA,
		Help: "Versions of queues that were seen with a status written by Volcano's own " +
			"components: they must not run beside sluice.",
	}),
	waitsForRival: basemetrics.NewGauge(&basemetrics.GaugeOpts{
		Subsystem: subsystem, Name: "waits_for_rival", StabilityLevel: basemetrics.ALPHA,
		Help: "1 while another install of sluice grants in this cluster, and this one nothing.",
	}),
	nativeAmiss: basemetrics.NewGauge(&basemetrics.GaugeOpts{
		Subsystem: subsystem, Name: "native_groups_amiss", StabilityLevel: basemetrics.ALPHA,
		Help: "1 while the API server and this scheduler do not agree about Kubernetes' own " +
			"PodGroups; the log says in what.",
	}),
	effects: basemetrics.NewCounterVec(&basemetrics.CounterOpts{
		Subsystem: subsystem, Name: "effects_total", StabilityLevel: basemetrics.ALPHA,
		Help: "What the engine asked for, by kind, and by what became of it: " +
			"done, gone, conflict or retry.",
	}, []string{"kind", "result"}),
	evictions: basemetrics.NewCounterVec(&basemetrics.CounterOpts{
		Subsystem: subsystem, Name: "evictions_total", StabilityLevel: basemetrics.ALPHA,
		Help: "Pods and workloads that were evicted, by cause.",
	}, []string{"kind", "cause"}),
	removals: basemetrics.NewHistogramVec(&basemetrics.HistogramOpts{
		Subsystem: subsystem, Name: "gate_removal_duration_seconds",
		StabilityLevel: basemetrics.ALPHA,
		Help:           "Time to the removal of a gate, since the pod's creation and since the grant.",
		Buckets:        basemetrics.ExponentialBuckets(0.001, 2, 24),
	}, []string{"since"}),
	hooks: basemetrics.NewHistogramVec(&basemetrics.HistogramOpts{
		Subsystem: subsystem, Name: "hook_duration_seconds", StabilityLevel: basemetrics.ALPHA,
		Help:    "Time that a hook of the scheduling framework took, the engine included.",
		Buckets: basemetrics.ExponentialBuckets(0.0000005, 2, 22),
	}, []string{"hook"}),
}

var registerOnce sync.Once

func registerMetrics(h *Host) {
	registerOnce.Do(func() {
		legacyregistry.MustRegister(metrics.refused, metrics.unplaced, metrics.rivals,
			metrics.waitsForRival, metrics.nativeAmiss, metrics.effects, metrics.evictions,
			metrics.removals, metrics.hooks)
		legacyregistry.CustomMustRegister(newCollector(h))
	})
}

// HookTimer observes how long one hook takes.
func HookTimer(hook string) func(began time.Time) {
	var observer basemetrics.ObserverMetric
	var once sync.Once
	return func(began time.Time) {
		// Only what was registered has observers.
		once.Do(func() { observer = metrics.hooks.WithLabelValues(hook) })
		observer.Observe(time.Since(began).Seconds())
	}
}
