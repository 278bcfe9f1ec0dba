// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// brief is the world in few lines, for a reader.
func (w *World) brief() string {
	var b strings.Builder
	for i := range w.Flavors {
		f := &w.Flavors[i]
		fmt.Fprintf(&b, "flavor %s labels %v taints %d\n", f.Name, f.Spec.NodeLabels,
			len(f.Spec.NodeTaints))
	}
	for i := range w.Cohorts {
		fmt.Fprintln(&b, briefCohort(&w.Cohorts[i]))
	}
	for i := range w.Queues {
		fmt.Fprintln(&b, briefQueue(&w.Queues[i]))
	}
	for i := range w.Workloads {
		fmt.Fprintln(&b, briefWorkload(&w.Workloads[i]))
	}
	if w.Leave {
		fmt.Fprintln(&b, "victims are deleted")
	}
	if len(w.Begin) > 0 {
		fmt.Fprintf(&b, "there from the beginning: %s\n", strings.Join(w.Begin, ", "))
	}
	for i, s := range w.Steps {
		fmt.Fprintf(&b, "step %d: %s", i, s)
		switch {
		case s.Queue != nil:
			fmt.Fprintf(&b, ": %s", briefQueue(s.Queue))
		case s.Cohort != nil:
			fmt.Fprintf(&b, ": %s", briefCohort(s.Cohort))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func briefCohort(c *kueue.Cohort) string {
	return fmt.Sprintf("Cohort %s below %q: %s", c.Name, c.Spec.ParentName,
		briefGroups(c.Spec.ResourceGroups))
}

func briefQueue(q *kueue.ClusterQueue) string {
	s := &q.Spec
	text := fmt.Sprintf("ClusterQueue %s below %q: %s, %s, within %s, reclaim %s", q.Name,
		s.CohortName, briefGroups(s.ResourceGroups), s.QueueingStrategy,
		s.Preemption.WithinClusterQueue, s.Preemption.ReclaimWithinCohort)
	borrow := s.Preemption.BorrowWithinCohort
	if borrow != nil && borrow.Policy != kueue.BorrowWithinCohortPolicyNever {
		text += ", borrowWithinCohort"
		if borrow.MaxPriorityThreshold != nil {
			text += fmt.Sprintf(" up to %d", *borrow.MaxPriorityThreshold)
		}
	}
	text += fmt.Sprintf(", borrow %s, preempt %s", s.FlavorFungibility.WhenCanBorrow,
		s.FlavorFungibility.WhenCanPreempt)
	if s.FlavorFungibility.Preference != nil {
		text += fmt.Sprintf(", %s", *s.FlavorFungibility.Preference)
	}
	return text
}

func briefGroups(groups []kueue.ResourceGroup) string {
	var texts []string
	for g := range groups {
		for _, f := range groups[g].Flavors {
			text := string(f.Name)
			for _, q := range f.Resources {
				text += fmt.Sprintf(" %s %s", q.Name, q.NominalQuota.String())
				if q.BorrowingLimit != nil {
					text += fmt.Sprintf(" (borrows %s)", q.BorrowingLimit.String())
				}
				if q.LendingLimit != nil {
					text += fmt.Sprintf(" (lends %s)", q.LendingLimit.String())
				}
			}
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "no quota"
	}
	return strings.Join(texts, "; ")
}

func briefWorkload(w *kueue.Workload) string {
	text := fmt.Sprintf("Workload %s in %s, priority %d", w.Name, w.Spec.QueueName, *w.Spec.Priority)
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		text += fmt.Sprintf("; %s x%d", set.Name, set.Count)
		if set.MinCount != nil {
			text += fmt.Sprintf(" (from %d)", *set.MinCount)
		}
		for _, name := range resourcesOf(&set.Template.Spec) {
			amount := set.Template.Spec.Containers[0].Resources.Requests[name]
			text += fmt.Sprintf(" %s %s", name, amount.String())
		}
		if selector := set.Template.Spec.NodeSelector; len(selector) > 0 {
			text += fmt.Sprintf(" on %v", selector)
		}
		if len(set.Template.Spec.Tolerations) > 0 {
			text += " tolerates"
		}
	}
	if len(w.Spec.PreemptionGates) > 0 {
		text += "; gated"
	}
	return text
}
