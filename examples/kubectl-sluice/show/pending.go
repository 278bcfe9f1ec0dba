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

// PendingRow is the i-th that waits in a queue.
func PendingRow(q *ask.Queue, i int, w *ask.Waiting, now time.Time) []string {
	q, w = plain.Shown(q), plain.Shown(w)
	return []string{q.Name, fmt.Sprint(i + 1), w.Namespace, member(w), fmt.Sprint(w.Priority),
		Span(now.Sub(time.Unix(0, w.Created)))}
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
