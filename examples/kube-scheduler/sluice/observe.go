// SPDX-License-Identifier: Apache-2.0

package sluice

// beginObserve writes the request up to the object, or as a whole if the kind has none.
func (e *Engine) beginObserve(kind string, gone, object bool) *call {
	keys := 2
	if gone {
		keys++
	}
	if object {
		keys++
	}
	c := e.begin(keys)
	c.req.text("kind", kind)
	c.req.boolIf("gone", gone)
	if object {
		c.req.putKey("object")
	}
	return c
}

// observe sends what was begun, for kinds whose answer is of no interest but for its tail.
func (e *Engine) observe(c *call) (Tail, error) {
	if err := e.ask(hookObserve, c); err != nil {
		return Tail{}, err
	}
	return c.end(hookObserve)
}

// ObservePod: the pod was seen, for the first time or again. Of two versions the higher counts,
// whichever comes last.
func (e *Engine) ObservePod(p *Pod) (Tail, error) {
	c := e.beginObserve("pod", false, true)
	defer c.done()
	c.req.pod(p)
	return e.observe(c)
}

// ForgetPod: the pod is gone.
func (e *Engine) ForgetPod(uid string) (Tail, error) { return e.forget("pod", "uid", uid) }

// ObserveQueue: the queue was seen, for the first time or again.
func (e *Engine) ObserveQueue(q *Queue) (Tail, error) {
	c := e.beginObserve("queue", false, true)
	defer c.done()
	c.req.queue(q)
	return e.observe(c)
}

// ForgetQueue: the queue is gone. Its claims stay counted, and are held.
func (e *Engine) ForgetQueue(kind, name string) (Tail, error) {
	c := e.beginObserve("queue", true, true)
	defer c.done()
	c.req.putMap(2)
	c.req.text("kind", kind)
	c.req.text("name", name)
	return e.observe(c)
}

// ObserveNode: the node was seen, for the first time or again. Its id names it in Filter until it
// is gone.
func (e *Engine) ObserveNode(n *Node) (id uint32, t Tail, err error) {
	c := e.beginObserve("node", false, true)
	defer c.done()
	c.req.node(n)
	if err := e.ask(hookObserve, c); err != nil {
		return 0, Tail{}, err
	}
	for c.ans.round() {
		if c.ans.is("\xa2id") {
			id = uint32(c.ans.int())
		}
	}
	t, err = c.end(hookObserve)
	return id, t, err
}

// ForgetNode: the node is gone, and its id may be given to another.
func (e *Engine) ForgetNode(name string) (Tail, error) { return e.forget("node", "name", name) }

// ObserveFlavor: the flavor was seen, for the first time or again.
func (e *Engine) ObserveFlavor(f *Flavor) (Tail, error) {
	c := e.beginObserve("flavor", false, true)
	defer c.done()
	c.req.flavor(f)
	return e.observe(c)
}

// ForgetFlavor: the flavor is gone.
func (e *Engine) ForgetFlavor(name string) (Tail, error) { return e.forget("flavor", "name", name) }

func (e *Engine) forget(kind, key, value string) (Tail, error) {
	c := e.beginObserve(kind, true, true)
	defer c.done()
	c.req.putMap(1)
	c.req.text(key, value)
	return e.observe(c)
}

// Synced: everything that existed has been observed. Before that nothing is granted.
func (e *Engine) Synced() (Tail, error) {
	c := e.beginObserve("synced", false, false)
	defer c.done()
	return e.observe(c)
}

// Lead: this host leads from now on, or no longer. Only a leader grants and drains effects.
func (e *Engine) Lead(leads bool) (Tail, error) {
	c := e.beginObserve("leader", !leads, false)
	defer c.done()
	return e.observe(c)
}
