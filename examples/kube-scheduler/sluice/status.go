// SPDX-License-Identifier: Apache-2.0

package sluice

// Status is what the object of a queue is to say. First the annotations that are to be there are
// written, then the status, then those that are to go are taken away: so whoever reads the object
// in between never takes what the parent did for the queue's own.
type Status struct {
	State      string
	Set        [][2]string // annotations that are to be there
	Unset      []string    // annotations that are to go
	Allocated  []Amount
	Reserved   []Amount
	Conditions []Condition

	Pending, Inqueue, Running, Unknown, Completed int64 // groups
}

// Condition is one of a status; the time of its transition is the host's.
type Condition struct{ Type, Status, Reason, Message string }

// Occurrence is what an event tells, beside the effect's Reason and Message.
type Occurrence struct {
	Kind, Namespace, Name, UID string // what it is about: a Pod, a Queue or a Command
	Type                       string // Normal or Warning
	Key                        string // in the event's name, so that it is told once
	// Again: the pod was told something before, so one that is there already has happened again.
	Again bool
}

// readStatus takes the value of the key if it belongs to a status.
func (r *reader) readStatus(key []byte, s *Status) bool {
	switch string(key) {
	case "state":
		s.State = r.text()
	case "annotations":
		r.marks(s)
	case "allocated":
		s.Allocated = r.amounts()
	case "reserved":
		s.Reserved = r.amounts()
	case "pending":
		s.Pending = r.int()
	case "inqueue":
		s.Inqueue = r.int()
	case "running":
		s.Running = r.int()
	case "unknown":
		s.Unknown = r.int()
	case "completed":
		s.Completed = r.int()
	case "conditions":
		for n := r.array(); n > 0 && r.err == nil; n-- {
			s.Conditions = append(s.Conditions, r.condition())
		}
	default:
		return false
	}
	return true
}

func (r *reader) marks(s *Status) {
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		name := r.text()
		if r.nil() {
			s.Unset = append(s.Unset, name)
		} else {
			s.Set = append(s.Set, [2]string{name, r.text()})
		}
	}
}

func (r *reader) amounts() []Amount {
	var amounts []Amount
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		name := r.text()
		amounts = append(amounts, Amount{Name: name, Value: r.int()})
	}
	return amounts
}

func (r *reader) condition() (c Condition) {
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		switch string(r.bytes()) {
		case "type":
			c.Type = r.text()
		case "status":
			c.Status = r.text()
		case "reason":
			c.Reason = r.text()
		case "message":
			c.Message = r.text()
		default:
			r.skip()
		}
	}
	return c
}

// readEvent takes the value of the key if it belongs to an event.
func (r *reader) readEvent(key []byte, o *Occurrence) bool {
	switch string(key) {
	case "type":
		o.Type = r.text()
	case "key":
		o.Key = r.text()
	case "again":
		o.Again = r.bool()
	case "about":
		r.about(o)
	default:
		return false
	}
	return true
}

func (r *reader) about(o *Occurrence) {
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		switch string(r.bytes()) {
		case "kind":
			o.Kind = r.text()
		case "namespace":
			o.Namespace = r.text()
		case "name":
			o.Name = r.text()
		case "uid":
			o.UID = r.text()
		default:
			r.skip()
		}
	}
}
