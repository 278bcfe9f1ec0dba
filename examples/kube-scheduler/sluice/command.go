// SPDX-License-Identifier: Apache-2.0

package sluice

// Command is a Command object: somebody asks that a queue changes its state.
type Command struct {
	UID, Namespace, Name   string
	Created                int64
	Action                 string
	TargetKind, TargetName string
	TargetUID              string // of the queue that it is meant for; "": whichever has that name
}

// Outcome is what became of a command.
type Outcome struct {
	Ignored bool   // its target is no queue: it is somebody else's
	Waits   bool   // for the listing and the lease
	State   string // the queue's when it was carried out; empty: there is no such queue
	Changed bool
	Reason  string // why nothing changed
}

// Command: the Command was seen, for the first time or again; it is carried out once. It is deleted
// when an effect says so.
func (e *Engine) Command(command *Command) (outcome Outcome, t Tail, err error) {
	c := e.begin(2)
	defer c.done()
	c.req.putKey("command")
	c.req.command(command)
	if err := e.ask(hookCommand, c); err != nil {
		return Outcome{}, Tail{}, err
	}
	for c.ans.round() {
		if c.ans.is("\xa7ignored") {
			outcome.Ignored = c.ans.bool()
		}
		if c.ans.is("\xa5waits") {
			outcome.Waits = c.ans.bool()
		}
		if c.ans.is("\xa5state") {
			outcome.State = c.ans.text()
		}
		if c.ans.is("\xa7changed") {
			outcome.Changed = c.ans.bool()
		}
		if c.ans.is("\xa6reason") {
			outcome.Reason = c.ans.text()
		}
	}
	if t, err = c.end(hookCommand); err != nil {
		return Outcome{}, Tail{}, err
	}
	return outcome, t, nil
}

// ForgetCommand: the Command is gone.
func (e *Engine) ForgetCommand(uid string) (Tail, error) {
	c := e.begin(3)
	defer c.done()
	c.req.bool("gone", true)
	c.req.putKey("command")
	c.req.putMap(1)
	c.req.text("uid", uid)
	if err := e.ask(hookCommand, c); err != nil {
		return Tail{}, err
	}
	return c.end(hookCommand)
}

func (w *writer) command(c *Command) {
	place := w.putMapLater()
	keys := w.textIf("uid", c.UID)
	w.text("namespace", c.Namespace)
	keys += w.textIf("name", c.Name) // one that is being created may have none yet
	keys += w.intIf("created", c.Created)
	w.text("action", c.Action)
	w.putKey("target")
	target := w.putMapLater()
	w.text("kind", c.TargetKind)
	w.text("name", c.TargetName) // also where it is empty: the library says what is wrong with that
	w.setCount(target, 2+w.textIf("uid", c.TargetUID))
	w.setCount(place, keys+3)
}
