// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"sync"

	basemetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"sluice/kube-scheduler/sluice"
)

const subsystem = "sluice_manager"

// metrics are what the manager counts itself; the engine is asked when they are read.
var metrics = struct {
	refused   *basemetrics.Counter
	effects   *basemetrics.CounterVec
	durations *basemetrics.HistogramVec
}{
	refused: basemetrics.NewCounter(&basemetrics.CounterOpts{
		Subsystem: subsystem, Name: "refused_objects_total", StabilityLevel: basemetrics.ALPHA,
		Help: "Objects that were seen and could not be used.",
	}),
	effects: basemetrics.NewCounterVec(&basemetrics.CounterOpts{
		Subsystem: subsystem, Name: "effects_total", StabilityLevel: basemetrics.ALPHA,
		Help: "What the engine asked for, by kind, and by what became of it: " +
			"done, gone, conflict or retry. openGate, done: preemptions that were allowed.",
	}, []string{"kind", "result"}),
	durations: basemetrics.NewHistogramVec(&basemetrics.HistogramOpts{
		Subsystem: subsystem, Name: "effect_duration_seconds", StabilityLevel: basemetrics.ALPHA,
		Help:    "Time that it took to carry an effect out.",
		Buckets: basemetrics.ExponentialBuckets(0.001, 2, 15),
	}, []string{"kind"}),
}

var registerOnce sync.Once

func registerMetrics(m *Manager) {
	registerOnce.Do(func() {
		legacyregistry.MustRegister(metrics.refused, metrics.effects, metrics.durations)
		legacyregistry.CustomMustRegister(newCollector(m))
	})
}

// collector is the metrics of what the engine knows: it is asked when they are read. How many
// workloads are in which state only the leader tells, so that sums over the replicas count once.
type collector struct {
	basemetrics.BaseStableCollector
	manager *Manager

	leading, synced, pending, connected, copies, workloads *basemetrics.Desc
}

func newCollector(m *Manager) *collector {
	describe := func(name, help string, labels ...string) *basemetrics.Desc {
		return basemetrics.NewDesc(subsystem+"_"+name, help, labels, nil, basemetrics.ALPHA, "")
	}
	return &collector{
		manager: m,
		leading: describe("leading", "1 while this replica leads, else 0."),
		synced: describe("synced",
			"1 when the engine knows of all that was there in the beginning, else 0."),
		pending:   describe("effects_pending", "Effects that wait to be carried out."),
		connected: describe("cluster_connected", "1 while the worker is connected, else 0.", "cluster"),
		copies: describe("cluster_copies",
			"Copies of workloads in the worker, and places for some.", "cluster"),
		workloads: describe("workloads", "Workloads that are dispatched, by state.", "state"),
	}
}

// DescribeWithStability names all metrics.
func (c *collector) DescribeWithStability(to chan<- *basemetrics.Desc) {
	for _, desc := range []*basemetrics.Desc{c.leading, c.synced, c.pending, c.connected, c.copies,
		c.workloads} {
		to <- desc
	}
}

// CollectWithStability asks the engine.
func (c *collector) CollectWithStability(to chan<- basemetrics.Metric) {
	put := func(desc *basemetrics.Desc, value float64, labels ...string) {
		to <- basemetrics.NewLazyConstMetric(desc, basemetrics.GaugeValue, value, labels...)
	}
	leads := c.manager.Leads()
	put(c.leading, number(leads))
	put(c.synced, number(c.manager.synced.Load()))
	if answer, err := c.manager.Inspect(sluice.Query{What: "limits"}); err == nil {
		pending, _ := answer["pending"].(int64)
		put(c.pending, float64(pending))
	}
	clusters, _, err := c.manager.List(sluice.Query{What: "clusters"}, "clusters", mostRows)
	for _, row := range clusters {
		cluster, _ := row.(map[string]any)
		if name, is := cluster["name"].(string); is && err == nil && cluster["known"] == true {
			copies, _ := cluster["copies"].(int64)
			put(c.connected, number(cluster["connected"] == true), name)
			put(c.copies, float64(copies), name)
		}
	}
	if !leads {
		return
	}
	workloads, _, err := c.manager.List(sluice.Query{What: "fleet"}, "workloads", mostRows)
	states := map[string]int{}
	for _, row := range workloads {
		workload, _ := row.(map[string]any)
		state, _ := workload["state"].(string)
		states[state]++
	}
	for state, count := range states {
		if err == nil {
			put(c.workloads, float64(count), state)
		}
	}
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
