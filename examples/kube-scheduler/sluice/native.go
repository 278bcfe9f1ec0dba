// SPDX-License-Identifier: Apache-2.0

package sluice

// Kubernetes' own groups: PodGroups of scheduling.k8s.io, which pods name in spec.schedulingGroup.
// They are shown by ObserveGroup, as Group.Native, if Config.PartialGroups says how their members
// are scheduled.

// partialGroups is the key of Config.PartialGroups.
var partialGroups = "partialGroups"

// KnowsNativeGroups tells whether Config.PartialGroups was said, and the library knows what it
// means.
func (e *Engine) KnowsNativeGroups() bool { return e.native }

// ForgetNativeGroup: the PodGroup of scheduling.k8s.io is gone. Another one of its name stays.
func (e *Engine) ForgetNativeGroup(uid, namespace, name string) (Tail, error) {
	return e.forgetGroup(uid, namespace, name, "native")
}

// ForgetCompositeGroup: the CompositePodGroup is gone. Others of its name stay.
func (e *Engine) ForgetCompositeGroup(uid, namespace, name string) (Tail, error) {
	return e.forgetGroup(uid, namespace, name, "composite")
}

// TryReserve is Reserve in a cycle that only tries where the members of a group would go: the
// answer says whether the grant stands, and nothing changes.
func (e *Engine) TryReserve(uid, node string) (Verdict, Tail, error) {
	return e.askReserve(e.beginTried(uid, node))
}

// TryUnreserve takes back what TryReserve was asked: nothing.
func (e *Engine) TryUnreserve(uid, node string) (Tail, error) {
	return e.tell(hookUnreserve, e.beginTried(uid, node))
}

func (e *Engine) beginTried(uid, node string) *call {
	c := e.begin(4)
	c.req.text("uid", uid)
	c.req.text("node", node)
	c.req.bool("groupCycle", true)
	return c
}
