// SPDX-License-Identifier: Apache-2.0

package sluice

// Patch is what one patch of a pod writes. It must test the pod's uid and Generation.
type Patch struct {
	Gates        []string // to remove
	Generation   int64
	Annotations  [][2]string
	NodeSelector [][2]string
	Tolerations  []Toleration
}

// The kinds of effects. Those after the first three only come if Config.Effects names them.
const (
	Activate       = "activate"          // move the pod out of the scheduler's gated pods
	RemoveGates    = "removeGates"       // write the Patch
	SetCondition   = "setCondition"      // PodScheduled=False, under ResourceVersion
	QueueStatus    = "queueStatus"       // write the Status of the queue
	Event          = "event"             // tell the Occurrence
	DeleteCommand  = "deleteCommand"     // delete the command
	AnswerPermit   = "answerPermit"      // let the pod that waits in Permit go on, or reject it
	SetGroup       = "setGroup"          // write Group into the pod's annotation
	CreateGroup    = "createGroup"       // make NewGroup
	CreateNative   = "createNativeGroup" // make NewGroup, one of Kubernetes' own
	ChangeGroup    = "changeGroup"       // write NewGroup, but for its owner, over ResourceVersion
	SetGroupStatus = "setGroupStatus"    // write GroupStatus, under ResourceVersion
	EvictPod       = "evictPod"          // evict the pod, unless a disruption budget refuses
)

// askedFor are those that a host must ask for; which of them there are, is the library's version.
var askedFor = []string{QueueStatus, Event, DeleteCommand, AnswerPermit, SetGroup, CreateGroup,
	CreateNative, SetGroupStatus, EvictPod, WriteWorkload}

// Effect is something that the host must do in the world.
type Effect struct {
	ID                   int64 // for Ack
	Kind                 string
	UID, Namespace, Name string // the pod, the queue, the command or the PodGroup
	Attempt              int    // 1, 2, ...
	Patch                Patch  // [RemoveGates]
	ResourceVersion      int64  // [SetCondition, SetGroup, SetGroupStatus, and a manager's]
	Gated                bool   // its pod has a gate still [SetCondition]
	Reason               string // [SetCondition, Event, EvictPod, WriteWorkload]
	Message              string // [those, AnswerPermit, RetryCheck, EvictPod]
	Status               *Status
	Occurrence           *Occurrence // [Event; of EvictPod its Key alone]
	Allow                bool        // [AnswerPermit]
	Group                string      // [SetGroup]
	NewGroup             *NewGroup
	GroupStatus          *GroupStatus
	Fleet                *FleetEffect // of those that fleet.go lists
	Workload             *WorkloadWrite
}

// Ack says what became of an effect.
type Ack struct {
	ID     int64
	Result string // Done, Gone, Conflict or Retry
	// ResourceVersion of the queue, the pod or the workload as it was written. [QueueStatus,
	// SetGroup, WriteWorkload]
	ResourceVersion int64
}

// The results of an effect.
const (
	Done     = "done"     // also if there was nothing left to do
	Gone     = "gone"     // the object is gone
	Conflict = "conflict" // the world moved: it is looked at again when the object is next observed
	Retry    = "retry"    // again, after a backoff
)

const (
	mostEffects = 1024 // in one drain
	mostAcks    = 1024 // in one message
	effectRoom  = 512  // bytes that a common effect takes
)

// Tick does what is due, and a slice of what is left.
func (e *Engine) Tick() (Tail, error) {
	c := e.begin(1)
	defer c.done()
	if err := e.ask(hookTick, c); err != nil {
		return Tail{}, err
	}
	return c.end(hookTick)
}

// Drain takes up to limit effects (at most 1,024). Each is the host's for a minute: until then, or
// until Ack, it is not given again. There may be fewer than limit, and still more to come: then
// Pending is not 0.
func (e *Engine) Drain(limit int) ([]Effect, Tail, error) {
	limit = min(max(limit, 1), mostEffects)
	c := e.begin(2)
	defer c.done()
	c.req.int("max", int64(limit))
	c.makeRoom(limit * effectRoom)
	if err := e.ask(hookDrain, c); err != nil {
		return nil, Tail{}, err
	}
	var effects []Effect
	for c.ans.round() {
		if c.ans.is("\xa7effects") {
			n := c.ans.array()
			if n > 0 {
				effects = make([]Effect, 0, min(n, limit))
			}
			for ; n > 0 && c.ans.err == nil; n-- {
				effects = append(effects, c.ans.effect())
			}
		}
	}
	t, err := c.end(hookDrain)
	if err != nil {
		return nil, Tail{}, err
	}
	return effects, t, nil
}

// Ack says what became of effects. unknown is how many of them were not under way: acknowledged
// before, timed out, or never given. After an error some of more than 1,024 may have been taken;
// those are unknown when they are sent again, and nothing else.
func (e *Engine) Ack(acks []Ack) (unknown int, t Tail, err error) {
	for {
		some := acks[:min(len(acks), mostAcks)]
		acks = acks[len(some):]
		var more int
		if more, t, err = e.ackSome(some); err != nil {
			return unknown, Tail{}, err
		}
		unknown += more
		if len(acks) == 0 {
			return unknown, t, nil
		}
	}
}

func (e *Engine) ackSome(acks []Ack) (unknown int, t Tail, err error) {
	c := e.begin(2)
	defer c.done()
	c.req.putKey("acks")
	c.req.putArray(len(acks))
	for i := range acks {
		place := c.req.putMapLater()
		c.req.int("id", acks[i].ID)
		c.req.text("result", acks[i].Result)
		c.req.setCount(place, 2+c.req.intIf("resourceVersion", acks[i].ResourceVersion))
	}
	if err := e.ask(hookAck, c); err != nil {
		return 0, Tail{}, err
	}
	for c.ans.round() {
		if c.ans.is("\xa7unknown") {
			unknown = int(c.ans.int())
		}
	}
	t, err = c.end(hookAck)
	return unknown, t, err
}

func (r *reader) effect() (e Effect) {
	for n := r.mapping(); n > 0 && r.err == nil; n-- { // the kind comes before what belongs to it
		switch key := r.bytes(); string(key) {
		case "id":
			e.ID = r.int()
		case "kind":
			e.Kind = r.effectKind()
		case "uid":
			e.UID = r.text()
		case "namespace":
			e.Namespace = r.text()
		case "name":
			e.Name = r.text()
		case "attempt":
			e.Attempt = int(r.int())
		case "resourceVersion":
			e.ResourceVersion = r.int()
		case "reason":
			e.Reason = r.reason()
		case "message":
			e.Message = r.text()
		case "allow":
			e.Allow = r.bool()
		case "gated":
			e.Gated = r.bool()
		case "group":
			e.Group = r.text()
		default:
			if !r.readOf(key, &e) {
				r.skip()
			}
		}
	}
	return e
}

func (r *reader) effectKind() string {
	switch text := r.bytes(); string(text) {
	case Activate:
		return Activate
	case RemoveGates:
		return RemoveGates
	case SetCondition:
		return SetCondition
	case QueueStatus:
		return QueueStatus
	case Event:
		return Event
	case DeleteCommand:
		return DeleteCommand
	case AnswerPermit:
		return AnswerPermit
	case SetGroup:
		return SetGroup
	case CreateGroup:
		return CreateGroup
	case CreateNative:
		return CreateNative
	case ChangeGroup:
		return ChangeGroup
	case SetGroupStatus:
		return SetGroupStatus
	default:
		return string(text)
	}
}

// readOf takes the value of the key if it belongs to effects of this kind.
func (r *reader) readOf(key []byte, e *Effect) bool {
	switch e.Kind {
	case RemoveGates:
		return r.readPatch(key, &e.Patch)
	case QueueStatus:
		if e.Status == nil {
			e.Status = &Status{}
		}
		return r.readStatus(key, e.Status)
	case Event, EvictPod:
		if e.Occurrence == nil {
			e.Occurrence = &Occurrence{}
		}
		return r.readEvent(key, e.Occurrence)
	case CreateGroup, CreateNative, ChangeGroup:
		if e.NewGroup == nil {
			e.NewGroup = &NewGroup{}
		}
		return r.readNewGroup(key, e.NewGroup)
	case SetGroupStatus:
		if e.GroupStatus == nil {
			e.GroupStatus = &GroupStatus{}
		}
		return r.readGroupStatus(key, e.GroupStatus)
	case WriteWorkload:
		if e.Workload == nil {
			e.Workload = &WorkloadWrite{}
		}
		return r.readWorkloadWrite(key, e.Workload)
	}
	if isFleet(e.Kind) {
		if e.Fleet == nil {
			e.Fleet = &FleetEffect{}
		}
		return r.readFleet(key, e.Fleet)
	}
	return false
}

// readPatch takes the value of the key if it belongs to a patch.
func (r *reader) readPatch(key []byte, p *Patch) bool {
	switch string(key) {
	case "gates":
		p.Gates = r.texts()
	case "generation":
		p.Generation = r.int()
	case "annotations":
		p.Annotations = r.pairs()
	case "nodeSelector":
		p.NodeSelector = r.pairs()
	case "tolerations":
		for n := r.array(); n > 0 && r.err == nil; n-- {
			p.Tolerations = append(p.Tolerations, r.toleration())
		}
	default:
		return false
	}
	return true
}

func (r *reader) toleration() (t Toleration) {
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		switch string(r.bytes()) {
		case "key":
			t.Key = r.text()
		case "operator":
			t.Operator = r.text()
		case "value":
			t.Value = r.text()
		case "effect":
			t.Effect = r.text()
		case "seconds":
			seconds := r.int()
			t.Seconds = &seconds
		default:
			r.skip()
		}
	}
	return t
}

func (r *reader) texts() []string {
	n := r.array()
	if n == 0 {
		return nil
	}
	texts := make([]string, 0, min(n, reserved))
	for ; n > 0 && r.err == nil; n-- {
		texts = append(texts, r.text())
	}
	return texts
}

func (r *reader) pairs() [][2]string {
	n := r.mapping()
	if n == 0 {
		return nil
	}
	pairs := make([][2]string, 0, min(n, reserved))
	for ; n > 0 && r.err == nil; n-- {
		key := r.text()
		pairs = append(pairs, [2]string{key, r.text()})
	}
	return pairs
}
