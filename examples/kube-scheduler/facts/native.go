// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"fmt"
	"math"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/sluice"
)

// NativeGroups is the API group of Kubernetes' own PodGroups and Workloads. They are read field by
// field: the versions that two releases of Kubernetes serve have no type in common.
const NativeGroups = "scheduling.k8s.io"

// QuotaReserved is the condition of a native group that is ours: whether its queue has granted it.
const QuotaReserved = "sluice.sh/QuotaReserved"

// SchedulingGroup is the native group that a pod names; "": none.
func SchedulingGroup(pod *v1.Pod) string {
	if group := pod.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil {
		return *group.PodGroupName
	}
	return ""
}

// NativeGroup writes over `into` what the engine wants to know of a PodGroup of Kubernetes' own,
// but for its queue. After an error it is as it was.
func NativeGroup(group *unstructured.Unstructured, into *sluice.Group) error {
	minimum, err := numberOf(group, 0, "spec", "schedulingPolicy", "gang", "minCount")
	if err != nil {
		return err
	}
	priority, err := NativePriority(group)
	if err != nil {
		return err
	}
	*into = sluice.Group{
		Native:          true,
		UID:             string(group.GetUID()),
		Namespace:       group.GetNamespace(),
		Name:            group.GetName(),
		Created:         nanoseconds(group.GetCreationTimestamp()),
		ResourceVersion: Version(group.GetResourceVersion()),
		Priority:        priority,
		GoesWhole:       goesWhole(group),
		Ours:            group.GetLabels()[ManagedBy] == ManagedByUs,
		Deleted:         group.GetDeletionTimestamp() != nil,
		Condition:       NativeCondition(group),
	}
	if minimum != nil {
		into.MinMember = *minimum
	}
	return nil
}

// NativePriority is the priority that a native group says; nil: none.
func NativePriority(group *unstructured.Unstructured) (*int32, error) {
	return numberOf(group, math.MinInt32, "spec", "priority")
}

// nameOfNative is a group of Kubernetes' own, as an error names it.
func nameOfNative(group *unstructured.Unstructured) string {
	return group.GetKind() + "." + NativeGroups + "/" + group.GetNamespace() + "/" + group.GetName()
}

// goesWhole tells whether whoever disrupts a native group disrupts all of it.
func goesWhole(group *unstructured.Unstructured) bool {
	mode, _, _ := unstructured.NestedFieldNoCopy(group.Object, "spec", "disruptionMode")
	if byName, is := mode.(map[string]any); is { // v1beta1
		return byName["all"] != nil
	}
	return mode == "PodGroup" // v1alpha2
}

// numberOf is a number of at least so much that a native group says; nil: it says none.
func numberOf(of *unstructured.Unstructured, least int64, path ...string) (*int32, error) {
	value, there, err := unstructured.NestedFieldNoCopy(of.Object, path...)
	if err != nil || !there {
		return nil, nil
	}
	number, is := value.(int64)
	if !is || number < least || number > math.MaxInt32 {
		return nil, &Error{Object: nameOfNative(of), Field: strings.Join(path, "."),
			Value: fmt.Sprint(value),
			Want:  fmt.Sprintf("a whole number from %d to %d", least, math.MaxInt32)}
	}
	small := int32(number)
	return &small, nil
}

// WorkloadOfGroup is the name of the Workload that a native group was made from; "": of none.
func WorkloadOfGroup(group *unstructured.Unstructured) string {
	for _, path := range [][]string{
		{"spec", "podGroupTemplateRef", "workload", "workloadName"}, // v1alpha2
		{"spec", "workloadRef", "workloadName"},                     // v1beta1
	} {
		if name, _, _ := unstructured.NestedString(group.Object, path...); name != "" {
			return name
		}
	}
	return ""
}

// NativeCondition is the condition that is ours, as a native group has it; nil: it has none.
func NativeCondition(group *unstructured.Unstructured) *sluice.Condition {
	said, _, _ := unstructured.NestedFieldNoCopy(group.Object, "status", "conditions")
	conditions, _ := said.([]any)
	for _, each := range conditions {
		one, _ := each.(map[string]any)
		if one["type"] != QuotaReserved {
			continue
		}
		text := func(key string) string {
			value, _ := one[key].(string)
			return value
		}
		return &sluice.Condition{Type: QuotaReserved, Status: text("status"),
			Reason: text("reason"), Message: text("message")}
	}
	return nil
}
