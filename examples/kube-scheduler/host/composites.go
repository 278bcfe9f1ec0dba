// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// mostLevels is how many CompositePodGroups above a PodGroup are looked at: more than a scheduler
// takes, so that the library says so, and an end where they go in a ring.
const mostLevels = 8

// topOf is the CompositePodGroup at the top of those that a group is below, or, where one of them
// is not there, that one; "": it is below none.
func (n *nativeGroups) topOf(group *unstructured.Unstructured) string {
	top, namespace := "", group.GetNamespace()
	for range mostLevels {
		parent := facts.ParentGroup(group)
		if parent == "" {
			return top
		}
		top = parent
		if group = n.composite(namespace, parent); group == nil {
			return top
		}
	}
	return top
}

// compositeOf is topOf of a PodGroup; "": it is below none, or not there.
func (n *nativeGroups) compositeOf(namespace, podGroup string) string {
	if group := n.find(namespace, podGroup); group != nil {
		return n.topOf(group)
	}
	return ""
}

// top is what is granted as one with a PodGroup: the CompositePodGroup above all that it is below,
// or it itself; nil: that is not there.
func (n *nativeGroups) top(namespace, podGroup string) *unstructured.Unstructured {
	group := n.find(namespace, podGroup)
	if group == nil {
		return nil
	}
	if top := n.topOf(group); top != "" {
		return n.composite(namespace, top)
	}
	return group
}

// composite returns the CompositePodGroup as it was last seen; nil: there is none.
func (n *nativeGroups) composite(namespace, name string) *unstructured.Unstructured {
	if followed := n.followed.Load(); followed != nil && followed.composites != nil {
		return followed.composites.object(namespace, name)
	}
	return nil
}

// directlyBelow are the groups that name a CompositePodGroup as their parent, in a fixed order.
func (n *nativeGroups) directlyBelow(namespace, name string) (all []*unstructured.Unstructured) {
	followed := n.followed.Load()
	if followed == nil || followed.composites == nil {
		return nil
	}
	all = append(followed.groups.below(namespace, name),
		followed.composites.below(namespace, name)...)
	slices.SortFunc(all, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetKind(), b.GetKind()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return all
}

// allBelow visits the groups below a CompositePodGroup, each before those below it.
func (n *nativeGroups) allBelow(namespace, name string, depth int,
	visit func(group *unstructured.Unstructured, depth int)) {
	for _, group := range n.directlyBelow(namespace, name) {
		visit(group, depth)
		if group.GetKind() == facts.KindCompositeGroup && depth < mostLevels {
			n.allBelow(namespace, group.GetName(), depth+1, visit)
		}
	}
}

// tellTop tells of the composite group that a group is below, or is.
func (n *nativeGroups) tellTop(group *unstructured.Unstructured) {
	if name := n.topOf(group); name != "" {
		group = n.composite(group.GetNamespace(), name)
	}
	if group == nil || facts.ParentGroup(group) != "" {
		return // somebody above is missing, or it is a ring: its pods wait for that
	}
	var seen sluice.Group
	var tail sluice.Tail
	err := facts.CompositeGroup(group, &seen)
	priority := seen.Priority
	if err == nil {
		says, agree := n.says(group), true
		n.allBelow(group.GetNamespace(), group.GetName(), 1,
			func(below *unstructured.Unstructured, depth int) {
				part, whole := facts.GroupPart(below, depth)
				seen.Parts = append(seen.Parts, part)
				seen.GoesWhole = seen.GoesWhole || whole
				agree = agree && equality.Semantic.DeepEqual(n.says(below), says)
			})
		if seen.Condition = says; !agree {
			seen.Condition = nil // so that it is written anew, where it is not so
		}
		seen.Queue = n.named(group)
		n.groups.place(&seen)
		tail, err = n.engine.ObserveGroup(&seen)
	}
	n.engine.told(group, tail, err)
	n.tellMembers(group, priority)
}

func (n *nativeGroups) compositeSeen(old, now *unstructured.Unstructured) {
	n.tellTop(now)
	if old == nil {
		n.tellBelow(now)
	}
}

func (n *nativeGroups) compositeGone(group *unstructured.Unstructured) {
	n.forget(group.GetUID())
	if facts.ParentGroup(group) != "" {
		n.tellTop(group)
	} else {
		tail, err := n.engine.ForgetCompositeGroup(string(group.GetUID()), group.GetNamespace(),
			group.GetName())
		n.engine.told(group, tail, err)
	}
	n.tellBelow(group)
}

// tellBelow tells again of the pods below a CompositePodGroup, which may be members of another
// group now.
func (n *nativeGroups) tellBelow(group *unstructured.Unstructured) {
	n.groups.pods.tellAgainIn(group.GetNamespace(), n.membersOf(group))
}

// membersOf tells whether a pod names a PodGroup, or one below a CompositePodGroup.
func (n *nativeGroups) membersOf(group *unstructured.Unstructured) func(*v1.Pod) bool {
	if group.GetKind() != facts.KindCompositeGroup {
		return func(pod *v1.Pod) bool { return facts.SchedulingGroup(pod) == group.GetName() }
	}
	names := map[string]struct{}{}
	n.allBelow(group.GetNamespace(), group.GetName(), 1,
		func(below *unstructured.Unstructured, _ int) {
			if below.GetKind() != facts.KindCompositeGroup {
				names[below.GetName()] = struct{}{}
			}
		})
	return func(pod *v1.Pod) bool {
		_, is := names[facts.SchedulingGroup(pod)]
		return is
	}
}
