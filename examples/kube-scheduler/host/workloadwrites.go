// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
)

// write writes into the very version of the workload that was decided about, and returns
// the version that says it.
func (ws *workloads) write(ctx context.Context, effect *sluice.Effect) (int64, error) {
	if ws.informer.Load() == nil {
		return 0, fmt.Errorf("workloads are not followed yet")
	}
	seen := ws.Workload(types.NamespacedName{Namespace: effect.Namespace,
		Name: effect.Name})
	if seen == nil || string(seen.UID) != effect.UID {
		return 0, apierrors.NewNotFound(wl.Resource.GroupResource(), effect.Name)
	}
	if facts.Version(seen.ResourceVersion) != effect.ResourceVersion {
		return 0, outbox.ErrMoved
	}
	wanted, ofSpec := wl.Write(seen, effect, ws.engine.now())
	if wanted == nil {
		return 0, fmt.Errorf("%w: %q", errUnknownWrite, effect.Workload.Write)
	}
	if isRefusal(effect) {
		wanted.Status.ResourceRequests = asked(facts.Workload(seen, ws.around(seen)))
	}
	var subresources []string
	if !ofSpec {
		subresources = []string{"status"}
	}
	version, err := ws.clients.patch(ctx, wl.Resource, seen, wanted, subresources...)
	if err == nil && version != effect.ResourceVersion {
		ws.engine.log.V(2).Info("Wrote into a workload", "workload", seen.Namespace+"/"+seen.Name,
			"write", effect.Workload.Write, "reason", effect.Reason)
		if effect.Workload.Write == "evict" {
			metrics.evictions.WithLabelValues("workload", evictionCause(effect)).Inc()
		}
		for _, one := range wl.Events(seen, wanted, effect.Workload.Write, ws.engine.now()) {
			ws.writer.Tell(seen, one.Kind, one.Reason, one.Message)
		}
	}
	return version, err
}

// isRefusal tells whether a write says that a workload was asked about, and got nothing.
func isRefusal(effect *sluice.Effect) bool {
	return effect.Workload.Write == "signal" ||
		effect.Workload.Write == "pending" && effect.Reason == wl.Pending
}

// evictionCause is why a workload goes: of one that is preempted, whose room it takes.
func evictionCause(effect *sluice.Effect) string {
	if effect.Reason == kueue.WorkloadEvictedByPreemption && effect.Workload.Cause != "" {
		return effect.Workload.Cause
	}
	return effect.Reason
}

// asked is what all pods of each pod set ask for.
func asked(w *sluice.WorkerWorkload) (sets []kueue.PodSetRequest) {
	for i := range w.PodSets {
		set := &w.PodSets[i]
		one := kueue.PodSetRequest{Name: kueue.PodSetReference(set.Name)}
		for _, amount := range set.Requests {
			if one.Resources == nil {
				one.Resources = v1.ResourceList{}
			}
			amount.Value *= int64(set.Count)
			one.Resources[v1.ResourceName(amount.Name)] = wl.Quantity(amount)
		}
		sets = append(sets, one)
	}
	return sets
}
