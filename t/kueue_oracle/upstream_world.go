// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// upstreamTable is one of Kueue's tables, with what stands beside its cases.
type upstreamTable struct {
	Test            string
	Cases           map[string]upstreamCase
	Flavors         []kueue.ResourceFlavor
	ResourceFlavors flavorList
	ClusterQueues   []kueue.ClusterQueue
	Queues          []kueue.LocalQueue
}

// upstreamCase is one case, whichever table it is of.
type upstreamCase struct {
	FeatureGates      map[string]bool
	EnableFairSharing bool
	Objects           []json.RawMessage
	AdmissionError    json.RawMessage

	ClusterQueues           []kueue.ClusterQueue
	AdditionalClusterQueues []kueue.ClusterQueue
	AdditionalLocalQueues   []kueue.LocalQueue
	Cohorts                 []kueue.Cohort
	Workloads               []kueue.Workload

	Admitted []kueue.Workload
	Incoming *kueue.Workload
	TargetCQ string

	WlPods                     []kueue.PodSet
	WlReclaimablePods          []kueue.ReclaimablePod
	ClusterQueue               *kueue.ClusterQueue
	ClusterQueueUsage          map[string]int64
	SecondaryClusterQueue      *kueue.ClusterQueue
	SecondaryClusterQueueUsage map[string]int64
	PreemptWorkloadSlice       json.RawMessage
	Topologies                 []json.RawMessage
}

// flavorList is one, or a map of them by their names.
type flavorList []kueue.ResourceFlavor

// UnmarshalJSON reads either.
func (l *flavorList) UnmarshalJSON(text []byte) error {
	var flavors []kueue.ResourceFlavor
	if json.Unmarshal(text, &flavors) == nil {
		*l = flavors
		return nil
	}
	byName := map[string]kueue.ResourceFlavor{}
	if err := json.Unmarshal(text, &byName); err != nil {
		return err
	}
	*l = sorted(byName)
	return nil
}

// longAgo is when workloads were created of which their case does not say when.
var longAgo = metav1.NewTime(began.Add(-time.Hour))

// world is the one of a case; or why it cannot be said.
func (t *upstreamTable) world(name string) (w *World, why string) {
	c := t.Cases[name]
	if why := c.tooMuch(); why != "" {
		return nil, why
	}
	w = &World{Flavors: append(t.Flavors, t.ResourceFlavors...), Cohorts: c.Cohorts,
		Steps: []Step{{}}}
	w.Queues = slices.Concat(t.ClusterQueues, c.ClusterQueues, c.AdditionalClusterQueues)
	locals := slices.Concat(t.Queues, c.AdditionalLocalQueues)
	if c.ClusterQueue != nil {
		c.addUsers(w)
	}
	w.Workloads = append(w.Workloads, c.Admitted...)
	if c.Incoming != nil {
		c.Incoming.Spec.QueueName = kueue.LocalQueueName(c.TargetCQ)
		w.Workloads = append(w.Workloads, *c.Incoming)
	}
	for i := range c.Workloads {
		one := &c.Workloads[i]
		if one.Status.Admission == nil {
			if why := enter(one, locals, w.Queues); why != "" {
				return nil, why
			}
		}
		one.Name = strings.TrimPrefix(one.Namespace+"-"+one.Name, "default-")
		w.Workloads = append(w.Workloads, *one)
	}
	return w, w.complete()
}

// tooMuch is what a case uses that worlds do not have.
func (c *upstreamCase) tooMuch() string {
	for gate, is := range c.FeatureGates {
		if utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(gate)) != is {
			return fmt.Sprintf("the feature gate %s is %v", gate, is)
		}
	}
	switch {
	case c.EnableFairSharing:
		return "fair sharing"
	case isSaid(c.AdmissionError):
		return "a write that fails"
	case len(c.Objects) > 0:
		return "other objects"
	case len(c.Topologies) > 0:
		return "topologies"
	case isSaid(c.PreemptWorkloadSlice):
		return "workload slices"
	}
	return ""
}

func isSaid(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// addUsers adds the queues of a case that says of its queues only how much is used, workloads that
// use it, and the one that asks.
func (c *upstreamCase) addUsers(w *World) {
	queues, usages := []*kueue.ClusterQueue{c.ClusterQueue}, []map[string]int64{c.ClusterQueueUsage}
	if c.SecondaryClusterQueue != nil {
		queues = append(queues, c.SecondaryClusterQueue)
		usages = append(usages, c.SecondaryClusterQueueUsage)
	}
	for i, queue := range queues {
		w.Queues = append(w.Queues, *queue)
		for _, one := range users(queue.Name, usages[i]) {
			w.Workloads = append(w.Workloads, *one)
		}
	}
	asks := kueue.Workload{ObjectMeta: metav1.ObjectMeta{Name: "asks"}}
	asks.Spec.QueueName = kueue.LocalQueueName(c.ClusterQueue.Name)
	asks.Spec.PodSets = c.WlPods
	asks.Status.ReclaimablePods = c.WlReclaimablePods
	w.Workloads = append(w.Workloads, asks)
}

// users are workloads of a low priority, one for each flavor, that use so much.
func users(queue string, usage map[string]int64) []*kueue.Workload {
	byFlavor := map[string]*kueue.Workload{}
	for text, amount := range usage {
		var of struct {
			Flavor   kueue.ResourceFlavorReference
			Resource corev1.ResourceName
		}
		if json.Unmarshal([]byte(text), &of) != nil || amount <= 0 {
			continue
		}
		one := byFlavor[string(of.Flavor)]
		if one == nil {
			one = user(queue, string(of.Flavor))
			byFlavor[string(of.Flavor)] = one
		}
		quantity := *resource.NewQuantity(amount, resource.DecimalSI)
		if of.Resource == corev1.ResourceCPU {
			quantity = *resource.NewMilliQuantity(amount, resource.DecimalSI)
		}
		given := &one.Status.Admission.PodSetAssignments[0]
		given.Flavors[of.Resource], given.ResourceUsage[of.Resource] = of.Flavor, quantity
		one.Spec.PodSets[0].Template.Spec.Containers[0].Resources.Requests[of.Resource] = quantity
	}
	return sorted(byFlavor)
}

func user(queue, flavor string) *kueue.Workload {
	w := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Name: queue + "-" + flavor}}
	low, one := int32(-1), int32(1)
	w.Spec.Priority = &low
	w.Spec.PodSets = []kueue.PodSet{{Name: kueue.DefaultPodSetName, Count: 1}}
	w.Spec.PodSets[0].Template.Spec.Containers = []corev1.Container{{Name: "c",
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}}}}
	w.Status.Admission = &kueue.Admission{ClusterQueue: kueue.ClusterQueueReference(queue),
		PodSetAssignments: []kueue.PodSetAssignment{{Name: kueue.DefaultPodSetName, Count: &one,
			Flavors:       map[corev1.ResourceName]kueue.ResourceFlavorReference{},
			ResourceUsage: corev1.ResourceList{}}}}
	return w
}

// enter says which ClusterQueue a workload waits in.
func enter(w *kueue.Workload, locals []kueue.LocalQueue, queues []kueue.ClusterQueue) (why string) {
	at := slices.IndexFunc(locals, func(q kueue.LocalQueue) bool {
		return q.Namespace == w.Namespace && q.Name == string(w.Spec.QueueName)
	})
	if at < 0 {
		return "a LocalQueue that is not there"
	}
	into := string(locals[at].Spec.ClusterQueue)
	at = slices.IndexFunc(queues, func(q kueue.ClusterQueue) bool { return q.Name == into })
	if at < 0 {
		return "a ClusterQueue that is not there"
	}
	selector, err := metav1.LabelSelectorAsSelector(queues[at].Spec.NamespaceSelector)
	if err != nil || !selector.Matches(labels.Set{"dep": department(w.Namespace)}) {
		return "a namespace that may not use the queue"
	}
	w.Spec.QueueName = kueue.LocalQueueName(into)
	return ""
}

// department is the only label of the tables' namespaces.
func department(namespace string) string {
	of, _, _ := strings.Cut(namespace, "-")
	return of
}

// complete writes out what the API server would, and names the one that is left out, if any of it
// is more than a world has.
func (w *World) complete() (why string) {
	for i := range w.Queues {
		completeQueue(&w.Queues[i])
		w.completeGroups(w.Queues[i].Spec.ResourceGroups)
	}
	waiting := 0
	for i := range w.Workloads {
		one := &w.Workloads[i]
		if why := w.beyond(one); why != "" {
			return why
		}
		w.Begin = append(w.Begin, one.Name)
		if one.Spec.Priority == nil {
			one.Spec.Priority = new(int32)
		}
		if one.Status.Admission != nil {
			one.Spec.QueueName = kueue.LocalQueueName(one.Status.Admission.ClusterQueue)
			for _, condition := range []string{kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted} {
				if apimeta.FindStatusCondition(one.Status.Conditions, condition) == nil {
					setCondition(one, condition, true, longAgo.Time)
				}
			}
		}
		if one.CreationTimestamp.IsZero() {
			one.CreationTimestamp = longAgo
			if one.Status.Admission == nil { // no two that wait are of one age
				one.CreationTimestamp = metav1.NewTime(longAgo.Add(time.Duration(waiting) * time.Second))
				waiting++
			}
		}
	}
	return ""
}

func completeQueue(q *kueue.ClusterQueue) {
	q.Spec.NamespaceSelector = &metav1.LabelSelector{}
	if q.Spec.QueueingStrategy == "" {
		q.Spec.QueueingStrategy = kueue.BestEffortFIFO
	}
	preemption := &kueue.ClusterQueuePreemption{}
	if q.Spec.Preemption != nil {
		preemption = q.Spec.Preemption.DeepCopy()
	}
	preemption.WithinClusterQueue = or(preemption.WithinClusterQueue, kueue.PreemptionPolicyNever)
	preemption.ReclaimWithinCohort = or(preemption.ReclaimWithinCohort, kueue.PreemptionPolicyNever)
	if preemption.BorrowWithinCohort == nil {
		preemption.BorrowWithinCohort = &kueue.BorrowWithinCohort{}
	}
	borrow := preemption.BorrowWithinCohort
	borrow.Policy = or(borrow.Policy, kueue.BorrowWithinCohortPolicyNever)
	q.Spec.Preemption = preemption
	fungibility := &kueue.FlavorFungibility{}
	if q.Spec.FlavorFungibility != nil {
		fungibility = q.Spec.FlavorFungibility.DeepCopy()
	}
	fungibility.WhenCanBorrow = or(fungibility.WhenCanBorrow, kueue.MayStopSearch)
	fungibility.WhenCanPreempt = or(fungibility.WhenCanPreempt, kueue.TryNextFlavor)
	q.Spec.FlavorFungibility = fungibility
}

// completeGroups says of flavors with no resource at all that there is nothing of each: the tables
// have such, and the API server refuses them.
func (w *World) completeGroups(groups []kueue.ResourceGroup) {
	for g := range groups {
		if len(groups[g].CoveredResources) > 0 {
			continue
		}
		asked := map[corev1.ResourceName]bool{}
		for i := range w.Workloads {
			for k := range w.Workloads[i].Spec.PodSets {
				for _, name := range resourcesOf(&w.Workloads[i].Spec.PodSets[k].Template.Spec) {
					asked[name] = true
				}
			}
		}
		groups[g].CoveredResources = slices.Sorted(maps.Keys(asked))
		for f := range groups[g].Flavors {
			for _, name := range groups[g].CoveredResources {
				groups[g].Flavors[f].Resources = append(groups[g].Flavors[f].Resources,
					kueue.ResourceQuota{Name: name})
			}
		}
	}
}

func or[T ~string](said, otherwise T) T {
	if said == "" {
		return otherwise
	}
	return said
}

// beyond is what a workload, its queue or its flavors are that worlds do not have.
func (w *World) beyond(one *kueue.Workload) string {
	name := string(one.Spec.QueueName)
	if one.Status.Admission != nil {
		name = string(one.Status.Admission.ClusterQueue)
	}
	at := slices.IndexFunc(w.Queues, func(q kueue.ClusterQueue) bool { return q.Name == name })
	switch {
	case at < 0:
		return "a ClusterQueue that is not there"
	case len(one.Status.AdmissionChecks) > 0 || w.Queues[at].Spec.AdmissionChecksStrategy != nil:
		return "admission checks"
	case is(one, kueue.WorkloadEvicted):
		return "a victim that is going already"
	case is(one, kueue.WorkloadFinished):
		return "a workload that is finished"
	case one.Spec.Active != nil && !*one.Spec.Active:
		return "a workload that is not active"
	}
	minimums := 0
	for i := range one.Spec.PodSets {
		set := &one.Spec.PodSets[i]
		if set.MinCount != nil {
			minimums++
		}
		spec := &set.Template.Spec
		if set.TopologyRequest != nil {
			return "topologies"
		}
		if len(spec.Containers) != 1 || len(spec.InitContainers) > 0 || spec.Overhead != nil {
			return "pods of several containers"
		}
	}
	if minimums > 1 {
		return "several pod sets with a minimum, which the webhook refuses"
	}
	return ""
}
