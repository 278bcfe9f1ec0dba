// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// PendingTitles are above the columns of a PendingRow.
var PendingTitles = []string{"QUEUE", "PLACE", "NAMESPACE", "NAME", "PRIORITY", "AGE"}

// PendingRow is one that waits, with its place in the queue.
func PendingRow(queue, place string, w *ask.Waiting, now time.Time) []string {
	w = plain.Shown(w)
	return []string{plain.Name(queue), plain.Name(place), w.Namespace, member(w),
		fmt.Sprint(w.Priority), Span(now.Sub(time.Unix(0, w.Created)))}
}

// member is a pod's or a workload's name, or a gang's with how many it has.
func member(w *ask.Waiting) string {
	if w.Workload {
		return "workload/" + w.Name
	}
	if w.Members > 0 {
		return fmt.Sprintf("%s (gang of %d)", w.Name, w.Members)
	}
	return w.Name
}
