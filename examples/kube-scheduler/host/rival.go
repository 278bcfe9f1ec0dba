// SPDX-License-Identifier: Apache-2.0

package host

import (
	"strings"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rival watches for Volcano's own components: a queue's status has one writer, or two that undo
// each other's states for ever.
type rival struct {
	since time.Time // what was written before may be of a Volcano that is gone
	told  atomic.Bool
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
