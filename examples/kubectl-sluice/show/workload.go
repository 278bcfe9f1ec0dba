// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// WhyWorkload says why a workload has no quota in this cluster, or does not run with what it has.
func WhyWorkload(w *ask.Workload, now time.Time) string {
	w = plain.Shown(w)
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s %s\n", w.Namespace, w.Name, workloadState(w, now))
	say := sayTo(&b)
	switch {
	case w.Reason != "" && w.Message != "":
		say("why", "%s: %s", w.Reason, w.Message)
	case w.Reason != "":
		say("why", "%s", w.Reason)
	}
	if len(w.Asks) > 0 {
		say("asks for", "%s", amounts(w.Asks))
	}
	if w.On != nil {
		say("lacks", "%s in %s %s: room for %s, asked for %s", w.On.Resource, w.On.Kind, w.On.Name,
			amount(w.On.Resource, w.On.Room), amount(w.On.Resource, w.On.Asked))
	}
	if w.State == "waiting" {
		say("place", "%s", place("ClusterQueue", w.Position, w.AtLeast, w.Ahead))
	}
	if w.State == "waiting" && w.Basis != "" { // an older scheduler says nothing of it
		say("estimate", "%s", estimate(&w.Outlook))
	}
	for _, gate := range w.Gates {
		say("gate", "%s is %s", gate.Name, openOrClosed(gate.Open))
	}
	if w.Signal {
		say("signals", "since %s that it would preempt", since(w.SignalSince, now))
	}
	for _, victim := range w.Victims {
		say("victim", "%s/%s %s", victim.Namespace, victim.Name, victimGoes(w))
	}
	if w.OtherVictims > 0 {
		say("victim", "%d of other namespaces %s", w.OtherVictims, victimGoes(w))
	}
	switch {
	case w.For != nil:
		say("goes for", "%s/%s", w.For.Namespace, w.For.Name)
	case w.ForOther:
		say("goes for", "one of another namespace")
	}
	for _, check := range w.Checks {
		say("check", "%s: %s", check.Name, check.State)
	}
	for i := range w.PodSets {
		set := &w.PodSets[i]
		for _, resource := range slices.Sorted(maps.Keys(set.Flavors)) {
			say("flavor", "%d of pod set %s: %s from %s", set.Count, set.Name, resource,
				set.Flavors[resource])
		}
	}
	return b.String()
}

func workloadState(w *ask.Workload, now time.Time) string {
	queue := w.Queue
	if w.ClusterQueue != "" {
		queue += " of ClusterQueue " + w.ClusterQueue
	}
	age := Span(now.Sub(time.Unix(0, w.Created)))
	switch w.State {
	case "waiting":
		return fmt.Sprintf("waits in queue %s since %s", queue, age)
	case "held":
		return fmt.Sprintf("is held, and blocks nobody, in queue %s since %s", queue, age)
	case "reserved":
		return "has quota in queue " + queue + ", and is not admitted yet"
	case "allocated":
		return "is admitted in queue " + queue
	}
	return "is " + w.State
}

func openOrClosed(open bool) string {
	if open {
		return "open"
	}
	return "closed"
}

func victimGoes(w *ask.Workload) string {
	if w.Reason == "Preempting" {
		return "goes for it"
	}
	return "would go for it"
}
