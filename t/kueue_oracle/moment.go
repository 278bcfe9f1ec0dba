// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/workload"
)

// next is of each queue below this root the first with which Kueue would do something; "": below
// any root. In the queue of this workload (nil: of none) it is nobody who waits for room that
// others have not left yet.
func (j *judge) next(k *theirs, snapshot *schdcache.Snapshot, root string, of *kueue.Workload) (
	all []asked) {
	for _, queue := range sorted(j.at.queues) {
		if root != "" && j.at.root(queue.Name) != root {
			continue
		}
		for _, info := range k.queued.PendingWorkloadsInfo(kueue.ClusterQueueReference(queue.Name)) {
			if j.leaving[info.Obj.Name] {
				continue
			}
			info.ClusterQueue = kueue.ClusterQueueReference(queue.Name)
			v := j.opinion(k, info, snapshot)
			if v.does != "" && j.waitsForRoom(info.Obj, of, &v) {
				continue
			}
			if v.does != "" {
				all = append(all, asked{info, v})
				break
			}
			if queue.Spec.QueueingStrategy == kueue.StrictFIFO {
				break
			}
		}
	}
	return all
}

// opinion is what Kueue would do with one, as the rules of sluice change that.
func (j *judge) opinion(k *theirs, info *workload.Info, snapshot *schdcache.Snapshot) verdict {
	v := k.ask(info, snapshot)
	if v.does == "" && !v.gated {
		if other := j.unpreferred(info.Obj.Name); other != nil && other.does == admitted {
			other.rule = ruleVictims
			v = *other
		}
	}
	if v.victims != nil && j.guards(info.Obj, &v) {
		v.does, v.gated, v.rule = "", false, ruleGuard
	}
	return v
}

// rests checks that Kueue would do nothing more, and that those signal that would preempt.
func (j *judge) rests(ours *Outcome) error {
	for name := range j.unwritten {
		return objectf("%s comes first, and Kueue would admit it", name)
	}
	for name := range j.promised {
		return objectf("%s was promised something and does not get it", name)
	}
	for name, state := range ours.State {
		w := j.at.workloads[name]
		if w == nil || is(w, kueue.WorkloadQuotaReserved) != strings.HasPrefix(state, "holds") {
			return objectf("%s %s, which no decision of sluice's says", name, state)
		}
	}
	k, snapshot, err := j.open()
	if err != nil {
		return err
	}
	for _, one := range j.next(k, snapshot, "", nil) {
		if j.guardsSome(one.info.Obj.Name) || j.waitsSparing(one.info.Obj.Name, &one.verdict, false) {
			continue
		}
		return objectf("sluice lets %s wait, and Kueue would %s", one.info.Obj.Name, &one.verdict)
	}
	for _, queue := range sorted(j.at.queues) {
		for _, info := range k.queued.PendingWorkloadsInfo(kueue.ClusterQueueReference(queue.Name)) {
			info.ClusterQueue = kueue.ClusterQueueReference(queue.Name)
			v := j.opinion(k, info, snapshot)
			if v.rule != "" {
				j.rules[v.rule] = true
			}
			signals := ours.State[info.Obj.Name] == "waits and signals"
			if v.gated != signals && !j.guardsSome(info.Obj.Name) &&
				!j.waitsSparing(info.Obj.Name, &v, signals) {
				return objectf("%s signals: %v in sluice, %v in Kueue", info.Obj.Name, signals, v.gated)
			}
			if queue.Spec.QueueingStrategy == kueue.StrictFIFO {
				break
			}
		}
	}
	return nil
}

// root is the topmost above a queue.
func (c *cluster) root(queue string) string {
	parent := string(c.queues[queue].Spec.CohortName)
	if parent == "" {
		return "ClusterQueue " + queue
	}
	for range 20 {
		cohort := c.cohorts[parent]
		if cohort == nil || cohort.Spec.ParentName == "" {
			break
		}
		parent = string(cohort.Spec.ParentName)
	}
	return "Cohort " + parent
}

// comesFirst is the order between queues: as sluice has it, or as Kueue does.
func comesFirst(a, b *asked, near bool) bool {
	x, y := a.borrows, b.borrows
	if !near {
		x, y = min(x, 1), min(y, 1)
	}
	switch {
	case x != y:
		return x < y
	case *a.info.Obj.Spec.Priority != *b.info.Obj.Spec.Priority:
		return *a.info.Obj.Spec.Priority > *b.info.Obj.Spec.Priority
	}
	return a.info.Obj.CreationTimestamp.Before(&b.info.Obj.CreationTimestamp)
}

// without is what Kueue would assign to one, if it waited.
func (j *judge) without(name string) string {
	before := j.at.workloads[name]
	defer func() { j.at.workloads[name] = before }()
	j.waits(name)
	v := j.verdictOf(name, nil, true)
	return v.how()
}

// fitsElsewhere tells whether Kueue would come to this assignment, if it went on behind flavors in
// which others would have to go, as the queue's whenCanPreempt wants. If the queue prefers to
// preempt, then from no farther up than what it would preempt for; so Kueue would perhaps never
// come to it, as it takes a flavor without victims before one that borrows.
func (j *judge) fitsElsewhere(act *Act, borrows int) bool {
	queue := j.at.queues[string(j.at.workloads[act.Workload].Spec.QueueName)]
	if queue.Spec.FlavorFungibility.WhenCanPreempt != kueue.TryNextFlavor {
		return false
	}
	v := j.verdictOf(act.Workload, nil, false)
	if !prefersPreempting(queue) {
		return v.does == admitted && v.how() == act.How
	}
	other := j.verdictOf(act.Workload, unpreferring(queue), false)
	return v.does == admitted && v.borrows <= borrows && v.how() == act.How ||
		other.does == admitted && other.borrows <= borrows && other.how() == act.How
}

// fitsBefore tells whether it was so before the last of its victims had gone.
func (j *judge) fitsBefore(act *Act) bool {
	victims := j.went[act.Workload]
	for gone := range victims {
		before := newJudge(j.world, j.at)
		before.waits(act.Workload)
		for _, one := range victims[gone:] {
			before.at.workloads[one.Name] = one
		}
		if before.fitsElsewhere(act, j.borrows[act.Workload]) {
			return true
		}
	}
	return false
}

// verdictOf is what Kueue would do with a workload, also where another one of its queue comes
// first; edited: were its queue so.
func (j *judge) verdictOf(name string, edited *kueue.ClusterQueue, may bool) (v verdict) {
	from := j.at.copy()
	if edited != nil {
		from.queues[edited.Name] = edited
	}
	k, err := newTheirs(from)
	if err != nil {
		return v
	}
	snapshot, err := k.cache.Snapshot(k.ctx)
	if err != nil {
		return v
	}
	queue := kueue.ClusterQueueReference(j.at.workloads[name].Spec.QueueName)
	for _, info := range k.queued.PendingWorkloadsInfo(queue) {
		if info.Obj.Name == name {
			info.ClusterQueue = queue
			v = k.askFor(info, snapshot, may)
		}
	}
	return v
}

func prefersPreempting(queue *kueue.ClusterQueue) bool {
	preference := queue.Spec.FlavorFungibility.Preference
	return preference != nil && *preference == kueue.PreemptionOverBorrowing
}

// unpreferred is what Kueue would do with a workload, were it not for its queue's preference for
// preempting; nil: it has none.
func (j *judge) unpreferred(name string) *verdict {
	queue := j.at.queues[string(j.at.workloads[name].Spec.QueueName)]
	if !prefersPreempting(queue) {
		return nil
	}
	v := j.verdictOf(name, unpreferring(queue), true)
	return &v
}

// unpreferring is a queue without its preference.
func unpreferring(queue *kueue.ClusterQueue) *kueue.ClusterQueue {
	edited := queue.DeepCopy()
	edited.Spec.FlavorFungibility.Preference = nil
	return edited
}

func (j *judge) holds(name string, admission *kueue.Admission) {
	w := j.at.workloads[name].DeepCopy()
	w.Status.Admission = admission
	set(w, kueue.WorkloadQuotaReserved, true, j.at)
	set(w, kueue.WorkloadAdmitted, true, j.at)
	set(w, kueue.WorkloadEvicted, false, j.at)
	j.at.workloads[name] = w
}

// waits: it holds nothing any more.
func (j *judge) waits(name string) {
	w := j.at.workloads[name].DeepCopy()
	w.Status.Admission = nil
	set(w, kueue.WorkloadQuotaReserved, false, j.at)
	set(w, kueue.WorkloadAdmitted, false, j.at)
	j.at.workloads[name] = w
}

// goes: it is evicted, and nothing of it runs.
func (j *judge) goes(name string) {
	if j.at.workloads[name] == nil {
		return
	}
	delete(j.promised, name)
	if j.world.Leave {
		delete(j.at.workloads, name)
		return
	}
	j.waits(name)
	w := j.at.workloads[name]
	for i := range w.Status.PreemptionGates {
		w.Status.PreemptionGates[i].Position = kueue.PreemptionGatePositionClosed
	}
}

func set(w *kueue.Workload, condition string, is bool, c *cluster) {
	found := apimeta.FindStatusCondition(w.Status.Conditions, condition)
	if found == nil && !is {
		return
	}
	setCondition(w, condition, is, c.now)
}
