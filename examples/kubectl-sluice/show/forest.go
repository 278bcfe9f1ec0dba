// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

type key struct{ kind, name string }

// tree is a queue with those below it.
type tree struct {
	*ask.Queue
	children []*tree

	parent *tree // while it is chosen what is drawn; of a root: none
	depth  int   // a root's is 1
	hidden crowd // children that are not drawn, and all below them
}

// grow makes trees of the queues. A parent that is not among them makes its children roots.
func grow(queues []ask.Queue) []*tree {
	nodes := map[key]*tree{}
	for i := range queues {
		nodes[key{queues[i].Kind, queues[i].Name}] = &tree{Queue: &queues[i]}
	}
	var roots []*tree
	for i := range queues {
		queue := &queues[i]
		node := nodes[key{queue.Kind, queue.Name}]
		if parent := parentOf(queue, nodes); parent != nil {
			parent.children = append(parent.children, node)
		} else {
			roots = append(roots, node)
		}
	}
	order(roots)
	return roots
}

// parentOf is nil for a root, and for a queue that the engine could not put where it should be: its
// parents may be a cycle.
func parentOf(queue *ask.Queue, nodes map[key]*tree) *tree {
	if queue.Parent == "" || (queue.State == "Inactive" && queue.Reason == "QueueInactive") {
		return nil
	}
	kind := queue.Kind
	if kind == ask.ClusterQueue {
		kind = ask.Cohort
	}
	return nodes[key{kind, queue.Parent}]
}

func order(nodes []*tree) {
	slices.SortFunc(nodes, func(a, b *tree) int {
		return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	for _, node := range nodes {
		order(node.children)
	}
}

// Options of a drawing.
type Options struct {
	Style     Style
	Resources []string // only these; all if empty
	Most      int      // how many queues are drawn; 0: all
	Depth     int      // how many levels are; 0: all
}

// Forest draws the queues.
func Forest(queues []ask.Queue, options Options) string {
	queues, options.Resources = plain.Shown(queues), plain.Shown(options.Resources)
	var rows [][]string
	rows = append(rows, []string{"QUEUE", "STATE", "WAIT", "HELD", "RSVD", "RUN", "RESOURCE", "",
		"IN USE", "OF", "WAITING"})
	roots, hidden := choose(grow(queues), &options)
	for _, root := range roots {
		rows = root.draw(rows, "", "", &options)
	}
	if hidden == 0 {
		return Rows(rows)
	}
	return Rows(rows) + fmt.Sprintf("%d of %d queues are not shown: --all shows them, --below "+
		"QUEUE and --depth N a part\n", hidden, len(queues))
}

func (t *tree) draw(rows [][]string, lead, below string, options *Options) [][]string {
	title := lead + t.Name
	if t.Kind != ask.VolcanoQueue {
		title += " (" + t.Kind + ")"
	}
	head := []string{title, t.state(), fmt.Sprint(t.Waiting), fmt.Sprint(t.Held),
		fmt.Sprint(t.Reserved), fmt.Sprint(t.Allocated)}
	for _, line := range t.lines(options) {
		rows = append(rows, append(head, line...))
		continued := below + options.Style.nothing
		if len(t.children) > 0 || t.hidden.queues > 0 {
			continued = below + options.Style.deeper
		}
		head = []string{strings.TrimRight(continued, " "), "", "", "", "", ""}
	}
	if head[1] != "" {
		rows = append(rows, head)
	}
	for i, child := range t.children {
		lead, deeper := options.Style.child, options.Style.deeper
		if i == len(t.children)-1 && t.hidden.queues == 0 {
			lead, deeper = options.Style.last, options.Style.nothing
		}
		rows = child.draw(rows, below+lead, below+deeper, options)
	}
	if t.hidden.queues > 0 {
		rows = append(rows, t.hidden.row(below+options.Style.last))
	}
	return rows
}

func (t *tree) state() string {
	if t.ByParent {
		return t.State + "*"
	}
	return t.State
}

// lines are its quotas; and of a queue without, or where a resource is asked for by name, what
// waits for a resource that it has no quota of.
func (t *tree) lines(options *Options) [][]string {
	var lines [][]string
	flavors := map[string]int{} // how many a resource has
	quotas := slices.Clone(t.Quota)
	slices.SortStableFunc(quotas, func(a, b ask.Quota) int {
		return cmp.Or(rank(a.Resource)-rank(b.Resource), cmp.Compare(a.Resource, b.Resource))
	})
	for i := range quotas {
		flavors[quotas[i].Resource]++
	}
	for i := range quotas {
		quota := &quotas[i]
		name := quota.Resource
		if !wanted(options, name) || idle(quota) && t.Asks[name] == 0 {
			continue
		}
		if quota.Flavor != "default" {
			name += "/" + quota.Flavor
		}
		first := i == 0 || quotas[i-1].Resource != quota.Resource
		lines = append(lines, t.line(quota, name, flavors[quota.Resource] == 1, first,
			&options.Style))
	}
	for _, name := range resources(t.Asks) {
		if flavors[name] == 0 && wanted(options, name) &&
			(len(options.Resources) > 0 || len(t.Quota) == 0) {
			lines = append(lines, t.line(&ask.Quota{Resource: name}, name, true, true,
				&options.Style))
		}
	}
	return lines
}

func wanted(options *Options, resource string) bool {
	return len(options.Resources) == 0 || slices.Contains(options.Resources, resource)
}

// idle quotas would only make the picture longer.
func idle(q *ask.Quota) bool {
	return q.Ceiling == nil && q.Share == 0 && q.Allocated == 0 && q.Reserved == 0
}

// line draws a quota. Which flavor the waiting will get is not known before: so where there are
// several (alone: there are not), only the first line says how much waits, and no bar does.
func (t *tree) line(q *ask.Quota, name string, alone, first bool, style *Style) []string {
	used := amount(q.Resource, q.Allocated)
	if q.Reserved > 0 {
		used += "+" + amount(q.Resource, q.Reserved)
	}
	limit := "no limit"
	if q.Ceiling != nil {
		limit = amount(q.Resource, *q.Ceiling)
	}
	waits, waiting := t.Asks[q.Resource], ""
	switch {
	case !first:
	case t.Asks == nil && t.Waiting > 0: // an older scheduler does not say it
		waiting = "?"
	case waits > 0:
		waiting = amount(q.Resource, waits)
	}
	if !alone {
		waits = 0
	}
	return []string{name, style.bar(q.Allocated, q.Reserved, waits, q.Ceiling), used, limit, waiting}
}

// Legend explains the drawing in one line.
func Legend(style *Style) string {
	return fmt.Sprintf("%s allocated  %s reserved  %s waiting  %s free  %s waits beyond the limit   "+
		"a+b: allocated + reserved   *: by its parent", style.allocated, style.reserved,
		style.waiting, style.free, style.over)
}
