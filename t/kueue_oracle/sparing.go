// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// sparesFlavors puts what sluice says that it promises into what Kueue would preempt for, if Kueue
// chooses that, with these victims, where pod sets cannot have the flavors that the guard keeps
// from them.
func (j *judge) sparesFlavors(name string, victims map[string]string, v *verdict) {
	noted, is := j.noted[name]
	if !is || noted.How == v.how() {
		return
	}
	other := j.sparing(name, noted.Admission)
	if other != nil && other.does == preempted && other.how() == noted.How &&
		maps.Equal(other.victims, victims) {
		*v = *other
		j.rules[ruleGuard] = true
	}
}

// admitsSparing tells whether Kueue would come to this assignment, if pod sets could not have the
// flavors that the guard keeps from them.
func (j *judge) admitsSparing(act *Act) bool {
	other := j.sparing(act.Workload, act.Admission)
	if other == nil || other.does != admitted || other.how() != act.How {
		return false
	}
	j.rules[ruleGuard] = true
	return true
}

// waitsSparing tells whether Kueue would let one wait then, and signal or not.
func (j *judge) waitsSparing(name string, v *verdict, signals bool) bool {
	other := j.sparing(name, v.admission)
	if other == nil || other.does != "" || other.gated != signals {
		return false
	}
	j.rules[ruleGuard] = true
	return true
}

// sparing is what Kueue would do with a workload, if none of its pod sets could have a flavor in
// which sluice would spare the victims of one resource: so it is no flavor in which others go.
// given are the flavors of earlier pod sets. nil: the guard keeps nothing from it.
func (j *judge) sparing(name string, given *kueue.Admission) *verdict {
	w := j.at.workloads[name]
	queue := j.at.queues[string(w.Spec.QueueName)]
	if given == nil || is(w, kueue.WorkloadQuotaReserved) ||
		queue.Spec.Preemption.BorrowWithinCohort.Policy == kueue.BorrowWithinCohortPolicyNever {
		return nil
	}
	refused := map[kueue.PodSetReference][]kueue.ResourceFlavorReference{}
	for i := range w.Spec.PodSets {
		for g := range queue.Spec.ResourceGroups {
			for f := range queue.Spec.ResourceGroups[g].Flavors {
				if j.sparesIn(w, i, given, g, f) {
					set := w.Spec.PodSets[i].Name
					refused[set] = append(refused[set], queue.Spec.ResourceGroups[g].Flavors[f].Name)
				}
			}
		}
	}
	if len(refused) == 0 {
		return nil
	}
	other := j.copy()
	other.refuse(name, refused)
	v := other.verdictOf(name, nil, true)
	return &v
}

// sparesIn tells whether sluice would spare the victims in this flavor for some one resource of its
// group, of which a pod set asks beside the earlier ones that are given this flavor.
func (j *judge) sparesIn(w *kueue.Workload, of int, given *kueue.Admission,
	group, flavor int) bool {
	edited := j.at.queues[string(w.Spec.QueueName)].DeepCopy()
	flavors := &edited.Spec.ResourceGroups[group].Flavors
	*flavors = (*flavors)[flavor : flavor+1]
	for _, resource := range edited.Spec.ResourceGroups[group].CoveredResources {
		asks := askingOf(w, of, given, resource, (*flavors)[0].Name)
		if asks == nil {
			continue
		}
		one := j.copy()
		one.at.workloads[w.Name] = asks
		v := one.verdictOf(w.Name, edited, true)
		if v.victims != nil && j.guards(w, &v) {
			return true
		}
	}
	return false
}

// askingOf is a workload of which only this pod set asks, for this resource alone, and earlier ones
// that are given it in this flavor; nil: it asks for none.
func askingOf(w *kueue.Workload, of int, given *kueue.Admission, resource corev1.ResourceName,
	flavor kueue.ResourceFlavorReference) *kueue.Workload {
	asks := w.DeepCopy()
	for i := range asks.Spec.PodSets {
		set := &asks.Spec.PodSets[i]
		requests := set.Template.Spec.Containers[0].Resources.Requests
		amount, is := requests[resource]
		set.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{}
		set.MinCount = nil
		at := slices.IndexFunc(given.PodSetAssignments, func(a kueue.PodSetAssignment) bool {
			return a.Name == set.Name
		})
		if at < 0 || i == of && !is {
			return nil
		}
		if given.PodSetAssignments[at].Count != nil {
			set.Count = *given.PodSetAssignments[at].Count
		}
		if is && (i == of || i < of && given.PodSetAssignments[at].Flavors[resource] == flavor) {
			set.Template.Spec.Containers[0].Resources.Requests[resource] = amount
		}
	}
	return asks
}

// refuse keeps flavors from pod sets of a workload: each is tainted, and the others tolerate it.
func (j *judge) refuse(name string,
	refused map[kueue.PodSetReference][]kueue.ResourceFlavorReference) {
	taint := func(flavor string) string { return "judge/" + flavor }
	j.at.flavors = slices.Clone(j.at.flavors)
	for i := range j.at.flavors {
		flavor := j.at.flavors[i].DeepCopy()
		flavor.Spec.NodeTaints = append(flavor.Spec.NodeTaints,
			corev1.Taint{Key: taint(flavor.Name), Effect: corev1.TaintEffectNoSchedule})
		j.at.flavors[i] = *flavor
	}
	for i := range j.at.workloads[name].Spec.PodSets {
		set := &j.at.workloads[name].Spec.PodSets[i]
		for k := range j.at.flavors {
			flavor := j.at.flavors[k].Name
			if slices.Contains(refused[set.Name], kueue.ResourceFlavorReference(flavor)) {
				continue
			}
			set.Template.Spec.Tolerations = append(set.Template.Spec.Tolerations, corev1.Toleration{
				Key: taint(flavor), Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoSchedule})
		}
	}
}
