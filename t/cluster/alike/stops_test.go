// SPDX-License-Identifier: Apache-2.0

package alike

// deactivated: somebody stops a workload that runs, and one that waits, and lets them go on.
func deactivated(b *both) {
	b.team(3, "")
	b.submit("one", "", 3)
	b.runs("one")
	b.plays("one", 3, 0)
	b.submit("two", "", 3)
	b.is("two", "QuotaReserved", "False")
	b.patch("Workload", "job-two", `{"spec": {"active": false}}`)
	b.is("two", "Evicted", "True")
	b.alike("two waits no more")
	b.patch("Workload", "job-one", `{"spec": {"active": false}}`)
	b.is("one", "Evicted", "True")
	b.alike("one is on its way out")
	b.stops("one")
	b.is("one", "QuotaReserved", "False")
	b.alike("one is out")
	b.patch("Workload", "job-one", `{"spec": {"active": true}}`)
	b.runs("one")
	b.alike("one runs again")
	b.patch("Workload", "job-two", `{"spec": {"active": true}}`)
	b.says("Workload/job-two-HASH", "spec.active", "true")
	b.is("two", "Requeued", "")
	b.alike("two waits again")
}

// hold: a stopped ClusterQueue keeps what runs, and nothing else.
func hold(b *both) {
	b.check("$-check")
	b.team(3, "  admissionChecksStrategy: {admissionChecks: [{name: $-check}]}\n")
	b.submit("runs", "", 1)
	b.is("runs", "QuotaReserved", "True")
	b.answers("runs", "$-check", "Ready", "", "")
	b.runs("runs")
	b.plays("runs", 1, 0)
	b.submit("reserves", "", 1)
	b.is("reserves", "QuotaReserved", "True")
	b.patch("ClusterQueue", "$", `{"spec": {"stopPolicy": "Hold"}}`)
	b.says("ClusterQueue/$", "status.conditions[Active].status", "False")
	b.is("reserves", "QuotaReserved", "False")
	b.alike("one runs on, one has lost its reservation")
	b.submit("waits", "", 1)
	b.is("waits", "QuotaReserved", "False")
	b.alike("another one waits")
	b.patch("ClusterQueue", "$", `{"spec": {"stopPolicy": "None"}}`)
	b.is("reserves", "QuotaReserved", "True")
	b.is("waits", "QuotaReserved", "True")
	b.alike("all go on")
}

// drain: a drained ClusterQueue keeps nothing.
func drain(b *both) {
	b.team(3, "")
	b.submit("runs", "", 3)
	b.runs("runs")
	b.plays("runs", 3, 0)
	b.submit("waits", "", 1)
	b.is("waits", "QuotaReserved", "False")
	b.patch("ClusterQueue", "$", `{"spec": {"stopPolicy": "HoldAndDrain"}}`)
	b.is("runs", "Evicted", "True")
	b.alike("one has to go")
	b.stops("runs")
	b.is("runs", "QuotaReserved", "False")
	b.alike("one has gone")
	b.delete("Job", "waits") // in Kueue it may be faster than the other one
	b.is("waits", "QuotaReserved", "")
	b.patch("ClusterQueue", "$", `{"spec": {"stopPolicy": "None"}}`)
	b.runs("runs")
	b.alike("it runs again")
}

// local: a LocalQueue is held, then drained.
func local(b *both) {
	b.team(3, "")
	b.submit("runs", "", 2)
	b.runs("runs")
	b.plays("runs", 2, 0)
	b.patch("LocalQueue", "$", `{"spec": {"stopPolicy": "Hold"}}`)
	b.says("LocalQueue/$", "status.conditions[Active].status", "False")
	b.submit("waits", "", 1)
	b.is("waits", "QuotaReserved", "False")
	b.alike("held: one runs, one waits")
	b.patch("LocalQueue", "$", `{"spec": {"stopPolicy": "HoldAndDrain"}}`)
	b.is("runs", "Evicted", "True")
	b.stops("runs")
	b.is("runs", "QuotaReserved", "False")
	b.alike("drained: none runs")
	b.patch("LocalQueue", "$", `{"spec": {"stopPolicy": "None"}}`)
	b.runs("runs")
	b.runs("waits")
	b.alike("both run")
}

// timed: a Job runs for longer than it may.
func timed(b *both) {
	b.team(3, "")
	// Long enough to be seen on both sides before it is over on one, on a busy machine.
	b.submit("short", `, kueue.x-k8s.io/max-exec-time-seconds: "40"`, 3)
	b.runs("short")
	b.plays("short", 3, 0)
	b.is("short", "Evicted", "True")
	b.stops("short")
	b.is("short", "QuotaReserved", "False")
	b.alike("its time is over")
}

// deleted: Jobs are deleted, one that runs and one that waits.
func deleted(b *both) {
	b.team(3, "")
	b.submit("one", "", 3)
	b.runs("one")
	b.submit("two", "", 3)
	b.is("two", "QuotaReserved", "False")
	b.submit("three", "", 2)
	b.is("three", "QuotaReserved", "False")
	b.delete("Job", "two")
	b.is("two", "QuotaReserved", "")
	b.alike("who waited is deleted")
	b.delete("Job", "one")
	b.runs("three")
	b.alike("who ran is deleted")
}

// removed: somebody deletes the workload of a Job that runs.
func removed(b *both) {
	b.team(3, "")
	b.submit("one", "", 3)
	b.runs("one")
	b.plays("one", 3, 0)
	b.patch("Workload", "job-one", `{"metadata": {"labels": {"first": "yes"}}}`)
	b.says("Workload/job-one-HASH", "metadata.labels.first", "yes")
	b.delete("Workload", "job-one")
	b.stops("one")
	b.says("Workload/job-one-HASH", "metadata.labels.first", "")
	b.runs("one")
	b.alike("it has another one")
}

// edited: Jobs are changed, while they wait and while they run.
func edited(b *both) {
	b.team(3, "")
	b.submit("one", "", 5)
	b.is("one", "QuotaReserved", "False")
	b.patch("Job", "one", `{"spec": {"parallelism": 2}}`)
	b.runs("one")
	b.alike("it asks for less, and runs")
	b.create(localQueue("$-other"))
	b.submit("two", "", 4)
	b.is("two", "QuotaReserved", "False")
	b.patch("Job", "two", `{"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "$-other"}}}`)
	b.says("Workload/job-two-HASH", "spec.queueName", "$-other")
	b.alike("another one waits in another queue")
	b.patch("Job", "one", `{"spec": {"parallelism": 1}}`)
	b.says("Workload/job-one-HASH", "spec.podSets[main].count", "1")
	b.alike("what runs is changed")
}

// ends: a suspended Job that has ended, and one that somebody starts by hand.
func ends(b *both) {
	b.team(1, "")
	b.submit("one", "", 2)
	b.is("one", "QuotaReserved", "False")
	b.patch("Job", "one", `{"spec": {"suspend": false}}`)
	b.says("Job/one", "spec.suspend", "true")
	b.alike("who starts without quota is stopped")
}
