// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// Path is the way from a queue up to its root: the queue itself first.
type Path []*ask.Queue

// Up finds the path of a queue. Queues that were told at different moments may be above one
// another: each is in it once.
func Up(queues []ask.Queue, kind, name string) Path {
	nodes := map[key]*tree{}
	for i := range queues {
		nodes[key{queues[i].Kind, queues[i].Name}] = &tree{Queue: &queues[i]}
	}
	var path Path
	at := nodes[key{kind, name}]
	for at != nil && !slices.Contains(path, at.Queue) {
		path = append(path, at.Queue)
		at = parentOf(at.Queue, nodes)
	}
	return path
}

// sayTo writes lines of what is said, and of what.
func sayTo(b *strings.Builder) func(what, format string, args ...any) {
	return func(what, format string, args ...any) {
		fmt.Fprintf(b, "  %-9s %s\n", what, fmt.Sprintf(format, args...))
	}
}

// Why says what a pod waits for. The group is its own, if the scheduler tells of it.
func Why(pod *ask.Pod, group *ask.Group, path Path, now time.Time, style *Style) string {
	pod, group, path = plain.Shown(pod), plain.Shown(group), plain.Shown(path)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", headline(pod, now))
	say := sayTo(&b)
	if pod.Reason != "" {
		say("why", "%s: %s", pod.Reason, pod.Message)
	}
	switch {
	case group != nil:
		say("group", "%s is %s: %s", groupNamed(pod), group.State, members(group))
	case pod.Group != "":
		say("group", "%s: %d members are there, its minimum is %d", groupNamed(pod), pod.Members,
			max(pod.Minimum, 1))
	}
	asks := pod.Asks
	if pod.Asks != nil {
		say("asks for", "%s", amounts(pod.Asks))
	}
	if group != nil && len(group.Asks) > 0 {
		asks = group.Asks
		say("", "its group for %s, as one", amounts(group.Asks))
	}
	if len(pod.Flavors) > 0 {
		say("flavors", "%s", flavors(pod.Flavors))
	}
	if pod.State == "waiting" {
		say("place", "%s", place("queue", pod.Position, pod.AtLeast, pod.Ahead))
		say("estimate", "%s", estimate(&pod.Outlook))
	}
	say("queue", "%s", names(path, pod.Queue))
	b.WriteString(levels(asks, pod.On, path, style))
	if group != nil && len(group.Members) > 0 {
		b.WriteString("\n" + memberRows(group.Members, fewMembers))
	}
	return b.String()
}

// groupNamed is the group of a pod; whether it is one of Kubernetes' own says which of two of its
// name.
func groupNamed(pod *ask.Pod) string {
	if pod.Native {
		return pod.Group + " (native)"
	}
	return pod.Group
}

func headline(pod *ask.Pod, now time.Time) string {
	name := pod.Namespace + "/" + pod.Name
	age := Span(now.Sub(time.Unix(0, pod.Created)))
	since := Span(now.Sub(time.Unix(0, pod.Granted)))
	switch pod.State {
	case "waiting":
		return fmt.Sprintf("%s waits in queue %s since %s", name, pod.Queue, age)
	case "held":
		return fmt.Sprintf("%s is held, and blocks nobody, since %s", name, age)
	case "reserved":
		return fmt.Sprintf("%s was granted its place in queue %s %s ago, and is on its way to a "+
			"node", name, pod.Queue, since)
	case "allocated":
		where := "a node"
		if pod.Node != "" {
			where = "node " + pod.Node
		}
		return fmt.Sprintf("%s is on %s, and counts in queue %s", name, where, pod.Queue)
	}
	return fmt.Sprintf("%s is %s", name, pod.State)
}

// place says where somebody stands in a queue of this kind, and what those before it ask for, as
// far as that is known.
func place(queue string, position int64, atLeast bool, ahead map[string]int64) string {
	switch {
	case atLeast:
		return fmt.Sprintf("number %d of its %s, or later; before it in the queue wait %s, or "+
			"more", position, queue, amounts(ahead))
	case position <= 1:
		return "the next of its " + queue
	case len(ahead) == 0:
		return fmt.Sprintf("number %d of its %s", position, queue)
	}
	return fmt.Sprintf("number %d of its %s; before it in the queue wait %s", position, queue,
		amounts(ahead))
}

// estimate says how long it may take, how sure that is, and how it was made.
func estimate(of *ask.Outlook) string {
	span := func(length int64) string { return Span(time.Duration(length)) }
	earliest, latest := of.Range()
	ranged := earliest >= 0
	basis := ""
	if of.Basis != "" {
		basis = " (" + of.Basis + ")"
	}
	switch {
	case of.Estimate >= 0 && ranged:
		return fmt.Sprintf("about %s, between %s and %s%s", span(of.Estimate), span(earliest),
			span(latest), basis)
	case of.Estimate >= 0:
		return "about " + span(of.Estimate) + basis
	case ranged && latest >= 0:
		return fmt.Sprintf("between %s and %s%s", span(earliest), span(latest), basis)
	case ranged:
		return "not before " + span(earliest) + basis
	case of.Basis != "":
		return "none: " + of.Basis
	}
	return "none"
}

func flavors(of map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, name+" from "+of[name])
	}
	return strings.Join(parts, ", ")
}

// names go from the root down to the queue.
func names(path Path, queue string) string {
	if len(path) == 0 {
		return queue + " (does not exist)"
	}
	var parts []string
	for _, queue := range slices.Backward(path) {
		parts = append(parts, queue.Name)
	}
	return strings.Join(parts, " > ")
}

// levels are the limits that have to be passed, from the queue up, with what waits below each.
func levels(asks map[string]int64, on *ask.On, path Path, style *Style) string {
	var rows [][]string
	for _, queue := range path {
		node := &tree{Queue: queue}
		for i := range queue.Quota {
			quota := &queue.Quota[i]
			_, concerns := asks[quota.Resource]
			if quota.Ceiling == nil || (!concerns && asks != nil) {
				continue
			}
			name := quota.Resource
			if quota.Flavor != "default" {
				name += "/" + quota.Flavor
			}
			line := node.line(quota, name, quota.Flavor == "default", true)
			mark := ""
			if on != nil && on.Kind == queue.Kind && on.Name == queue.Name &&
				on.Resource == quota.Resource {
				mark = fmt.Sprintf("<- room for %s, asked for %s", amount(on.Resource, on.Room),
					amount(on.Resource, on.Asked))
			}
			rows = append(rows, []string{"           ", queue.Name, queue.State, name,
				line.bar(barCells, style), line.cells[2] + " of " + line.cells[3], waits(line.cells[4]),
				mark})
		}
	}
	return Rows(rows)
}

func waits(amount string) string {
	if amount == "" {
		return ""
	}
	return amount + " wait"
}
