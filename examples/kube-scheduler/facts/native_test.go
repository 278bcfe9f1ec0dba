// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/sluice"
)

// native is a PodGroup of Kubernetes' own with this spec.
func native(spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": NativeGroups + "/v1alpha2", "kind": "PodGroup",
		"metadata": map[string]any{"namespace": "ns", "name": "g", "uid": "u",
			"resourceVersion": "12", "creationTimestamp": created.UTC().Format(time.RFC3339)},
		"spec": spec,
	}}
}

func gang(minCount any) map[string]any {
	return map[string]any{"schedulingPolicy": map[string]any{
		"gang": map[string]any{"minCount": minCount}}}
}

func TestNativeGroup(t *testing.T) {
	group := native(gang(int64(3)))
	group.SetLabels(map[string]string{ManagedBy: ManagedByUs})
	group.Object["status"] = map[string]any{"conditions": []any{
		map[string]any{"type": "PodGroupScheduled", "status": "False", "reason": "Unschedulable"},
		map[string]any{"type": QuotaReserved, "status": "True", "reason": "r", "message": "m"},
	}}
	want := sluice.Group{Native: true, UID: "u", Namespace: "ns", Name: "g",
		Created: created.UnixNano(), ResourceVersion: 12, MinMember: 3, Ours: true,
		Condition: &sluice.Condition{Type: QuotaReserved, Status: "True", Reason: "r", Message: "m"}}
	var got sluice.Group
	if err := NativeGroup(group, &got); err != nil {
		t.Fatal(err)
	}
	same(t, got, want)

	// A basic group has no minimum; a poorer group over a richer one leaves nothing of it.
	priority, deleted := int32(-5), created
	basic := native(map[string]any{"priority": int64(-5),
		"schedulingPolicy": map[string]any{"basic": map[string]any{}}})
	basic.SetDeletionTimestamp(&deleted)
	if err := NativeGroup(basic, &got); err != nil {
		t.Fatal(err)
	}
	want.Ours = false
	want.MinMember, want.Condition, want.Priority, want.Deleted = 0, nil, &priority, true
	same(t, got, want)

	for field, one := range map[string]struct {
		spec  map[string]any
		value string
	}{
		"spec.schedulingPolicy.gang.minCount": {gang(int64(-1)), "-1"},
		"spec.priority": {map[string]any{"priority": int64(1) << 40},
			"1099511627776"},
	} {
		wrong(t, NativeGroup(native(one.spec), &got), Error{
			Object: "PodGroup.scheduling.k8s.io/ns/g", Field: field, Value: one.value})
		same(t, got, want)
	}
	wrong(t, NativeGroup(native(gang("3")), &got), Error{Object: "PodGroup.scheduling.k8s.io/ns/g",
		Field: "spec.schedulingPolicy.gang.minCount", Value: "3"})
}

func TestANativeGroupGoesWhole(t *testing.T) {
	for _, one := range []struct {
		mode any
		want bool
	}{
		{nil, false}, {"Pod", false}, {"PodGroup", true},
		{map[string]any{"single": map[string]any{}}, false},
		{map[string]any{"all": map[string]any{}}, true},
	} {
		var got sluice.Group
		if err := NativeGroup(native(map[string]any{"disruptionMode": one.mode}), &got); err != nil ||
			got.GoesWhole != one.want {
			t.Errorf("%v: %t, %v", one.mode, got.GoesWhole, err)
		}
	}
}

func TestWorkloadOfGroup(t *testing.T) {
	for want, spec := range map[string]map[string]any{
		"": gang(int64(1)),
		"of-1.36": {"podGroupTemplateRef": map[string]any{"workload": map[string]any{
			"workloadName": "of-1.36", "podGroupTemplateName": "t"}}},
		"of-1.37": {"workloadRef": map[string]any{"workloadName": "of-1.37"}},
	} {
		if got := WorkloadOfGroup(native(spec)); got != want {
			t.Errorf("of %v it is %q", spec, got)
		}
	}
}

func TestSchedulingGroup(t *testing.T) {
	pod := &v1.Pod{}
	for _, want := range []string{"", "g"} {
		if want != "" {
			pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &want}
		}
		if got := SchedulingGroup(pod); got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
	pod.Spec.SchedulingGroup.PodGroupName = nil // a kind of group of tomorrow
	if got := SchedulingGroup(pod); got != "" {
		t.Errorf("it is %q, want none", got)
	}
}
