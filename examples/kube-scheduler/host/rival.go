// SPDX-License-Identifier: Apache-2.0

package host

import (
	"strings"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"
	batch "volcano.sh/apis/pkg/apis/batch/v1alpha1"

	"sluice/kube-scheduler/sluice"
)

// rival watches for Volcano's own components: a queue's status has one writer, or two that undo
// each other's states for ever.
type rival struct {
	since time.Time // what was written before may be of a Volcano that is gone
	told  atomic.Bool

	toldOfGroups atomic.Bool
}

// look returns who of Volcano has written the queue's status; empty: nobody.
func (r *rival) look(queue *unstructured.Unstructured) string {
	for _, entry := range queue.GetManagedFields() {
		if entry.Subresource == "status" && strings.HasPrefix(entry.Manager, "vc-") &&
			entry.Time != nil && entry.Time.After(r.since) {
			return entry.Manager
		}
	}
	return ""
}

// made returns who of Volcano has made the PodGroup for pods that asked for none: empty, if nobody
// has, or if it is that of a Job of Volcano's, whose own controller makes it with its minimum.
func (r *rival) made(group *unstructured.Unstructured) string {
	created := group.GetCreationTimestamp()
	if !created.After(r.since) {
		return ""
	}
	for _, owner := range group.GetOwnerReferences() {
		if strings.HasPrefix(owner.APIVersion, batch.GroupName+"/") {
			return ""
		}
	}
	for _, entry := range group.GetManagedFields() {
		if entry.Subresource == "" && strings.HasPrefix(entry.Manager, "vc-") {
			return entry.Manager
		}
	}
	return ""
}

// warnOfMadeGroup says once that Volcano makes PodGroups for pods of ours. For those of its own
// scheduler it may.
func (h *Host) warnOfMadeGroup(group *unstructured.Unstructured) {
	who := h.rival.made(group)
	if who == "" || h.rival.toldOfGroups.Load() {
		return
	}
	known, err := h.ask(sluice.Query{What: "group", Namespace: group.GetNamespace(),
		Name: group.GetName()})
	if pods, _ := known["pods"].(int64); err != nil || pods == 0 || h.rival.toldOfGroups.Swap(true) {
		return
	}
	const message = "%s makes PodGroups of minimum 1 for pods of sluice-scheduler, whose own " +
		"minimum then counts for nothing: switch its pg-controller off (--controllers=...,-pg-controller)"
	h.log.Info("Volcano's controller makes PodGroups for pods of ours: switch its pg-controller off",
		"manager", who, "podGroup", klog.KObj(group))
	h.recorder.Eventf(group, nil, v1.EventTypeWarning, "SluiceRival", "Observing", message, who)
}

// warnOfRivals counts each such write that is seen, and says so in an event and a line of the log
// once.
func (h *Host) warnOfRivals(queue *unstructured.Unstructured) {
	who := h.rival.look(queue)
	if who == "" {
		return
	}
	metrics.rivals.Inc()
	if h.rival.told.Swap(true) {
		return
	}
	const message = "%s writes the status of queues beside sluice-scheduler: they undo each other's " +
		"states; stop Volcano's controllers and scheduler, or keep them from these queues"
	h.log.Info("Volcano's own controller writes the status of queues beside us: stop it",
		"manager", who, "queue", queue.GetName())
	h.recorder.Eventf(queue, nil, v1.EventTypeWarning, "SluiceRival", "Observing", message, who)
}
