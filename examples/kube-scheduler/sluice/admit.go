// SPDX-License-Identifier: Apache-2.0

package sluice

// Admission is what a webhook answers.
type Admission struct {
	Allow  bool
	Reason string
	Gates  []string // to add, beside those that are there
}

// The operations of admission.
const (
	Create = "CREATE"
	Update = "UPDATE"
	Delete = "DELETE"
)

// Admit asks about a pod for a webhook. UID, Name and Created may be missing.
func (e *Engine) Admit(operation string, p *Pod) (Admission, Tail, error) {
	c := e.beginAdmit("pod", operation)
	defer c.done()
	c.req.newPod(p)
	return e.admit(c)
}

// AdmitQueue asks about a queue for a webhook. To delete one Kind and Name are enough.
func (e *Engine) AdmitQueue(operation string, q *Queue) (Admission, Tail, error) {
	c := e.beginAdmit("queue", operation)
	defer c.done()
	c.req.queue(q)
	return e.admit(c)
}

// AdmitCommand asks about a command for a webhook. UID and Name may be missing.
func (e *Engine) AdmitCommand(operation string, command *Command) (Admission, Tail, error) {
	c := e.beginAdmit("command", operation)
	defer c.done()
	c.req.command(command)
	return e.admit(c)
}

// AdmitGroup asks about a PodGroup for a webhook.
func (e *Engine) AdmitGroup(operation string, g *Group) (Admission, Tail, error) {
	c := e.beginAdmit("group", operation)
	defer c.done()
	c.req.podGroup(g)
	return e.admit(c)
}

// beginAdmit writes the request up to the object.
func (e *Engine) beginAdmit(kind, operation string) *call {
	c := e.begin(4)
	c.req.text("kind", kind)
	c.req.text("operation", operation)
	c.req.putKey("object")
	return c
}

func (e *Engine) admit(c *call) (admission Admission, t Tail, err error) {
	if err := e.ask(hookAdmit, c); err != nil {
		return Admission{}, Tail{}, err
	}
	for c.ans.round() {
		if c.ans.is("\xa5allow") {
			admission.Allow = c.ans.bool()
		}
		if c.ans.is("\xa6reason") {
			admission.Reason = c.ans.text()
		}
		if c.ans.is("\xa5gates") {
			admission.Gates = c.ans.texts()
		}
	}
	if t, err = c.end(hookAdmit); err != nil {
		return Admission{}, Tail{}, err
	}
	return admission, t, nil
}
