// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/engine"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	wl "sluice/kube-scheduler/workload"
)

// now is the engine's.
func (h *Host) now() time.Time { return time.Unix(0, h.eng.Now()) }

// writeWorkload writes into the very version of the workload that was decided about, and returns
// the version that says it.
func (h *Host) writeWorkload(ctx context.Context, effect *engine.Effect) (int64, error) {
	if h.queued.workloads.Load() == nil {
		return 0, fmt.Errorf("workloads are not followed yet")
	}
	seen := clusterOf{h}.Workload(types.NamespacedName{Namespace: effect.Namespace,
		Name: effect.Name})
	if seen == nil || string(seen.UID) != effect.UID {
		return 0, apierrors.NewNotFound(wl.Resource.GroupResource(), effect.Name)
	}
	if facts.Version(seen.ResourceVersion) != effect.ResourceVersion {
		return 0, outbox.ErrMoved
	}
	wanted, ofSpec := wl.Write(seen, effect, h.now())
	if wanted == nil {
		return 0, fmt.Errorf("%w: %q", errUnknownWrite, effect.Workload.Write)
	}
	var subresources []string
	if !ofSpec {
		subresources = []string{"status"}
	}
	version, err := writerOf{h}.patchWorkload(ctx, seen, wanted, subresources...)
	if err == nil && version != effect.ResourceVersion {
		h.log.V(2).Info("Wrote into a workload", "workload", seen.Namespace+"/"+seen.Name,
			"write", effect.Workload.Write, "reason", effect.Reason)
		kind, reason, message := wl.Event(wanted, effect.Workload.Write,
			seen.Status.Admission != nil)
		if reason != "" {
			writerOf{h}.Tell(seen, kind, reason, message)
		}
	}
	return version, err
}
