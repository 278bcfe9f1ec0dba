// SPDX-License-Identifier: Apache-2.0

// Package watch holds a scheduler to its word. It sees what everybody sees, the objects at the API
// server and the requests that the scheduler makes, and counts for itself: it shares no code with
// the engine, knows nothing of its state, and its sums are rational numbers of any size.
//
//	API server ──pods, queues, nodes──▶ Checker ──▶ Violations
//	proxy ──────the scheduler's writes──▶
//
// What it holds, at every event:
//
//   - capacity: whoever begins to count in a queue fits, there and in each ancestor. A pod counts
//     while it is bound, and from when its gate went, or the scheduler said Unschedulable of it,
//     until it is over or told to wait. So a limit that shrinks, an edit of the tree and a restart
//     violate nothing, but nothing grows above what it was.
//   - condition: a pod with our gate, or one that was told to wait, is not Unschedulable for longer
//     than one write takes.
//   - twice: our gate is removed once from each pod, and never comes back.
//   - foreign: the scheduler touches no gate but ours.
//   - gang: the minimum of a PodGroup is bound as one: before that there are no bound members
//     without the others, but for the time that the writes for them are under way. (Who waits in
//     Permit with a node in hand is not to be seen here; but of two gangs that hold half each for
//     ever none is bound, and a test that waits for both sees that.)
//   - duplicate, orphan: a PodGroup that the scheduler made has an owner, who has no other.
//
// Pods and queues are seen through different watches, and two writes of the scheduler are two
// events: what is above a limit must stay so for Grace, or until all is at rest, before it is said.
package watch
