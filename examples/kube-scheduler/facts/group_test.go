// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/sluice"
)

func TestGroup(t *testing.T) {
	yes, priority := true, int32(7)
	least := list("memory", "2Gi", "cpu", "1500m")
	deleted := created
	at := func(seconds int) metav1.Time {
		return metav1.NewTime(created.Add(time.Duration(seconds) * time.Second))
	}
	group := &volcano.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Name: "g", Namespace: "ns", UID: "u", ResourceVersion: "12",
			Labels:     map[string]string{ManagedBy: ManagedByUs},
			Generation: 3, CreationTimestamp: created, DeletionTimestamp: &deleted,
			OwnerReferences: []metav1.OwnerReference{{UID: "not"},
				{UID: "owner", Controller: &yes}}},
		Spec: volcano.PodGroupSpec{MinMember: 4, Queue: "q", MinResources: &least,
			PriorityClassName: "high"},
		Status: volcano.PodGroupStatus{Phase: "Inqueue", Running: 1, Succeeded: 2, Failed: -3,
			Conditions: []volcano.PodGroupCondition{
				{Type: "old", LastTransitionTime: at(1)},
				{Type: "new", Status: "True", Reason: "r", Message: "m", LastTransitionTime: at(2)},
				{Type: "older", LastTransitionTime: at(0)}}}}
	var got sluice.Group
	if err := Group(group, &priority, &got); err != nil {
		t.Fatal(err)
	}
	same(t, got, sluice.Group{UID: "u", Namespace: "ns", Name: "g", Created: created.UnixNano(),
		ResourceVersion: 12, Generation: 3, Queue: "q", MinMember: 4, Priority: &priority,
		PriorityClass: "high", Ours: true,
		MinResources: []sluice.Amount{{Name: "cpu", Value: 1500}, {Name: "memory", Value: 2 << 30}},
		Deleted:      true, Owner: "owner", Phase: "Inqueue", Running: 1, Succeeded: 2,
		Condition: &sluice.Condition{Type: "new", Status: "True", Reason: "r", Message: "m"}})

	group.Status.Conditions[1].Type = "Scheduled"
	group.Status.Conditions[2] = volcano.PodGroupCondition{Type: "Unschedulable", Status: "True"}
	var both sluice.Group
	if err := Group(group, &priority, &both); err != nil || both.Condition != nil {
		t.Errorf("of two that exclude each other %v is told, %v", both.Condition, err)
	}

	negative := list("cpu", "-1")
	group.Spec.MinResources = &negative
	before := got
	wrong(t, Group(group, nil, &got), Error{Object: "PodGroup/ns/g",
		Field: "spec.minResources[cpu]", Value: "-1"})
	same(t, got, before)

	var bare sluice.Group
	err := Group(&volcano.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: "g"}}, nil, &bare)
	if err != nil {
		t.Fatal(err)
	}
	same(t, bare, sluice.Group{Name: "g", MinResources: bare.MinResources})
	if len(bare.MinResources) != 0 {
		t.Errorf("without minResources there are %v", bare.MinResources)
	}
}

func TestWhoIsGrouped(t *testing.T) {
	pod := func(key, value string) *v1.Pod {
		return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{key: value}}}
	}
	for _, one := range []struct {
		pod            *v1.Pod
		grouped, wants bool
	}{
		{&v1.Pod{}, false, false}, {pod(GroupName, ""), false, false},
		{pod(GroupName, "g"), true, false}, {pod(GroupMinMember, "4"), true, true},
		{pod(GroupMinMember, ""), true, true}, // that is for the engine to refuse
		{pod(QueueName, "q"), false, false},
	} {
		if Grouped(one.pod) != one.grouped || WantsGroup(one.pod) != one.wants {
			t.Errorf("%v: grouped %v, wants %v", one.pod.Annotations, Grouped(one.pod),
				WantsGroup(one.pod))
		}
	}
}
