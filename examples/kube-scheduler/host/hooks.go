// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/sluice"
)

// PreEnqueue asks the engine whether the scheduler may look at the pod.
func (h *Host) PreEnqueue(pod *v1.Pod) (sluice.Verdict, error) {
	verdict, err := h.pods.enter(pod)
	if err == nil && verdict.Pass {
		verdict = h.turns.enter(pod, verdict)
	}
	return verdict, err
}

// PreFilter asks whether the pod may still go on, and which nodes it may use: nil means every node.
func (h *Host) PreFilter(pod *v1.Pod) (verdict sluice.Verdict, nodes *Nodes, err error) {
	eng := h.engine.opened()
	verdict, matter, tail, err := eng.PreFilter(string(pod.UID))
	h.engine.note(tail)
	if err != nil || !verdict.Pass || !matter {
		return verdict, nil, err
	}
	h.flavoredPods.add(pod)
	bits, tail, err := eng.Filter(string(pod.UID), nil, nil)
	h.engine.note(tail)
	return verdict, &Nodes{bits: bits, of: &h.nodes}, err
}

// PostFilter tells that no node fits.
func (h *Host) PostFilter(pod *v1.Pod) error {
	tail, err := h.engine.opened().PostFilter(string(pod.UID))
	h.engine.note(tail)
	return err
}

// TryReserve asks the same as Reserve, in a cycle that only tries where the members of a group
// would go.
func (h *Host) TryReserve(pod *v1.Pod, node string) (sluice.Verdict, error) {
	verdict, tail, err := h.engine.opened().TryReserve(string(pod.UID), node)
	h.engine.note(tail)
	return verdict, err
}

// TryUnreserve tells that what was tried is taken back.
func (h *Host) TryUnreserve(pod *v1.Pod, node string) error {
	tail, err := h.engine.opened().TryUnreserve(string(pod.UID), node)
	h.engine.note(tail)
	return err
}

// Reserve asks whether the pod may have the node, for its queue's sake.
func (h *Host) Reserve(pod *v1.Pod, node string) (sluice.Verdict, error) {
	h.flavoredPods.forget(pod.UID)
	verdict, tail, err := h.engine.opened().Reserve(string(pod.UID), node)
	h.engine.note(tail)
	return verdict, err
}

// Unreserve tells that the pod does not go to the node after all.
func (h *Host) Unreserve(pod *v1.Pod, node string) error {
	h.permits.forget(pod.UID)
	tail, err := h.engine.opened().Unreserve(string(pod.UID), node)
	h.engine.note(tail)
	return err
}

// Permit asks whether the pod may be bound now; if not, how long it may wait for its group.
func (h *Host) Permit(pod *v1.Pod, node string) (allow bool, wait time.Duration, err error) {
	eng := h.engine.opened()
	h.permits.ask(pod.UID)
	allow, until, tail, err := eng.Permit(string(pod.UID), node)
	if allow || err != nil {
		h.permits.forget(pod.UID)
	}
	h.engine.note(tail)
	return allow, max(time.Duration(until-eng.Now()), time.Millisecond), err
}

// Bind does what must be done before the pod is bound: it takes our gate off.
func (h *Host) Bind(ctx context.Context, pod *v1.Pod, node string) error {
	patch, tail, err := h.engine.opened().Bind(string(pod.UID), node)
	h.engine.note(tail)
	if err != nil || len(patch.Gates) == 0 {
		return err
	}
	err = h.lease.Write(ctx, func(ctx context.Context) error {
		return h.pods.removeGates(ctx, pod, &patch)
	})
	if err != nil {
		return fmt.Errorf("the gate of the pod cannot be removed: %w", err)
	}
	return nil
}

// PostBind tells that the pod is bound.
func (h *Host) PostBind(pod *v1.Pod, node string) error {
	tail, err := h.engine.opened().PostBind(string(pod.UID), node)
	h.engine.note(tail)
	return err
}

// Flavored tells whether nodes may matter to anybody.
func (h *Host) Flavored() bool { return h.kueueQueues.flavored.Load() }
