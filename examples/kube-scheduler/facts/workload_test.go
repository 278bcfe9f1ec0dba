// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
	"sluice/kube-scheduler/workload"
)

var noon = metav1.NewTime(time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC))

// whole is a workload with all that the engine looks at.
func whole() *kueue.Workload {
	active, priority, least, count, after := false, int32(7), int32(1), int32(3), int32(60)
	terms := []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{"a", "b"}}}}}
	return &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{UID: "u", Namespace: "ns", Name: "w", ResourceVersion: "12",
			CreationTimestamp: noon, Annotations: map[string]string{CannotPreempt: "true"}},
		Spec: kueue.WorkloadSpec{QueueName: "lq", Active: &active, Priority: &priority,
			PreemptionGates: []kueue.PreemptionGate{{Name: "g"}},
			PodSets: []kueue.PodSet{{Name: "main", Count: 4, MinCount: &least,
				Template: v1.PodTemplateSpec{Spec: v1.PodSpec{
					NodeSelector: map[string]string{"kind": "spot"},
					Tolerations:  []v1.Toleration{{Key: "t", Operator: v1.TolerationOpExists}},
					Affinity: &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
						RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
							NodeSelectorTerms: terms}}},
					Containers: []v1.Container{{Resources: v1.ResourceRequirements{
						Requests: list("cpu", "500m", "memory", "1Gi")}}}}}}}},
		Status: kueue.WorkloadStatus{
			Admission: &kueue.Admission{ClusterQueue: "cq",
				PodSetAssignments: []kueue.PodSetAssignment{{Name: "main", Count: &count,
					Flavors: map[v1.ResourceName]kueue.ResourceFlavorReference{"memory": "m",
						"cpu": "c"}}}},
			PreemptionGates: []kueue.PreemptionGateState{{Name: "g", Position: "Open"}},
			Conditions: []metav1.Condition{{Type: "Evicted", Status: "True", Reason: "Preempted",
				LastTransitionTime: noon}},
			AdmissionChecks: []kueue.AdmissionCheckState{
				{Name: "z", State: kueue.CheckStateReady},
				{Name: "a", State: kueue.CheckStateRetry, LastTransitionTime: noon,
					RequeueAfterSeconds: &after}},
			RequeueState: &kueue.RequeueState{Count: &count, RequeueAt: &noon},
		},
	}
}

func TestWorkload(t *testing.T) {
	least := int32(1)
	at := noon.UnixNano()
	want := &sluice.WorkerWorkload{UID: "u", Namespace: "ns", Name: "w", Created: at,
		ResourceVersion: 12, Queue: "lq", Priority: 7, Inactive: true, JobStopped: true,
		CannotPreempt: true,
		PodSets: []sluice.PodSet{{Name: "main", Count: 4, MinCount: &least,
			Requests:     []sluice.Amount{{Name: "cpu", Value: 500}, {Name: "memory", Value: 1 << 30}},
			NodeSelector: [][2]string{{"kind", "spot"}},
			Affinity: [][]sluice.Expression{{{Key: "zone", Operator: "In",
				Values: []string{"a", "b"}}}},
			Tolerations: []sluice.Toleration{{Key: "t", Operator: "Exists"}}}},
		Gates: []string{"g"}, GateStatus: [][2]string{{"g", "Open"}},
		Conditions: []sluice.KnownCondition{{Type: "Evicted", Status: "True", Reason: "Preempted",
			Since: at}},
		Admission: &sluice.WorkloadAdmission{ClusterQueue: "cq", PodSets: []sluice.Assignment{{
			Name: "main", Count: 3, Flavors: [][2]string{{"cpu", "c"}, {"memory", "m"}}}}},
		Checks: []sluice.CheckState{{Name: "a", State: "Retry",
			RetryAfter: at + int64(time.Minute)}, {Name: "z", State: "Ready"}},
		RequeueAt: at, RequeueCount: 3,
	}
	same(t, Workload(whole(), &Around{JobStopped: true}), want)

	w := whole()
	w.Status.ReclaimablePods = []kueue.ReclaimablePod{{Name: "main", Count: 3}}
	got := Workload(w, &Around{})
	if got.PodSets[0].Count != 1 || got.Admission.PodSets[0].Count != 1 || got.JobStopped {
		t.Errorf("with three pods that are needed no more: %+v, %+v", got.PodSets, got.Admission)
	}
}

// What runs has what it was admitted with, whatever the API server would give to new pods now.
func TestWorkloadThatRuns(t *testing.T) {
	w := whole()
	w.Spec.PodSets[0].Template.Spec.Containers[0].Resources = v1.ResourceRequirements{}
	around := &Around{}
	around.Defaults.Ranges = []*v1.LimitRange{{Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{{
		Type: v1.LimitTypeContainer, DefaultRequest: list("cpu", "4")}}}}}
	w.Status.Admission.PodSetAssignments[0].ResourceUsage = list("cpu", "1500m", "pods", "3")
	for status, want := range map[metav1.ConditionStatus]int64{metav1.ConditionTrue: 500,
		metav1.ConditionFalse: 4000} {
		w.Status.Conditions = []metav1.Condition{{Type: kueue.WorkloadQuotaReserved, Status: status}}
		got := Workload(w, around).PodSets[0].Requests
		same(t, got, []sluice.Amount{{Name: "cpu", Value: want}})
	}
}

func TestWorkloadThatGetsNothing(t *testing.T) {
	for want, change := range map[string]func(*kueue.Workload, *Around){
		"slices": func(w *kueue.Workload, _ *Around) {
			w.Annotations[workload.ElasticAnnotation] = "true"
		},
		"LimitRange": func(_ *kueue.Workload, a *Around) {
			a.Defaults.Ranges = []*v1.LimitRange{{Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{{
				Type: v1.LimitTypePod, Max: list("cpu", "100m")}}}}}
		},
		"affinity": func(w *kueue.Workload, _ *Around) {
			terms := &w.Spec.PodSets[0].Template.Spec.Affinity.NodeAffinity.
				RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
			for i := range 8 {
				*terms = append(*terms, v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
					{Key: fmt.Sprint(i), Operator: v1.NodeSelectorOpExists}}})
			}
		},
	} {
		w, around := whole(), &Around{}
		change(w, around)
		if got := Workload(w, around).Unsupported; !strings.Contains(got, want) {
			t.Errorf("it says %q, want something of %s", got, want)
		}
	}
}

func TestDevicesOfAWorkload(t *testing.T) {
	templates := map[string]*resourcev1.ResourceClaimSpec{"two": claimOf(exactly("r", "gpu", 2)),
		"one": claimOf(exactly("r", "npu", 1)), "all": claimOf(exactly("r", "gpu", 0))}
	around := &Around{DeviceNames: DeviceNames{"gpu": "example.com/gpus"},
		ClaimTemplate: func(name string) *resourcev1.ResourceClaimSpec { return templates[name] }}
	w := whole()
	w.Status.Admission = nil
	of := func(names ...string) *sluice.WorkerWorkload {
		spec := &w.Spec.PodSets[0].Template.Spec
		spec.ResourceClaims = nil
		for _, name := range names {
			spec.ResourceClaims = append(spec.ResourceClaims,
				v1.PodResourceClaim{Name: name, ResourceClaimTemplateName: &name})
		}
		return Workload(w, around)
	}
	same(t, of("two", "one").PodSets[0].Requests, []sluice.Amount{{Name: "cpu", Value: 500},
		{Name: "deviceclass/npu", Value: 1}, {Name: "example.com/gpus", Value: 2},
		{Name: "memory", Value: 1 << 30}})
	share := Shares(w, around)["main"]
	for name, want := range map[string]string{
		"none": "ResourceClaimTemplate none does not exist",
		"all":  "ResourceClaimTemplate all asks for all devices of class gpu, and nobody knows",
	} {
		if got := of("one", name).Unsupported; !strings.HasPrefix(got, want) {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	for _, one := range []struct {
		want   bool
		claims []v1.PodResourceClaim
	}{
		{true, nil},
		{true, []v1.PodResourceClaim{{ResourceClaimTemplateName: new("two")}}},
		{false, []v1.PodResourceClaim{{ResourceClaimTemplateName: new("two")},
			{ResourceClaimTemplateName: new("two")}}},
		{false, []v1.PodResourceClaim{{ResourceClaimTemplateName: new("all")}}},
		{false, []v1.PodResourceClaim{{ResourceClaimName: new("two")}}},
	} {
		pod := &v1.Pod{Spec: v1.PodSpec{ResourceClaims: one.claims}}
		if got := share.Covers(pod); got != one.want {
			t.Errorf("%v is covered: %t", one.claims, got)
		}
	}
}

func TestWorkloadQueue(t *testing.T) {
	hold := kueue.Hold
	queue := &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{UID: "u", Namespace: "ns", Name: "lq",
		ResourceVersion: "3"}, Spec: kueue.LocalQueueSpec{ClusterQueue: "cq", StopPolicy: &hold}}
	same(t, WorkloadQueue(queue, false), &sluice.LocalQueue{UID: "u", Namespace: "ns", Name: "lq",
		ResourceVersion: 3, ClusterQueue: "cq", StopPolicy: "Hold", NotSelected: true})
}
