// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// podOf is the one that the effect is about, as it was last seen; nil: there is none.
func podOf(pods corelisters.PodLister, effect *sluice.Effect) *v1.Pod {
	pod, err := pods.Pods(effect.Namespace).Get(effect.Name)
	if err != nil || string(pod.UID) != effect.UID {
		return nil
	}
	return pod
}

// write returns the version that it wrote, where the engine wants to know it.
func (p *pods) write(ctx context.Context, effect *sluice.Effect) (int64, error) {
	pod := podOf(p.lister, effect)
	switch {
	case pod == nil:
		return 0, apierrors.NewNotFound(v1.Resource("pods"), effect.Name)
	case effect.Kind == sluice.RemoveGates:
		return 0, p.removeGates(ctx, pod, &effect.Patch)
	case effect.Kind == sluice.SetGroup:
		return p.groups.setGroup(ctx, pod, effect)
	}
	return 0, p.setCondition(ctx, effect)
}

// removeGates takes our gates off the pod and writes what the queue granted, in one patch, for the
// pod as it is given. Gates that are absent already are no error; where none are to go, the stamp
// is written anew.
func (p *pods) removeGates(ctx context.Context, pod *v1.Pod, patch *sluice.Patch) error {
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
	_, err = p.clients.effects.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name,
		types.JSONPatchType, text, metav1.PatchOptions{})
	if outbox.Result(err) == sluice.Retry && ours && p.lostItsGates(ctx, pod, patch.Gates) {
		err = nil
	}
	if err == nil && ours {
		p.gateRemoved(pod, patch)
	}
	return err
}

// lostItsGates looks whether a patch whose answer did not come was written all the same.
func (p *pods) lostItsGates(ctx context.Context, pod *v1.Pod, gates []string) bool {
	now, err := p.clients.effects.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name,
		metav1.GetOptions{})
	if err != nil || now.UID != pod.UID {
		return false
	}
	_, has := withoutGates(now.Spec.SchedulingGates, gates)
	return !has
}

func (p *pods) gateRemoved(pod *v1.Pod, patch *sluice.Patch) {
	now := p.engine.Now()
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

// setCondition says of a pod with a gate that it has one, as the API server does: by that reason
// autoscalers, and people, know who has.
func (p *pods) setCondition(ctx context.Context, effect *sluice.Effect) error {
	told := *effect
	told.Message = p.engine.refusals.explain(effect.Message)
	if effect.Gated {
		told.Reason, told.Message = v1.PodReasonSchedulingGated, effect.Reason+": "+told.Message
	}
	told.Message = plain.Text(told.Message, plain.ConditionBytes)
	text, err := condition(&told)
	if err != nil {
		return err
	}
	_, err = p.clients.effects.CoreV1().Pods(effect.Namespace).Patch(ctx, effect.Name,
		types.StrategicMergePatchType, text, metav1.PatchOptions{}, "status")
	return err
}
