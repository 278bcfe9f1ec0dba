// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Pod tells of a state of a pod.
func (c *Checker) Pod(pod *corev1.Pod, gone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.config.Schedulers, pod.Spec.SchedulerName) || isExempt(pod) {
		return
	}
	before := c.pods[pod.UID]
	if gone {
		if before != nil && before.counts {
			c.count(before, -1)
		}
		delete(c.pods, pod.UID)
		c.recheck(c.config.Grace)
		return
	}
	now := c.next(before, pod)
	c.pods[pod.UID] = now
	c.checkGates(before, now)
	c.checkCapacity(before, now)
	c.checkCondition(now)
	c.checkGang(pod)
	c.recheck(c.config.Grace)
}

// next is what a pod is now, after what it was.
func (c *Checker) next(before *podState, pod *corev1.Pod) *podState {
	now := &podState{pod: pod, queue: c.queueOf(pod)}
	now.uses = vectorOf(pod, now.queue, c.tree.queues[now.queue])
	ours, _ := gates(pod)
	if before != nil {
		now.had, now.lost, now.touched = before.had, before.lost, before.touched
	}
	if now.had && len(ours) == 0 {
		now.lost = true
	}
	now.had = now.had || len(ours) > 0
	now.counts = c.hasPlace(before, now)
	return now
}

// hasPlace tells whether a pod is known to hold room in its queue. Of a pod without a node and a
// gate that somebody else made, moved or resized it is not known: the engine decides it anew.
func (c *Checker) hasPlace(before, now *podState) bool {
	pod := now.pod
	switch {
	case isOver(pod):
		return false
	case pod.Spec.NodeName != "":
		return true
	case pod.DeletionTimestamp != nil || toldToWait(pod):
		return false
	}
	if ours, foreign := gates(pod); len(ours) > 0 || len(foreign) > 0 {
		return false
	}
	if before == nil || isMoved(before, now) || c.hasLeft(now) {
		return false
	}
	if before.counts {
		return true
	}
	ours, _ := gates(before.pod)
	ungated := len(ours) > 0
	unschedulable := reason(pod) == corev1.PodReasonUnschedulable &&
		reason(before.pod) != corev1.PodReasonUnschedulable
	return ungated || unschedulable
}

func isMoved(before, now *podState) bool {
	return before.queue != now.queue || len(growth(before.uses, now.uses)) > 0
}

// growth is in which dimensions b is more than a.
func growth(a, b vector) []dimension {
	var more []dimension
	for d, amount := range b {
		if amount.Cmp(a.get(d)) > 0 {
			more = append(more, d)
		}
	}
	return more
}

func (c *Checker) checkCapacity(before, now *podState) {
	var enters bool
	if before == nil || !before.counts {
		enters = now.counts && before != nil
	}
	if before != nil && before.counts {
		c.count(before, -1)
	}
	if !now.counts {
		return
	}
	if enters && c.obeys(now) {
		c.enter(now)
	}
	c.count(now, 1)
}

// obeys tells whether the pod has to wait for room.
func (c *Checker) obeys(state *podState) bool {
	return !c.config.ObserveOnly && !c.hasLeft(state) &&
		(state.had || optedIn(state.pod) || c.config.ManageAll)
}

// hasLeft tells whether the pod's owner took it out of the queues: whose gate the scheduler removes
// is stamped, or still asks for its queue.
func (c *Checker) hasLeft(state *podState) bool {
	ours, _ := gates(state.pod)
	return state.had && len(ours) == 0 && state.pod.Annotations[grantStamp] == "" &&
		!optedIn(state.pod) && state.pod.Annotations[groupName] == "" && !c.config.ManageAll
}

// enter looks whether there is room for one more, from its queue to the root. [it does not count
// yet]
func (c *Checker) enter(state *podState) {
	path, ok := c.tree.path(state.queue)
	if !ok {
		return
	}
	for d := range state.uses {
		for _, node := range path {
			if !c.enterOne(state, node, d) {
				break
			}
		}
	}
}

// enterOne looks at one queue; false: its ancestors use no more than before.
func (c *Checker) enterOne(state *podState, node id, d dimension) bool {
	limit := c.tree.limitsOf(node, d, 0).ceiling
	unused := c.tree.usage(node, d, c.own, 0)
	c.count(state, 1)
	used := c.tree.usage(node, d, c.own, 0)
	c.count(state, -1)
	if used.Cmp(unused) <= 0 {
		return false
	}
	if !isAbove(used, limit) {
		return true
	}
	name := name(state.pod)
	queue := node.kind + "/" + node.name
	uid := state.pod.UID
	c.suspect(Violation{
		Rule: Capacity, Pod: name, Queue: queue + " " + d.String(),
		Have: show(used), Limit: show(limit),
		Text: fmt.Sprintf("%s is used to %s %s with it, the limit is %s (%s)",
			queue, show(used), d, show(limit), c.why(state.pod)),
	}, func() bool {
		if now := c.pods[uid]; now == nil || !now.counts {
			return false
		}
		used := c.tree.usage(node, d, c.own, 0)
		return isAbove(used, limit) && isAbove(used, c.tree.limitsOf(node, d, 0).ceiling)
	})
	return true
}

func (c *Checker) why(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return "it is bound to " + pod.Spec.NodeName
	}
	return "it has no gate and its reason is " + reason(pod)
}

func name(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// checkCondition holds that who waits is not Unschedulable for long.
func (c *Checker) checkCondition(now *podState) {
	if !isLying(now) {
		return
	}
	uid := now.pod.UID
	c.suspect(Violation{
		Rule: Condition, Pod: name(now.pod),
		Text: "it waits for its queue, and is Unschedulable for longer than a write takes",
	}, func() bool {
		state := c.pods[uid]
		return state != nil && isLying(state)
	})
}

func isLying(state *podState) bool {
	ours, _ := gates(state.pod)
	return (len(ours) > 0 || state.waits) && reason(state.pod) == corev1.PodReasonUnschedulable &&
		state.pod.Spec.NodeName == "" && state.pod.DeletionTimestamp == nil && !isOver(state.pod) &&
		state.pod.Status.NominatedNodeName == ""
}

func (c *Checker) checkGates(before, now *podState) {
	if before == nil {
		return
	}
	ours, foreign := gates(now.pod)
	if before.lost && len(ours) > 0 {
		c.accuse(Violation{
			Rule: Twice, Pod: name(now.pod), Text: "our gate had gone, and is there again",
		})
	}
	_, old := gates(before.pod)
	if slices.Equal(old, foreign) {
		return
	}
	if now.touched == nil {
		now.touched = map[string][2][]string{}
	}
	now.touched[now.pod.ResourceVersion] = [2][]string{old, foreign}
	c.checkForeign(now.pod.UID)
}

// Write tells that the scheduler has written a pod, and which version came of it.
func (c *Checker) Write(uid types.UID, version, pod string, removesGates bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written[uid] == nil {
		c.written[uid] = map[string]bool{}
	}
	again := c.written[uid][version]
	c.written[uid][version] = true
	if removesGates && !again {
		c.removals[uid]++
		if c.removals[uid] > 1 {
			c.accuse(Violation{
				Rule: Twice, Pod: pod,
				Text: fmt.Sprintf("the scheduler wrote its gates away %d times", c.removals[uid]),
			})
		}
	}
	c.checkForeign(uid)
}

// checkForeign brings together what was seen to change, and who changed it.
func (c *Checker) checkForeign(uid types.UID) {
	state := c.pods[uid]
	if state == nil {
		return
	}
	for version, change := range state.touched {
		if !c.written[uid][version] {
			continue
		}
		delete(state.touched, version)
		c.accuse(Violation{
			Rule: Foreign, Pod: name(state.pod),
			Text: fmt.Sprintf("the scheduler changed its foreign gates from [%s] to [%s]",
				strings.Join(change[0], ", "), strings.Join(change[1], ", ")),
		})
	}
}
