// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// PreEnqueue asks the engine whether the scheduler may look at the pod. Mostly the engine has seen
// this version of it already; else it is told.
func (h *Host) PreEnqueue(pod *v1.Pod) (sluice.Verdict, error) {
	verdict, err := h.mayEnter(pod)
	if err == nil && !verdict.Pass && verdict.Reason == sluice.ReasonForeignGate {
		return h.hasGate(pod, verdict)
	}
	return verdict, err
}

func (h *Host) mayEnter(pod *v1.Pod) (sluice.Verdict, error) {
	eng := h.opened()
	verdict, known, tail, err := eng.PreEnqueueKnown(string(pod.UID),
		facts.Version(pod.ResourceVersion))
	if err == nil && !known {
		verdict, tail, err = h.preEnqueue(pod)
	}
	h.Note(tail)
	return verdict, err
}

// preEnqueue asks about a pod, or a version of it, of which the engine has not heard.
func (h *Host) preEnqueue(pod *v1.Pod) (verdict sluice.Verdict, tail sluice.Tail, err error) {
	before := h.surroundings.Load()
	described, complete := h.describe(pod)
	defer func() { h.pods.Put(described) }()
	if !complete {
		// Whoever gets to know its controller from now on finds the pod among them; who did before
		// has told of it, so it is described again.
		h.asleep.add(pod.UID)
		h.pods.Put(described)
		if described, complete = h.describe(pod); !complete {
			return h.unknownController(pod), tail, nil
		}
	}
	verdict, tail, err = h.eng.PreEnqueue(described, false)
	if err != nil {
		h.asleep.add(pod.UID)
		// The same goes for a version that can be used.
		now, known, told, _ := h.eng.PreEnqueueKnown(string(pod.UID),
			facts.Version(pod.ResourceVersion))
		if !known {
			return verdict, tail, err
		}
		verdict, tail, err = now, told, nil
	}
	h.asleep.take(pod.UID)
	if h.surroundings.Load() != before { // as in tellPod
		h.Note(tail)
		h.tellAgain(pod)
		now, known, told, err := h.eng.PreEnqueueKnown(string(pod.UID),
			facts.Version(pod.ResourceVersion))
		if err == nil && known {
			return now, told, nil
		}
	}
	return verdict, tail, err
}

// unknownController holds a pod of which it is not known yet what to tell the engine.
func (h *Host) unknownController(pod *v1.Pod) sluice.Verdict {
	held := sluice.Verdict{Reason: sluice.ReasonNotReady,
		Message: "what controls it, and what it inherits, is not known yet"}
	switch {
	case h.args.ObserveOnly:
		return sluice.Verdict{Pass: true}
	case facts.WantsGroup(pod):
		held.Reason = sluice.ReasonGroupMissing
	}
	return held
}

// PreFilter asks whether the pod may still go on, and which nodes it may use: nil means every node.
func (h *Host) PreFilter(pod *v1.Pod) (verdict sluice.Verdict, nodes *Nodes, err error) {
	eng := h.opened()
	verdict, matter, tail, err := eng.PreFilter(string(pod.UID))
	h.Note(tail)
	if err != nil || !verdict.Pass || !matter {
		return verdict, nil, err
	}
	h.nodeless.add(pod)
	bits, tail, err := eng.Filter(string(pod.UID), nil, nil)
	h.Note(tail)
	return verdict, &Nodes{bits: bits, ids: h}, err
}

// Nodes are those that belong to the flavors that a pod was granted.
type Nodes struct {
	bits []byte
	ids  *Host
}

// Has tells whether the node is one of them.
func (n *Nodes) Has(name string) bool {
	id, known := n.ids.nodeIDs.Load(name)
	return known && sluice.Has(n.bits, id.(uint32))
}

// PostFilter tells that no node fits.
func (h *Host) PostFilter(pod *v1.Pod) error {
	tail, err := h.opened().PostFilter(string(pod.UID))
	h.Note(tail)
	return err
}

// Reserve asks whether the pod may have the node, for its queue's sake.
func (h *Host) Reserve(pod *v1.Pod, node string) (sluice.Verdict, error) {
	h.nodeless.forget(pod.UID)
	verdict, tail, err := h.opened().Reserve(string(pod.UID), node)
	h.Note(tail)
	return verdict, err
}

// Unreserve tells that the pod does not go to the node after all.
func (h *Host) Unreserve(pod *v1.Pod, node string) error {
	h.groups.permits.Delete(pod.UID)
	tail, err := h.opened().Unreserve(string(pod.UID), node)
	h.Note(tail)
	return err
}

// Permit asks whether the pod may be bound now; if not, how long it may wait for its group.
func (h *Host) Permit(pod *v1.Pod, node string) (allow bool, wait time.Duration, err error) {
	eng := h.opened()
	h.groups.permits.Store(pod.UID, time.Now())
	allow, until, tail, err := eng.Permit(string(pod.UID), node)
	if allow || err != nil {
		h.groups.permits.Delete(pod.UID)
	}
	h.Note(tail)
	return allow, max(time.Duration(until-eng.Now()), time.Millisecond), err
}

// Bind does what must be done before the pod is bound: it takes our gate off.
func (h *Host) Bind(ctx context.Context, pod *v1.Pod, node string) error {
	patch, tail, err := h.opened().Bind(string(pod.UID), node)
	h.Note(tail)
	if err != nil || len(patch.Gates) == 0 {
		return err
	}
	if err := h.RemoveGates(ctx, pod, &patch); err != nil {
		return fmt.Errorf("the gate of the pod cannot be removed: %w", err)
	}
	return nil
}

// PostBind tells that the pod is bound.
func (h *Host) PostBind(pod *v1.Pod, node string) error {
	tail, err := h.opened().PostBind(string(pod.UID), node)
	h.Note(tail)
	return err
}

// Flavored tells whether nodes may matter to anybody.
func (h *Host) Flavored() bool { return h.flavored.Load() }
