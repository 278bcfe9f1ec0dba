// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// cluster is the objects as one of the two schedulers sees and writes them.
type cluster struct {
	leave     bool
	now       time.Time
	flavors   []kueue.ResourceFlavor
	queues    map[string]*kueue.ClusterQueue
	cohorts   map[string]*kueue.Cohort
	workloads map[string]*kueue.Workload
	// acts are what was decided since they were last asked for.
	acts []Act
}

// Act is one thing that a scheduler decided.
type Act struct {
	// Does is what becomes of the workload.
	Does string
	// Workload is its name.
	Workload string
	// How is what it was assigned, or why it goes.
	How string
	// For is the workload that a victim goes for.
	For string
	// Admission is what it was assigned.
	Admission *kueue.Admission
}

// What an Act does.
const (
	admitted  = "admitted"
	preempted = "preempted"
	signals   = "signals"
	promises  = "is promised" // by sluice alone
	leaves    = "has left"
)

// is tells whether it does this to that workload.
func (a Act) is(does, name string) bool { return a.Does == does && a.Workload == name }

func (a Act) String() string {
	switch a.Does {
	case admitted:
		return fmt.Sprintf("%s is admitted: %s", a.Workload, a.How)
	case preempted:
		return fmt.Sprintf("%s is preempted for %s: %s", a.Workload, a.For, a.How)
	}
	return a.Workload + " " + a.Does + " " + a.How
}

func newCluster(w *World) *cluster {
	c := &cluster{leave: w.Leave, now: began, flavors: w.Flavors,
		queues: map[string]*kueue.ClusterQueue{}, cohorts: map[string]*kueue.Cohort{},
		workloads: map[string]*kueue.Workload{}}
	for i := range w.Queues {
		c.queues[w.Queues[i].Name] = &w.Queues[i]
	}
	for i := range w.Cohorts {
		c.cohorts[w.Cohorts[i].Name] = &w.Cohorts[i]
	}
	for _, name := range w.Begin {
		if created, err := w.workload(name, -1); err == nil {
			c.workloads[name] = created
		}
	}
	return c
}

// copy is what a scheduler finds that begins with these objects.
func (c *cluster) copy() *cluster {
	other := *c
	other.acts = nil
	other.queues, other.cohorts = maps.Clone(c.queues), maps.Clone(c.cohorts)
	other.workloads = make(map[string]*kueue.Workload, len(c.workloads))
	for name, w := range c.workloads {
		other.workloads[name] = w.DeepCopy()
	}
	return &other
}

func uidOf(name string) types.UID { return types.UID("uid-" + name) }

func is(w *kueue.Workload, condition string) bool {
	return apimeta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

// wrote notes what a write into a workload decided.
func (c *cluster) wrote(after *kueue.Workload) {
	before := c.workloads[after.Name]
	c.workloads[after.Name] = after
	began := func(condition string) bool { return is(after, condition) && !is(before, condition) }
	if began(kueue.WorkloadQuotaReserved) {
		c.acts = append(c.acts, Act{Does: admitted, Workload: after.Name, How: assigned(after),
			Admission: after.Status.Admission})
	}
	if began(kueue.WorkloadEvicted) {
		why := apimeta.FindStatusCondition(after.Status.Conditions, kueue.WorkloadPreempted)
		act := Act{Does: preempted, Workload: after.Name}
		if why != nil {
			act.How = why.Reason
			_, uid, _ := strings.Cut(why.Message, "(UID: uid-")
			act.For, _, _ = strings.Cut(uid, ",")
		}
		c.acts = append(c.acts, act)
	}
	if is(before, kueue.WorkloadQuotaReserved) && !is(after, kueue.WorkloadQuotaReserved) {
		c.acts = append(c.acts, Act{Does: leaves, Workload: after.Name})
	}
	if began(kueue.WorkloadBlockedOnPreemptionGates) {
		c.acts = append(c.acts, Act{Does: signals, Workload: after.Name})
	}
}

// assigned is what a workload holds, in words; of what is asked nothing of, Kueue names a flavor.
func assigned(w *kueue.Workload) string {
	if w.Status.Admission == nil {
		return "nothing"
	}
	var sets []string
	for i := range w.Status.Admission.PodSetAssignments {
		set := &w.Status.Admission.PodSetAssignments[i]
		text := string(set.Name)
		if set.Count != nil {
			text += fmt.Sprintf(" x%d", *set.Count)
		}
		for _, resource := range slices.Sorted(maps.Keys(set.Flavors)) {
			if amount, is := set.ResourceUsage[resource]; !is || !amount.IsZero() {
				text += fmt.Sprintf(" %s=%s", resource, set.Flavors[resource])
			}
		}
		sets = append(sets, text)
	}
	slices.Sort(sets)
	return strings.Join(sets, ", ")
}

// state is how each workload stands, in words.
func (c *cluster) state() map[string]string {
	state := map[string]string{}
	for name, w := range c.workloads {
		switch {
		case is(w, kueue.WorkloadQuotaReserved):
			state[name] = "holds " + assigned(w)
		case is(w, kueue.WorkloadBlockedOnPreemptionGates):
			state[name] = "waits and signals"
		default:
			state[name] = "waits"
		}
	}
	return state
}

// openGates writes that all gates of a workload are open.
func openGates(w *kueue.Workload) {
	w.Status.PreemptionGates = nil
	for i := range w.Spec.PreemptionGates {
		w.Status.PreemptionGates = append(w.Status.PreemptionGates, kueue.PreemptionGateState{
			Name: w.Spec.PreemptionGates[i].Name, Position: kueue.PreemptionGatePositionOpen})
	}
}

// sorted is the values by their keys.
func sorted[V any](of map[string]V) []V {
	var values []V
	for _, key := range slices.Sorted(maps.Keys(of)) {
		values = append(values, of[key])
	}
	return values
}

// apply does what a step says to the objects alone.
func (c *cluster) apply(w *World, step int) error {
	does := &w.Steps[step]
	c.now = timeOf(step)
	switch {
	case does.Add != "":
		created, err := w.workload(does.Add, step)
		if err != nil {
			return err
		}
		c.workloads[does.Add] = created
	case does.End != "":
		delete(c.workloads, does.End)
	case does.Open != "":
		if seen := c.workloads[does.Open]; seen != nil {
			after := seen.DeepCopy()
			openGates(after)
			c.workloads[does.Open] = after
		}
	case does.Queue != nil:
		c.queues[does.Queue.Name] = does.Queue
	case does.Cohort != nil:
		c.cohorts[does.Cohort.Name] = does.Cohort
	}
	return nil
}

func setCondition(w *kueue.Workload, condition string, is bool, now time.Time) {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	apimeta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: condition,
		Status: status, Reason: "Oracle", LastTransitionTime: metav1.NewTime(now)})
}
