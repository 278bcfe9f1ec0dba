// SPDX-License-Identifier: Apache-2.0

package sluice

// Controller is the topmost controller of a pod: the Deployment, not one of its ReplicaSets.
type Controller struct {
	UID, APIVersion, Kind, Name string
	Replicas                    *int64 // how many pods it wants; nil: that is not known
	Ordered                     bool   // it makes the next pod when the one before is ready
	Supersedes                  bool   // the pod, by one of a newer template
}

// Group is a PodGroup, with its status as it stands: Volcano's, or Kubernetes' own.
type Group struct {
	// Native: it is one of scheduling.k8s.io, and another than Volcano's of the same name. Of such a
	// one NotSelected, MinMember, Priority, GoesWhole and Deleted count, and Condition is the one that
	// is ours.
	Native bool
	// Composite: it is a CompositePodGroup that is below no other, and native. MinMember is how many
	// of the parts directly below it must be complete.
	Composite                  bool
	Parts                      []GroupPart // each before those below it
	UID, Namespace, Name       string
	Created                    int64
	ResourceVersion            int64
	Generation                 int64
	Queue                      string
	NotSelected                bool // that queue is not for its namespace
	MinMember                  int32
	MinResources               []Amount
	Priority                   *int32 // of its priority class; nil: its first member's
	PriorityClass              string
	Ours                       bool // this scheduler made it
	GoesWhole                  bool // none of its members is evicted for others without all that hold
	Deleted                    bool
	Owner                      string // the uid of its controlling owner
	Phase                      string
	Running, Succeeded, Failed int32
	Condition                  *Condition // the newest
}

// GroupPart is a PodGroup, or a CompositePodGroup, below a composite group.
type GroupPart struct {
	Name      string
	Depth     int32 // 1: directly below it
	Composite bool
	MinMember int32 // pods, or parts directly below it, without which it is not complete; 0: one
}

// NewGroup is what the library wants a PodGroup to be.
type NewGroup struct {
	Native        bool       // [ChangeGroup] one of Kubernetes' own: MinMember is to change
	Owner         Controller // without a UID: nobody
	Queue         string
	MinMember     int32
	MinResources  []Amount
	PriorityClass string
}

// GroupStatus is what the status of a PodGroup should say. Its conditions take the place of those
// of the same type.
type GroupStatus struct {
	Native                     bool // of the status there is but one condition to write
	Composite                  bool // it is that of a CompositePodGroup
	Phase                      string
	Running, Succeeded, Failed int32
	Conditions                 []Condition
}

// ObserveGroup: the PodGroup was seen, for the first time or again. To a library that is too old
// for groups, or was opened without AnswerPermit among its Effects, it is nothing, and its members
// wait.
func (e *Engine) ObserveGroup(g *Group) (Tail, error) {
	c := e.beginObserve("group", false, true)
	defer c.done()
	c.req.podGroup(g)
	return e.observeGroup(c)
}

// ForgetGroup: the PodGroup is gone. Another one of its name stays.
func (e *Engine) ForgetGroup(uid, namespace, name string) (Tail, error) {
	return e.forgetGroup(uid, namespace, name, "")
}

// forgetGroup tells of a group of a kind: "native", "composite", or "" of Volcano's.
func (e *Engine) forgetGroup(uid, namespace, name, kind string) (Tail, error) {
	c := e.beginObserve("group", true, true)
	defer c.done()
	place := c.req.putMapLater()
	c.req.text("uid", uid)
	c.req.text("namespace", namespace)
	c.req.text("name", name)
	keys := 3
	if kind != "" {
		keys += c.req.boolIf(kind, true)
	}
	c.req.setCount(place, keys)
	return e.observeGroup(c)
}

func (e *Engine) observeGroup(c *call) (Tail, error) {
	tail, err := e.observe(c)
	if failed, is := err.(*Error); is && failed.Code == CodeUnsupported && failed.Key == "kind" {
		return Tail{}, nil
	}
	return tail, err
}

func (w *writer) podGroup(g *Group) {
	place := w.putMapLater()
	keys := 4
	w.text("uid", g.UID)
	w.text("namespace", g.Namespace)
	w.text("name", g.Name)
	w.int("created", g.Created)
	keys += w.boolIf("native", g.Native)
	keys += w.boolIf("composite", g.Composite)
	keys += w.partsIf(g.Parts)
	keys += w.intIf("resourceVersion", g.ResourceVersion)
	keys += w.intIf("generation", g.Generation)
	keys += w.textIf("queue", g.Queue)
	keys += w.boolUnless("mayUse", !g.NotSelected)
	keys += w.intIf("minMember", int64(g.MinMember))
	keys += w.amountsIf("minResources", g.MinResources)
	if g.Priority != nil {
		w.int("priority", int64(*g.Priority))
		keys++
	}
	keys += w.textIf("priorityClass", g.PriorityClass)
	keys += w.boolIf("ours", g.Ours)
	keys += w.boolIf("goesWhole", g.GoesWhole)
	keys += w.boolIf("deleted", g.Deleted)
	keys += w.textIf("owner", g.Owner)
	keys += w.textIf("phase", g.Phase)
	keys += w.intIf("running", int64(g.Running))
	keys += w.intIf("succeeded", int64(g.Succeeded))
	keys += w.intIf("failed", int64(g.Failed))
	if g.Condition != nil {
		w.putKey("condition")
		w.putMap(4)
		w.text("type", g.Condition.Type)
		w.text("status", g.Condition.Status)
		w.text("reason", g.Condition.Reason)
		w.text("message", g.Condition.Message)
		keys++
	}
	w.setCount(place, keys)
}

// controllerIf writes who controls a pod, if that is said.
func (w *writer) controllerIf(c *Controller) int {
	if c == nil {
		return 0
	}
	w.putKey("controller")
	place := w.putMapLater()
	keys := 3
	w.text("uid", c.UID)
	w.text("kind", c.Kind)
	w.text("name", c.Name)
	keys += w.textIf("apiVersion", c.APIVersion)
	if c.Replicas != nil {
		w.int("replicas", *c.Replicas)
		keys++
	}
	keys += w.boolIf("ordered", c.Ordered)
	keys += w.boolIf("supersedes", c.Supersedes)
	w.setCount(place, keys)
	return 1
}

// readNewGroup takes the value of the key if it belongs to a PodGroup that is to be made.
func (r *reader) readNewGroup(key []byte, g *NewGroup) bool {
	switch string(key) {
	case "native":
		g.Native = r.bool()
	case "owner":
		g.Owner = r.owner()
	case "queue":
		g.Queue = r.text()
	case "minMember":
		g.MinMember = int32(r.int())
	case "minResources":
		g.MinResources = r.amounts()
	case "priorityClass":
		g.PriorityClass = r.text()
	default:
		return false
	}
	return true
}

func (r *reader) owner() (c Controller) {
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		switch string(r.bytes()) {
		case "uid":
			c.UID = r.text()
		case "apiVersion":
			c.APIVersion = r.text()
		case "kind":
			c.Kind = r.text()
		case "name":
			c.Name = r.text()
		default:
			r.skip()
		}
	}
	return c
}

func (w *writer) partsIf(parts []GroupPart) int {
	if len(parts) == 0 {
		return 0
	}
	w.putKey("parts")
	w.putArray(len(parts))
	for i := range parts {
		part := &parts[i]
		place := w.putMapLater()
		w.text("name", part.Name)
		w.int("depth", int64(part.Depth))
		w.setCount(place, 2+w.boolIf("composite", part.Composite)+
			w.intIf("minMember", int64(part.MinMember)))
	}
	return 1
}

// readGroupStatus takes the value of the key if it belongs to the status of a PodGroup.
func (r *reader) readGroupStatus(key []byte, s *GroupStatus) bool {
	switch string(key) {
	case "phase":
		s.Phase = r.text()
	case "running":
		s.Running = int32(r.int())
	case "succeeded":
		s.Succeeded = int32(r.int())
	case "failed":
		s.Failed = int32(r.int())
	case "conditions":
		for n := r.array(); n > 0 && r.err == nil; n-- {
			s.Conditions = append(s.Conditions, r.condition())
		}
	case "native":
		s.Native = r.bool()
	case "composite":
		s.Composite = r.bool()
	case "condition":
		s.Conditions = append(s.Conditions, r.condition())
	default:
		return false
	}
	return true
}
