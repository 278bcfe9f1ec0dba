// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/sluice"
)

// KindCompositeGroup is the kind of a group of groups of Kubernetes' own.
const KindCompositeGroup = "CompositePodGroup"

// ParentGroup is the CompositePodGroup that a native group, composite or not, is directly below;
// "": it is below none.
func ParentGroup(group *unstructured.Unstructured) string {
	parent, _, _ := unstructured.NestedString(group.Object, "spec", "parentCompositePodGroupName")
	return parent
}

// CompositeGroup writes over `into` what the engine wants to know of a CompositePodGroup that is
// below no other, but for its queue and its parts. After an error it is as it was.
func CompositeGroup(group *unstructured.Unstructured, into *sluice.Group) error {
	var seen sluice.Group
	if err := NativeGroup(group, &seen); err != nil {
		return err
	}
	minimum, err := leastGroups(group)
	if err != nil {
		return err
	}
	seen.Composite, seen.MinMember = true, minimum
	seen.GoesWhole = isIndivisible(group)
	*into = seen
	return nil
}

// GroupPart is what a PodGroup, or a CompositePodGroup, is below a composite one; whole: of its
// members none is evicted without all. A PodGroup that cannot be read needs one pod.
func GroupPart(group *unstructured.Unstructured, depth int) (part sluice.GroupPart, whole bool) {
	part = sluice.GroupPart{Name: group.GetName(), Depth: int32(depth),
		Composite: group.GetKind() == KindCompositeGroup}
	var seen sluice.Group
	if part.Composite {
		part.MinMember, _ = leastGroups(group)
	} else if NativeGroup(group, &seen) == nil {
		part.MinMember = seen.MinMember
	}
	return part, isIndivisible(group)
}

// leastGroups is how many of those directly below it a composite group needs; 0: it does not say.
func leastGroups(group *unstructured.Unstructured) (int32, error) {
	least, err := numberOf(group, 0, "spec", "schedulingPolicy", "gang", "minGroupCount")
	if err != nil || least == nil {
		return 0, err
	}
	return *least, nil
}

// isIndivisible tells whether a composite group with this one in it is evicted as a whole: a part
// of a gang is of no use.
func isIndivisible(group *unstructured.Unstructured) bool {
	_, isGang, _ := unstructured.NestedFieldNoCopy(group.Object, "spec", "schedulingPolicy", "gang")
	return isGang || goesWhole(group)
}
