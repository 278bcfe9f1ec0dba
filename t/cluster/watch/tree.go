// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// id is a queue: two kinds may have one of a name.
type id struct{ kind, name string }

// The kinds of queues. Kueue's roots are roots of their own; Volcano's tree has one.
const (
	volcanoQueue = "Queue"
	clusterQueue = "ClusterQueue"
	cohort       = "Cohort"
	rootName     = "root"
)

// queue is what its object says.
type queue struct {
	id     id
	parent id // name "": none

	capability, guarantee map[string]amount // Volcano's

	nominal, borrowing, lending vector // Kueue's; what is not set is not there
	covered                     map[string]bool
	flavorsOf                   map[string][]string // by resource, in order
}

type tree struct {
	queues     map[id]*queue
	root       map[string]amount // of Volcano's tree; nil: no ceiling
	unlimited  bool              // what a ClusterQueue does not declare
	depthLimit int
}

func newTree() *tree { return &tree{queues: map[id]*queue{}, depthLimit: 16} }

func amounts(of map[string]any, path ...string) map[string]amount {
	found, _, _ := unstructured.NestedMap(of, path...)
	read := map[string]amount{}
	for name, value := range found {
		if a := parse(value); a != nil {
			read[name] = a
		}
	}
	return read
}

// readQueue reads a Queue, a ClusterQueue or a Cohort.
func readQueue(of *unstructured.Unstructured) *queue {
	q := &queue{id: id{of.GetKind(), of.GetName()}}
	text := func(path ...string) string {
		found, _, _ := unstructured.NestedString(of.Object, path...)
		return found
	}
	if q.id.kind == volcanoQueue {
		q.capability = amounts(of.Object, "spec", "capability")
		// As upstream, 0 of these means that nothing was set.
		for _, name := range []string{"cpu", "memory"} {
			if a := q.capability[name]; a != nil && a.Sign() == 0 {
				delete(q.capability, name)
			}
		}
		q.guarantee = amounts(of.Object, "spec", "guarantee", "resource")
		q.parent = id{volcanoQueue, text("spec", "parent")}
		if q.parent.name == "" && q.id.name != rootName {
			q.parent.name = rootName
		}
		return q
	}
	q.parent = id{cohort, text("spec", "cohortName")}
	if q.id.kind == cohort {
		q.parent.name = text("spec", "parentName")
	}
	q.readGroups(of)
	return q
}

func (q *queue) readGroups(of *unstructured.Unstructured) {
	q.nominal, q.borrowing, q.lending = vector{}, vector{}, vector{}
	q.covered, q.flavorsOf = map[string]bool{}, map[string][]string{}
	groups, _, _ := unstructured.NestedSlice(of.Object, "spec", "resourceGroups")
	for _, group := range maps(groups) {
		covered, _, _ := unstructured.NestedStringSlice(group, "coveredResources")
		for _, name := range covered {
			q.covered[name] = true
		}
		flavors, _, _ := unstructured.NestedSlice(group, "flavors")
		for _, flavor := range maps(flavors) {
			name, _ := flavor["name"].(string)
			resources, _, _ := unstructured.NestedSlice(flavor, "resources")
			for _, resource := range maps(resources) {
				of, _ := resource["name"].(string)
				d := dimension{name, of}
				q.flavorsOf[of] = append(q.flavorsOf[of], name)
				for key, to := range map[string]vector{
					"nominalQuota": q.nominal, "borrowingLimit": q.borrowing,
					"lendingLimit": q.lending,
				} {
					if a := parse(resource[key]); a != nil {
						to[d] = a
					}
				}
			}
		}
	}
}

func maps(list []any) []map[string]any {
	var found []map[string]any
	for _, each := range list {
		if m, ok := each.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

// path is a queue and its ancestors; ok: it ends at a root and not in a cycle.
func (t *tree) path(of id) (path []id, ok bool) {
	for of.name != "" && len(path) <= t.depthLimit {
		path = append(path, of)
		q := t.queues[of]
		switch {
		case q != nil:
			of = q.parent
		case of == (id{volcanoQueue, rootName}) || of.kind == cohort:
			of = id{}
		case of.kind == volcanoQueue && of.name == "default":
			of = id{volcanoQueue, rootName}
		default:
			return path, false
		}
	}
	return path, len(path) <= t.depthLimit
}

func (t *tree) children(of id) []id {
	var found []id
	for each, q := range t.queues {
		if q.parent == of && each != of {
			found = append(found, each)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].name < found[j].name })
	return found
}

// limits are the numbers of a queue in one dimension.
type limits struct {
	share   amount // Kueue's
	kept    amount
	ceiling amount // nil: none
}

// limitsOf is the naive reading of a queue's objects, anew each time.
func (t *tree) limitsOf(of id, d dimension, depth int) limits {
	if depth > t.depthLimit {
		return limits{zero(), zero(), nil}
	}
	if of.kind == volcanoQueue {
		return t.volcanoLimits(of, d)
	}
	if t.unlimited && !t.isDeclared(d.resource) {
		return limits{zero(), zero(), nil}
	}
	q := t.queues[of]
	share := zero()
	if q != nil {
		share = sum(share, q.nominal.get(d))
	}
	for _, child := range t.children(of) {
		below := t.limitsOf(child, d, depth+1)
		share = sum(share, less(below.share, below.kept))
	}
	l := limits{share: share, kept: zero(), ceiling: share}
	if q == nil || q.parent.name == "" {
		return l
	}
	if lending := q.lending[d]; lending != nil {
		l.kept = atLeastZero(less(share, lending))
	}
	l.ceiling = nil
	if borrowing := q.borrowing[d]; borrowing != nil {
		l.ceiling = sum(share, borrowing)
	}
	if of.kind == clusterQueue && !q.covered[d.resource] && d.resource != "pods" {
		l.ceiling = zero()
	}
	return l
}

// isDeclared tells whether any ClusterQueue or Cohort has a quota for a resource.
func (t *tree) isDeclared(resource string) bool {
	for _, q := range t.queues {
		if q.covered[resource] {
			return true
		}
	}
	return false
}

func (t *tree) volcanoLimits(of id, d dimension) limits {
	l := limits{kept: zero()}
	var capability amount
	if q := t.queues[of]; q != nil {
		if kept := q.guarantee[d.resource]; kept != nil {
			l.kept = kept
		}
		capability = q.capability[d.resource]
	}
	if of.name == rootName {
		l.kept = zero()
		capability = t.root[d.resource]
	}
	if capability == nil {
		return l
	}
	l.ceiling = capability
	for _, child := range t.children(of) {
		if kept := t.queues[child].guarantee[d.resource]; kept != nil {
			l.ceiling = less(l.ceiling, kept)
		}
	}
	return l
}

// usage is what a queue uses: of a leaf what its pods ask for, of others what their children use
// beyond what is kept for them.
func (t *tree) usage(of id, d dimension, own map[id]vector, depth int) amount {
	used := own[of].get(d)
	if depth > t.depthLimit {
		return used
	}
	children := t.children(of)
	if of == (id{volcanoQueue, rootName}) && t.queues[id{volcanoQueue, "default"}] == nil {
		children = append(children, id{volcanoQueue, "default"})
	}
	for _, child := range children {
		below := t.usage(child, d, own, depth+1)
		used = sum(used, atLeastZero(less(below, t.limitsOf(child, d, depth+1).kept)))
	}
	return used
}
