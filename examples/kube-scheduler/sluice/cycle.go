// SPDX-License-Identifier: Apache-2.0

package sluice

// Verdict is whether a pod may go on.
type Verdict struct {
	Pass bool
	// Reason is one of the Reason constants, or one of a newer library; empty if it passes.
	Reason string
	// Message is for people: what the pod waits for.
	Message string
	// Would is what Pass would be if the engine did not only observe. [PreEnqueue]
	Would bool
	// Unschedulable: the pod's group found no nodes, and the autoscaler has to see each of its
	// members. [PreFilter]
	Unschedulable bool
}

// Why a pod waits; PROTOCOL.md says for what.
const (
	ReasonForeignGate     = "ForeignGate"
	ReasonQueueCapacity   = "QueueCapacity"
	ReasonQueueOrder      = "QueueOrder"
	ReasonQueueSuspended  = "QueueSuspended"
	ReasonQueueClosed     = "QueueClosed"
	ReasonQueueUnknown    = "QueueUnknown"
	ReasonQueueInactive   = "QueueInactive"
	ReasonNotSelected     = "NamespaceNotSelected"
	ReasonGroupMissing    = "GroupMissing"
	ReasonGroupInvalid    = "GroupInvalid"
	ReasonGroupIncomplete = "GroupIncomplete"
	ReasonGroupTurn       = "GroupTurn"
	ReasonGroupBackoff    = "GroupBackoff"
	ReasonGroupChanging   = "GroupChanging"
	ReasonSuperseded      = "Superseded"
	ReasonClaimMissing    = "ClaimMissing"
	ReasonConditionStale  = "ConditionStale"
	ReasonBackoff         = "Backoff"
	ReasonNotReady        = "NotReady"
)

// reason reads text that is nearly always one of those, without copying it.
func (r *reader) reason() string {
	text := r.bytes()
	if string(text) == ReasonQueueCapacity { // of all that wait, nearly all wait for this
		return ReasonQueueCapacity
	}
	switch string(text) {
	case ReasonForeignGate:
		return ReasonForeignGate
	case ReasonQueueOrder:
		return ReasonQueueOrder
	case ReasonQueueSuspended:
		return ReasonQueueSuspended
	case ReasonQueueClosed:
		return ReasonQueueClosed
	case ReasonQueueUnknown:
		return ReasonQueueUnknown
	case ReasonQueueInactive:
		return ReasonQueueInactive
	case ReasonNotSelected:
		return ReasonNotSelected
	case ReasonGroupMissing:
		return ReasonGroupMissing
	case ReasonGroupInvalid:
		return ReasonGroupInvalid
	case ReasonGroupIncomplete:
		return ReasonGroupIncomplete
	case ReasonGroupTurn:
		return ReasonGroupTurn
	case ReasonGroupBackoff:
		return ReasonGroupBackoff
	case ReasonGroupChanging:
		return ReasonGroupChanging
	case ReasonSuperseded:
		return ReasonSuperseded
	case ReasonClaimMissing:
		return ReasonClaimMissing
	case ReasonConditionStale:
		return ReasonConditionStale
	case ReasonBackoff:
		return ReasonBackoff
	case ReasonNotReady:
		return ReasonNotReady
	default:
		return string(text)
	}
}

// readVerdict reads what of a verdict comes next.
func (a *answer) readVerdict(v *Verdict) {
	if a.is("\xa4pass") {
		v.Pass = a.bool()
	}
	if a.is("\xa6reason") {
		v.Reason = a.reason()
	}
	if a.is("\xa7message") {
		v.Message = a.text()
	}
}

// PreEnqueue asks whether the scheduler may look at the pod; the request carries the pod, because
// the scheduler may ask before the pod was observed. Without explain the message stays empty, and
// the call is cheaper.
func (e *Engine) PreEnqueue(p *Pod, explain bool) (v Verdict, t Tail, err error) {
	keys := 2
	if explain {
		keys++
	}
	c := e.begin(keys)
	defer c.done()
	c.req.putKey("pod")
	c.req.pod(p)
	c.req.boolIf("explain", explain)
	v, _, t, err = e.askPreEnqueue(c)
	return v, t, err
}

// PreEnqueueKnown is the short form of PreEnqueue, for a pod that the engine has seen in this
// version or a newer one. If known is false nothing was decided: ask with the pod. So it is, too,
// with a library that is too old for the short form.
func (e *Engine) PreEnqueueKnown(uid string, resourceVersion int64) (v Verdict, known bool, t Tail,
	err error) {
	if e.longFormOnly.Load() {
		return Verdict{}, false, Tail{}, nil
	}
	c := e.begin(3)
	defer c.done()
	c.req.text("uid", uid)
	c.req.int("resourceVersion", resourceVersion)
	v, known, t, err = e.askPreEnqueue(c)
	if failed, is := err.(*Error); is && failed.Code == CodeField && failed.Key == "pod" {
		e.longFormOnly.Store(true)
		return Verdict{}, false, Tail{}, nil
	}
	return v, known, t, err
}

func (e *Engine) askPreEnqueue(c *call) (v Verdict, known bool, t Tail, err error) {
	if err := e.ask(hookPreEnqueue, c); err != nil {
		return Verdict{}, false, Tail{}, err
	}
	for c.ans.round() {
		c.ans.readVerdict(&v)
		if c.ans.is("\xa5would") {
			v.Would = c.ans.bool()
		}
		if c.ans.is("\xa5known") {
			known = c.ans.bool()
		}
	}
	if t, err = c.end(hookPreEnqueue); err != nil {
		return Verdict{}, false, Tail{}, err
	}
	return v, known, t, nil
}

// PreFilter asks whether the pod may still go on, and whether nodes matter: if not, Filter would
// let every node pass. A refusal is for the queue's sake, and must not become Unschedulable unless
// it says so.
func (e *Engine) PreFilter(uid string) (v Verdict, nodes bool, t Tail, err error) {
	c := e.begin(2)
	defer c.done()
	c.req.text("uid", uid)
	if err := e.ask(hookPreFilter, c); err != nil {
		return Verdict{}, false, Tail{}, err
	}
	for c.ans.round() {
		c.ans.readVerdict(&v)
		if c.ans.is("\xa5nodes") {
			nodes = c.ans.bool()
		}
		if c.ans.is("\xadunschedulable") {
			v.Unschedulable = c.ans.bool()
		}
	}
	if t, err = c.end(hookPreFilter); err != nil {
		return Verdict{}, false, Tail{}, err
	}
	return v, nodes, t, nil
}

// Filter asks which nodes the pod may use, by the ids that ObserveNode gave. The answer has one bit
// for each, in their order, the lowest bit of the first byte first; it is written over bits, which
// may be nil. If nodes is nil every node is asked about, and the bit of id i is at place i.
func (e *Engine) Filter(uid string, nodes []uint32, bits []byte) ([]byte, Tail, error) {
	c := e.begin(3)
	defer c.done()
	c.req.text("uid", uid)
	c.req.putKey("nodes")
	if nodes == nil {
		c.req.putNil()
	} else {
		c.req.putArray(len(nodes))
		for _, node := range nodes {
			c.req.putInt(int64(node))
		}
	}
	bits = bits[:0]
	if err := e.ask(hookFilter, c); err != nil {
		return bits, Tail{}, err
	}
	for c.ans.round() {
		if c.ans.is("\xa4bits") {
			bits = append(bits, c.ans.bytes()...)
		}
	}
	t, err := c.end(hookFilter)
	if err == nil && nodes != nil && len(bits) != (len(nodes)+7)/8 {
		err = brokenError(hookFilter, "bits that are not one for each node")
	}
	return bits, t, err
}

// Has tells whether the bit at this place is set.
func Has(bits []byte, place uint32) bool {
	return int(place/8) < len(bits) && bits[place/8]&(1<<(place%8)) != 0
}

// PostFilter: no node fits the pod.
func (e *Engine) PostFilter(uid string) (Tail, error) {
	c := e.begin(2)
	defer c.done()
	c.req.text("uid", uid)
	if err := e.ask(hookPostFilter, c); err != nil {
		return Tail{}, err
	}
	return c.end(hookPostFilter)
}

// beginPlaced writes the request of the hooks that are about a pod on a node.
func (e *Engine) beginPlaced(uid, node string) *call {
	c := e.begin(3)
	c.req.text("uid", uid)
	c.req.text("node", node)
	return c
}

// Reserve: the scheduler has chosen this node. If it passes, the claim counts as allocated.
func (e *Engine) Reserve(uid, node string) (v Verdict, t Tail, err error) {
	return e.askReserve(e.beginPlaced(uid, node))
}

func (e *Engine) askReserve(c *call) (v Verdict, t Tail, err error) {
	defer c.done()
	if err := e.ask(hookReserve, c); err != nil {
		return Verdict{}, Tail{}, err
	}
	for c.ans.round() {
		c.ans.readVerdict(&v)
	}
	if t, err = c.end(hookReserve); err != nil {
		return Verdict{}, Tail{}, err
	}
	return v, t, nil
}

// Unreserve: the pod does not go to this node after all. The claim keeps its reservation.
func (e *Engine) Unreserve(uid, node string) (Tail, error) {
	return e.tell(hookUnreserve, e.beginPlaced(uid, node))
}

// PostBind: the pod is bound.
func (e *Engine) PostBind(uid, node string) (Tail, error) {
	return e.tell(hookPostBind, e.beginPlaced(uid, node))
}

func (e *Engine) tell(hook function, c *call) (Tail, error) {
	defer c.done()
	if err := e.ask(hook, c); err != nil {
		return Tail{}, err
	}
	return c.end(hook)
}

// Permit asks whether the pod may be bound now. If not, it waits for the rest of its group, at most
// until the time `until`; an effect AnswerPermit ends the wait before that.
func (e *Engine) Permit(uid, node string) (allow bool, until int64, t Tail, err error) {
	c := e.beginPlaced(uid, node)
	defer c.done()
	if err := e.ask(hookPermit, c); err != nil {
		return false, 0, Tail{}, err
	}
	for c.ans.round() {
		if c.ans.is("\xa5allow") {
			allow = c.ans.bool()
		}
		if c.ans.is("\xa4wait") {
			until = c.ans.int()
		}
	}
	t, err = c.end(hookPermit)
	return allow && err == nil, until, t, err
}

// Bind asks what must be patched before the pod is bound. No gates: nothing.
func (e *Engine) Bind(uid, node string) (p Patch, t Tail, err error) {
	c := e.beginPlaced(uid, node)
	defer c.done()
	if err := e.ask(hookBind, c); err != nil {
		return Patch{}, Tail{}, err
	}
	for c.ans.round() {
		if !c.ans.readPatch(c.ans.key(), &p) {
			c.ans.skip()
		}
	}
	if t, err = c.end(hookBind); err != nil {
		return Patch{}, Tail{}, err
	}
	return p, t, nil
}
