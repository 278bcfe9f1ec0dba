// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"maps"
	"slices"
	"time"
)

// Config is what an engine is opened with. The zero value has the library's defaults.
type Config struct {
	// Schedulers: pods of these schedulerNames are ours. None: "default-scheduler".
	Schedulers []string
	// Removal is OnBind (default) or OnAdmission: when a gate is removed.
	Removal string
	// Manage is OptedIn (default) or All: which of our pods obey the queues.
	Manage string
	// Ceiling of the Volcano tree as a whole: Unlimited (default) or Cluster.
	Ceiling string
	// RootCeiling is that ceiling as amounts, in Kubernetes' quantity syntax; instead of Ceiling.
	RootCeiling map[string]string
	// Undeclared is Refused (default) or Unlimited: a resource that a ClusterQueue does not declare.
	Undeclared string
	// ReservationTimeout is how long a claim may hold a reservation unbound; 0: for ever.
	ReservationTimeout time.Duration
	// HeadGuard is how long the head of a queue may be passed over; 0: for ever.
	HeadGuard time.Duration
	// ObserveOnly: decide and report, hold nothing, ask nothing of the host.
	ObserveOnly bool
	// Record is the size of the recording in bytes; 0: none is made.
	Record int64
	// Effects are the kinds of effects beyond Activate, RemoveGates and SetCondition that the host
	// carries out. Without QueueStatus there are no commands, without AnswerPermit no groups. Those
	// that the library is too old for are left out: Engine.Asks.
	Effects []string
	// MultiKueue: this engine manages worker clusters; nil: it does not.
	MultiKueue *MultiKueue
	// PreemptionGates: those of workloads that get their quota here count.
	PreemptionGates bool
	// PodEvents: pods are told by events of each cause that does not end by itself; else of
	// suspended queues alone. [Event in Effects]
	PodEvents bool
	// WaitingReasons: workloads that get their quota here say why they wait for it; who merely waits
	// for room, after so long, and so many a second (0: all).
	WaitingReasons          bool
	WaitingReasonsAfter     time.Duration
	WaitingReasonsPerSecond int64
	// QueueStatusesPerSecond is how many statuses of Volcano's queues are written in which only
	// counts are others; 0: all.
	QueueStatusesPerSecond int64
	// PartialGroups: whether the host's scheduler takes the members of one of Kubernetes' own groups
	// one by one, so that its minimum alone may be granted; nil: the host shows no such groups. It is
	// left out where the library is too old for them: Engine.KnowsNativeGroups.
	PartialGroups *bool
	// Limits of what the engine takes in.
	Limits Limits
	// Clock is the engine's only source of time; nil: NewClock.
	Clock Clock
}

// Limits of an engine; 0 means the library's default.
type Limits struct {
	Message   int64 // bytes of one request
	Pods      int64
	Queues    int64
	Nodes     int64
	Workloads int64
	Clusters  int64
}

// Values of a Config.
const (
	OnBind      = "onBind"
	OnAdmission = "onAdmission"
	OptedIn     = "optedIn"
	All         = "all"
	Unlimited   = "unlimited"
	Cluster     = "cluster"
	Refused     = "refused"
)

// config writes the request of open. What a value may be is the library's to say.
func (w *writer) config(cfg *Config, now int64) error {
	place := w.putMapLater()
	keys := 1
	w.int("now", now)
	keys += w.textsIf("schedulers", cfg.Schedulers)
	keys += w.textIf("removal", cfg.Removal)
	keys += w.textIf("manage", cfg.Manage)
	keys += w.textIf("rootCeiling", cfg.Ceiling)
	if len(cfg.RootCeiling) > 0 {
		if cfg.Ceiling != "" {
			return &Error{Code: CodeField, Hook: sluiceOpen.String(), Key: "rootCeiling",
				Value: cfg.Ceiling + " and amounts", Want: "one of the two"}
		}
		w.putKey("rootCeiling")
		w.putMap(len(cfg.RootCeiling))
		for _, resource := range slices.Sorted(maps.Keys(cfg.RootCeiling)) {
			w.putText(resource)
			w.putText(cfg.RootCeiling[resource])
		}
		keys++
	}
	keys += w.textIf("undeclared", cfg.Undeclared)
	keys += w.intIf("reservationTimeout", int64(cfg.ReservationTimeout))
	keys += w.intIf("headGuard", int64(cfg.HeadGuard))
	keys += w.boolIf("observeOnly", cfg.ObserveOnly)
	keys += w.intIf("record", cfg.Record)
	keys += w.textsIf("effects", cfg.Effects)
	keys += w.multiKueueIf(cfg.MultiKueue)
	keys += w.boolIf("preemptionGates", cfg.PreemptionGates)
	keys += w.boolIf("podEvents", cfg.PodEvents)
	keys += w.boolIf("waitingReasons", cfg.WaitingReasons)
	keys += w.intIf(waitingReasonsAfter, int64(cfg.WaitingReasonsAfter))
	keys += w.intIf(waitingReasonsPerSecond, cfg.WaitingReasonsPerSecond)
	keys += w.intIf(queueStatusesPerSecond, cfg.QueueStatusesPerSecond)
	if cfg.PartialGroups != nil {
		w.bool(partialGroups, *cfg.PartialGroups)
		keys++
	}
	keys += w.limits(&cfg.Limits)
	w.setCount(place, keys)
	return nil
}

const (
	waitingReasonsAfter     = "waitingReasonsAfter"
	waitingReasonsPerSecond = "waitingReasonsPerSecond"
	queueStatusesPerSecond  = "queueStatusesPerSecond"
)

// leaveOut takes out what the library refuses for not knowing it, if one can do without: native
// groups, and what spares writes. False: that is not why it refuses.
func (c *Config) leaveOut(err error) bool {
	switch {
	case c.PartialGroups != nil && refusesKey(err, partialGroups):
		c.PartialGroups = nil
	case c.WaitingReasonsAfter > 0 && refusesKey(err, waitingReasonsAfter):
		c.WaitingReasonsAfter = 0
	case c.WaitingReasonsPerSecond > 0 && refusesKey(err, waitingReasonsPerSecond):
		c.WaitingReasonsPerSecond = 0
	case c.QueueStatusesPerSecond > 0 && refusesKey(err, queueStatusesPerSecond):
		c.QueueStatusesPerSecond = 0
	default:
		return false
	}
	return true
}

func (w *writer) limits(l *Limits) int {
	if *l == (Limits{}) {
		return 0
	}
	w.putKey("limits")
	place := w.putMapLater()
	keys := w.intIf("message", l.Message)
	keys += w.intIf("pods", l.Pods)
	keys += w.intIf("queues", l.Queues)
	keys += w.intIf("nodes", l.Nodes)
	keys += w.intIf("workloads", l.Workloads)
	keys += w.intIf("clusters", l.Clusters)
	w.setCount(place, keys)
	return 1
}
