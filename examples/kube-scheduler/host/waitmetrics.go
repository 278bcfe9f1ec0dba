// SPDX-License-Identifier: Apache-2.0

package host

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"
	basemetrics "k8s.io/component-base/metrics"

	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// waitBounds are those of the engine's `waits`, in seconds.
var waitBounds = [...]float64{1, 10, 60, 300, 1800, 7200, 28800, 86400}

// histogram gives out how long those waited that were granted something; nothing, where nobody was.
func (s sink) histogram(desc *basemetrics.Desc, row map[string]any, labels ...string) {
	counts, _ := row["waits"].([]any)
	waited, _ := row["waited"].(int64)
	if len(counts) != len(waitBounds)+1 {
		return
	}
	buckets := make(map[float64]uint64, len(waitBounds))
	var below uint64
	for i, one := range counts {
		count, _ := one.(int64)
		below += uint64(count)
		if i < len(waitBounds) {
			buckets[waitBounds[i]] = below
		}
	}
	shown := plain.Shown(labels)
	// Kubernetes' own wrapper knows no histograms of constants; the description is in its gauges.
	of := basemetrics.NewLazyConstMetric(desc, basemetrics.GaugeValue, 0, shown...)
	s.ch <- prometheus.MustNewConstHistogram(of.Desc(), below, float64(waited)/1000, buckets, shown...)
}

// moment gives out a time of the engine; 0 is none.
func (s sink) moment(desc *basemetrics.Desc, value any, labels ...string) {
	if time, is := value.(int64); is && time > 0 {
		s.gauge(desc, float64(time)/1e9, labels...)
	}
}

// localMetrics are those of LocalQueues, where the configuration asks for them: there may be as
// many as namespaces, and tenants make them.
type localMetrics struct {
	workloads, waits, oldest *basemetrics.Desc
}

func (m *localMetrics) describe(describe func(name, help string,
	labels ...string) *basemetrics.Desc) {
	m.workloads = describe("local_queue_workloads", "Workloads of a LocalQueue, by state: "+
		"pending, reserved (they hold quota, and are not admitted yet) or admitted.",
		"namespace", "local_queue", "state")
	m.waits = describe("local_queue_wait_duration_seconds", "Time that workloads of a LocalQueue "+
		"waited, from when they came into it to the grant.", "namespace", "local_queue")
	m.oldest = describe("local_queue_oldest_waiting_timestamp_seconds",
		"When the workload that waits longest came into the LocalQueue; nobody waits: no series.",
		"namespace", "local_queue")
}

func (m *localMetrics) collect(s sink, h *Host) error {
	rows, _, err := h.List(sluice.Query{What: "localQueues"}, "localQueues", math.MaxInt)
	if err != nil {
		return err
	}
	seen := map[[2]string]bool{}
	for _, one := range rows {
		local, _ := one.(map[string]any)
		namespace, _ := local["namespace"].(string)
		name, _ := local["name"].(string)
		// One that is only named by a workload, and one that moved between two pages.
		if local["reason"] == "NotFound" || seen[[2]string{namespace, name}] {
			continue
		}
		seen[[2]string{namespace, name}] = true
		reserving, _ := local["reserving"].(int64)
		admitted, _ := local["admitted"].(int64)
		s.number(m.workloads, local["waiting"], namespace, name, "pending")
		s.number(m.workloads, reserving-admitted, namespace, name, "reserved")
		s.number(m.workloads, admitted, namespace, name, "admitted")
		s.histogram(m.waits, local, namespace, name)
		s.moment(m.oldest, local["oldest"], namespace, name)
	}
	return nil
}
