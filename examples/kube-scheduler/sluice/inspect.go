// SPDX-License-Identifier: Apache-2.0

package sluice

// Query is a question for Inspect; the zero value of a field leaves it out. PROTOCOL.md lists which
// fields belong to which What, and what the answers have.
type Query struct {
	What           string // queues, queue, pod, groups, group, fleet, pending, effects, limits, ...
	Kind, Name     string // of a queue; Name also of a pod, a group or a workload
	Namespace, UID string // of a pod; Namespace also of a group, a workload or a LocalQueue
	Within         string // whoever asks may see this namespace and no other
	Path           bool   // [pod, group, workload, localQueue] the queues that it is in, too
	Holding        bool   // [workloads] those that hold quota
	Native         bool   // [group] Kubernetes' own of this name, not Volcano's
	Composite      bool   // [group] a CompositePodGroup of this name
	From           int64  // where the page begins: the `from` of the answer before
	Max            int    // rows of a page
	WithoutTimers  bool   // [digest] only what a restart would find again
}

const inspectRoom = 64 << 10

// Inspect asks for a person. It never changes anything, and it is no hot path. The answer is a map
// of nil, bool, int64, string, []byte, []any and map[string]any, fit for encoding/json. A queue or
// a pod that is not known is an *Error with CodeField.
func (e *Engine) Inspect(q Query) (map[string]any, error) {
	keys := 2
	for _, is := range []bool{q.Kind != "", q.Name != "", q.Namespace != "", q.UID != "",
		q.Within != "", q.Path, q.From != 0, q.Max != 0, q.WithoutTimers, q.Holding, q.Native,
		q.Composite} {
		if is {
			keys++
		}
	}
	c := e.begin(keys)
	defer c.done()
	c.req.text("what", q.What)
	c.req.textIf("kind", q.Kind)
	c.req.textIf("name", q.Name)
	c.req.textIf("namespace", q.Namespace)
	c.req.textIf("uid", q.UID)
	c.req.textIf("!within", q.Within)
	c.req.boolIf("path", q.Path)
	c.req.intIf("from", q.From)
	c.req.intIf("max", int64(q.Max))
	c.req.boolIf("holding", q.Holding)
	c.req.boolIf("native", q.Native)
	c.req.boolIf("composite", q.Composite)
	if q.WithoutTimers {
		c.req.bool("timers", false)
	}
	c.makeRoom(inspectRoom)
	if err := e.ask(hookInspect, c); err != nil {
		return nil, err
	}
	return c.everything(hookInspect)
}

// everything reads the answer as it is, its tail included.
func (c *call) everything(f function) (map[string]any, error) {
	r := reader{message: c.message}
	answer, is := r.value(0).(map[string]any)
	switch {
	case r.err != nil:
		return nil, brokenError(f, r.err.Error())
	case r.left() > 0:
		return nil, brokenError(f, errTail.Error())
	case !is:
		return nil, brokenError(f, errType.Error())
	}
	return answer, nil
}
