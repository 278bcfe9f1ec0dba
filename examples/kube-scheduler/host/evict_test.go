// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/engine"
)

// evictions are answered by answer; those that were asked for are listed.
func (w *world) evictions(answer func() error) *[]*policy.Eviction {
	var asked []*policy.Eviction
	w.client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool,
		runtime.Object, error) {
		if action.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		eviction := action.(clienttesting.CreateAction).GetObject().(*policy.Eviction)
		asked = append(asked, eviction)
		return true, eviction, answer()
	})
	return &asked
}

func TestAVictimIsEvictedUnderItsUID(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind, Preempt: true}, nil)
	pod := w.create(gatedPod("a"))
	w.until("the lister has it", func() bool {
		_, err := w.podLister.Pods("default").Get("a")
		return err == nil
	})
	effect := &engine.Effect{Kind: engine.EvictPod, Namespace: pod.Namespace, Name: pod.Name,
		UID: string(pod.UID), Message: "preempted to make room"}
	var refusal error
	asked := w.evictions(func() error { return refusal })

	refusal = apierrors.NewTooManyRequests("the budget is used up", 10)
	w.does(effect, engine.Retry)
	refusal = nil
	w.does(effect, engine.Done)
	if len(*asked) != 2 || (*asked)[1].Name != pod.Name ||
		*(*asked)[1].DeleteOptions.Preconditions.UID != pod.UID {
		t.Errorf("asked for %+v", *asked)
	}
	refusal = apierrors.NewConflict(v1.Resource("pods"), pod.Name, nil)
	w.does(effect, engine.Conflict)
	refusal = apierrors.NewNotFound(v1.Resource("pods"), pod.Name)
	w.does(effect, engine.Gone)

	effect.UID = "another"
	w.does(effect, engine.Gone)
	if len(*asked) != 4 {
		t.Errorf("another pod of that name is asked about, too: %d", len(*asked))
	}
}

func TestPodsAreEvictedOnlyIfTheConfigurationSaysSo(t *testing.T) {
	for _, preempt := range []bool{false, true} {
		args := config.Args{Removal: config.OnBind, Preempt: preempt}
		cfg := engineConfig(&args, nil, nil)
		if slices.Contains(cfg.Effects, engine.EvictPod) != preempt {
			t.Errorf("preempt: %v asks for %q", preempt, cfg.Effects)
		}
	}
}
