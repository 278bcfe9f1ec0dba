// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/kubectl-sluice/ask"
)

// Path is the way from a queue up to its root: the queue itself first.
type Path []*ask.Queue

// Up finds the path of a queue.
func Up(queues []ask.Queue, kind, name string) Path {
	nodes := map[key]*tree{}
	for i := range queues {
		nodes[key{queues[i].Kind, queues[i].Name}] = &tree{Queue: &queues[i]}
	}
	var path Path
	for at := nodes[key{kind, name}]; at != nil; at = parentOf(at.Queue, nodes) {
		path = append(path, at.Queue)
	}
	return path
}

// Why says what a pod waits for.
func Why(pod *ask.Pod, path Path, now time.Time, style *Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", headline(pod, now))
	say := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "  %-9s %s\n", what, fmt.Sprintf(format, args...))
	}
	if pod.Reason != "" {
		say("why", "%s: %s", pod.Reason, pod.Message)
	}
	if pod.Group != "" {
		say("group", "%s: %d members are there, its minimum is %d", pod.Group, pod.Members,
			max(pod.Minimum, 1))
	}
	if pod.Asks != nil {
		say("asks for", "%s", amounts(pod.Asks))
	}
	if len(pod.Flavors) > 0 {
		say("flavors", "%s", flavors(pod.Flavors))
	}
	if pod.State == "waiting" {
		say("place", "%s", place(pod))
		say("estimate", "%s", estimate(pod))
	}
	say("queue", "%s", names(path, pod))
	b.WriteString(levels(pod, path, style))
	return b.String()
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

func place(pod *ask.Pod) string {
	if pod.Position <= 1 {
		return "the next of its queue"
	}
	return fmt.Sprintf("number %d of its queue; before it in the queue wait %s", pod.Position,
		amounts(pod.Ahead))
}

func estimate(pod *ask.Pod) string {
	if pod.Estimate < 0 {
		return "none: " + pod.Basis
	}
	return fmt.Sprintf("about %s (%s)", Span(time.Duration(pod.Estimate)), pod.Basis)
}

func flavors(of map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, name+" from "+of[name])
	}
	return strings.Join(parts, ", ")
}

// names go from the root down to the queue.
func names(path Path, pod *ask.Pod) string {
	if len(path) == 0 {
		return pod.Queue + " (does not exist)"
	}
	var parts []string
	for _, queue := range slices.Backward(path) {
		parts = append(parts, queue.Name)
	}
	return strings.Join(parts, " > ")
}

// levels are the limits that the pod has to pass, from its queue up.
func levels(pod *ask.Pod, path Path, style *Style) string {
	var rows [][]string
	for _, queue := range path {
		node := &tree{Queue: queue, waiting: map[string]int64{}}
		for i := range queue.Quota {
			quota := &queue.Quota[i]
			asks, concerns := pod.Asks[quota.Resource]
			if quota.Ceiling == nil || (!concerns && pod.Asks != nil) {
				continue
			}
			name := quota.Resource
			if quota.Flavor != "default" {
				name += "/" + quota.Flavor
			}
			line := node.line(quota, name, 0, style)
			mark := ""
			if on := pod.On; on != nil && on.Kind == queue.Kind && on.Name == queue.Name &&
				on.Resource == quota.Resource {
				mark = fmt.Sprintf("<- room for %s, asked for %s",
					amount(quota.Resource, max(on.Room, 0)), amount(quota.Resource, asks))
			}
			rows = append(rows, []string{"           ", queue.Name, queue.State, line[0], line[1],
				line[2] + " of " + line[3], mark})
		}
	}
	return Rows(rows)
}
