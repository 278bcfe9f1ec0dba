// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// Pods is a line for each of several pods, with the sentence why; left are not among them.
func Pods(of []*ask.Pod, left int64, width int) string {
	t := table{at: -1, cut: []int{0, 4}}
	t.add([]string{"POD", "STATE", "PLACE", "ESTIMATE", "WHY"}, nil)
	for _, pod := range plain.Shown(of) {
		place, estimate, why := "", "", pod.Message
		if pod.State == "waiting" {
			place = fmt.Sprint(pod.Position)
			if pod.AtLeast {
				place += "+"
			}
			if pod.Estimate >= 0 {
				estimate = Span(time.Duration(pod.Estimate))
			}
		}
		if pod.Node != "" {
			why = "on node " + pod.Node
		}
		t.add([]string{pod.Name, pod.State, place, estimate, why}, nil)
	}
	text := joined(t.fit(width))
	if left > 0 {
		text += fmt.Sprintf("... %d more pods: --limit 0 asks about all\n", left)
	}
	return text
}
