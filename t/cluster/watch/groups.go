// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/faults"
)

const (
	groupName = "scheduling.k8s.io/group-name"
	managedBy = "app.kubernetes.io/managed-by"
	ourselves = "sluice-scheduler"
)

// group is a PodGroup, as it is now.
type group struct {
	uid     types.UID
	name    string // namespace/name
	queue   string
	minimum int64
	owner   types.UID
	ours    bool // the scheduler has made it
	goes    bool
	whole   bool      // as many members as its minimum have been bound once
	half    time.Time // when the first member was bound, if it is not whole
}

// Group tells of a PodGroup.
func (c *Checker) Group(of *unstructured.Unstructured, gone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := of.GetNamespace() + "/" + of.GetName()
	before := c.groups[key]
	switch {
	case !gone:
		now := readGroup(of)
		if before != nil && before.uid == now.uid {
			now.whole, now.half = before.whole, before.half
		}
		c.groups[key] = now
		c.checkOwner(now)
	case before != nil && before.uid == of.GetUID():
		delete(c.groups, key)
	}
	c.recount()
	for _, state := range c.pods {
		c.checkGang(state.pod)
	}
	c.recheck(c.config.Grace)
}

func readGroup(of *unstructured.Unstructured) *group {
	g := &group{uid: of.GetUID(), name: of.GetNamespace() + "/" + of.GetName(),
		ours: of.GetLabels()[managedBy] == ourselves, goes: of.GetDeletionTimestamp() != nil}
	g.queue, _, _ = unstructured.NestedString(of.Object, "spec", "queue")
	g.minimum, _, _ = unstructured.NestedInt64(of.Object, "spec", "minMember")
	if owner := metav1.GetControllerOf(of); owner != nil {
		g.owner = owner.UID
	}
	return g
}

// checkOwner holds that a PodGroup that the scheduler made belongs to somebody, who has no other.
func (c *Checker) checkOwner(now *group) {
	if !now.ours || now.goes {
		return
	}
	if now.owner == "" {
		c.accuse(Violation{Rule: Orphan, Pod: now.name,
			Text: "the scheduler made the PodGroup, and nobody owns it"})
	}
	for _, other := range c.groups {
		if other != now && other.ours && !other.goes && other.owner == now.owner &&
			now.owner != "" && other.uid != now.uid {
			c.accuse(Violation{Rule: Duplicate, Pod: now.name,
				Text: fmt.Sprintf("its owner %s has the PodGroup %s, too", now.owner, other.name)})
		}
	}
}

// groupOf is the PodGroup that a pod names; nil: none, or it is not there.
func (c *Checker) groupOf(pod *corev1.Pod) *group {
	if name := pod.Annotations[groupName]; name != "" {
		return c.groups[pod.Namespace+"/"+name]
	}
	return nil
}

// bound is how many members of a group have, or had, a node.
func (c *Checker) bound(of *group) (count int64) {
	for _, state := range c.pods {
		if state.pod.Spec.NodeName != "" && c.groupOf(state.pod) == of {
			count++
		}
	}
	return count
}

// standIns is how many members that wait will be replaced: they ask for something else than the
// newest member does, and its like come in their stead.
func (c *Checker) standIns(of *group) (count int64) {
	var newest *corev1.Pod
	for _, state := range c.pods {
		if c.groupOf(state.pod) == of &&
			(newest == nil || newest.CreationTimestamp.Before(&state.pod.CreationTimestamp)) {
			newest = state.pod
		}
	}
	for _, state := range c.pods {
		if state.pod.Spec.NodeName == "" && c.groupOf(state.pod) == of &&
			state.pod.CreationTimestamp.Before(&newest.CreationTimestamp) &&
			!asksTheSame(state.pod, newest) {
			count++
		}
	}
	return count
}

func asksTheSame(a, b *corev1.Pod) bool {
	one, other := requestsOf(a), requestsOf(b)
	for name, amount := range one {
		if other[name] == nil || amount.Cmp(other[name]) != 0 {
			return false
		}
	}
	return len(one) == len(other)
}

// checkGang holds that the minimum of a group is bound as one: what was bound for longer than the
// writes of its siblings take, alone, has half of a gang.
func (c *Checker) checkGang(pod *corev1.Pod) {
	of := c.groupOf(pod)
	if of == nil || of.whole || of.minimum <= 1 || pod.Spec.NodeName == "" {
		return
	}
	if of.half.IsZero() {
		of.half = c.config.Now()
	}
	if c.bound(of) >= of.minimum {
		of.whole = true
		c.longestHalf = max(c.longestHalf, c.config.Now().Sub(of.half))
		return
	}
	if c.bound(of)+c.standIns(of) >= of.minimum {
		return
	}
	uid := of.uid
	c.suspect(Violation{
		Rule: Gang, Pod: of.name, Queue: string(uid),
		Have: fmt.Sprint(c.bound(of)), Limit: fmt.Sprint(of.minimum),
		Text: fmt.Sprintf("%d of the %d members of the group that must begin together are bound",
			c.bound(of), of.minimum),
	}, func() bool {
		now := c.groups[of.name]
		if now == nil || now.uid != uid || now.whole {
			return false
		}
		count := c.bound(now)
		return count > 0 && count+c.standIns(now) < now.minimum
	})
}

// lostAfter is when a write is given up by who asked for it, and may never be answered.
const lostAfter = 10 * time.Second

// Asked hears of the scheduler's requests from a proxy, before they are carried out.
func (c *Checker) Asked(r *faults.Request) {
	if r.Resource != "pods" || r.Name == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recheck(c.config.Grace)
	c.underWay[r] = c.config.Now()
}

// answered ends what Asked began.
func (c *Checker) answered(r *faults.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, is := c.underWay[r]; is {
		c.recheck(c.config.Grace)
		delete(c.underWay, r)
	}
}

// writing are the groups, by namespace/name, for whose members a write is under way. [mu is held]
func (c *Checker) writing() map[string]bool {
	groups, members := map[string]bool{}, map[string]bool{}
	for r, since := range c.underWay {
		if c.config.Now().Sub(since) > lostAfter {
			delete(c.underWay, r)
			continue
		}
		members[r.Namespace+"/"+r.Name] = true
	}
	if len(members) == 0 {
		return groups
	}
	for _, state := range c.pods {
		if of := c.groupOf(state.pod); of != nil && members[name(state.pod)] {
			groups[of.name] = true
		}
	}
	return groups
}

// LongestHalf is how long it took at most from the first binding of a gang to the last of its
// minimum.
func (c *Checker) LongestHalf() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.longestHalf
}
