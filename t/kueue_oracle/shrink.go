// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// shrink is the smallest world that it finds of which this still holds.
func shrink(w *World, holds func(*World) bool) *World {
	for {
		smaller := w
		for i := 0; ; i++ {
			other := smaller.copy()
			if !without(other, i) {
				break
			}
			if holds(other) {
				smaller = other
				i--
			}
		}
		if smaller == w {
			return w
		}
		w = smaller
	}
}

// without takes away the part of this number, or makes it simpler. False: there are fewer parts.
func without(w *World, part int) bool {
	for _, cut := range []func(*World, int) (int, bool){
		cutSteps, cutWorkloads, cutQueues, cutCohorts, cutFlavors, cutGroups, simplifyQueues,
		simplifyWorkloads, simplifyPods,
	} {
		count, was := cut(w, part)
		if was {
			return true
		}
		part -= count
	}
	return false
}

// cutSteps takes the last ones first.
func cutSteps(w *World, part int) (int, bool) {
	count := len(w.Steps)
	if part >= count {
		return count, false
	}
	w.Steps = slices.Delete(w.Steps, count-1-part, count-part)
	return count, true
}

// cutWorkloads takes those that no step makes.
func cutWorkloads(w *World, part int) (int, bool) {
	count := len(w.Workloads)
	if part >= count {
		return count, false
	}
	name := w.Workloads[part].Name
	w.Workloads = slices.Delete(w.Workloads, part, part+1)
	w.Steps = slices.DeleteFunc(w.Steps, func(s Step) bool {
		return s.Add == name || s.End == name || s.Open == name
	})
	return count, true
}

func cutQueues(w *World, part int) (int, bool) {
	count := len(w.Queues)
	if part >= count {
		return count, false
	}
	name := w.Queues[part].Name
	w.Queues = slices.Delete(w.Queues, part, part+1)
	w.Steps = slices.DeleteFunc(w.Steps, func(s Step) bool {
		return s.Queue != nil && s.Queue.Name == name
	})
	for i := len(w.Workloads) - 1; i >= 0; i-- {
		if string(w.Workloads[i].Spec.QueueName) == name {
			cutWorkloads(w, i)
		}
	}
	return count, true
}

// cutCohorts hangs what is below one below what is above it.
func cutCohorts(w *World, part int) (int, bool) {
	count := len(w.Cohorts)
	if part >= count {
		return count, false
	}
	gone := w.Cohorts[part]
	w.Cohorts = slices.Delete(w.Cohorts, part, part+1)
	w.Steps = slices.DeleteFunc(w.Steps, func(s Step) bool {
		return s.Cohort != nil && s.Cohort.Name == gone.Name
	})
	parent := gone.Spec.ParentName
	for _, cohort := range allCohorts(w) {
		if string(cohort.Spec.ParentName) == gone.Name {
			cohort.Spec.ParentName = parent
		}
		if cohort.Spec.ParentName == "" {
			unlimit(cohort.Spec.ResourceGroups)
		}
	}
	for _, queue := range allQueues(w) {
		if string(queue.Spec.CohortName) == gone.Name {
			queue.Spec.CohortName = parent
		}
		if queue.Spec.CohortName == "" {
			unlimit(queue.Spec.ResourceGroups)
		}
	}
	return count, true
}

func unlimit(groups []kueue.ResourceGroup) {
	for g := range groups {
		for f := range groups[g].Flavors {
			for r := range groups[g].Flavors[f].Resources {
				quota := &groups[g].Flavors[f].Resources[r]
				quota.BorrowingLimit, quota.LendingLimit = nil, nil
			}
		}
	}
}

// cutFlavors takes a flavor out of all queues.
func cutFlavors(w *World, part int) (int, bool) {
	count := len(w.Flavors)
	if part >= count {
		return count, false
	}
	name := kueue.ResourceFlavorReference(w.Flavors[part].Name)
	w.Flavors = slices.Delete(w.Flavors, part, part+1)
	eachGroups(w, func(groups []kueue.ResourceGroup) []kueue.ResourceGroup {
		for g := range groups {
			groups[g].Flavors = slices.DeleteFunc(groups[g].Flavors, func(f kueue.FlavorQuotas) bool {
				return f.Name == name
			})
		}
		return slices.DeleteFunc(groups, func(g kueue.ResourceGroup) bool { return len(g.Flavors) == 0 })
	})
	return count, true
}

// cutGroups takes a group of resources out of one queue or cohort, or a limit out of a quota.
func cutGroups(w *World, part int) (count int, was bool) {
	eachGroups(w, func(groups []kueue.ResourceGroup) []kueue.ResourceGroup {
		for g := range groups {
			for f := range groups[g].Flavors {
				for r := range groups[g].Flavors[f].Resources {
					quota := &groups[g].Flavors[f].Resources[r]
					if quota.BorrowingLimit != nil {
						if count == part {
							quota.BorrowingLimit, was = nil, true
						}
						count++
					}
					if quota.LendingLimit != nil {
						if count == part {
							quota.LendingLimit, was = nil, true
						}
						count++
					}
				}
			}
			if count == part {
				was = true
				count++
				return slices.Delete(groups, g, g+1)
			}
			count++
		}
		return groups
	})
	return count, was
}

func simplifyQueues(w *World, part int) (count int, was bool) {
	for _, queue := range allQueues(w) {
		spec := &queue.Spec
		for _, make := range []func() bool{
			func() bool { return become(&spec.QueueingStrategy, kueue.BestEffortFIFO) },
			func() bool {
				return become(&spec.Preemption.BorrowWithinCohort.Policy, kueue.BorrowWithinCohortPolicyNever)
			},
			func() bool {
				was := spec.Preemption.BorrowWithinCohort.MaxPriorityThreshold != nil
				spec.Preemption.BorrowWithinCohort.MaxPriorityThreshold = nil
				return was
			},
			func() bool {
				return spec.Preemption.BorrowWithinCohort.Policy == kueue.BorrowWithinCohortPolicyNever &&
					become(&spec.Preemption.ReclaimWithinCohort, kueue.PreemptionPolicyNever)
			},
			func() bool { return become(&spec.Preemption.WithinClusterQueue, kueue.PreemptionPolicyNever) },
			func() bool { return become(&spec.FlavorFungibility.WhenCanBorrow, kueue.MayStopSearch) },
			func() bool { return become(&spec.FlavorFungibility.WhenCanPreempt, kueue.MayStopSearch) },
			func() bool {
				was := spec.FlavorFungibility.Preference != nil
				spec.FlavorFungibility.Preference = nil
				return was
			},
		} {
			if count == part && make() {
				return count, true
			}
			if count == part {
				part++ // it was so already
			}
			count++
		}
	}
	return count, false
}

func become[T comparable](what *T, value T) bool {
	was := *what
	*what = value
	return was != value
}

func simplifyWorkloads(w *World, part int) (count int, was bool) {
	for i := range w.Workloads {
		spec := &w.Workloads[i].Spec
		if count == part && len(spec.PreemptionGates) > 0 {
			spec.PreemptionGates = nil
			return count, true
		}
		count++
		if count == part && len(spec.PodSets) > 1 {
			spec.PodSets = spec.PodSets[:1]
			return count, true
		}
		count++
		if count == part && len(spec.PodSets) > 1 {
			spec.PodSets = spec.PodSets[1:]
			return count, true
		}
		count++
	}
	return count, false
}

func simplifyPods(w *World, part int) (count int, was bool) {
	for i := range w.Workloads {
		for k := range w.Workloads[i].Spec.PodSets {
			set := &w.Workloads[i].Spec.PodSets[k]
			spec := &set.Template.Spec
			for _, make := range []func(){
				func() { set.MinCount = nil },
				func() { set.Count, set.MinCount = 1, nil },
				func() { spec.NodeSelector = nil },
				func() { spec.Tolerations = nil },
			} {
				if count == part {
					make()
					return count, true
				}
				count++
			}
			for _, name := range resourcesOf(spec) {
				if count == part {
					delete(spec.Containers[0].Resources.Requests, name)
					return count, true
				}
				count++
			}
		}
	}
	return count, false
}

func resourcesOf(spec *corev1.PodSpec) (names []corev1.ResourceName) {
	for name := range spec.Containers[0].Resources.Requests {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// allQueues are those of the world and its edits.
func allQueues(w *World) (all []*kueue.ClusterQueue) {
	for i := range w.Queues {
		all = append(all, &w.Queues[i])
	}
	for i := range w.Steps {
		if w.Steps[i].Queue != nil {
			all = append(all, w.Steps[i].Queue)
		}
	}
	return all
}

// allCohorts are those of the world and its edits.
func allCohorts(w *World) (all []*kueue.Cohort) {
	for i := range w.Cohorts {
		all = append(all, &w.Cohorts[i])
	}
	for i := range w.Steps {
		if w.Steps[i].Cohort != nil {
			all = append(all, w.Steps[i].Cohort)
		}
	}
	return all
}

func eachGroups(w *World, change func([]kueue.ResourceGroup) []kueue.ResourceGroup) {
	for _, queue := range allQueues(w) {
		queue.Spec.ResourceGroups = change(queue.Spec.ResourceGroups)
	}
	for _, cohort := range allCohorts(w) {
		cohort.Spec.ResourceGroups = change(cohort.Spec.ResourceGroups)
	}
}
