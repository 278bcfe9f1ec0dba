// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// rule is one by which sluice decides otherwise than Kueue. How each is recognised is in judge.go
// and guard.go, where its name is.
type rule struct{ name, why string }

const (
	ruleCycle     = "one decision at a time"
	ruleNear      = "priority before how far up is borrowed"
	rulePromise   = "what was promised is given"
	ruleComing    = "room that comes anyway is promised"
	ruleSpared    = "who is promised room is nobody's victim"
	ruleWithin    = "nobody exceeds a share before what is promised within it has come"
	ruleElsewhere = "nobody goes for one that fits in another flavor"
	ruleUnwritten = "what nobody heard of is taken back"
	ruleGuard     = "nobody is sent away who would come back for it"
	ruleForEver   = "Kueue preempts for ever"
	ruleVictims   = "a flavor without victims is not preferred"
	ruleWrong     = "Kueue finds that it fits where it does not"
	ruleNothing   = "what asks for nothing is admitted"
	ruleSignal    = "a signal ends with its reason"
)

// rules are all of them, in the order of the sum.
var rules = []rule{
	{ruleCycle, "a cycle of Kueue decides about the first of each queue on what was free when " +
		"it began, a StrictFIFO head that nobody makes room for keeps some of it, and " +
		"one that has flavors left to try lets others pass. sluice looks anew before " +
		"each decision: each of these was Kueue's own for that workload at that moment, " +
		"and its turn"},
	{ruleNear, "two that borrow: the higher priority is first; Kueue takes the one that " +
		"borrows from nearer before"},
	{rulePromise, "one whose victims have gone gets what it was promised, and nobody else does; " +
		"Kueue asks it again, and may find another flavor or more pods"},
	{ruleComing, "one that fits into what others leave is promised it before they have left"},
	{ruleSpared, "what somebody is promised counts as taken, and until they have it nobody takes it " +
		"from them: others go, or another flavor is taken, where Kueue would send them away " +
		"before those, or signal that it would"},
	{ruleWithin, "who reclaims stays within the share of its queue; until it has what it is " +
		"promised, others of the queue that would exceed the share with it take another flavor"},
	{ruleElsewhere, "with whenCanPreempt TryNextFlavor one that was promised room takes other " +
		"flavors as soon as it fits there, and its victims stay"},
	{ruleUnwritten, "one that is sent away before its reservation is written is never told of it; " +
		"Kueue admits and evicts it"},
	{ruleGuard, "who would borrow sends nobody away who could reclaim that room at once, and nobody " +
		"where somebody waits who could, and may ever be admitted; neither for all that " +
		"it asks for, nor for one resource alone, so that it may take another flavor"},
	{ruleForEver, "workloads evict each other without end; in sluice they come to rest"},
	{ruleVictims, "with PreemptionOverBorrowing Kueue prefers a flavor in which nobody can be " +
		"sent away over one that fits, or in which somebody can, and the workload waits"},
	{ruleWrong, "with PreemptionOverBorrowing Kueue takes a flavor to fit of which one resource " +
		"borrows and another needs victims: it skips the workload for ever, and looks " +
		"for no victims"},
	{ruleNothing, "of a ClusterQueue without quota Kueue takes all flavors for topologies, of " +
		"which there are none, and admits nothing, not even what asks for nothing"},
	{ruleSignal, "Kueue keeps BlockedOnPreemptionGates when nobody would have to go any more"},
}

// text is the sum as a table.
func (s *Sum) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d worlds, %d steps: %d the same", s.Worlds, s.Steps, s.Same)
	fmt.Fprintf(&b, ", %d differ by rules, %d unexplained\n", s.Steps-s.Same-s.Unexplained,
		s.Unexplained)
	for _, rule := range rules {
		if n := s.Differ[rule.name]; n > 0 {
			fmt.Fprintf(&b, "%6d  %s\n", n, rule.name)
		}
	}
	return b.String()
}
