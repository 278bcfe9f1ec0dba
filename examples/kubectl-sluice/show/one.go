// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"slices"
	"strings"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// One shows a queue by itself.
func One(queue *ask.Queue, path Path, children []string, style *Style) string {
	queue, path, children = plain.Shown(queue), plain.Shown(path), plain.Shown(children)
	var b strings.Builder
	say := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", what, fmt.Sprintf(format, args...))
	}
	say("Queue", "%s", queue.Name)
	say("Kind", "%s", queue.Kind)
	say("State", "%s", stateOf(queue))
	if queue.Reason != "" {
		say("Grants", "nothing: %s", queue.Reason)
	}
	if len(path) > 1 {
		var parts []string
		for _, up := range slices.Backward(path[1:]) {
			parts = append(parts, up.Name)
		}
		say("Below", "%s", strings.Join(parts, " > "))
	}
	if len(children) > 0 {
		say("Above", "%s", strings.Join(children, ", "))
	}
	say("Order", "%s", queue.Strategy)
	say("Claims", "%d waiting, %d held, %d reserved, %d allocated", queue.Waiting, queue.Held,
		queue.Reserved, queue.Allocated)
	say("So far", "%d granted, %d released, %d demoted", queue.Granted, queue.Released,
		queue.Demoted)
	if len(queue.Asks) > 0 {
		say("Waiting", "%s", amounts(queue.Asks))
	}
	rows := [][]string{{"RESOURCE", "FLAVOR", "ALLOCATED", "RESERVED", "COUNTS", "SHARE", "KEPT",
		"LIMIT", ""}}
	for i := range queue.Quota {
		q := &queue.Quota[i]
		limit := "none"
		if q.Ceiling != nil {
			limit = amount(q.Resource, *q.Ceiling)
		}
		rows = append(rows, []string{q.Resource, q.Flavor, amount(q.Resource, q.Allocated),
			amount(q.Resource, q.Reserved), amount(q.Resource, q.Usage), amount(q.Resource, q.Share),
			amount(q.Resource, q.Kept), limit,
			style.bar(barCells, q.Allocated, q.Reserved, queue.Asks[q.Resource], q.Ceiling)})
	}
	if len(rows) > 1 {
		b.WriteString("\n" + Rows(rows))
	}
	return b.String()
}

func stateOf(queue *ask.Queue) string {
	state := queue.State
	if queue.ByParent {
		state += " (by its parent; its own is " + queue.Own + ")"
	}
	if queue.Written != nil && !*queue.Written {
		state += ", not written yet"
	}
	return state
}
