// SPDX-License-Identifier: Apache-2.0

package host

import (
	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// enter asks whether the scheduler may look at a pod. Mostly the engine has seen this version of it
// already; else it is told.
func (p *pods) enter(pod *v1.Pod) (sluice.Verdict, error) {
	verdict, err := p.mayEnter(pod)
	if err == nil && !verdict.Pass && verdict.Reason == sluice.ReasonForeignGate {
		return p.hasGate(pod, verdict)
	}
	return verdict, err
}

// hasGate holds a pod that has a gate of somebody else's until there is news of it. The scheduler
// may ask about a version that is not the last: its queue hears of the news later than we do, and
// by then nobody wakes the pod any more.
func (p *pods) hasGate(pod *v1.Pod, held sluice.Verdict) (sluice.Verdict, error) {
	p.wakeups.owe(pod.UID)
	last, err := p.lister.Pods(pod.Namespace).Get(pod.Name)
	if err != nil || last.UID != pod.UID ||
		len(last.Spec.SchedulingGates) == len(pod.Spec.SchedulingGates) {
		return held, nil
	}
	verdict, err := p.mayEnter(last)
	if verdict.Pass {
		p.wakeups.take(pod.UID)
	}
	return verdict, err
}

func (p *pods) mayEnter(pod *v1.Pod) (sluice.Verdict, error) {
	eng := p.engine.opened()
	verdict, known, tail, err := eng.PreEnqueueKnown(string(pod.UID),
		facts.Version(pod.ResourceVersion))
	if err == nil && !known {
		verdict, tail, err = p.preEnqueue(pod)
	}
	p.engine.note(tail)
	return verdict, err
}

// preEnqueue asks about a pod, or a version of it, of which the engine has not heard.
func (p *pods) preEnqueue(pod *v1.Pod) (verdict sluice.Verdict, tail sluice.Tail, err error) {
	before := p.surroundings.Load()
	described, complete := p.describer.describe(pod)
	defer func() { p.describer.pool.Put(described) }()
	if !complete {
		// Whoever gets to know its controller from now on finds the pod among them; who did before
		// has told of it, so it is described again.
		p.wakeups.owe(pod.UID)
		p.describer.pool.Put(described)
		if described, complete = p.describer.describe(pod); !complete {
			return p.unknownController(pod), tail, nil
		}
	}
	verdict, tail, err = p.engine.PreEnqueue(described, false)
	if err != nil {
		p.wakeups.owe(pod.UID)
		// The same goes for a version that can be used.
		now, known, told, _ := p.engine.PreEnqueueKnown(string(pod.UID),
			facts.Version(pod.ResourceVersion))
		if !known {
			return verdict, tail, err
		}
		verdict, tail, err = now, told, nil
	}
	p.wakeups.take(pod.UID)
	if p.surroundings.Load() != before { // as in tell
		p.engine.note(tail)
		p.tellAgain(pod)
		now, known, told, err := p.engine.PreEnqueueKnown(string(pod.UID),
			facts.Version(pod.ResourceVersion))
		if err == nil && known {
			return now, told, nil
		}
	}
	return verdict, tail, err
}

// unknownController holds a pod of which it is not known yet what to tell the engine.
func (p *pods) unknownController(pod *v1.Pod) sluice.Verdict {
	held := sluice.Verdict{Reason: sluice.ReasonNotReady,
		Message: "what controls it, and what it inherits, is not known yet"}
	switch {
	case p.observeOnly:
		return sluice.Verdict{Pass: true}
	case facts.WantsGroup(pod):
		held.Reason = sluice.ReasonGroupMissing
	}
	return held
}
