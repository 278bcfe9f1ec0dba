// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	basemetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"

	"sluice/kube-scheduler/sluice"
)

// Who waited, who waits, who has no node: since when, and how long.
func TestWaitsOfQueues(t *testing.T) {
	h, registry := measured(t)
	ok := told(t)
	ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "science",
		Capability: []sluice.Amount{{Name: "cpu", Value: 3000}}}))
	ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "art", State: "Suspended"}))
	for _, name := range []string{"a", "b", "c"} {
		ok(h.engine.ObservePod(waitingPod(name, "science")))
	}
	ok(h.engine.ObservePod(waitingPod("d", "nowhere")))
	settle(t, h.engine.Engine)

	text := scrape(t, registry)
	for _, want := range []string{
		`# TYPE sluice_queue_wait_duration_seconds histogram`,
		`sluice_queue_wait_duration_seconds_bucket{kind="Queue",queue="science",le="1"} 0`,
		`sluice_queue_wait_duration_seconds_bucket{kind="Queue",queue="science",le="86400"} 0`,
		`sluice_queue_wait_duration_seconds_bucket{kind="Queue",queue="science",le="+Inf"} 2`,
		`sluice_queue_wait_duration_seconds_count{kind="Queue",queue="science"} 2`,
		`sluice_queue_grants_total{kind="Queue",queue="science"} 2`,
		`sluice_queue_oldest_waiting_timestamp_seconds{kind="Queue",queue="science"} 1.7e+09`,
		`sluice_queue_oldest_unplaced_timestamp_seconds{kind="Queue",queue="science"} 1.`,
		`sluice_queue_stopped{kind="Queue",queue="art",reason="QueueSuspended"} 1`,
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for _, not := range []string{
		`wait_duration_seconds_count{kind="Queue",queue="art"}`, // nobody was granted anything
		`oldest_waiting_timestamp_seconds{kind="Queue",queue="root"}`,
		`oldest_unplaced_timestamp_seconds{kind="Queue",queue="art"}`,
		`sluice_queue_stopped{kind="Queue",queue="science"`,
		`sluice_queue_stopped{kind="Queue",queue="root"`, // no pods are in it
		`sluice_local_queue`, // nobody asked for them
		`nowhere`,
	} {
		if strings.Contains(text, not) {
			t.Errorf("the metrics have %s", not)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// LocalQueues are told of only where somebody asks for them.
func TestWaitsOfLocalQueues(t *testing.T) {
	h, _ := measured(t)
	h.engine.Engine = testEngineWith(t, sluice.Config{Effects: []string{sluice.WriteWorkload}})
	h.args.Metrics.LocalQueues = true
	ok := told(t)
	ok(h.engine.ObserveFlavor(&sluice.Flavor{Name: "f"}))
	ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindClusterQueue, Name: "cq",
		Groups: []sluice.ResourceGroup{{Resources: []string{"cpu"}, Flavors: []sluice.FlavorQuotas{
			{Name: "f", Quotas: []sluice.Quota{{Resource: "cpu", Nominal: 1000}}}}}}}))
	ok(h.engine.ObserveLocalQueue(&sluice.LocalQueue{UID: "l", Namespace: "ns", Name: "lq",
		ClusterQueue: "cq"}))
	for _, one := range []struct{ name, queue string }{{"a", "lq"}, {"b", "lq"}, {"c", "nowhere"}} {
		ok(h.engine.ObserveWorkerWorkload(&sluice.WorkerWorkload{UID: one.name, Namespace: "ns",
			Name: one.name, Queue: one.queue, Created: 1_700_000_000_000_000_000, ResourceVersion: 1,
			PodSets: []sluice.PodSet{{Name: "main", Count: 1,
				Requests: []sluice.Amount{{Name: "cpu", Value: 1000}}}}, JobStopped: true}))
	}
	settle(t, h.engine.Engine)
	registry := basemetrics.NewKubeRegistry()
	registry.CustomMustRegister(newCollector(h))
	text := scrape(t, registry)
	of := `local_queue="lq",namespace="ns"`
	for _, want := range []string{
		`sluice_local_queue_workloads{` + of + `,state="pending"} 1`,
		`sluice_local_queue_workloads{` + of + `,state="reserved"} 1`, // nobody has written it yet
		`sluice_local_queue_workloads{` + of + `,state="admitted"} 0`,
		`sluice_local_queue_wait_duration_seconds_bucket{` + of + `,le="86400"} 0`,
		`sluice_local_queue_wait_duration_seconds_count{` + of + `} 1`,
		`sluice_local_queue_oldest_waiting_timestamp_seconds{` + of + `} 1.7e+09`,
		`sluice_queue_wait_duration_seconds_count{kind="ClusterQueue",queue="cq"} 1`,
		`sluice_queue_oldest_waiting_timestamp_seconds{kind="ClusterQueue",queue="cq"} 1.7e+09`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, "nowhere") {
		t.Error("there is a LocalQueue that nobody made")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// An answer of a library from before it told of waits has none of these.
func TestAnOlderLibraryTellsOfNoWaits(t *testing.T) {
	registry := basemetrics.NewKubeRegistry()
	registry.CustomMustRegister(&fixed{newCollector(&Host{}), []any{map[string]any{
		"kind": "Queue", "name": "q", "known": true, "leaf": true, "reason": ""}}})
	if text := scrape(t, registry); text != "# TYPE sluice_unknown_queue_claims gauge\n"+
		`sluice_unknown_queue_claims{state="allocated"} 0`+"\n"+
		`sluice_unknown_queue_claims{state="held"} 0`+"\n"+
		`sluice_unknown_queue_claims{state="reserved"} 0`+"\n"+
		`sluice_unknown_queue_claims{state="waiting"} 0`+"\n" {
		t.Errorf("the metrics are\n%s", text)
	}
}

func TestEvictionCauses(t *testing.T) {
	for _, one := range []struct{ reason, cause, want string }{
		{"Preempted", "InCohortReclamation", "InCohortReclamation"},
		{"Preempted", "", "Preempted"},
		{"Deactivated", "whatever a tenant wrote", "Deactivated"},
	} {
		got := evictionCause(&sluice.Effect{Reason: one.reason,
			Workload: &sluice.WorkloadWrite{Cause: one.cause}})
		if got != one.want {
			t.Errorf("the cause of %v is %s, want %s", one, got, one.want)
		}
	}
}

// BenchmarkScrape is what it costs to be asked for the metrics of 10,000 queues, in each of which
// something was granted and something waits, with a quota of one resource.
func BenchmarkScrape(b *testing.B) {
	const queues = 10_000
	h, registry := measured(b)
	ok := told(b)
	for i := range queues {
		name := fmt.Sprintf("queue-%05d", i)
		ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: name,
			Capability: []sluice.Amount{{Name: "cpu", Value: 1500}}}))
		ok(h.engine.ObservePod(waitingPod("granted-"+name, name)))
		ok(h.engine.ObservePod(waitingPod("waits-"+name, name)))
	}
	settle(b, h.engine.Engine)
	b.ReportAllocs()
	began, scrapes := processorTime(b), 0
	for b.Loop() {
		scrapes++
		families, err := registry.Gather()
		if err != nil {
			b.Fatal(err)
		}
		series, size := 0, 0
		for _, family := range families {
			text := bytes.Buffer{}
			if _, err := testutil.MetricFamilyToText(&text, family); err != nil {
				b.Fatal(err)
			}
			series += bytes.Count(text.Bytes(), []byte("\n")) - 2
			size += text.Len()
		}
		b.ReportMetric(float64(series)/queues, "series/queue")
		b.ReportMetric(float64(size)/queues, "B/queue")
	}
	b.ReportMetric(float64((processorTime(b)-began).Milliseconds())/float64(scrapes), "cpu-ms/op")
}

// processorTime is what this process has used, whatever else the machine does.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// The README's table has each metric once, and no other one.
func TestTheTableHasAllMetrics(t *testing.T) {
	text, err := os.ReadFile("../serve/README.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	for line := range strings.Lines(string(text)) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !strings.HasPrefix(line, "| `sluice_") {
			continue
		}
		for name := range strings.SplitSeq(first, ", ") {
			if name = strings.Trim(name, "`"); strings.HasPrefix(name, "sluice_") {
				told[name]++
			}
		}
	}
	delete(told, "sluice_admission_duration_seconds") // the webhook's
	var there []string
	for _, desc := range newCollector(&Host{}).all {
		_, name, _ := strings.Cut(desc.String(), `fqName: "`)
		name, _, _ = strings.Cut(name, `"`)
		there = append(there, name)
	}
	for _, one := range []interface{ FQName() string }{metrics.refused, metrics.unplaced,
		metrics.rivals, metrics.waitsForRival, metrics.nativeAmiss, metrics.effects,
		metrics.evictions, metrics.removals, metrics.hooks} {
		there = append(there, one.FQName())
	}
	for _, name := range there {
		if told[name] != 1 {
			t.Errorf("%s stands in the table %d times, want once", name, told[name])
		}
		delete(told, name)
	}
	if len(told) > 0 {
		t.Errorf("the table has %v, which are not there", told)
	}
}
