// SPDX-License-Identifier: Apache-2.0

package host

import (
	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// What a pod that runs says of its queue is no news to the engine, unless there is room in the
// queue that it names by now. Somebody has written it, and is told that nothing came of it.

// saysElsewhere tells whether somebody has written into a pod that runs where it counts.
func saysElsewhere(old, now *v1.Pod) bool {
	if old == nil || old.Spec.NodeName == "" {
		return false
	}
	return old.Annotations[facts.QueueName] != now.Annotations[facts.QueueName] ||
		facts.LocalQueue(old) != facts.LocalQueue(now) ||
		old.Annotations[facts.GroupName] != now.Annotations[facts.GroupName] && !namesItsGroup(old)
}

// namesItsGroup tells whether we write the name of its group into this pod, which may be bound by
// then.
func namesItsGroup(pod *v1.Pod) bool {
	return pod.Annotations[facts.GroupName] == "" && facts.WantsGroup(pod)
}

// place is where a pod counts; "": nowhere.
func (p *pods) place(pod *v1.Pod) (kind, name string) {
	answer, err := p.engine.Inspect(sluice.Query{What: "pod", UID: string(pod.UID)})
	if err != nil {
		return "", ""
	}
	kind, _ = answer["queueKind"].(string)
	name, _ = answer["queue"].(string)
	return kind, name
}

// seenElsewhere tells of a pod that says something else of where it counts, and tells its owner if
// that is where it was.
func (p *pods) seenElsewhere(old, pod *v1.Pod) {
	kind, name := p.place(old)
	p.seenNow(pod)
	if nowKind, now := p.place(pod); name != "" && now == name && nowKind == kind && p.lease.Leads() {
		p.engine.warn(pod, "SluiceCountsAsBefore",
			"the pod runs, and counts in %s %s as before: what is written into it takes it only to a "+
				"queue that has room for it", kind, name)
	}
}
