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
	Width     int      // columns of a line; 0: as many as it takes
	Wide      bool     // with the queue's order, and its totals
	Sort      Sort
}

// Sort is the order of queues that have the same parent.
type Sort string

// The orders.
const (
	ByName    Sort = "name"
	ByWaiting Sort = "waiting" // those where most waits first
	ByUsed    Sort = "used"    // those with most claims that were granted first
)

// Sorts are all of them.
var Sorts = []Sort{ByName, ByWaiting, ByUsed}

// Line is one of a drawing, and the queue whose first line it is.
type Line struct {
	Text  string
	Queue *ask.Queue
}

// Forest draws the queues.
func Forest(queues []ask.Queue, options Options) string {
	var text []string
	for _, line := range ForestLines(queues, options) {
		text = append(text, line.Text)
	}
	return joined(text)
}

// The columns of a forest.
var (
	titles = []string{"QUEUE", "STATE", "WAIT", "HELD", "RSVD", "RUN", "RESOURCE", "", "IN USE", "OF",
		"WAITING"}
	wideTitles = []string{"ORDER", "GRANTED", "RELEASED", "DEMOTED"}
)

const (
	nameColumn     = 0
	resourceColumn = 6
	barColumn      = 7
)

// ForestLines draws the queues, the titles first.
func ForestLines(queues []ask.Queue, options Options) []Line {
	queues, options.Resources = plain.Shown(queues), plain.Shown(options.Resources)
	f := forest{Options: &options,
		table: table{at: barColumn, cut: []int{nameColumn, resourceColumn}}}
	f.add(nil, titles, nil)
	if options.Wide {
		f.rows[0] = append(slices.Clone(titles), wideTitles...)
	}
	roots, hidden := choose(grow(queues), &options)
	sorted(roots, options.Sort)
	for _, root := range roots {
		f.draw(root, "", "")
	}
	drawn := make([]Line, 0, len(f.rows))
	for i, text := range f.fit(options.Width) {
		drawn = append(drawn, Line{text, f.queues[i]})
	}
	if hidden > 0 {
		drawn = append(drawn, Line{Text: fmt.Sprintf("%d of %d queues are not shown: --all shows them, "+
			"--below QUEUE and --depth N a part", hidden, len(queues))})
	}
	return drawn
}

// sorted puts the children of each queue in order.
func sorted(nodes []*tree, by Sort) {
	if by == ByName || by == "" {
		return // as they were chosen
	}
	weight := func(t *tree) int64 {
		if by == ByWaiting {
			return t.Waiting
		}
		return t.Reserved + t.Allocated
	}
	slices.SortStableFunc(nodes, func(a, b *tree) int { return cmp.Compare(weight(b), weight(a)) })
	for _, node := range nodes {
		sorted(node.children, by)
	}
}

// forest is a drawing.
type forest struct {
	*Options
	table
	queues []*ask.Queue // of each row whose queue it begins
}

func (f *forest) add(queue *ask.Queue, row []string, bar func(cells int) string) {
	f.table.add(row, bar)
	f.queues = append(f.queues, queue)
}

func (f *forest) draw(t *tree, lead, below string) {
	title := lead + t.Name
	if t.Kind != ask.VolcanoQueue {
		title += " (" + t.Kind + ")"
	}
	head := []string{title, t.state(), fmt.Sprint(t.Waiting), fmt.Sprint(t.Held),
		fmt.Sprint(t.Reserved), fmt.Sprint(t.Allocated)}
	queue, last := t.Queue, []string(nil)
	if f.Wide {
		last = []string{t.Strategy, fmt.Sprint(t.Granted), fmt.Sprint(t.Released),
			fmt.Sprint(t.Demoted)}
	}
	for _, line := range t.lines(f.Options) {
		row := append(slices.Concat(head, line.cells), last...)
		f.add(queue, row, func(cells int) string { return line.bar(cells, &f.Style) })
		continued := below + f.Style.nothing
		if len(t.children) > 0 || t.hidden.queues > 0 {
			continued = below + f.Style.deeper
		}
		head = []string{strings.TrimRight(continued, " "), "", "", "", "", ""}
		queue, last = nil, nil
	}
	if queue != nil {
		if f.Wide {
			head = append(append(head, "", "", "", "", ""), last...)
		}
		f.add(queue, head, nil)
	}
	for i, child := range t.children {
		lead, deeper := f.Style.child, f.Style.deeper
		if i == len(t.children)-1 && t.hidden.queues == 0 {
			lead, deeper = f.Style.last, f.Style.nothing
		}
		f.draw(child, below+lead, below+deeper)
	}
	if t.hidden.queues > 0 {
		f.add(nil, t.hidden.row(below+f.Style.last), nil)
	}
}

func (t *tree) state() string {
	if t.ByParent {
		return t.State + "*"
	}
	return t.State
}

// lines are its quotas; and of a queue without, or where a resource is asked for by name, what
// waits for a resource that it has no quota of.
func (t *tree) lines(options *Options) []quotaLine {
	var lines []quotaLine
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
		lines = append(lines, t.line(quota, name, flavors[quota.Resource] == 1, first))
	}
	for _, name := range resources(t.Asks) {
		if flavors[name] == 0 && wanted(options, name) &&
			(len(options.Resources) > 0 || len(t.Quota) == 0) {
			lines = append(lines, t.line(&ask.Quota{Resource: name}, name, true, true))
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

// quotaLine is a quota in words, with its bar.
type quotaLine struct {
	cells []string // resource, the place of the bar, in use, of, waiting
	quota *ask.Quota
	waits int64 // what the bar shows of it
}

func (l *quotaLine) bar(cells int, style *Style) string {
	return style.bar(cells, l.quota.Allocated, l.quota.Reserved, l.waits, l.quota.Ceiling)
}

// line is a quota's. Which flavor the waiting will get is not known before: so where there are
// several (alone: there are not), only the first line says how much waits, and no bar does.
func (t *tree) line(q *ask.Quota, name string, alone, first bool) quotaLine {
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
	return quotaLine{[]string{name, "", used, limit, waiting}, q, waits}
}

// Legend explains the drawing in one line.
func Legend(style *Style) string {
	return fmt.Sprintf("%s allocated  %s reserved  %s waiting  %s free  %s waits beyond the limit   "+
		"a+b: allocated + reserved   *: by its parent", style.allocated, style.reserved,
		style.waiting, style.free, style.over)
}
