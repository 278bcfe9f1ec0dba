// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// generator makes a random world. What it makes is what the API server would take: all defaults are
// written out, and no rule of Kueue's CRDs is broken.
type generator struct {
	*rand.Rand
	world World
	// groups are the resources that come in the same flavors, and their flavors.
	groups []group
	depth  map[string]int
}

type group struct {
	resources []corev1.ResourceName
	flavors   []string
}

const gpu = corev1.ResourceName("example.com/gpu")

// deepest is how many cohorts may lie above a queue.
const deepest = 4

func generate(seed uint64) *World {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, seed)), depth: map[string]int{}}
	g.world.Leave = g.chance(40)
	g.makeFlavors()
	g.makeCohorts()
	for i := range g.from(1, 5) {
		g.world.Queues = append(g.world.Queues, *g.queue(fmt.Sprintf("q%d", i)))
	}
	workloads := g.from(2, 14)
	for i := range workloads {
		g.world.Workloads = append(g.world.Workloads, *g.workload(fmt.Sprintf("w%d", i)))
	}
	g.makeSteps()
	return &g.world
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// from is a number from low to high.
func (g *generator) from(low, high int) int { return low + g.IntN(high-low+1) }

func choose[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func (g *generator) makeFlavors() {
	switch g.IntN(4) {
	case 0:
		g.groups = []group{{resources: []corev1.ResourceName{"cpu"}}}
	case 1:
		g.groups = []group{{resources: []corev1.ResourceName{"cpu", "memory"}}}
	case 2:
		g.groups = []group{{resources: []corev1.ResourceName{"cpu"}},
			{resources: []corev1.ResourceName{"memory"}}}
	case 3:
		g.groups = []group{{resources: []corev1.ResourceName{"cpu", "memory"}},
			{resources: []corev1.ResourceName{gpu}}}
	}
	for i := range g.groups {
		for k := range g.from(1, 3) {
			name := fmt.Sprintf("%c%d", 'a'+i, k)
			g.groups[i].flavors = append(g.groups[i].flavors, name)
			flavor := kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: name}}
			if g.chance(60) {
				flavor.Spec.NodeLabels = map[string]string{"kind": name}
			}
			if g.chance(15) {
				flavor.Spec.NodeTaints = []corev1.Taint{
					{Key: "only", Value: name, Effect: corev1.TaintEffectNoSchedule}}
			}
			g.world.Flavors = append(g.world.Flavors, flavor)
		}
	}
}

func (g *generator) makeCohorts() {
	for i := range g.from(0, 5) {
		name := fmt.Sprintf("c%d", i)
		g.world.Cohorts = append(g.world.Cohorts, *g.cohort(name, i))
	}
}

// cohort is one below some of those that were made before it.
func (g *generator) cohort(name string, before int) *kueue.Cohort {
	cohort := &kueue.Cohort{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if before > 0 && g.chance(85) {
		parent := fmt.Sprintf("c%d", g.IntN(before))
		if g.depth[parent]+1 < deepest {
			cohort.Spec.ParentName = kueue.CohortReference(parent)
			g.depth[name] = g.depth[parent] + 1
		}
	}
	if g.chance(50) {
		cohort.Spec.ResourceGroups = g.quotas(cohort.Spec.ParentName != "", 4, 70)
	}
	return cohort
}

func (g *generator) queue(name string) *kueue.ClusterQueue {
	queue := &kueue.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name}}
	spec := &queue.Spec
	spec.NamespaceSelector = &metav1.LabelSelector{}
	spec.QueueingStrategy = choose(g, kueue.BestEffortFIFO, kueue.BestEffortFIFO, kueue.StrictFIFO)
	if n := len(g.world.Cohorts); n > 0 && g.chance(92) {
		spec.CohortName = kueue.CohortReference(g.world.Cohorts[g.IntN(n)].Name)
	}
	spec.ResourceGroups = g.quotas(spec.CohortName != "", 6, 92)
	spec.Preemption = g.preemption()
	spec.FlavorFungibility = &kueue.FlavorFungibility{
		WhenCanBorrow:  choose(g, kueue.MayStopSearch, kueue.TryNextFlavor),
		WhenCanPreempt: choose(g, kueue.MayStopSearch, kueue.TryNextFlavor),
	}
	if g.chance(40) {
		preference := choose(g, kueue.BorrowingOverPreemption, kueue.PreemptionOverBorrowing)
		spec.FlavorFungibility.Preference = &preference
	}
	return queue
}

func (g *generator) preemption() *kueue.ClusterQueuePreemption {
	preemption := &kueue.ClusterQueuePreemption{
		WithinClusterQueue: choose(g, kueue.PreemptionPolicyNever,
			kueue.PreemptionPolicyLowerPriority, kueue.PreemptionPolicyLowerOrNewerEqualPriority),
		ReclaimWithinCohort: choose(g, kueue.PreemptionPolicyNever,
			kueue.PreemptionPolicyLowerPriority, kueue.PreemptionPolicyAny),
		BorrowWithinCohort: &kueue.BorrowWithinCohort{Policy: kueue.BorrowWithinCohortPolicyNever},
	}
	if preemption.ReclaimWithinCohort != kueue.PreemptionPolicyNever && g.chance(50) {
		preemption.BorrowWithinCohort.Policy = kueue.BorrowWithinCohortPolicyLowerPriority
		if g.chance(50) {
			threshold := int32(g.from(0, 3))
			preemption.BorrowWithinCohort.MaxPriorityThreshold = &threshold
		}
	}
	return preemption
}

// quotas are those of a queue or cohort, each group with this chance.
func (g *generator) quotas(limited bool, most, percent int) (made []kueue.ResourceGroup) {
	for _, of := range g.groups {
		if !g.chance(percent) {
			continue
		}
		group := kueue.ResourceGroup{CoveredResources: of.resources}
		flavors := append([]string(nil), of.flavors...)
		g.Shuffle(len(flavors), func(i, k int) { flavors[i], flavors[k] = flavors[k], flavors[i] })
		for _, name := range flavors[:g.from(1, len(flavors))] {
			quotas := kueue.FlavorQuotas{Name: kueue.ResourceFlavorReference(name)}
			for _, covered := range of.resources {
				quotas.Resources = append(quotas.Resources, g.quota(covered, limited, most))
			}
			group.Flavors = append(group.Flavors, quotas)
		}
		made = append(made, group)
	}
	return made
}

func (g *generator) quota(covered corev1.ResourceName, limited bool, most int) kueue.ResourceQuota {
	nominal := g.from(0, most)
	quota := kueue.ResourceQuota{Name: covered, NominalQuota: amountOf(nominal)}
	if limited && g.chance(30) {
		borrowing := amountOf(g.from(0, 4))
		quota.BorrowingLimit = &borrowing
	}
	if limited && g.chance(30) {
		lending := amountOf(g.from(0, nominal))
		quota.LendingLimit = &lending
	}
	return quota
}

func amountOf(units int) resource.Quantity {
	return *resource.NewQuantity(int64(units), resource.DecimalSI)
}

func (g *generator) workload(name string) *kueue.Workload {
	w := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Name: name}}
	w.Spec.QueueName = kueue.LocalQueueName(g.world.Queues[g.IntN(len(g.world.Queues))].Name)
	priority := int32(g.from(0, 3))
	w.Spec.Priority = &priority
	sets := 1
	if g.chance(20) {
		sets = 2
	}
	for i := range sets {
		w.Spec.PodSets = append(w.Spec.PodSets, g.podSet(fmt.Sprintf("set%d", i)))
	}
	if set := &w.Spec.PodSets[g.IntN(sets)]; set.Count > 1 && g.chance(40) {
		least := int32(g.from(1, int(set.Count)))
		set.MinCount = &least
	}
	if g.chance(20) {
		w.Spec.PreemptionGates = []kueue.PreemptionGate{{Name: "gate"}}
	}
	return w
}

func (g *generator) podSet(name string) kueue.PodSet {
	set := kueue.PodSet{Name: kueue.PodSetReference(name), Count: 1}
	if g.chance(40) {
		set.Count = int32(g.from(1, 4))
	}
	asks := corev1.ResourceList{}
	for _, of := range g.groups {
		for _, covered := range of.resources {
			if g.chance(75) {
				asks[covered] = amountOf(g.from(1, 4))
			}
		}
	}
	spec := &set.Template.Spec
	spec.Containers = []corev1.Container{{Name: "c",
		Resources: corev1.ResourceRequirements{Requests: asks}}}
	if g.chance(15) {
		flavor := g.world.Flavors[g.IntN(len(g.world.Flavors))].Name
		spec.NodeSelector = map[string]string{"kind": flavor}
	}
	if g.chance(50) {
		spec.Tolerations = []corev1.Toleration{
			{Key: "only", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}
	}
	return set
}

// makeSteps lets the workloads come in their order, and lets happen what else may.
func (g *generator) makeSteps() {
	var there []string
	for _, w := range g.world.Workloads {
		g.world.Steps = append(g.world.Steps, Step{Add: w.Name})
		there = append(there, w.Name)
		for g.chance(30) {
			g.world.Steps = append(g.world.Steps, g.step(there))
		}
	}
	for range g.from(0, 4) {
		g.world.Steps = append(g.world.Steps, g.step(there))
	}
}

func (g *generator) step(there []string) Step {
	switch g.IntN(6) {
	case 0:
		return Step{Open: there[g.IntN(len(there))]}
	case 1:
		edited := g.world.Queues[g.IntN(len(g.world.Queues))].DeepCopy()
		edited.Spec.ResourceGroups = g.quotas(edited.Spec.CohortName != "", 6, 92)
		return Step{Queue: edited}
	case 2:
		if n := len(g.world.Cohorts); n > 0 {
			edited := g.world.Cohorts[g.IntN(n)].DeepCopy()
			edited.Spec.ResourceGroups = g.quotas(edited.Spec.ParentName != "", 4, 70)
			return Step{Cohort: edited}
		}
	}
	return Step{End: there[g.IntN(len(there))]}
}
