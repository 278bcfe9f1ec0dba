// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/workload"
)

// asked is the first workload of a queue with which Kueue would do something.
type asked struct {
	info *workload.Info
	verdict
}

// judge goes through what sluice decided, one decision after the other, and asks Kueue what it
// would do with that workload at that moment, and whether another one comes first.
type judge struct {
	world *World
	at    *cluster
	// promised are those whose victims have gone, with what they were promised.
	promised map[string]string
	// borrows is from how far up those borrow what they are promised.
	borrows map[string]int
	// went are they as they stood before, in the order in which they went.
	went map[string][]*kueue.Workload
	// leaving are victims that do not wait yet.
	leaving map[string]bool
	// left are those that have left, one after the other, since sluice last said what it promises;
	// leftBefore: since the time before that. noting: it says so just now.
	left, leftBefore []string
	noting           bool
	// noted are what sluice said it promises; early: it counts as soon as it was said.
	noted map[string]Act
	early bool
	// sent are who went for one that is promised their room.
	sent map[string]map[string]string
	// unwritten are those that were reserved what nobody heard of yet; back are those from whom it
	// was taken before it was written.
	unwritten, back map[string]bool
	// rules are those by which sluice decides otherwise that were seen.
	rules map[string]bool
}

// objection is why a difference cannot be explained.
type objection string

func (o objection) Error() string { return string(o) }

func objectf(format string, values ...any) error {
	return objection(fmt.Sprintf(format, values...))
}

func newJudge(w *World, from *cluster) *judge {
	return &judge{
		world: w, at: from.copy(),
		promised: map[string]string{}, noted: map[string]Act{},
		sent: map[string]map[string]string{}, went: map[string][]*kueue.Workload{},
		borrows: map[string]int{}, leaving: map[string]bool{}, unwritten: map[string]bool{},
		back: map[string]bool{}, rules: map[string]bool{},
	}
}

// explain is by which rules sluice came to what it did, beginning at these objects: either what it
// said that it promises counts when it said so, or when it is given. An error of type objection: by
// none.
func explain(w *World, from *cluster, theirs, ours *Outcome) (map[string]bool, error) {
	found, err := newJudge(w, from).explain(theirs, ours)
	if err != nil {
		early := newJudge(w, from)
		early.early = true
		if rules, again := early.explain(theirs, ours); again == nil {
			return rules, nil
		}
	}
	return found, err
}

func (j *judge) explain(theirs, ours *Outcome) (map[string]bool, error) {
	if !ours.Settled {
		return nil, objectf("sluice goes on for ever")
	}
	done := map[int]bool{}
	for i, act := range ours.Acts {
		if err := j.follow(ours, i, &act, done); err != nil {
			return nil, err
		}
	}
	if err := j.rests(ours); err != nil {
		return nil, err
	}
	if !theirs.Settled {
		j.rules[ruleForEver] = true
	}
	if len(j.rules) == 0 && slices.Equal(decisions(theirs.Acts), decisions(ours.Acts)) {
		j.rules[ruleSignal] = true
	}
	if len(j.rules) == 0 {
		j.rules[ruleCycle] = true
	}
	return j.rules, nil
}

// follow goes through one act; done are those that went with an earlier one.
func (j *judge) follow(ours *Outcome, i int, act *Act, done map[int]bool) error {
	switch {
	case done[i] || act.Does == signals:
		return nil
	case act.Does == promises:
		if !j.noting {
			j.leftBefore, j.left, j.noting = j.left, nil, true
		}
		j.noted[act.Workload] = *act
		return nil
	case act.Does != preempted && j.early:
		j.promiseNoted()
	}
	j.noting = false
	switch act.Does {
	case leaves:
		delete(j.leaving, act.Workload)
		j.left = append(j.left, act.Workload)
		return nil
	case preempted:
		victims, order := map[string]string{}, []string{}
		for n := i; n < len(ours.Acts) && !ours.Acts[n].is(admitted, act.For); n++ {
			if ours.Acts[n].Does == preempted && ours.Acts[n].For == act.For {
				victims[ours.Acts[n].Workload] = ours.Acts[n].How
				order = append(order, ours.Acts[n].Workload)
				done[n] = true
			}
		}
		return j.preempts(act.For, victims, order)
	}
	return j.admitsBefore(act)
}

// open is Kueue with the objects as they are now, and a picture of them.
func (j *judge) open() (*theirs, *schdcache.Snapshot, error) {
	k, err := newTheirs(j.at.copy())
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := k.cache.Snapshot(k.ctx)
	return k, snapshot, err
}

// first checks that this workload is the next one, and is what Kueue says of it. Where another one
// comes before it that is told nothing, that one was reserved something in the same step, and is
// perhaps sent away before anybody hears of it: then what is left may be accepted.
func (j *judge) first(name string, accept func(*verdict) bool) (*verdict, error) {
	if j.at.workloads[name] == nil {
		return nil, objectf("%s is not there", name)
	}
	for {
		k, snapshot, err := j.open()
		if err != nil {
			return nil, err
		}
		all := j.next(k, snapshot, j.at.root(string(j.at.workloads[name].Spec.QueueName)),
			j.at.workloads[name])
		of := slices.IndexFunc(all, func(a asked) bool { return a.info.Obj.Name == name })
		before := -1
		for i := range all {
			other := all[i].info.Obj.Name
			switch {
			case i == of || j.back[other]:
			case of >= 0 && !comesFirst(&all[i], &all[of], false):
				if comesFirst(&all[i], &all[of], true) {
					j.rules[ruleNear] = true
				}
			case !j.alsoNow(other):
			case before < 0 || comesFirst(&all[i], &all[before], false):
				before = i
			}
		}
		switch {
		case before >= 0 && all[before].does == admitted:
			j.unwritten[all[before].info.Obj.Name] = true
			j.holds(all[before].info.Obj.Name, all[before].admission)
		case before >= 0 && of >= 0:
			return nil, objectf("%s comes before %s, and Kueue would %s",
				all[before].info.Obj.Name, name, &all[before].verdict)
		case of < 0:
			return j.alone(k, snapshot, name)
		case j.inVain(name, &all[of].verdict) != "":
			return nil, objectf("%s was preempted for %s, and takes that back", name,
				j.inVain(name, &all[of].verdict))
		case !j.takeBack(&all[of].verdict) || accept(&all[of].verdict):
			if rule := all[of].rule; rule != "" {
				j.rules[rule] = true
			}
			return &all[of].verdict, nil
		}
	}
}

// inVain is one that is promised the room of this workload, and would lose it to it at once.
func (j *judge) inVain(name string, v *verdict) string {
	for victim := range v.victims {
		if _, is := j.promised[victim]; is && j.sent[victim][name] != "" {
			return victim
		}
	}
	return ""
}

// takeBack takes what was not written yet from those that would be victims. True: there were some.
func (j *judge) takeBack(v *verdict) (any bool) {
	for victim := range v.victims {
		if _, is := j.promised[victim]; is || j.unwritten[victim] {
			delete(j.promised, victim)
			delete(j.unwritten, victim)
			j.back[victim], any = true, true
			delete(v.victims, victim)
			j.waits(victim)
			j.rules[ruleUnwritten] = true
		}
	}
	return any
}

// alone is of one with which Kueue would do nothing, or that is not the first of its queue.
func (j *judge) alone(k *theirs, snapshot *schdcache.Snapshot, name string) (*verdict, error) {
	queue := kueue.ClusterQueueReference(j.at.workloads[name].Spec.QueueName)
	for _, info := range k.queued.PendingWorkloadsInfo(queue) {
		if info.Obj.Name != name {
			continue
		}
		info.ClusterQueue = queue
		v := j.opinion(k, info, snapshot)
		switch {
		case v.rule == ruleGuard: // in another flavor, or with fewer pods
			j.rules[ruleGuard] = true
			return &v, nil
		case len(j.at.queues[string(queue)].Spec.ResourceGroups) == 0:
			v.rule = ruleNothing
			j.rules[ruleNothing] = true
			return &v, nil
		case v.does == "":
			if spared := j.sparesPromised(name); spared != nil {
				return spared, nil
			}
			if other := j.unpreferred(name); !v.gated && other != nil && other.does == preempted {
				j.rules[ruleVictims] = true
				return other, nil
			}
			return nil, objectf("Kueue would let %s wait", name)
		}
		return nil, objectf("another one of its queue comes before %s", name)
	}
	return nil, objectf("%s does not wait", name)
}

func (j *judge) preempts(name string, victims map[string]string, order []string) error {
	delete(j.back, name)
	v, err := j.first(name, func(v *verdict) bool {
		return v.does == preempted && maps.Equal(v.victims, victims)
	})
	if err != nil {
		return fmt.Errorf("%w; sluice preempts %s for %s", err, list(victims), name)
	}
	if v.rule != ruleGuard && (v.does != preempted || !maps.Equal(v.victims, victims)) &&
		!j.guardsSome(name) {
		return objectf("sluice preempts %s for %s, and Kueue would %s", list(victims), name, v)
	}
	j.measureWhileLeaving(name, v)
	j.sparesFlavors(name, victims, v)
	j.went[name] = nil
	for _, victim := range order {
		j.went[name] = append(j.went[name], j.at.workloads[victim])
		j.goes(victim)
		j.leaving[victim] = true
	}
	j.holds(name, v.admission)
	j.borrows[name] = v.borrows
	j.promised[name], j.sent[name] = v.how(), victims
	return nil
}

func (j *judge) admits(act *Act) error {
	if promised, is := j.promised[act.Workload]; is {
		delete(j.promised, act.Workload)
		if j.at.workloads[act.Workload] == nil {
			return objectf("%s is admitted and not there", act.Workload)
		}
		fresh := j.without(act.Workload)
		if act.How != fresh {
			j.rules[rulePromise] = true
		}
		if act.How != promised && act.How != fresh && j.fitsBefore(act) {
			j.rules[ruleElsewhere] = true
		} else if act.How != promised && act.How != fresh {
			return objectf("sluice admits %s: %s; it was promised %s, and Kueue would now assign %s",
				act.Workload, act.How, promised, fresh)
		}
		j.holds(act.Workload, act.Admission)
		return nil
	}
	if noted, is := j.noted[act.Workload]; is && noted.How == act.How {
		j.rules[ruleComing] = true
		j.holds(act.Workload, act.Admission)
		return nil
	}
	delete(j.back, act.Workload)
	if j.unwritten[act.Workload] {
		delete(j.unwritten, act.Workload)
		if how := assigned(j.at.workloads[act.Workload]); how != act.How {
			return objectf("sluice: %s; Kueue assigned %s", act, how)
		}
		return nil
	}
	v, err := j.first(act.Workload, func(v *verdict) bool {
		if v.does == preempted && len(v.victims) == 0 && v.how() == act.How {
			v.does, v.rule = admitted, rulePromise
			j.rules[rulePromise] = true
		}
		return v.does == admitted && v.how() == act.How
	})
	if err != nil {
		return fmt.Errorf("%w; sluice: %s", err, act)
	}
	if v.does == preempted && j.fitsElsewhere(act, v.borrows) {
		j.rules[ruleElsewhere] = true
		j.holds(act.Workload, act.Admission)
		return nil
	}
	if v.does == admitted && v.how() != act.How && j.staysWithin(act) {
		j.rules[ruleWithin] = true
		j.holds(act.Workload, act.Admission)
		return nil
	}
	if v.does == admitted && v.how() != act.How && j.isSoWhileLeaving(act) {
		j.holds(act.Workload, act.Admission)
		return nil
	}
	if v.rule != ruleGuard && v.rule != ruleNothing && (v.does != admitted || v.how() != act.How) &&
		!j.guardsSome(act.Workload) && !j.admitsSparing(act) {
		return objectf("sluice: %s; Kueue would %s", act, v)
	}
	j.holds(act.Workload, act.Admission)
	return nil
}
