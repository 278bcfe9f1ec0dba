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
