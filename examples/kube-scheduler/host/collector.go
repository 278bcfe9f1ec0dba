// SPDX-License-Identifier: Apache-2.0

package host

import (
	"math"

	basemetrics "k8s.io/component-base/metrics"

	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// collector is the metrics of what the engine knows: it is asked when they are read.
//
// Only the leader has those of queues: a standby's engine has granted nothing, and sums over all
// replicas would count twice. There is one series for each state of a queue's claims, and one for
// each of its quotas (flavor and resource). A queue that does not exist has none of its own, since
// anybody who may create a pod may name one: the claims of such are counted together.
type collector struct {
	basemetrics.BaseStableCollector
	host *Host
	all  []*basemetrics.Desc

	leading, synced, pending, memory, peak *basemetrics.Desc
	claims, unknown                        *basemetrics.Desc
	quotas, totals                         []column
	waits, oldest, unplaced, stopped       *basemetrics.Desc
	locals                                 localMetrics
}

// column is a number in an answer of the engine that is a metric.
type column struct {
	key  string
	desc *basemetrics.Desc
}

var claimStates = []string{"held", "waiting", "reserved", "allocated"}

func newCollector(h *Host) *collector {
	c := &collector{host: h}
	c.leading = c.describe("leading", "1 while this replica leads, else 0.")
	c.synced = c.describe("synced",
		"1 when the engine knows of all that was there in the beginning, else 0.")
	c.pending = c.describe("effects_pending", "Effects that wait to be carried out.")
	c.memory = c.describe("engine_memory_bytes",
		"Memory that the engine holds, without the recording.")
	c.peak = c.describe("engine_memory_peak_bytes", "The most memory that the engine ever held.")
	c.claims = c.describe("queue_claims", "Claims of a queue and of those below it, by state.",
		"kind", "queue", "state")
	c.unknown = c.describe("unknown_queue_claims",
		"Claims of queues that do not exist, by state.", "state")
	quota := func(key, name, help string) {
		c.quotas = append(c.quotas, column{key, c.describe("queue_"+name, help+
			" In cores of cpu, and in Kubernetes' own unit of all else.",
			"kind", "queue", "flavor", "resource")})
	}
	quota("allocated", "allocated", "What the bound claims of a queue and below use.")
	quota("reserved", "reserved", "What the granted, unbound claims of a queue and below hold.")
	quota("usage", "usage",
		"What counts against the limit: of a leaf allocated and reserved, of another queue "+
			"what those right below it use beyond what is kept for them.")
	quota("ceiling", "limit", "What the usage may be at most; without a limit there is no series.")
	quota("share", "share", "What the queue is meant to have: deserved, or nominal.")
	total := func(key, name, help string) {
		c.totals = append(c.totals, column{key, c.describe("queue_"+name+"_total", help,
			"kind", "queue")})
	}
	total("granted", "grants", "Claims of the queue itself that were granted.")
	total("released", "releases", "Claims of the queue itself that gave back what they held.")
	total("demoted", "demotions", "Claims of the queue itself whose grant was taken back.")
	c.waits = c.describe("queue_wait_duration_seconds", "Time that claims of the queue itself "+
		"waited, from when they came into it, by which they are ranked, to the grant.",
		"kind", "queue")
	c.oldest = c.describe("queue_oldest_waiting_timestamp_seconds", "When the claim that waits "+
		"longest came into the queue; nobody waits in the queue itself: no series.", "kind", "queue")
	c.unplaced = c.describe("queue_oldest_unplaced_timestamp_seconds", "When the oldest grant of the "+
		"queue itself was made that still has no node; there is none: no series.", "kind", "queue")
	c.stopped = c.describe("queue_stopped", "1: a queue of claims that grants nothing now, whatever "+
		"room there is, and why; others have no series.", "kind", "queue", "reason")
	c.locals.describe(c.describe)
	return c
}

func (c *collector) describe(name, help string, labels ...string) *basemetrics.Desc {
	desc := basemetrics.NewDesc(basemetrics.BuildFQName("", subsystem, name), help, labels, nil,
		basemetrics.ALPHA, "")
	c.all = append(c.all, desc)
	return desc
}

// DescribeWithStability names all that there may be.
func (c *collector) DescribeWithStability(ch chan<- *basemetrics.Desc) {
	for _, desc := range c.all {
		ch <- desc
	}
}

// CollectWithStability asks the engine.
func (c *collector) CollectWithStability(ch chan<- basemetrics.Metric) {
	s := sink{ch}
	leads := c.host.Leads()
	s.gauge(c.leading, truth(leads))
	s.gauge(c.synced, truth(c.host.Synced()))
	memory, err := c.host.engine.ask(sluice.Query{What: "memory"})
	if err != nil {
		c.failed(err)
		return
	}
	s.number(c.pending, memory["pending"])
	s.number(c.memory, memory["bytes"])
	s.number(c.peak, memory["peak"])
	if !leads {
		return
	}
	queues, _, err := c.host.List(sluice.Query{What: "queues"}, "queues", math.MaxInt)
	if err != nil {
		c.failed(err)
		return
	}
	c.queues(s, queues)
	if c.host.args.Metrics.LocalQueues {
		if err := c.locals.collect(s, c.host); err != nil {
			c.failed(err)
		}
	}
}

// The other metrics are worth reading without these.
func (c *collector) failed(err error) {
	if err != ErrNotOpen {
		c.host.log.Error(err, "The engine cannot be asked for metrics")
	}
}

func (c *collector) queues(s sink, queues []any) {
	type identity struct{ kind, name string }
	seen := map[identity]bool{}
	unknown := map[string]int64{}
	for _, one := range queues {
		queue, _ := one.(map[string]any)
		kind, _ := queue["kind"].(string)
		name, _ := queue["name"].(string)
		// One that moved between two pages: a series that comes twice spoils all metrics.
		if seen[identity{kind, name}] {
			continue
		}
		seen[identity{kind, name}] = true
		if known, _ := queue["known"].(bool); known || kind == sluice.KindCohort {
			c.queue(s, queue, kind, name)
			continue
		}
		// One above them counts what is below it again.
		if leaf, _ := queue["leaf"].(bool); leaf {
			for _, state := range claimStates {
				count, _ := queue[state].(int64)
				unknown[state] += count
			}
		}
	}
	for _, state := range claimStates {
		s.gauge(c.unknown, float64(unknown[state]), state)
	}
}

func (c *collector) queue(s sink, queue map[string]any, kind, name string) {
	for _, state := range claimStates {
		s.number(c.claims, queue[state], kind, name, state)
	}
	for _, total := range c.totals {
		s.count(total.desc, queue[total.key], kind, name)
	}
	s.histogram(c.waits, queue, kind, name)
	s.moment(c.oldest, queue["oldest"], kind, name)
	s.moment(c.unplaced, queue["unplaced"], kind, name)
	if reason, _ := queue["reason"].(string); reason != "" && queue["leaf"] == true {
		s.gauge(c.stopped, 1, kind, name, reason)
	}
	rows, _ := queue["quota"].([]any)
	for _, one := range rows {
		row, _ := one.(map[string]any)
		flavor, _ := row["flavor"].(string)
		resource, _ := row["resource"].(string)
		for _, quota := range c.quotas {
			if amount, is := row[quota.key].(int64); is {
				s.gauge(quota.desc, units(resource, amount), kind, name, flavor, resource)
			}
		}
	}
}

// units is an amount in the units of a reader: the engine counts cpu in thousandths of a core.
func units(resource string, amount int64) float64 {
	if resource == "cpu" {
		return float64(amount) / 1000
	}
	return float64(amount)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// sink takes metrics. What an answer of the engine does not have is no metric.
type sink struct{ ch chan<- basemetrics.Metric }

func (s sink) gauge(desc *basemetrics.Desc, value float64, labels ...string) {
	s.tell(desc, basemetrics.GaugeValue, value, labels)
}

// tell gives a metric out. Of a label's name only the end of a line would be escaped later.
func (s sink) tell(desc *basemetrics.Desc, kind basemetrics.ValueType, value float64,
	labels []string) {
	s.ch <- basemetrics.NewLazyConstMetric(desc, kind, value, plain.Shown(labels)...)
}

func (s sink) number(desc *basemetrics.Desc, value any, labels ...string) {
	if number, is := value.(int64); is {
		s.gauge(desc, float64(number), labels...)
	}
}

func (s sink) count(desc *basemetrics.Desc, value any, labels ...string) {
	if number, is := value.(int64); is {
		s.tell(desc, basemetrics.CounterValue, float64(number), labels)
	}
}
