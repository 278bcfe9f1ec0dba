// SPDX-License-Identifier: Apache-2.0

package host

import (
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"
	batch "volcano.sh/apis/pkg/apis/batch/v1alpha1"

	"sluice/kube-scheduler/sluice"
)

// volcanoControllers watches for Volcano's own components, which must not run beside us: a queue's
// status has one writer, or two that undo each other's states for ever.
type volcanoControllers struct {
	engine *engine
	since  time.Time // what was written before may be of a Volcano that is gone
	told   atomic.Bool

	toldOfGroups atomic.Bool
}

// wrote returns who of Volcano has written the queue's status; empty: nobody.
func (v *volcanoControllers) wrote(queue *unstructured.Unstructured) string {
	for _, entry := range queue.GetManagedFields() {
		if entry.Subresource == "status" && strings.HasPrefix(entry.Manager, "vc-") &&
			entry.Time != nil && entry.Time.After(v.since) {
			return entry.Manager
		}
	}
	return ""
}

// made returns who of Volcano has made the PodGroup for pods that asked for none: empty, if nobody
// has, or if it is that of a Job of Volcano's, whose own controller makes it with its minimum.
func (v *volcanoControllers) made(group *unstructured.Unstructured) string {
	created := group.GetCreationTimestamp()
	if !created.After(v.since) {
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

// lookAtGroup says once that Volcano makes PodGroups for pods of ours. For those of its own
// scheduler it may.
func (v *volcanoControllers) lookAtGroup(group *unstructured.Unstructured) {
	who := v.made(group)
	if who == "" || v.toldOfGroups.Load() {
		return
	}
	known, err := v.engine.ask(sluice.Query{What: "group", Namespace: group.GetNamespace(),
		Name: group.GetName()})
	if pods, _ := known["pods"].(int64); err != nil || pods == 0 || v.toldOfGroups.Swap(true) {
		return
	}
	const message = "%s makes PodGroups of minimum 1 for pods of sluice-scheduler, whose own " +
		"minimum then counts for nothing: switch its pg-controller off (--controllers=...,-pg-controller)"
	v.engine.log.Info("Volcano's controller makes PodGroups for pods of ours: "+
		"switch its pg-controller off",
		"manager", who, "podGroup", klog.KObj(group))
	v.engine.warn(group, "SluiceRival", message, who)
}

// lookAtQueue counts each write of Volcano's that is seen, and says so in an event and a line of
// the log once.
func (v *volcanoControllers) lookAtQueue(queue *unstructured.Unstructured) {
	who := v.wrote(queue)
	if who == "" {
		return
	}
	metrics.rivals.Inc()
	if v.told.Swap(true) {
		return
	}
	const message = "%s writes the status of queues beside sluice-scheduler: they undo each other's " +
		"states; stop Volcano's controllers and scheduler, or keep them from these queues"
	v.engine.log.Info("Volcano's own controller writes the status of queues beside us: stop it",
		"manager", who, "queue", queue.GetName())
	v.engine.warn(queue, "SluiceRival", message, who)
}
