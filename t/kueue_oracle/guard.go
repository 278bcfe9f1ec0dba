// SPDX-License-Identifier: Apache-2.0

package main

import (
	"k8s.io/apimachinery/pkg/api/resource"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/resources"
)

// guards tells whether sluice spares one of these victims, which Kueue takes while it borrows: one
// that could reclaim the room at once, or any of them where somebody waits who could.
func (j *judge) guards(w *kueue.Workload, v *verdict) bool {
	after := newJudge(j.world, j.at)
	for one := range v.victims {
		after.goes(one)
	}
	_, snapshot, err := after.open()
	if err != nil {
		return false
	}
	asks := quantities(v.admission)
	queue := snapshot.ClusterQueue(kueue.ClusterQueueReference(w.Spec.QueueName))
	if fitsWithin(queue, asks) {
		return false
	}
	borrows := false
	for victim, reason := range v.victims {
		w := j.at.workloads[victim]
		of := j.at.queues[string(w.Spec.QueueName)]
		if reason != kueue.InCohortReclaimWhileBorrowingReason {
			continue
		}
		borrows = true
		if of.Spec.Preemption.ReclaimWithinCohort != kueue.PreemptionPolicyAny {
			continue
		}
		lost := quantities(least(w))
		for fr := range lost {
			if _, is := asks[fr]; !is {
				delete(lost, fr)
			}
		}
		if returns(snapshot, queue, of.Name, lost) {
			return true
		}
	}
	return borrows && j.isAwaited(snapshot, queue, asks)
}

// isAwaited tells whether somebody waits in another queue of the tree who could reclaim some of
// what is asked for.
func (j *judge) isAwaited(snapshot *schdcache.Snapshot, queue *schdcache.ClusterQueueSnapshot,
	asks resources.FlavorResourceQuantities) bool {
	for _, w := range j.at.workloads {
		name := string(w.Spec.QueueName)
		of := j.at.queues[name]
		if of == nil || name == string(queue.Name) || is(w, kueue.WorkloadQuotaReserved) ||
			!inOneTree(queue, snapshot.ClusterQueue(kueue.ClusterQueueReference(name))) ||
			of.Spec.Preemption.ReclaimWithinCohort != kueue.PreemptionPolicyAny {
			continue
		}
		wants := wanted(w, asks)
		if len(wants) > 0 && returns(snapshot, queue, name, wants) && j.couldEver(w.Name) {
			return true
		}
	}
	return false
}

// couldEver tells whether a workload would be admitted if nobody else was there.
func (j *judge) couldEver(name string) bool {
	alone := newJudge(j.world, j.at)
	for other := range j.at.workloads {
		if other != name {
			delete(alone.at.workloads, other)
		}
	}
	v := alone.verdictOf(name, nil, true)
	return v.does == admitted
}

func inOneTree(a, b *schdcache.ClusterQueueSnapshot) bool {
	if a == nil || b == nil || !a.HasParent() || !b.HasParent() {
		return false
	}
	return a.Parent().Root() == b.Parent().Root()
}

// wanted is what a workload that waits would have of these, with as few pods as it takes.
func wanted(w *kueue.Workload,
	of resources.FlavorResourceQuantities) resources.FlavorResourceQuantities {
	sum := resources.FlavorResourceQuantities{}
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		count := set.Count
		if set.MinCount != nil {
			count = *set.MinCount
		}
		for name, amount := range set.Template.Spec.Containers[0].Resources.Requests {
			for fr := range of {
				if fr.Resource == name && !amount.IsZero() {
					sum[fr] = sum[fr].AddInt64(int64(count) * resources.ResourceValue(name, amount))
				}
			}
		}
	}
	return sum
}

// guardsSome tells whether sluice would spare victims of one of the flavors, were it the only one:
// so it may prefer another one, or find other victims there.
func (j *judge) guardsSome(name string) bool {
	w := j.at.workloads[name]
	queue := j.at.queues[string(w.Spec.QueueName)]
	if queue.Spec.Preemption.BorrowWithinCohort.Policy == kueue.BorrowWithinCohortPolicyNever ||
		is(w, kueue.WorkloadQuotaReserved) {
		return false
	}
	for g := range queue.Spec.ResourceGroups {
		for f := range queue.Spec.ResourceGroups[g].Flavors {
			edited := queue.DeepCopy()
			edited.Spec.ResourceGroups[g].Flavors = edited.Spec.ResourceGroups[g].Flavors[f : f+1]
			v := j.verdictOf(name, edited, true)
			if v.victims != nil && j.guards(w, &v) {
				j.rules[ruleGuard] = true
				return true
			}
		}
	}
	return false
}

// returns tells whether what was lost would be within the quota of the queue, or of a cohort below
// the one that it has in common with the other queue.
func returns(snapshot *schdcache.Snapshot, other *schdcache.ClusterQueueSnapshot, name string,
	lost resources.FlavorResourceQuantities) bool {
	common := map[kueue.CohortReference]bool{}
	for cohort := range other.PathParentToRoot() {
		common[cohort.Name] = true
	}
	fits, arrives := schdcache.QuantitiesFitInQuota(
		snapshot.ClusterQueue(kueue.ClusterQueueReference(name)), lost)
	for cohort := range snapshot.ClusterQueue(kueue.ClusterQueueReference(name)).PathParentToRoot() {
		if fits || common[cohort.Name] {
			return fits
		}
		fits, arrives = schdcache.QuantitiesFitInQuota(cohort, arrives)
	}
	return fits
}

func fitsWithin(queue *schdcache.ClusterQueueSnapshot,
	asks resources.FlavorResourceQuantities) bool {
	for fr, amount := range asks {
		if queue.BorrowingWith(fr, amount) {
			return false
		}
	}
	return true
}

// least is what a workload holds with as few pods as it takes.
func least(w *kueue.Workload) *kueue.Admission {
	admission := w.Status.Admission.DeepCopy()
	for i := range admission.PodSetAssignments {
		given := &admission.PodSetAssignments[i]
		for k := range w.Spec.PodSets {
			set := &w.Spec.PodSets[k]
			if set.Name != given.Name || set.MinCount == nil || *set.MinCount >= *given.Count {
				continue
			}
			for name, amount := range given.ResourceUsage {
				each := amount.MilliValue() / int64(*given.Count)
				given.ResourceUsage[name] = *resource.NewMilliQuantity(
					each*int64(*set.MinCount), amount.Format)
			}
		}
	}
	return admission
}

// quantities are what an admission takes.
func quantities(admission *kueue.Admission) resources.FlavorResourceQuantities {
	sum := resources.FlavorResourceQuantities{}
	for i := range admission.PodSetAssignments {
		set := &admission.PodSetAssignments[i]
		for name, flavor := range set.Flavors {
			fr := resources.FlavorResource{Flavor: flavor, Resource: name}
			sum[fr] = sum[fr].AddInt64(resources.ResourceValue(name, set.ResourceUsage[name]))
		}
	}
	return sum
}
