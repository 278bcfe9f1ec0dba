// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
	"sluice/kube-scheduler/workload"
)

// CannotPreempt is the annotation of workloads for which nobody is sent away.
const CannotPreempt = "kueue.x-k8s.io/cannot-preempt"

// Around is what the engine wants to know of a workload, and other objects say.
type Around struct {
	Defaults         workload.Defaults
	JobStopped       bool
	SystemPriorities bool // they count in its ClusterQueue

	// ClaimTemplate is what the claims are to say that are made from a template of its namespace;
	// nil: there is none of that name.
	ClaimTemplate func(name string) *resourcev1.ResourceClaimSpec
	DeviceNames   DeviceNames
}

// devices are those that a pod asks for by claims that are made for it; or what is wrong with one.
func (a *Around) devices(spec *v1.PodSpec) (devices Devices, wrong string) {
	for i := range spec.ResourceClaims {
		name := spec.ResourceClaims[i].ResourceClaimTemplateName
		if name == nil {
			continue // unsupported, which is said elsewhere
		}
		template := a.ClaimTemplate(*name)
		if template == nil {
			return nil, fmt.Sprintf("ResourceClaimTemplate %s does not exist", *name)
		}
		for _, one := range ClaimDevices(template, nil) {
			if one.Value == mostAmount {
				return nil, fmt.Sprintf("ResourceClaimTemplate %s asks for all devices of class %s, "+
					"and nobody knows how many they are", *name, one.Name)
			}
			devices = devices.add(one.Name, one.Value)
		}
	}
	return devices, ""
}

// The protocol's limits: a workload beyond them gets no quota, and says so.
const (
	mostTerms       = 8
	mostExpressions = 16
	mostValues      = 64
)

// Workload is what the engine wants to know of a workload that gets its quota here.
func Workload(w *kueue.Workload, around *Around) *sluice.WorkerWorkload {
	seen := &sluice.WorkerWorkload{
		UID: string(w.UID), Namespace: w.Namespace, Name: w.Name,
		Created:         nanoseconds(w.CreationTimestamp),
		ResourceVersion: Version(w.ResourceVersion),
		Queue:           string(w.Spec.QueueName),
		Inactive:        !workload.Active(w),
		Deleted:         w.DeletionTimestamp != nil,
		JobStopped:      around.JobStopped,
		JobUID:          w.Labels[workload.JobUIDLabel],
		CannotPreempt:   w.Annotations[CannotPreempt] == "true",
		Unsupported:     workload.Unsupported(w),
	}
	if gates := workload.Gates(w); gates != "" && seen.Unsupported == "" {
		seen.Unsupported, seen.AdmissionGated = gates, true
	}
	if w.Spec.Priority != nil {
		seen.Priority = *w.Spec.Priority
	}
	if !around.SystemPriorities {
		seen.Priority = CommonPriority(seen.Priority)
	}
	reclaimable := map[kueue.PodSetReference]int32{}
	for _, one := range w.Status.ReclaimablePods {
		reclaimable[one.Name] = one.Count
	}
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		read := podSet(set, max(set.Count-reclaimable[set.Name], 0), around, &seen.Unsupported)
		if held := admittedWith(w, set.Name); held != nil {
			read.Requests = held
		} else {
			devices, wrong := around.devices(&set.Template.Spec)
			read.Requests = CountDevices(read.Requests, devices, around.DeviceNames)
			seen.Unsupported = cmp.Or(seen.Unsupported, wrong)
		}
		seen.PodSets = append(seen.PodSets, read)
	}
	for i := range w.Spec.PreemptionGates {
		seen.Gates = append(seen.Gates, w.Spec.PreemptionGates[i].Name)
	}
	for i := range w.Status.PreemptionGates {
		gate := &w.Status.PreemptionGates[i]
		seen.GateStatus = append(seen.GateStatus, [2]string{gate.Name, string(gate.Position)})
	}
	for i := range w.Status.Conditions {
		c := &w.Status.Conditions[i]
		seen.Conditions = append(seen.Conditions, sluice.KnownCondition{Type: c.Type,
			Status: string(c.Status), Reason: c.Reason, Since: nanoseconds(c.LastTransitionTime)})
	}
	seen.Admission = admission(w, reclaimable)
	seen.Checks = checks(w.Status.AdmissionChecks)
	if state := w.Status.RequeueState; state != nil {
		if state.RequeueAt != nil {
			seen.RequeueAt = nanoseconds(*state.RequeueAt)
		}
		if state.Count != nil {
			seen.RequeueCount = int64(*state.Count)
		}
	}
	return seen
}

func podSet(set *kueue.PodSet, count int32, around *Around, unsupported *string) sluice.PodSet {
	spec := around.Defaults.Spec(set)
	read := sluice.PodSet{
		Name: string(set.Name), Count: count,
		Requests:     amounts(workload.Requests(spec), nil),
		NodeSelector: pairs(spec.NodeSelector, nil),
	}
	if set.MinCount != nil {
		least := min(*set.MinCount, count)
		read.MinCount = &least
	}
	for i := range spec.Tolerations {
		t := &spec.Tolerations[i]
		read.Tolerations = append(read.Tolerations, sluice.Toleration{Key: t.Key,
			Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect),
			Seconds: t.TolerationSeconds})
	}
	fits := true
	read.Affinity, fits = affinity(spec.Affinity)
	if *unsupported == "" {
		*unsupported = around.Defaults.Wrong(spec)
	}
	if *unsupported == "" && !fits {
		*unsupported = "a node affinity with more terms, expressions or values than can be looked at"
	}
	return read
}

// admittedWith is what each pod was granted by the admission that holds: neither another LimitRange
// nor another RuntimeClass changes what runs already. nil: the admission does not say.
func admittedWith(w *kueue.Workload, set kueue.PodSetReference) []sluice.Amount {
	from := workload.Assignment(w, set)
	if !workload.Reserved(w) || from == nil || len(from.ResourceUsage) == 0 || from.Count == nil ||
		*from.Count <= 0 {
		return nil
	}
	held := slices.DeleteFunc(amounts(from.ResourceUsage, []sluice.Amount{}),
		func(a sluice.Amount) bool { return a.Name == string(v1.ResourcePods) })
	for i := range held {
		held[i].Value /= int64(*from.Count)
	}
	return held
}

func affinity(said *v1.Affinity) (terms [][]sluice.Expression, fits bool) {
	if said == nil || said.NodeAffinity == nil ||
		said.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil, true
	}
	required := said.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if len(required.NodeSelectorTerms) > mostTerms {
		return nil, false
	}
	for i := range required.NodeSelectorTerms {
		term := []sluice.Expression{}
		for _, one := range required.NodeSelectorTerms[i].MatchExpressions {
			if len(one.Values) > mostValues {
				return nil, false
			}
			term = append(term, sluice.Expression{Key: one.Key, Operator: string(one.Operator),
				Values: one.Values})
		}
		if len(term) > mostExpressions {
			return nil, false
		}
		terms = append(terms, term)
	}
	return terms, true
}

// admission counts only the pods that are still needed: the quota of the others is free again.
func admission(w *kueue.Workload,
	reclaimable map[kueue.PodSetReference]int32) *sluice.WorkloadAdmission {
	if w.Status.Admission == nil {
		return nil
	}
	read := &sluice.WorkloadAdmission{ClusterQueue: string(w.Status.Admission.ClusterQueue)}
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		from := workload.Assignment(w, set.Name)
		if from == nil {
			continue
		}
		count := set.Count - reclaimable[set.Name]
		if from.Count != nil {
			count = min(count, *from.Count)
		}
		one := sluice.Assignment{Name: string(set.Name), Count: max(count, 0)}
		for _, resource := range slices.Sorted(maps.Keys(from.Flavors)) {
			one.Flavors = append(one.Flavors,
				[2]string{string(resource), string(from.Flavors[resource])})
		}
		read.PodSets = append(read.PodSets, one)
	}
	return read
}

func checks(states []kueue.AdmissionCheckState) (read []sluice.CheckState) {
	for i := range states {
		one := sluice.CheckState{Name: string(states[i].Name), State: string(states[i].State)}
		if after := states[i].RequeueAfterSeconds; after != nil && *after > 0 {
			one.RetryAfter = nanoseconds(metav1.NewTime(states[i].LastTransitionTime.Add(
				time.Duration(*after) * time.Second)))
		}
		read = append(read, one)
	}
	slices.SortFunc(read, func(a, b sluice.CheckState) int { return strings.Compare(a.Name, b.Name) })
	return read
}

// WorkloadQueue is what the engine wants to know of Kueue's LocalQueue.
func WorkloadQueue(queue *kueue.LocalQueue, selected bool) *sluice.LocalQueue {
	read := &sluice.LocalQueue{UID: string(queue.UID), Namespace: queue.Namespace, Name: queue.Name,
		ResourceVersion: Version(queue.ResourceVersion),
		ClusterQueue:    string(queue.Spec.ClusterQueue), NotSelected: !selected}
	if queue.Spec.StopPolicy != nil {
		read.StopPolicy = string(*queue.Spec.StopPolicy)
	}
	return read
}
