// SPDX-License-Identifier: Apache-2.0

package alike

const checked = "  admissionChecksStrategy: {admissionChecks: [{name: $-check}]}\n"

// ready: an admission check writes into the pods that it lets go.
func ready(b *both) {
	b.check("$-check")
	b.team(3, checked)
	b.submit("one", "", 3)
	b.is("one", "QuotaReserved", "True")
	b.alike("one waits for its check")
	b.answers("one", "$-check", "Pending", "soon", "")
	b.alike("the check says soon")
	b.answers("one", "$-check", "Ready", "yes", `, "podSetUpdates": [{"name": "main",
		"annotations": {"approved": "yes"}, "labels": {"by": "check"}, "nodeSelector": {"zone": "a"},
		"tolerations": [{"key": "checked", "operator": "Exists", "effect": "NoSchedule"}]}]`)
	b.runs("one")
	b.alike("one runs")
}

// retry: an admission check wants to be asked again.
func retry(b *both) {
	b.check("$-check")
	b.team(3, checked)
	b.submit("one", "", 3)
	b.is("one", "QuotaReserved", "True")
	b.answers("one", "$-check", "Retry", "later", `, "requeueAfterSeconds": 3`)
	b.says("Workload/job-one-HASH", "status.schedulingStats.evictions[0].count", "1")
	b.is("one", "Evicted", "False")
	b.alike("after its time it has quota again")
	b.answers("one", "$-check", "Ready", "", "")
	b.runs("one")
	b.plays("one", 3, 0)
	b.answers("one", "$-check", "Retry", "again", "")
	b.is("one", "Evicted", "True")
	b.alike("what runs has to go")
	b.stops("one")
	b.is("one", "Evicted", "False")
	b.alike("it waits for its check again")
}

// rejected: an admission check refuses who has quota, and who runs.
func rejected(b *both) {
	b.check("$-check")
	b.team(3, checked)
	b.submit("one", "", 1)
	b.submit("two", "", 1)
	for _, name := range []string{"one", "two"} {
		b.is(name, "QuotaReserved", "True")
	}
	b.answers("two", "$-check", "Ready", "", "")
	b.runs("two")
	b.plays("two", 1, 0)
	b.answers("one", "$-check", "Rejected", "too much", "")
	b.is("one", "QuotaReserved", "False")
	b.alike("one is refused")
	b.answers("two", "$-check", "Rejected", "", "")
	b.is("two", "Evicted", "True")
	b.alike("two has to go")
	b.stops("two")
	b.is("two", "QuotaReserved", "False")
	b.alike("two has gone")
}

// reactivated: somebody activates again what an admission check has refused.
func reactivated(b *both) {
	b.check("$-check")
	b.team(3, checked)
	b.submit("one", "", 1)
	b.is("one", "QuotaReserved", "True")
	b.answers("one", "$-check", "Rejected", "too much", "")
	b.is("one", "QuotaReserved", "False")
	b.patch("Workload", "job-one", `{"spec": {"active": true}}`)
	b.sluice().is("one", "QuotaReserved", "True")
	b.alike("sluice asks again")
}

// gatedBy: a Job names who gates its admission.
func gatedBy(b *both) {
	b.team(3, "")
	b.create(`apiVersion: batch/v1
kind: Job
metadata:
  name: one
  namespace: $
  labels: {kueue.x-k8s.io/queue-name: $}
  annotations: {kueue.x-k8s.io/admission-gated-by: "example.com/budget,example.com/more"}
spec:
  managedBy: example.com/played
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: c, image: none, resources: {requests: {cpu: "1"}}}
`)
	b.is("one", "QuotaReserved", "False")
	b.alike("two gate it")
	b.patch("Job", "one", `{"metadata": {"annotations": {
		"kueue.x-k8s.io/admission-gated-by": "example.com/more"}}}`)
	b.says("Workload/job-one-HASH", `metadata.annotations.kueue.x-k8s.io/admission-gated-by`,
		"example.com/more")
	b.alike("one gates it")
	b.patch("Job", "one", `{"metadata": {"annotations": {"kueue.x-k8s.io/admission-gated-by": null}}}`)
	b.runs("one")
	b.alike("nobody gates it")
}

// prebuilt: a Job names a workload that somebody else has made.
func prebuilt(b *both) {
	b.team(3, "")
	b.submit("one", ", kueue.x-k8s.io/prebuilt-workload-name: theirs", 1)
	b.alike("there is none yet")
	b.create(played("theirs", 1))
	b.says("Job/one", "spec.suspend", "false")
	b.alike("one runs with it")
}

// outOfSync: a Job names a workload that does not fit it.
func outOfSync(b *both) {
	b.team(3, "")
	b.create(played("theirs", 2))
	b.says("Workload/theirs", "status.conditions[Admitted].status", "True")
	b.submit("one", ", kueue.x-k8s.io/prebuilt-workload-name: theirs", 1)
	b.says("Workload/theirs", "status.conditions[Finished].status", "True")
	b.alike("it is finished")
}

// played is the workload of a Job of this package, as Kueue would make it.
func played(name string, pods int) string {
	return `apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: ` + name + `, namespace: $}
spec:
  queueName: $
  podSets:
  - name: main
    count: ` + string(rune('0'+pods)) + `
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: c
          image: none
          imagePullPolicy: Always
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          resources: {requests: {cpu: "1"}}
`
}

// noQueue: the LocalQueue is missing, then its ClusterQueue.
func noQueue(b *both) {
	b.submit("one", "", 1)
	b.is("one", "QuotaReserved", "False")
	b.alike("no LocalQueue")
	b.create(localQueue("$"))
	b.says("LocalQueue/$", "status.conditions[Active].status", "False")
	b.alike("no ClusterQueue")
	b.create(clusterQueue("$", 1, ""))
	b.runs("one")
	b.alike("both are there")
}

// unwanted: a ClusterQueue does not want the namespace, and then it does.
func unwanted(b *both) {
	b.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: $}
spec:
  namespaceSelector: {matchLabels: {dept: eng}}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: spot
      resources: [{name: cpu, nominalQuota: 3}]
---
` + localQueue("$"))
	b.submit("one", "", 1)
	b.is("one", "QuotaReserved", "False")
	b.alike("its namespace is not wanted")
	b.patch("Namespace", "$", `{"metadata": {"labels": {"dept": "eng"}}}`)
	b.runs("one")
	b.alike("its namespace is wanted")
}

// inactive: a ClusterQueue lacks a flavor and a check, one after the other.
func inactive(b *both) {
	b.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: $}
spec:
  namespaceSelector: {}
  admissionChecksStrategy: {admissionChecks: [{name: $-check}]}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: $-flavor
      resources: [{name: cpu, nominalQuota: 3}]
---
` + localQueue("$"))
	b.submit("one", "", 1)
	b.is("one", "QuotaReserved", "False")
	b.alike("neither is there")
	b.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: $-flavor}
spec: {}
`)
	b.alike("the flavor is")
	b.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: $-check}
spec: {controllerName: example.com/check}
`)
	b.alike("the check is, and is not active")
	b.patch("AdmissionCheck", "$-check", `{"status": {"conditions": [{"type": "Active",
		"status": "True", "reason": "Active", "message": "", "lastTransitionTime": "NOW"}]}}`, "status")
	b.is("one", "QuotaReserved", "True")
	b.alike("all are")
	b.delete("ClusterQueue", "$")
	b.is("one", "QuotaReserved", "False")
	b.says("ClusterQueue/$", "spec.queueingStrategy", "")
	b.alike("it is deleted")
}

// flavors: taints that are tolerated or not, labels that are asked for or not.
func flavors(b *both) {
	b.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: $-tainted}
spec:
  nodeLabels: {zone: a}
  nodeTaints: [{key: dedicated, value: team, effect: NoSchedule}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: $-open}
spec:
  nodeLabels: {zone: b}
  nodeTaints: [{key: slow, effect: NoSchedule}]
  tolerations: [{key: slow, operator: Exists, effect: NoSchedule}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: $}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: $-tainted
      resources: [{name: cpu, nominalQuota: 3}]
    - name: $-open
      resources: [{name: cpu, nominalQuota: 3}]
---
` + localQueue("$"))
	b.submit("one", "", 1)
	b.runs("one")
	b.alike("one goes where nothing keeps it away")
	b.create(picky("two", `nodeSelector: {zone: a}`))
	b.is("two", "QuotaReserved", "False")
	b.alike("two may not go where it wants to")
	b.create(picky("three", `nodeSelector: {zone: a}
      tolerations: [{key: dedicated, operator: Exists}]`))
	b.runs("three")
	b.alike("three may")
	b.create(picky("four", `nodeSelector: {zone: c}`))
	b.is("four", "QuotaReserved", "False")
	b.alike("four wants what there is not")
}

// picky is a Job with wishes.
func picky(name, wishes string) string {
	return `apiVersion: batch/v1
kind: Job
metadata: {name: ` + name + `, namespace: $, labels: {kueue.x-k8s.io/queue-name: $}}
spec:
  managedBy: example.com/played
  template:
    spec:
      ` + wishes + `
      restartPolicy: Never
      containers:
      - {name: c, image: none, resources: {requests: {cpu: "1"}}}
`
}

// gates: a workload whose gate is closed would have to preempt.
func gates(b *both) {
	b.team(3, "  preemption: {withinClusterQueue: LowerPriority}\n")
	b.submit("low", ofClass+"low", 3)
	b.runs("low")
	b.plays("low", 3, 0)
	b.create(workload("gated", "$", "1",
		"  priority: 100\n  preemptionGates: [{name: example.com/mine}]\n"))
	b.says("Workload/gated", "status.conditions[BlockedOnPreemptionGates].status", "True")
	b.alike("it signals")
	b.patch("Workload", "gated", `{"status": {"preemptionGates": [{"name": "example.com/mine",
		"position": "Open", "lastTransitionTime": "NOW"}]}}`, "status")
	b.is("low", "Evicted", "True")
	b.alike("its gate is open")
	b.stops("low")
	b.says("Workload/gated", "status.conditions[Admitted].status", "True")
	b.alike("it is admitted")
	b.patch("Workload", "gated", `{"spec": {"active": false}}`)
	b.says("Workload/gated", "status.conditions[Evicted].status", "True")
	b.alike("it is evicted")
}

// limits: requests that are above limits, or outside of what the namespace allows.
func limits(b *both) {
	b.team(9, "")
	b.create(`apiVersion: v1
kind: LimitRange
metadata: {name: cpu, namespace: $}
spec: {limits: [{type: Container, max: {cpu: "2"}}]}
`)
	b.create(job("large", "", 1, "3"))
	b.is("large", "QuotaReserved", "False")
	b.alike("it asks for more than its namespace allows")
}
