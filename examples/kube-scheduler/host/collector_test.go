// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	basemetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
	"sluice/plain/hostile"
)

// testEngine is one that is synced and leads.
func testEngine(tb testing.TB) *sluice.Engine {
	tb.Helper()
	return testEngineWith(tb, sluice.Config{})
}

func testEngineWith(tb testing.TB, config sluice.Config) *sluice.Engine {
	tb.Helper()
	path := os.Getenv("SLUICE_LIB")
	if path == "" {
		path = filepath.Join("..", "..", "..", "build", "sluice.so")
	}
	library, err := sluice.Load(path)
	if err != nil {
		tb.Fatalf("%v (build sluice.so with meson, or name one in SLUICE_LIB)", err)
	}
	eng, err := library.Open(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = eng.Close() })
	for _, call := range []func() (sluice.Tail, error){
		eng.Synced,
		func() (sluice.Tail, error) { return eng.Lead(true) },
	} {
		if _, err := call(); err != nil {
			tb.Fatal(err)
		}
	}
	return eng
}

// measured is a host with an open engine, and a registry that has its collector.
func measured(tb testing.TB) (*Host, basemetrics.KubeRegistry) {
	tb.Helper()
	h := &Host{args: &config.Args{}, engine: engine{Engine: testEngine(tb),
		ready: make(chan struct{})}}
	close(h.engine.ready)
	h.engine.synced.Store(true)
	registry := basemetrics.NewKubeRegistry()
	registry.CustomMustRegister(newCollector(h))
	return h, registry
}

func told(tb testing.TB) func(sluice.Tail, error) {
	return func(_ sluice.Tail, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func settle(tb testing.TB, eng *sluice.Engine) {
	tb.Helper()
	for {
		tail, err := eng.Tick()
		if err != nil {
			tb.Fatal(err)
		}
		if !tail.More {
			return
		}
	}
}

func waitingPod(name, queue string) *sluice.Pod {
	const gate = "scheduling.volcano.sh/queue-allocation-gate"
	return &sluice.Pod{UID: "uid-" + name, Namespace: "default", Name: name,
		Created: 1_700_000_000_000_000_000, Generation: 1, ResourceVersion: 1,
		Scheduler: "default-scheduler", Phase: "Pending", Gates: []string{gate},
		Annotations: [][2]string{{gate, "true"}, {"scheduling.volcano.sh/queue-name", queue}},
		Requests:    []sluice.Amount{{Name: "cpu", Value: 1500}, {Name: "memory", Value: 1 << 30}}}
}

// scrape is what a reader of the metrics gets; the help is left out.
func scrape(tb testing.TB, registry basemetrics.KubeRegistry) string {
	tb.Helper()
	families, err := registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	var text bytes.Buffer
	for _, family := range families {
		if _, err := testutil.MetricFamilyToText(&text, family); err != nil {
			tb.Fatal(err)
		}
	}
	lines := strings.Split(text.String(), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return line == "" || strings.HasPrefix(line, "# HELP")
	})
	return strings.Join(lines, "\n") + "\n"
}

func TestMetricsOfQueues(t *testing.T) {
	h, registry := measured(t)
	ok := told(t)
	ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "science",
		Capability: []sluice.Amount{{Name: "cpu", Value: 2500}},
		Deserved:   []sluice.Amount{{Name: "memory", Value: 4 << 30}}}))
	running := waitingPod("running", "science")
	running.Gates, running.Node = nil, "node-1"
	ok(h.engine.ObservePod(running))
	ok(h.engine.ObservePod(waitingPod("no-room", "science")))
	ok(h.engine.ObservePod(waitingPod("lost", "nowhere")))
	settle(t, h.engine.Engine)

	text := scrape(t, registry)
	for _, want := range []string{
		`sluice_leading 1`,
		`sluice_synced 1`,
		`sluice_queue_allocated{flavor="default",kind="Queue",queue="science",resource="cpu"} 1.5`,
		`sluice_queue_reserved{flavor="default",kind="Queue",queue="science",resource="cpu"} 0`,
		`sluice_queue_usage{flavor="default",kind="Queue",queue="science",resource="cpu"} 1.5`,
		`sluice_queue_limit{flavor="default",kind="Queue",queue="science",resource="cpu"} 2.5`,
		`sluice_queue_share{flavor="default",kind="Queue",queue="science",resource="memory"} ` +
			`4.294967296e+09`,
		`sluice_queue_allocated{flavor="default",kind="Queue",queue="science",resource="memory"} ` +
			`1.073741824e+09`,
		`sluice_queue_claims{kind="Queue",queue="science",state="waiting"} 1`,
		`sluice_queue_claims{kind="Queue",queue="science",state="allocated"} 1`,
		`sluice_queue_claims{kind="Queue",queue="science",state="held"} 0`,
		`sluice_queue_claims{kind="Queue",queue="root",state="waiting"} 2`,
		`sluice_queue_claims{kind="Queue",queue="default",state="waiting"} 0`,
		`sluice_unknown_queue_claims{state="held"} 0`,
		`sluice_unknown_queue_claims{state="waiting"} 1`,
		`# TYPE sluice_queue_limit gauge`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for _, not := range []string{
		`sluice_queue_limit{flavor="default",kind="Queue",queue="science",resource="memory"}`,
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

// The totals are there with the libraries that count them.
func TestTotalsOfQueues(t *testing.T) {
	h, registry := measured(t)
	ok := told(t)
	ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "science",
		Capability: []sluice.Amount{{Name: "cpu", Value: 3000}}}))
	for _, name := range []string{"a", "b", "c"} {
		ok(h.engine.ObservePod(waitingPod(name, "science")))
	}
	settle(t, h.engine.Engine)
	ok(h.engine.ForgetPod("uid-a"))
	settle(t, h.engine.Engine)
	ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "science",
		Capability: []sluice.Amount{{Name: "cpu", Value: 1500}}}))
	settle(t, h.engine.Engine)
	answer, err := h.Inspect(sluice.Query{What: "queue", Kind: sluice.KindQueue, Name: "science"})
	if err != nil {
		t.Fatal(err)
	}
	text := scrape(t, registry)
	_, counts := answer["granted"]
	for _, want := range []string{
		`sluice_queue_grants_total{kind="Queue",queue="science"} 3`,
		`sluice_queue_releases_total{kind="Queue",queue="science"} 1`,
		`sluice_queue_demotions_total{kind="Queue",queue="science"} 1`,
		`sluice_queue_grants_total{kind="Queue",queue="root"} 0`,
	} {
		if strings.Contains(text, want+"\n") != counts {
			t.Errorf("the library counts: %v; for the metric %s, the metrics are\n%s", counts, want,
				text)
		}
	}
}

// What the collector reads is the map of a queue, whatever the library counts.
func TestTotalsAreRead(t *testing.T) {
	c := newCollector(&Host{})
	registry := basemetrics.NewKubeRegistry()
	registry.CustomMustRegister(&fixed{collector: c, queues: []any{map[string]any{
		"kind": "Queue", "name": "q", "known": true, "granted": int64(7), "released": int64(5),
		"demoted": int64(2)}}})
	text := scrape(t, registry)
	for _, want := range []string{
		`# TYPE sluice_queue_grants_total counter`,
		`sluice_queue_grants_total{kind="Queue",queue="q"} 7`,
		`sluice_queue_releases_total{kind="Queue",queue="q"} 5`,
		`sluice_queue_demotions_total{kind="Queue",queue="q"} 2`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the metrics lack %s:\n%s", want, text)
		}
	}
}

// fixed has queues that no engine answered with.
type fixed struct {
	*collector
	queues []any
}

func (f *fixed) CollectWithStability(ch chan<- basemetrics.Metric) {
	f.collector.queues(sink{ch}, f.queues)
}

// A queue that comes twice, since it moved between two pages, must not spoil all metrics.
func TestQueueThatComesTwice(t *testing.T) {
	registry := basemetrics.NewKubeRegistry()
	queue := map[string]any{"kind": "Queue", "name": "q", "known": true, "held": int64(3)}
	registry.CustomMustRegister(&fixed{newCollector(&Host{}), []any{queue, queue}})
	want := `sluice_queue_claims{kind="Queue",queue="q",state="held"} 3` + "\n"
	if text := scrape(t, registry); strings.Count(text, want) != 1 {
		t.Errorf("the metrics have not once %s:\n%s", want, text)
	}
}

// All metrics, ours that the host counts included, pass the linter that promtool uses.
func TestMetricsAreAsPrometheusWants(t *testing.T) {
	h, registry := measured(t)
	told(t)(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "science",
		Capability: []sluice.Amount{{Name: "cpu", Value: 3000}}}))
	registry.MustRegister(metrics.refused, metrics.effects, metrics.removals, metrics.hooks)
	metrics.effects.WithLabelValues(sluice.RemoveGates, sluice.Done).Inc()
	metrics.removals.WithLabelValues("grant").Observe(1)
	HookTimer("PreEnqueue")(time.Now())
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, family := range families {
		if _, err := testutil.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	problems, err := testutil.NewPromLinter(&text).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the linter says %v, %v", problems, err)
	}
	if len(families) < 12 {
		t.Errorf("only %d metrics were looked at", len(families))
	}
}

// A standby has nothing to say of queues, and before the engine is open nobody has.
func TestMetricsOfOthersThanTheLeader(t *testing.T) {
	h, registry := measured(t)
	h.AwaitLease()
	text := scrape(t, registry)
	if !strings.Contains(text, "sluice_leading 0\n") || strings.Contains(text, "sluice_queue") ||
		!strings.Contains(text, "sluice_engine_memory_bytes ") ||
		!strings.Contains(text, "sluice_engine_memory_peak_bytes ") ||
		!strings.Contains(text, "sluice_effects_pending 0\n") {
		t.Errorf("the metrics of a standby are\n%s", text)
	}
	h.lease.Set(time.Now().Add(time.Hour))
	if text := scrape(t, registry); !strings.Contains(text, "sluice_leading 1\n") ||
		!strings.Contains(text, `sluice_queue_claims{kind="Queue",queue="root",state="held"} 0`) {
		t.Errorf("the metrics of one that leads now are\n%s", text)
	}

	closed := &Host{engine: engine{ready: make(chan struct{})}}
	closed.AwaitLease()
	registry = basemetrics.NewKubeRegistry()
	registry.CustomMustRegister(newCollector(closed))
	want := "# TYPE sluice_leading gauge\nsluice_leading 0\n" +
		"# TYPE sluice_synced gauge\nsluice_synced 0\n"
	if text := scrape(t, registry); text != want {
		t.Errorf("before the engine is open the metrics are\n%s", text)
	}
}

func TestListFollowsThePages(t *testing.T) {
	h, _ := measured(t)
	ok := told(t)
	const queues = 700 // and root, default
	for i := range queues {
		ok(h.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: fmt.Sprintf("q%03d", i)}))
	}
	question := sluice.Query{What: "queues"}
	rows, from, err := h.List(question, "queues", 1<<30)
	if err != nil || from != 0 || len(rows) != queues+2 {
		t.Errorf("there are %d rows, from %d, %v; want %d, 0", len(rows), from, err, queues+2)
	}
	some, from, err := h.List(question, "queues", 300)
	if err != nil || from == 0 || len(some) != 300 {
		t.Fatalf("there are %d rows, from %d, %v; want 300 and a place", len(some), from, err)
	}
	question.From = from
	others, from, err := h.List(question, "queues", 1<<30)
	if err != nil || from != 0 || len(some)+len(others) != len(rows) {
		t.Errorf("the rest is %d rows, from %d, %v; want %d", len(others), from, err,
			len(rows)-len(some))
	}
	first, _ := others[0].(map[string]any)
	wanted, _ := rows[300].(map[string]any)
	if first["name"] != wanted["name"] {
		t.Errorf("the rest begins with %v, want %v", first["name"], wanted["name"])
	}
}

// Whatever a queue or a resource is called, a label does no more than to be seen.
func TestLabelsAreData(t *testing.T) {
	h, registry := measured(t)
	chance := rand.New(rand.NewPCG(9, 10))
	for range hostile.Names(t, 300) {
		name := hostile.UTF8(chance)
		if len(name) > 253 {
			continue
		}
		queue := sluice.Queue{Kind: sluice.KindQueue, Name: name,
			Capability: []sluice.Amount{{Name: name, Value: 1}}}
		told(t)(h.engine.ObserveQueue(&queue))
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		labels := 0
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				for _, label := range metric.GetLabel() {
					labels++
					if why := hostile.Hurts(label.GetValue(), 0); why != "" {
						t.Fatal(why)
					}
				}
			}
		}
		if labels == 0 {
			t.Fatal("there are no labels")
		}
		told(t)(h.engine.ForgetQueue(sluice.KindQueue, name))
	}
}
