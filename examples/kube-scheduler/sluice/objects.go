// SPDX-License-Identifier: Apache-2.0

package sluice

// Amount is how much of a resource: in thousandths for cpu, in units for all else.
type Amount struct {
	Name  string
	Value int64
}

// Pod is what the library wants to know of a pod. A zero value means that there is nothing to say.
type Pod struct {
	UID, Namespace, Name string
	Created              int64 // ns since 1970
	Priority             int32
	Generation           int64
	ResourceVersion      int64
	Scheduler            string // spec.schedulerName
	Gates                []string
	Annotations          [][2]string // no key twice; only those that the library reads need be there
	Labels               [][2]string // likewise
	NamespaceQueue       string      // the queue that the namespace names
	QueueKind            string      // KindQueue, or KindClusterQueue; "": KindQueue
	NotSelected          bool        // the namespaceSelector of that ClusterQueue leaves the pod's out
	Requests             []Amount    // no resource twice
	Node, Nominated      string
	Phase                string
	Deleted              bool
	Unschedulable        bool // PodScheduled is False with reason Unschedulable
	Mirror               bool
	Owner                string // the kind of the controlling owner

	// Only of interest on a pod that carries a minimum for its group.
	Controller    *Controller // the topmost; nil: it has none
	PriorityClass string

	PreemptionPolicy string // spec.preemptionPolicy; only Never need be said

	// SchedulingGroup is the PodGroup of scheduling.k8s.io that spec.schedulingGroup names.
	SchedulingGroup string
	// CompositeGroup is the CompositePodGroup at the top of those that this one is below.
	CompositeGroup string

	// ClaimMissing is the ResourceClaim, or the template of one, that it needs and is not there.
	ClaimMissing string
}

// The kinds of queues.
const (
	KindQueue        = "Queue" // Volcano's
	KindClusterQueue = "ClusterQueue"
	KindCohort       = "Cohort"
)

// Queue is a node of a tree of queues.
type Queue struct {
	Kind, Name string
	Parent     string
	Created    int64
	Strategy   string // dequeueStrategy, or queueingStrategy
	UID        string
	// ResourceVersion: of two versions of one UID the higher counts.
	ResourceVersion int64
	Annotations     [][2]string
	Deleted         bool // a deletionTimestamp is set

	// Volcano's.
	Priority                        int32
	State                           string
	NotReclaimable                  bool // spec.reclaimable is false
	Capability, Deserved, Guarantee []Amount

	// Kueue's.
	StopPolicy     string
	WhenCanBorrow  string
	WhenCanPreempt string // of workloads
	Preference     string // likewise
	Checks         []QueueCheck
	Groups         []ResourceGroup
	Preemption     Preemption
}

// Preemption is whose room a ClusterQueue's pods may take; "": nobody's.
type Preemption struct {
	WithinClusterQueue, ReclaimWithinCohort string

	BorrowWithinCohort   string // the policy; "": none is said
	MaxPriorityThreshold *int32
}

// ResourceGroup is a set of resources that come in the same flavors.
type ResourceGroup struct {
	Resources []string
	Flavors   []FlavorQuotas
}

// FlavorQuotas is what a queue has of one flavor.
type FlavorQuotas struct {
	Name   string
	Quotas []Quota
}

// Quota is what a queue has of one resource in one flavor.
type Quota struct {
	Resource           string
	Nominal            int64
	Borrowing, Lending *int64 // nil: no limit
}

// Node is what the library wants to know of a node.
type Node struct {
	Name        string
	Labels      [][2]string
	Allocatable []Amount
}

// Flavor is a kind of node.
type Flavor struct {
	Name        string
	NodeLabels  [][2]string
	Taints      []Taint
	Tolerations []Toleration
}

// Taint is one of a flavor's nodes, which pods must tolerate.
type Taint struct{ Key, Value, Effect string }

// Toleration is one that pods of a flavor need.
type Toleration struct {
	Key, Operator, Value, Effect string
	Seconds                      *int64
}

// pod writes a pod as one value. The uid comes first: the library fetches what it knows of the pod
// while it still reads the rest.
func (w *writer) pod(p *Pod) {
	place := w.putMapLater()
	keys := 4
	w.text("uid", p.UID)
	w.text("namespace", p.Namespace)
	w.text("name", p.Name)
	w.int("created", p.Created)
	keys += w.textsIf("gates", p.Gates)
	keys += w.pairsIf("annotations", p.Annotations)
	keys += w.pairsIf("labels", p.Labels)
	keys += w.amountsIf("requests", p.Requests)
	keys += w.intIf("priority", int64(p.Priority))
	keys += w.intIf("generation", p.Generation)
	keys += w.intIf("resourceVersion", p.ResourceVersion)
	keys += w.textIf("scheduler", p.Scheduler)
	keys += w.textIf("namespaceQueue", p.NamespaceQueue)
	keys += w.textIf("queueKind", p.QueueKind)
	keys += w.mayUse(p)
	keys += w.textIf("node", p.Node)
	keys += w.textIf("nominated", p.Nominated)
	keys += w.textIf("phase", p.Phase)
	keys += w.boolIf("deleted", p.Deleted)
	keys += w.boolIf("unschedulable", p.Unschedulable)
	keys += w.textIf("owner", p.Owner)
	keys += w.boolIf("mirror", p.Mirror)
	keys += w.controllerIf(p.Controller)
	keys += w.textIf("priorityClass", p.PriorityClass)
	keys += w.textIf("preemptionPolicy", p.PreemptionPolicy)
	keys += w.textIf("schedulingGroup", p.SchedulingGroup)
	keys += w.textIf("compositeGroup", p.CompositeGroup)
	keys += w.textIf("claimMissing", p.ClaimMissing)
	w.setCount(place, keys)
}

// mayUse writes whether the queue is for the pod's namespace. Older libraries know it of
// ClusterQueues alone, by another key.
func (w *writer) mayUse(p *Pod) int {
	if p.QueueKind == KindClusterQueue {
		return w.boolUnless("selected", !p.NotSelected)
	}
	return w.boolUnless("mayUse", !p.NotSelected)
}

// newPod writes a pod that is being created: of what the API server has yet to give only what is
// there.
func (w *writer) newPod(p *Pod) {
	place := w.putMapLater()
	keys := 1 + w.textIf("uid", p.UID)
	w.text("namespace", p.Namespace)
	keys += w.textIf("name", p.Name)
	keys += w.intIf("created", p.Created)
	keys += w.textsIf("gates", p.Gates)
	keys += w.pairsIf("annotations", p.Annotations)
	keys += w.amountsIf("requests", p.Requests)
	keys += w.intIf("priority", int64(p.Priority))
	keys += w.textIf("scheduler", p.Scheduler)
	keys += w.textIf("namespaceQueue", p.NamespaceQueue)
	keys += w.textIf("queueKind", p.QueueKind)
	keys += w.mayUse(p)
	keys += w.textIf("node", p.Node)
	keys += w.textIf("owner", p.Owner)
	keys += w.boolIf("mirror", p.Mirror)
	keys += w.controllerIf(p.Controller)
	keys += w.textIf("schedulingGroup", p.SchedulingGroup)
	keys += w.textIf("compositeGroup", p.CompositeGroup)
	w.setCount(place, keys)
}

func (w *writer) queue(q *Queue) {
	place := w.putMapLater()
	keys := 2
	w.text("kind", q.Kind)
	w.text("name", q.Name)
	keys += w.textIf("parent", q.Parent)
	keys += w.intIf("created", q.Created)
	keys += w.intIf("priority", int64(q.Priority))
	keys += w.textIf("strategy", q.Strategy)
	keys += w.textIf("uid", q.UID)
	keys += w.intIf("resourceVersion", q.ResourceVersion)
	keys += w.pairsIf("annotations", q.Annotations)
	keys += w.textIf("state", q.State)
	keys += w.textIf("stopPolicy", q.StopPolicy)
	keys += w.textIf("whenCanBorrow", q.WhenCanBorrow)
	keys += w.textIf("whenCanPreempt", q.WhenCanPreempt)
	keys += w.textIf("preference", q.Preference)
	keys += w.queueChecksIf(q.Checks)
	keys += w.boolIf("deleted", q.Deleted)
	if q.NotReclaimable {
		w.bool("reclaimable", false)
		keys++
	}
	keys += w.amountsIf("capability", q.Capability)
	keys += w.amountsIf("deserved", q.Deserved)
	keys += w.amountsIf("guarantee", q.Guarantee)
	keys += w.preemptionIf(&q.Preemption)
	if len(q.Groups) > 0 {
		w.putKey("groups")
		w.putArray(len(q.Groups))
		for i := range q.Groups {
			w.group(&q.Groups[i])
		}
		keys++
	}
	w.setCount(place, keys)
}

func (w *writer) preemptionIf(p *Preemption) int {
	if *p == (Preemption{}) {
		return 0
	}
	w.putKey("preemption")
	place := w.putMapLater()
	keys := w.textIf("withinClusterQueue", p.WithinClusterQueue)
	keys += w.textIf("reclaimWithinCohort", p.ReclaimWithinCohort)
	if p.BorrowWithinCohort != "" {
		w.putKey("borrowWithinCohort")
		if p.MaxPriorityThreshold == nil {
			w.putMap(1)
		} else {
			w.putMap(2)
			w.int("maxPriorityThreshold", int64(*p.MaxPriorityThreshold))
		}
		w.text("policy", p.BorrowWithinCohort)
		keys++
	}
	w.setCount(place, keys)
	return 1
}

// group writes both keys also where they are empty: the library says what is wrong with that.
func (w *writer) group(g *ResourceGroup) {
	w.putMap(2)
	w.putKey("resources")
	w.putArray(len(g.Resources))
	for _, resource := range g.Resources {
		w.putText(resource)
	}
	w.putKey("flavors")
	w.putArray(len(g.Flavors))
	for i := range g.Flavors {
		flavor := &g.Flavors[i]
		w.putMap(2)
		w.text("name", flavor.Name)
		w.putKey("quotas")
		w.putMap(len(flavor.Quotas))
		for k := range flavor.Quotas {
			w.quota(&flavor.Quotas[k])
		}
	}
}

func (w *writer) quota(q *Quota) {
	w.putText(q.Resource)
	place := w.putMapLater()
	keys := 1
	w.int("nominal", q.Nominal)
	if q.Borrowing != nil {
		w.int("borrowing", *q.Borrowing)
		keys++
	}
	if q.Lending != nil {
		w.int("lending", *q.Lending)
		keys++
	}
	w.setCount(place, keys)
}

func (w *writer) node(n *Node) {
	place := w.putMapLater()
	keys := 1
	w.text("name", n.Name)
	keys += w.pairsIf("labels", n.Labels)
	keys += w.amountsIf("allocatable", n.Allocatable)
	w.setCount(place, keys)
}

func (w *writer) flavor(f *Flavor) {
	place := w.putMapLater()
	keys := 1
	w.text("name", f.Name)
	keys += w.pairsIf("nodeLabels", f.NodeLabels)
	if len(f.Taints) > 0 {
		w.putKey("taints")
		w.putArray(len(f.Taints))
		for i := range f.Taints {
			place := w.putMapLater()
			keys := w.textIf("key", f.Taints[i].Key)
			keys += w.textIf("value", f.Taints[i].Value)
			w.setCount(place, keys+w.textIf("effect", f.Taints[i].Effect))
		}
		keys++
	}
	keys += w.tolerationsIf(f.Tolerations)
	w.setCount(place, keys)
}

func (w *writer) tolerationsIf(tolerations []Toleration) int {
	if len(tolerations) == 0 {
		return 0
	}
	w.putKey("tolerations")
	w.putArray(len(tolerations))
	for i := range tolerations {
		w.toleration(&tolerations[i])
	}
	return 1
}

func (w *writer) toleration(t *Toleration) {
	place := w.putMapLater()
	keys := w.textIf("key", t.Key)
	keys += w.textIf("operator", t.Operator)
	keys += w.textIf("value", t.Value)
	keys += w.textIf("effect", t.Effect)
	if t.Seconds != nil {
		w.int("seconds", *t.Seconds)
		keys++
	}
	w.setCount(place, keys)
}
