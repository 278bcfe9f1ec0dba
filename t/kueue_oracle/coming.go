// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// whileLeaving is the moment as it is for who waits for room: victims still hold what they have,
// and who is promised it waits.
func (j *judge) whileLeaving() *judge {
	now := newJudge(j.world, j.at)
	for one := range j.promised {
		now.waits(one)
	}
	for _, victims := range j.went {
		for _, victim := range victims {
			if j.leaving[victim.Name] {
				now.at.workloads[victim.Name] = victim
			}
		}
	}
	return now
}

// heldTwice is the moment as sluice measures what fits and what is borrowed: victims still hold
// what they have, and who is promised it holds it already.
func (j *judge) heldTwice() *judge {
	both := j.whileLeaving()
	for one := range j.promised {
		both.holds(one, j.at.workloads[one].Status.Admission)
	}
	return both
}

// alsoNow tells whether one would be admitted while victims still hold what they have.
func (j *judge) alsoNow(name string) bool {
	if len(j.leaving) == 0 {
		return true
	}
	v := j.whileLeaving().verdictOf(name, nil, true)
	return v.does == admitted
}

// isSoWhileLeaving tells whether Kueue would come to this assignment while victims still hold what
// they have, and others perhaps too that are promised it.
func (j *judge) isSoWhileLeaving(act *Act) bool {
	if len(j.leaving) == 0 {
		return false
	}
	for _, moment := range []*judge{j.whileLeaving(), j.heldTwice()} {
		v := moment.verdictOf(act.Workload, nil, true)
		if v.does == admitted && v.how() == act.How {
			return true
		}
	}
	return false
}

// measureWhileLeaving puts what sluice says that it promises into what Kueue would preempt for, if
// Kueue chooses that, of each group for which nobody has to go, where victims and those that they
// went for both hold their room.
func (j *judge) measureWhileLeaving(name string, v *verdict) {
	noted, is := j.noted[name]
	if !is || noted.How == v.how() || len(j.promised) == 0 {
		return
	}
	earlier := j.copy()
	for _, one := range j.left {
		earlier.leaving[one] = true
	}
	both := earlier.heldTwice()
	queue := j.at.queues[string(j.at.workloads[name].Spec.QueueName)]
	chosen := *v
	chosen.admission = v.admission.DeepCopy()
	for _, group := range queue.Spec.ResourceGroups {
		both.at.workloads[name] = askingOnly(j.at.workloads[name], group.CoveredResources, v)
		if other := both.verdictOf(name, nil, true); other.does == admitted {
			for i := range other.admission.PodSetAssignments {
				maps.Copy(chosen.admission.PodSetAssignments[i].Flavors,
					other.admission.PodSetAssignments[i].Flavors)
			}
		}
	}
	if chosen.how() == noted.How {
		*v = chosen
	}
}

// askingOnly is a workload that asks for these resources alone, with as many pods as it gets.
func askingOnly(w *kueue.Workload, of []corev1.ResourceName, gets *verdict) *kueue.Workload {
	w = w.DeepCopy()
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		set.Count, set.MinCount = *gets.admission.PodSetAssignments[i].Count, nil
		maps.DeleteFunc(set.Template.Spec.Containers[0].Resources.Requests,
			func(name corev1.ResourceName, _ resource.Quantity) bool { return !slices.Contains(of, name) })
	}
	return w
}

// promiseNoted lets those hold what they were promised who need nobody else to go for it.
func (j *judge) promiseNoted() {
	for _, name := range slices.Sorted(maps.Keys(j.noted)) {
		w := j.at.workloads[name]
		if w == nil || is(w, kueue.WorkloadQuotaReserved) {
			continue
		}
		if v := j.verdictOf(name, nil, true); v.does == admitted && v.how() == j.noted[name].How {
			j.holds(name, v.admission)
			j.promised[name] = v.how()
			j.rules[ruleComing] = true
		}
	}
}

// admitsBefore follows an admission that is perhaps older than its write: victims leave one after
// the other, and who was decided about between two of them is told of it when all have left.
func (j *judge) admitsBefore(act *Act) error {
	before, left := j.copy(), slices.Concat(j.leftBefore, j.left)
	err := j.admits(act)
	for n := len(left) - 1; err != nil && n >= 0; n-- {
		earlier := before.copy()
		for _, name := range left[n:] {
			earlier.leaving[name] = true
		}
		if earlier.admits(act) == nil {
			for _, name := range left[n:] {
				delete(earlier.leaving, name)
			}
			*j, err = *earlier, nil
		}
	}
	return err
}

func (j *judge) copy() *judge {
	other := *j
	other.at, other.left = j.at.copy(), slices.Clone(j.left)
	other.promised, other.noted = maps.Clone(j.promised), maps.Clone(j.noted)
	other.borrows, other.went = maps.Clone(j.borrows), maps.Clone(j.went)
	other.leaving, other.sent = maps.Clone(j.leaving), maps.Clone(j.sent)
	other.unwritten, other.back = maps.Clone(j.unwritten), maps.Clone(j.back)
	other.rules = maps.Clone(j.rules)
	return &other
}

// waitsForRoom tells whether one that Kueue would admit once the victims have gone comes to nothing
// before: then others of its queue pass, such as this one.
func (j *judge) waitsForRoom(w, other *kueue.Workload, v *verdict) bool {
	if len(j.leaving) == 0 || v.does != admitted || other == nil || other.Name == w.Name ||
		other.Spec.QueueName != w.Spec.QueueName ||
		j.at.queues[string(w.Spec.QueueName)].Spec.QueueingStrategy == kueue.StrictFIFO {
		return false
	}
	now := j.whileLeaving().verdictOf(w.Name, nil, true)
	return now.does == "" && !now.gated
}

// sparesPromised is what Kueue would do with a workload if nobody could be sent away who is
// promised something; nil: nothing.
func (j *judge) sparesPromised(name string) *verdict {
	if len(j.promised) == 0 {
		return nil
	}
	spared := newJudge(j.world, j.at)
	for one := range j.promised {
		highest := int32(math.MaxInt32)
		w := spared.at.workloads[one].DeepCopy()
		w.Spec.Priority = &highest
		spared.at.workloads[one] = w
	}
	v := spared.verdictOf(name, nil, true)
	for victim := range v.victims {
		if _, is := j.promised[victim]; is {
			return nil
		}
	}
	if v.does == "" {
		return nil
	}
	v.rule = ruleSpared
	j.rules[ruleSpared] = true
	return &v
}

// staysWithin tells whether Kueue would come to this assignment if the queue lent nobody beyond its
// share where another one of it is promised room of which others were sent away.
func (j *judge) staysWithin(act *Act) bool {
	queue := j.at.queues[string(j.at.workloads[act.Workload].Spec.QueueName)].DeepCopy()
	limited := false
	for one := range j.promised {
		w := j.at.workloads[one]
		if string(w.Spec.QueueName) == queue.Name && reclaims(j.sent[one]) {
			limit(queue, w.Status.Admission)
			limited = true
		}
	}
	if !limited {
		return false
	}
	v := j.verdictOf(act.Workload, queue, true)
	return v.does == admitted && v.how() == act.How
}

// reclaims tells whether one of the victims was of another queue.
func reclaims(victims map[string]string) bool {
	for _, reason := range victims {
		if reason != kueue.InClusterQueueReason {
			return true
		}
	}
	return false
}

// limit forbids a queue to borrow of what this takes.
func limit(queue *kueue.ClusterQueue, admission *kueue.Admission) {
	for fr := range quantities(admission) {
		for g := range queue.Spec.ResourceGroups {
			for f := range queue.Spec.ResourceGroups[g].Flavors {
				flavor := &queue.Spec.ResourceGroups[g].Flavors[f]
				for r := range flavor.Resources {
					if flavor.Name == fr.Flavor && flavor.Resources[r].Name == fr.Resource {
						flavor.Resources[r].BorrowingLimit = &resource.Quantity{}
					}
				}
			}
		}
	}
}
