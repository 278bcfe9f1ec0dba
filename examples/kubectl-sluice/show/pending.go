// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// WaitingRow is one that waits, with its place in the queue, in words.
type WaitingRow struct {
	cells, more []string
}

// PendingRow makes one of what a program is told, and of its place in words.
func PendingRow(view *WaitingView, place string, w *ask.Waiting, now time.Time) WaitingRow {
	w = plain.Shown(w)
	return WaitingRow{
		cells: []string{plain.Name(view.Queue), plain.Name(place), w.Namespace, member(w),
			fmt.Sprint(w.Priority), Span(now.Sub(time.Unix(0, w.Created)))},
		more: []string{plain.Name(view.QueueKind), view.Created, w.UID},
	}
}

// Waits is a table of them; wide says more of each.
func Waits(rows []WaitingRow, wide bool, width int) string {
	t := table{at: -1, cut: []int{0, 2, 3}}
	titles := []string{"QUEUE", "PLACE", "NAMESPACE", "NAME", "PRIORITY", "AGE"}
	if wide {
		titles = append(titles, "KIND", "CREATED", "UID")
	}
	t.add(titles, nil)
	for i := range rows {
		row := rows[i].cells
		if wide {
			row = append(row, rows[i].more...)
		}
		t.add(row, nil)
	}
	return joined(t.fit(width))
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
