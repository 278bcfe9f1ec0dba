// SPDX-License-Identifier: Apache-2.0

package facts

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/sluice"
)

// KindGroup is the kind of Volcano's PodGroup.
const KindGroup = "PodGroup"

// ManagedBy is the label of what the scheduler has made.
const ManagedBy, ManagedByUs = "app.kubernetes.io/managed-by", "sluice-scheduler"

// Grouped tells whether a pod names a group, or wants one.
func Grouped(pod *v1.Pod) bool { return pod.Annotations[GroupName] != "" || WantsGroup(pod) }

// WantsGroup tells whether a pod carries a minimum for its group: then the engine wants to know its
// topmost controller.
func WantsGroup(pod *v1.Pod) bool {
	_, wants := pod.Annotations[GroupMinMember]
	return wants
}

// Group writes over `into` what the engine wants to know of Volcano's PodGroup. priority is that of
// its priority class; nil: it names none, or there is none of that name. After an error it is as it
// was.
func Group(group *volcano.PodGroup, priority *int32, into *sluice.Group) error {
	object := KindGroup + "/" + group.Namespace + "/" + group.Name
	var least v1.ResourceList
	if group.Spec.MinResources != nil {
		least = *group.Spec.MinResources
	}
	if err := notNegative(object, "spec.minResources", least); err != nil {
		return err
	}
	*into = sluice.Group{
		UID:             string(group.UID),
		Namespace:       group.Namespace,
		Name:            group.Name,
		Created:         nanoseconds(group.CreationTimestamp),
		ResourceVersion: Version(group.ResourceVersion),
		Generation:      group.Generation,
		Queue:           group.Spec.Queue,
		MinMember:       group.Spec.MinMember,
		MinResources:    amounts(least, nil),
		Priority:        priority,
		PriorityClass:   group.Spec.PriorityClassName,
		Ours:            group.Labels[ManagedBy] == ManagedByUs,
		Deleted:         group.DeletionTimestamp != nil,
		Phase:           string(group.Status.Phase),
		Running:         max(group.Status.Running, 0),
		Succeeded:       max(group.Status.Succeeded, 0),
		Failed:          max(group.Status.Failed, 0),
		Condition:       newest(group.Status.Conditions),
	}
	if owner := metav1.GetControllerOfNoCopy(group); owner != nil {
		into.Owner = string(owner.UID)
	}
	return nil
}

// SaysIfScheduled tells the two types of which only one can be True.
func SaysIfScheduled(condition volcano.PodGroupConditionType) bool {
	return condition == volcano.PodGroupScheduled || condition == volcano.PodGroupUnschedulableType
}

// newest is the condition that changed last; of several that did, the last one. Where both of two
// are True that exclude each other none counts, so that they are written anew.
func newest(conditions []volcano.PodGroupCondition) *sluice.Condition {
	var found *volcano.PodGroupCondition
	said := 0
	for i := range conditions {
		if SaysIfScheduled(conditions[i].Type) && conditions[i].Status == v1.ConditionTrue {
			said++
		}
	}
	if said > 1 {
		return nil
	}
	for i := range conditions {
		if one := &conditions[i]; found == nil ||
			!one.LastTransitionTime.Before(&found.LastTransitionTime) {
			found = one
		}
	}
	if found == nil {
		return nil
	}
	return &sluice.Condition{Type: string(found.Type), Status: string(found.Status),
		Reason: found.Reason, Message: found.Message}
}
