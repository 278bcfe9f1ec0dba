// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"container/heap"
	"fmt"
	"strings"

	"sluice/kubectl-sluice/ask"
)

// Usual is how many queues are drawn where nobody says how many: what a person reads.
const Usual = 100

// crowd is what is not drawn.
type crowd struct {
	queues                             int
	waiting, held, reserved, allocated int64 // claims in them
}

func (c *crowd) add(t *tree) {
	c.queues += t.size()
	c.waiting += t.Waiting
	c.held += t.Held
	c.reserved += t.Reserved
	c.allocated += t.Allocated
}

func (c *crowd) row(lead string) []string {
	return []string{fmt.Sprintf("%s... %d more", lead, c.queues), "", fmt.Sprint(c.waiting),
		fmt.Sprint(c.held), fmt.Sprint(c.reserved), fmt.Sprint(c.allocated)}
}

func (t *tree) size() int {
	size := 1
	for _, child := range t.children {
		size += child.size()
	}
	return size
}

// choose keeps so many queues (0: all) down to a depth (0: any): the upper two levels first, then
// those where most waits, then those where most is used. The others are left to their parents'
// crowds. It returns the roots that are kept, and how many queues are not.
func choose(roots []*tree, options *Options) ([]*tree, int) {
	if options.Most == 0 && options.Depth == 0 {
		return roots, 0
	}
	var front front
	for _, root := range roots {
		root.depth = 1
		front = append(front, root)
	}
	heap.Init(&front)
	kept, hidden := []*tree{}, 0
	hide := func(t *tree) {
		hidden += t.size()
		if t.parent != nil {
			t.parent.hidden.add(t)
		}
	}
	for shown := 0; len(front) > 0 && (options.Most == 0 || shown < options.Most); shown++ {
		t := heap.Pop(&front).(*tree)
		children := t.children
		t.children = nil
		if t.parent == nil {
			kept = append(kept, t)
		} else {
			t.parent.children = append(t.parent.children, t)
		}
		for _, child := range children {
			child.parent, child.depth = t, t.depth+1
			if options.Depth > 0 && t.depth >= options.Depth {
				hide(child)
			} else {
				heap.Push(&front, child)
			}
		}
	}
	for _, t := range front {
		hide(t)
	}
	order(kept)
	return kept, hidden
}

// front are the queues whose parents are kept, the next one to be kept first.
type front []*tree

func (f front) Len() int      { return len(f) }
func (f front) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f front) Less(i, j int) bool {
	a, b := f[i], f[j]
	return cmp.Or(cmp.Compare(a.tier(), b.tier()), cmp.Compare(b.Waiting, a.Waiting),
		cmp.Compare(b.Reserved+b.Allocated, a.Reserved+a.Allocated),
		cmp.Compare(b.Held, a.Held), cmp.Compare(a.depth, b.depth),
		cmp.Compare(a.Name, b.Name)) < 0
}

// tier puts the upper two levels before all that is below them.
func (t *tree) tier() int { return min(t.depth, 3) }

func (f *front) Push(t any) { *f = append(*f, t.(*tree)) }

func (f *front) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// Below are a queue and all below it; none if there is no queue of this name.
func Below(queues []ask.Queue, name string) []ask.Queue {
	var some []ask.Queue
	var collect func(t *tree)
	collect = func(t *tree) {
		some = append(some, *t.Queue)
		for _, child := range t.children {
			collect(child)
		}
	}
	var search func(nodes []*tree)
	search = func(nodes []*tree) {
		for _, t := range nodes {
			if t.Name == name {
				collect(t)
			} else {
				search(t.children)
			}
		}
	}
	search(grow(queues))
	return some
}

// IsNamed tells whether a queue has a text in its name.
func IsNamed(queue *ask.Queue, text string) bool {
	return strings.Contains(strings.ToLower(queue.Name), strings.ToLower(text))
}

// Named are the queues with a text in their names, and those above them; all for no text.
func Named(queues []ask.Queue, text string) []ask.Queue {
	if text == "" {
		return queues
	}
	var collect func(nodes []*tree) []ask.Queue
	collect = func(nodes []*tree) []ask.Queue {
		var some []ask.Queue
		for _, t := range nodes {
			below := collect(t.children)
			if len(below) > 0 || IsNamed(t.Queue, text) {
				some = append(append(some, *t.Queue), below...)
			}
		}
		return some
	}
	return collect(grow(queues))
}
