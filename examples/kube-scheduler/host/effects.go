// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

// pod is the one that the effect is about, as it was last seen; nil: there is none.
func (h *Host) pod(effect *sluice.Effect) *v1.Pod {
	pod, err := h.podLister.Pods(effect.Namespace).Get(effect.Name)
	if err != nil || string(pod.UID) != effect.UID {
		return nil
	}
	return pod
}

// carryOut does what the effect says and returns what became of it.
func (h *Host) carryOut(ctx context.Context, effect *sluice.Effect) sluice.Ack {
	ack := sluice.Ack{ID: effect.ID}
	var err error
	switch effect.Kind {
	case sluice.RemoveGates, sluice.SetCondition, sluice.SetGroup:
		ack.ResourceVersion, err = h.writePod(ctx, effect)
	case sluice.QueueStatus:
		ack.ResourceVersion, err = h.writeQueue(ctx, effect)
	case sluice.Event:
		err = h.tell(ctx, effect)
	case sluice.DeleteCommand:
		err = h.deleteCommand(ctx, effect)
	case sluice.CreateGroup:
		err = h.createGroup(ctx, effect)
	case sluice.ChangeGroup:
		err = h.changeGroup(ctx, effect)
	case sluice.SetGroupStatus:
		err = h.setGroupStatus(ctx, effect)
	case sluice.EvictPod:
		err = h.evict(ctx, effect)
	case sluice.WriteWorkload:
		ack.ResourceVersion, err = h.writeWorkload(ctx, effect)
	default:
		err = errors.New("this host does not know effects of this kind: use a newer one")
	}
	ack.Result = outbox.Result(err)
	metrics.effects.WithLabelValues(effect.Kind, ack.Result).Inc()
	if apierrors.IsTooManyRequests(err) && effect.Kind == sluice.EvictPod {
		h.log.V(2).Info("A disruption budget holds a pod that is to be evicted",
			"pod", effect.Namespace+"/"+effect.Name, "attempt", effect.Attempt)
	} else if err != nil && (ack.Result == sluice.Retry || apierrors.IsInvalid(err)) {
		h.log.Error(err, "An effect failed and will be tried again", "effect", effect.Kind,
			"object", effect.Namespace+"/"+effect.Name, "attempt", effect.Attempt)
	}
	return ack
}

// writePod returns the version that it wrote, where the engine wants to know it.
func (h *Host) writePod(ctx context.Context, effect *sluice.Effect) (int64, error) {
	pod := h.pod(effect)
	switch {
	case pod == nil:
		return 0, apierrors.NewNotFound(v1.Resource("pods"), effect.Name)
	case effect.Kind == sluice.RemoveGates:
		return 0, h.RemoveGates(ctx, pod, &effect.Patch)
	case effect.Kind == sluice.SetGroup:
		return h.setGroup(ctx, pod, effect)
	}
	return 0, h.setCondition(ctx, effect)
}

// RemoveGates takes our gates off the pod and writes what the queue granted, in one patch, for the
// pod as it is given. Gates that are absent already are no error; where none are to go, the stamp
// is written anew.
func (h *Host) RemoveGates(ctx context.Context, pod *v1.Pod, patch *sluice.Patch) error {
	rest, ours := withoutGates(pod.Spec.SchedulingGates, patch.Gates)
	stamps := len(patch.Gates) == 0 && len(patch.Annotations) > 0
	if !ours && !stamps {
		return nil
	}
	if pod.Generation != patch.Generation {
		return outbox.ErrMoved
	}
	text, err := removal(pod, patch, rest)
	if err != nil {
		return err
	}
	ctx, cancel, err := h.lease.Writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	_, err = h.clients.effects.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name,
		types.JSONPatchType, text, metav1.PatchOptions{})
	if outbox.Result(err) == sluice.Retry && ours && h.lostItsGates(ctx, pod, patch.Gates) {
		err = nil
	}
	if err == nil && ours {
		h.gateRemoved(pod, patch)
	}
	return err
}

// lostItsGates looks whether a patch whose answer did not come was written all the same.
func (h *Host) lostItsGates(ctx context.Context, pod *v1.Pod, gates []string) bool {
	now, err := h.clients.effects.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name,
		metav1.GetOptions{})
	if err != nil || now.UID != pod.UID {
		return false
	}
	_, has := withoutGates(now.Spec.SchedulingGates, gates)
	return !has
}

func (h *Host) gateRemoved(pod *v1.Pod, patch *sluice.Patch) {
	now := h.eng.Now()
	metrics.removals.WithLabelValues("creation").Observe(
		seconds(now - pod.CreationTimestamp.UnixNano()))
	for _, pair := range patch.Annotations {
		if pair[0] == facts.Granted {
			if granted := facts.Version(pair[1]); granted > 0 {
				metrics.removals.WithLabelValues("grant").Observe(seconds(now - granted))
			}
		}
	}
}

func seconds(nanoseconds int64) float64 {
	return float64(max(nanoseconds, 0)) / float64(time.Second)
}

func (h *Host) setCondition(ctx context.Context, effect *sluice.Effect) error {
	told := *effect
	told.Message = h.refusals.explain(effect.Message)
	text, err := condition(&told)
	if err != nil {
		return err
	}
	ctx, cancel, err := h.lease.Writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	_, err = h.clients.effects.CoreV1().Pods(effect.Namespace).Patch(ctx, effect.Name,
		types.StrategicMergePatchType, text, metav1.PatchOptions{}, "status")
	return err
}
