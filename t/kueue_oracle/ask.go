// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	_ "unsafe" // for linkname

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/workload"
)

//go:linkname getAssignments sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).getAssignments
func getAssignments(s *scheduler.Scheduler, ctx context.Context, w *workload.Info,
	snapshot *schdcache.Snapshot) (flavorassigner.Assignment, []*preemption.Target)

// verdict is what Kueue would do with one workload, were it the only one that is asked.
type verdict struct {
	does      string // admitted, preempted (others are), or "" for nothing
	admission *kueue.Admission
	victims   map[string]string // name to reason
	borrows   int               // from how far up
	gated     bool              // a gate is closed, and only therefore nothing is done
	// rule is the one by which sluice decides so, and Kueue does not; "": Kueue does, too.
	rule string
}

func (v *verdict) how() string {
	return assigned(&kueue.Workload{Status: kueue.WorkloadStatus{Admission: v.admission}})
}

func (v *verdict) String() string {
	switch v.does {
	case admitted:
		return "admit it: " + v.how()
	case preempted:
		return fmt.Sprintf("preempt %s for it: %s", list(v.victims), v.how())
	}
	return "let it wait"
}

func list(victims map[string]string) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(victims)) {
		texts = append(texts, name+" ("+victims[name]+")")
	}
	return strings.Join(texts, ", ")
}

// mostAttempts is how often one is asked that has flavors left to try.
const mostAttempts = 64

// ask asks Kueue about one workload, as often as it goes on with other flavors.
func (k *theirs) ask(info *workload.Info, snapshot *schdcache.Snapshot) verdict {
	return k.askFor(info, snapshot, true)
}

// askFor goes on behind flavors in which others would have to go, unless it may preempt.
func (k *theirs) askFor(info *workload.Info, snapshot *schdcache.Snapshot, may bool) (v verdict) {
	queue := snapshot.ClusterQueue(info.ClusterQueue)
	info.LastAssignment = nil
	for range mostAttempts {
		assignment, targets := getAssignments(k.scheduler, k.ctx, info, snapshot)
		v = verdict{borrows: assignment.Borrows(), admission: &kueue.Admission{
			ClusterQueue: info.ClusterQueue, PodSetAssignments: assignment.ToAPI(k.log)}}
		switch assignment.RepresentativeMode() {
		case flavorassigner.Fit:
			v.does = admitted
			if queue.Fits(assignment.Usage) != schdcache.FitsCheckOk {
				k.correct(&v, info, assignment, snapshot)
			}
			return v
		case flavorassigner.Preempt:
			if len(targets) == 0 || !may {
				break
			}
			v.sends(info, targets)
			return v
		}
		if !assignment.LastState.PendingFlavors() {
			return v
		}
		info.LastAssignment = &assignment.LastState
	}
	return v
}

func (v *verdict) sends(info *workload.Info, targets []*preemption.Target) {
	v.victims = map[string]string{}
	for _, target := range targets {
		v.victims[target.WorkloadInfo.Obj.Name] = target.Reason
	}
	v.does = preempted
	if workload.HasClosedPreemptionGate(info.Obj) {
		v.does, v.gated = "", true
	}
}

// correct asks for victims in flavors that Kueue found to fit, and in which there is no room.
func (k *theirs) correct(v *verdict, info *workload.Info, assignment flavorassigner.Assignment,
	snapshot *schdcache.Snapshot) {
	v.does, v.rule = "", ruleWrong
	if targets := k.preemptor.GetTargets(k.ctx, *info, assignment, snapshot); len(targets) > 0 {
		v.sends(info, targets)
	}
}
