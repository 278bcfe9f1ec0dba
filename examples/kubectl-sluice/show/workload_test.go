// SPDX-License-Identifier: Apache-2.0

package show

import (
	"testing"

	"sluice/kubectl-sluice/ask"
)

func TestWhyAWorkloadWaits(t *testing.T) {
	for want, w := range map[string]ask.Workload{
		`science/train waits in queue ours of ClusterQueue team since 1m
  why       PreemptionGated: others would have to go, and a gate is closed
  place     number 2 of its ClusterQueue
  gate      example.com/mine is closed
  gate      example.com/theirs is open
  signals   since 30s that it would preempt
  victim    art/render would go for it
`: {State: "waiting", Reason: "PreemptionGated", Position: 2, Signal: true, SignalSince: ago(30),
			Message: "others would have to go, and a gate is closed",
			Gates:   []ask.Gate{{Name: "example.com/mine"}, {Name: "example.com/theirs", Open: true}},
			Victims: []ask.OtherWorkload{{Namespace: "art", Name: "render"}}},
		`science/train waits in queue ours of ClusterQueue team since 1m
  why       QueueCapacity
  asks for  cpu 4, pods 4
  lacks     cpu in Cohort all: room for 1, asked for 4
  place     number 2 of its ClusterQueue; before it in the queue wait cpu 2
  estimate  between 1m and 5m (when 5 cpu are given back)
`: {State: "waiting", Reason: "QueueCapacity", Position: 2,
			Asks:  map[string]int64{"cpu": 4000, "pods": 4},
			Ahead: map[string]int64{"cpu": 2000},
			On:    &ask.On{Kind: "Cohort", Name: "all", Resource: "cpu", Room: 1000, Asked: 4000},
			Outlook: ask.Outlook{Estimate: -1, Earliest: 60e9, Latest: 300e9,
				Basis: "when 5 cpu are given back"}},
		`science/train waits in queue ours of ClusterQueue team since 1m
  why       Preempting
  place     the next of its ClusterQueue
  victim    art/render goes for it
`: {State: "waiting", Reason: "Preempting", Position: 1,
			Victims: []ask.OtherWorkload{{Namespace: "art", Name: "render"}}},
		`science/train has quota in queue ours of ClusterQueue team, and is not admitted yet
  why       AdmissionChecks
  check     approval: Pending
  flavor    3 of pod set main: cpu from spot
`: {State: "reserved", Reason: "AdmissionChecks", Checks: []ask.Check{{Name: "approval",
			State: "Pending"}}, PodSets: []ask.PodSet{{Name: "main", Count: 3,
			Flavors: map[string]string{"cpu": "spot"}}}},
		`science/train is admitted in queue ours of ClusterQueue team
  why       Evicted
  goes for  art/render
`: {State: "allocated", Reason: "Evicted", For: &ask.OtherWorkload{Namespace: "art",
			Name: "render"}},
		"science/train is finished\n": {State: "finished"},
	} {
		w.Namespace, w.Name, w.Queue, w.ClusterQueue = "science", "train", "ours", "team"
		w.Created = ago(60)
		if got := WhyWorkload(&w, fleetNow); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
