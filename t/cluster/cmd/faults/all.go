// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"time"
)

const outage = 10 * time.Second

// all is every fault, in the order in which they are tried.
var all = []*fault{
	{name: "kill", does: "kill -9 at a random moment", happen: kill},
	{name: "kill-before-removal", does: "kill -9 when patches that remove gates are on their way",
		happen: killHeld(removals)},
	{name: "kill-after-removal", does: "kill -9 after a gate went, its answer not yet heard",
		happen: killUnheard(removals)},
	{name: "kill-before-binding", does: "kill -9 after gates went, the bindings on their way",
		happen: killHeld(bindings)},
	{name: "kill-after-binding", does: "kill -9 after a pod was bound, the answer not yet heard",
		happen: killUnheard(bindings)},
	{name: "hand-over-kill", does: "kill -9 of the leader of two, and of the next one",
		replicas: 2, happen: handOverByKill},
	{name: "hand-over-term", does: "SIGTERM to the leader of two, and to the next one",
		replicas: 2, happen: handOverByTerm},
	{name: "hand-over-pause", does: "the leader of two stands still for longer than its lease",
		replicas: 2, happen: handOverByPause},
	{name: "hand-over-while-writing", does: "the same, with patches and bindings on their way",
		replicas: 2, happen: handOverWhileWriting},
	{name: "answers-409", does: "patches and bindings are answered 409 for 10 s",
		happen: refuse(http.StatusConflict)},
	{name: "answers-429", does: "patches and bindings are answered 429 for 10 s",
		happen: refuse(http.StatusTooManyRequests)},
	{name: "answers-500", does: "patches and bindings are answered 500 for 10 s",
		happen: refuse(http.StatusInternalServerError)},
	{name: "answers-lost", does: "patches and bindings are carried out, their answers lost",
		happen: loseAnswers},
	{name: "api-silent", does: "the API server does not answer the scheduler for 10 s",
		happen: beSilent},
	{name: "api-paused", does: "the API server stands still for 10 s", happen: pauseAPI},
	{name: "api-paused-two", does: "the same with two replicas, whose lease runs out",
		replicas: 2, happen: pauseAPIOfTwo},
	{name: "etcd-stopped", does: "etcd is killed, and comes back after 10 s", happen: stopEtcd},
	{name: "watches-closed", does: "all watches are closed each second for 10 s",
		lasts: 2500 * time.Millisecond, happen: closeWatches},
	{name: "recreated", does: "pods are made anew under their names while their gates go",
		happen: recreate},
	{name: "clock", does: "the clock steps back 1 h, and forward again", happen: stepClock},
	{name: "malformed", does: "malformed pods and queues among the others", happen: malform},
	{name: "gangs", does: "50 times two gangs of 4 in a queue of 6, on a node for 6",
		happen: interleave},
	{name: "gang-kill-before-group", does: "kill -9 when the PodGroup of a gang is on its way",
		workloads: true, happen: killGangHeld(makings, 0)},
	{name: "gang-kill-after-group", does: "kill -9 after it was made, the answer not yet heard",
		workloads: true, happen: killGangUnheard(makings)},
	{name: "gang-kill-naming", does: "kill -9 when 2 pods of a gang carry its name",
		workloads: true, happen: killGangHeld(namings, 2)},
	{name: "gang-kill-granted", does: "kill -9 when a gang is granted, all of its gates still on",
		workloads: true, happen: killGangHeld(removals, 0)},
	{name: "gang-kill-at-permit", does: "kill -9 when pods of a gang wait for the others in Permit",
		workloads: true, happen: killGangHeld(nominations, 1)},
	{name: "gang-kill-ungated", does: "kill -9 when 2 pods of a gang have lost their gates",
		workloads: true, happen: killGangHeld(removals, 2)},
	{name: "gang-kill-binding", does: "kill -9 when 2 pods of a gang are bound",
		workloads: true, happen: killGangHeld(bindings, 2)},
	{name: "gang-kill-bound", does: "kill -9 after one was bound, the answer not yet heard",
		workloads: true, happen: killGangUnheard(bindings)},
	{name: "gang-kill-before-status", does: "kill -9 when the status Running is on its way",
		workloads: true, happen: killGangHeld(statuses, 0)},
	{name: "gang-kill-after-status", does: "kill -9 after it was written, the answer not yet heard",
		workloads: true, happen: killGangUnheard(statuses)},
	{name: "refused-to-start", does: "wrong configurations and libraries", alone: refuseToStart},
}
