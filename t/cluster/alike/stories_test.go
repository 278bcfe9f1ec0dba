// SPDX-License-Identifier: Apache-2.0

package alike

import "time"

// stories go by the names of their namespaces.
var stories = map[string]func(*both){
	"life": life, "waits": waits, "preempts": preempts, "reclaims": reclaims, "never": never,
	"partial": partial, "ready": ready, "retry": retry, "rejected": rejected,
	"reactivated": reactivated,
	"deactivated": deactivated, "hold": hold, "drain": drain, "local": local, "timed": timed,
	"fails": fails, "deleted": deleted, "edited": edited, "gatedby": gatedBy,
	"prebuilt": prebuilt, "outofsync": outOfSync, "noqueue": noQueue, "unwanted": unwanted,
	"inactive": inactive, "flavors": flavors, "classes": classes, "reclaimable": reclaimable,
	"gates": gates, "uncovered": uncovered, "limits": limits, "alone": alone, "removed": removed,
	"ends": ends, "strict": strict,
}

// life: a Job is admitted, runs and ends.
func life(b *both) {
	b.team(3, "")
	b.alike("queues that nobody uses")
	b.submit("one", "", 3)
	b.runs("one")
	b.alike("one runs")
	b.plays("one", 3, 0)
	b.ends("one", 3, true)
	b.is("one", "Finished", "True")
	b.alike("one is over")
	b.delete("Job", "one")
	b.says("Job/one", "spec.suspend", "")
	b.alike("one is deleted")
}

// fails: a Job that fails.
func fails(b *both) {
	b.team(3, "")
	b.submit("one", "", 3)
	b.runs("one")
	b.ends("one", 1, false)
	b.is("one", "Finished", "True")
	b.alike("one has failed")
}

// waits: there is no room, and then there is.
func waits(b *both) {
	b.team(3, "")
	b.submit("one", "", 2)
	b.runs("one")
	b.submit("two", "", 2)
	b.is("two", "QuotaReserved", "False")
	b.alike("two waits")
	b.submit("three", "", 1)
	b.runs("three")
	b.alike("three passes it")
	b.ends("one", 2, true)
	b.runs("two")
	b.alike("two runs")
}

// strict: the head of a queue stops the others.
func strict(b *both) {
	b.team(3, "  queueingStrategy: StrictFIFO\n")
	b.submit("one", "", 2)
	b.runs("one")
	b.submit("two", "", 2)
	b.is("two", "QuotaReserved", "False")
	time.Sleep(time.Second) // of the same second, the order is by UID
	b.submit("three", "", 1)
	b.counts("2")
	b.alike("three waits behind two")
	b.ends("one", 2, true)
	b.runs("three")
	b.alike("both run")
}

// never: no quota is ever enough.
func never(b *both) {
	b.team(3, "")
	b.submit("one", "", 4)
	b.is("one", "QuotaReserved", "False")
	b.alike("one is too large")
	b.patch("ClusterQueue", "$", `{"spec": {"resourceGroups": [{"coveredResources": ["cpu"],
		"flavors": [{"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 4}]}]}]}}`)
	b.runs("one")
	b.alike("there is more quota")
}

// uncovered: no resource group has what it asks for.
func uncovered(b *both) {
	b.team(3, "")
	b.create(`apiVersion: batch/v1
kind: Job
metadata: {name: one, namespace: $, labels: {kueue.x-k8s.io/queue-name: $}}
spec:
  managedBy: example.com/played
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: c, image: none, resources: {requests: {cpu: "1", memory: 1Gi}}}
`)
	b.is("one", "QuotaReserved", "False")
	b.alike("nobody has memory")
}

// preempts: a Job of higher priority takes the room of one that runs, which comes back.
func preempts(b *both) {
	b.team(3, "  preemption: {withinClusterQueue: LowerPriority}\n")
	b.submit("low", ofClass+"low", 3)
	b.runs("low")
	b.plays("low", 3, 0)
	b.submit("high", ofClass+"high", 2)
	b.says("Job/low", "spec.suspend", "true")
	b.is("high", "QuotaReserved", "False")
	b.alike("high waits for low")
	b.stops("low")
	b.runs("high")
	b.is("low", "QuotaReserved", "False")
	b.alike("high runs, and low waits")
	b.ends("high", 2, true)
	b.runs("low")
	b.alike("low runs again")
}

// reclaims: a queue wants back what another one of its cohort has borrowed.
func reclaims(b *both) {
	const cohort = "  cohortName: $-pool\n  preemption: {reclaimWithinCohort: Any}\n"
	b.create(clusterQueue("$", 2, cohort) + "---\n" + localQueue("$") + "---\n" +
		clusterQueue("$-other", 2, cohort) + "---\n" + localQueue("$-other"))
	b.submit("borrows", "", 4)
	b.runs("borrows")
	b.plays("borrows", 4, 0)
	b.alike("borrows has all")
	b.create(job("owns", "-other", 2, "1"))
	b.says("Job/borrows", "spec.suspend", "true")
	b.alike("owns waits for borrows")
	b.stops("borrows")
	b.runs("owns")
	b.is("borrows", "QuotaReserved", "False")
	b.alike("owns runs, and borrows waits")
}

// partial: as many pods as there is room for.
func partial(b *both) {
	b.team(3, "")
	b.create(`apiVersion: batch/v1
kind: Job
metadata:
  name: few
  namespace: $
  labels: {kueue.x-k8s.io/queue-name: $}
  annotations: {kueue.x-k8s.io/job-min-parallelism: "2"}
spec:
  managedBy: example.com/played
  parallelism: 5
  completions: 5
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: c, image: none, resources: {requests: {cpu: "1"}}}
`)
	b.runs("few")
	b.says("Job/few", "spec.parallelism", "3")
	b.alike("three of five run")
	b.patch("Workload", "job-few", `{"spec": {"active": false}}`)
	b.stops("few")
	b.says("Job/few", "spec.parallelism", "5")
	b.alike("none runs, and it asks for five again")
}

// reclaimable: pods that are needed no more give their quota back.
func reclaimable(b *both) {
	b.team(3, "")
	b.submit("one", "", 3)
	b.runs("one")
	b.submit("two", "", 2)
	b.is("two", "QuotaReserved", "False")
	b.plays("one", 1, 2)
	b.runs("two")
	b.alike("two runs in the room of two pods of one")
}

// classes: priorities come from classes of workloads, of pods, and change with them.
func classes(b *both) {
	b.team(1, "")
	b.create(`apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: $-pods}
value: 50
`)
	b.submit("first", "", 1)
	b.runs("first")
	b.submit("one", ofClass+"low", 1)
	b.create(`apiVersion: batch/v1
kind: Job
metadata: {name: two, namespace: $, labels: {kueue.x-k8s.io/queue-name: $}}
spec:
  managedBy: example.com/played
  template:
    spec:
      priorityClassName: $-pods
      restartPolicy: Never
      containers:
      - {name: c, image: none, resources: {requests: {cpu: "1"}}}
`)
	b.is("one", "QuotaReserved", "False")
	b.is("two", "QuotaReserved", "False")
	b.alike("two wait")
	b.patch("Job", "one", `{"metadata": {"labels": {"kueue.x-k8s.io/priority-class": "high"}}}`)
	b.says("Workload/job-one-HASH", "spec.priority", "100")
	b.alike("one has another class")
	b.ends("first", 1, true)
	b.runs("one")
	b.alike("one runs")
}

// alone: workloads that nobody owns.
func alone(b *both) {
	b.team(1, "")
	for _, name := range []string{"one", "two"} {
		b.create(workload(name, "$", "1", ""))
	}
	b.says("Workload/one", "status.conditions[Admitted].status", "True")
	b.says("Workload/two", "status.conditions[QuotaReserved].status", "False")
	b.alike("one is admitted, two waits")
	b.delete("Workload", "one")
	b.says("Workload/two", "status.conditions[Admitted].status", "True")
	b.alike("two is admitted")
}

func workload(name, queue, cpu, rest string) string {
	return `apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: ` + name + `, namespace: $}
spec:
  queueName: ` + queue + `
` + rest + `  podSets:
  - name: main
    count: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: none, resources: {requests: {cpu: "` + cpu + `"}}}]
`
}
