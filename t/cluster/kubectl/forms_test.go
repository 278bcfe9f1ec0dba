// SPDX-License-Identifier: Apache-2.0

package kubectl

// What kubectl takes for an object, and prints.
func testForms(c *cluster) {
	c.says(c.sluice(viewer, "why", "pods/d"), 0, "default/d waits in queue train")
	c.says(c.sluice(viewer, "why", "po", "d", "-o", "name"), 0, "pod/d\n")
	c.says(c.sluice(viewer, "queue", "queues.scheduling.volcano.sh/train"), 0, "research")
	c.says(c.sluice(viewer, "queues", "-o", "name"), 0, "queue.scheduling.volcano.sh/train\n")
	c.says(c.sluice(viewer, "pending", "-o", "name"), 0, "pod/d\npod/e\n")
	c.says(c.sluice(viewer, "pending", "queue/train", "--limit", "1", "-o", "name"), 0, "pod/d\n")
	c.says(c.sluice(viewer, "pending", "-o", "wide"), 0, "UID", "Queue")
	got := c.sluice(viewer, "queues", "-o", `jsonpath={.queues[?(@.name=="train")].claims.waiting}`)
	if c.says(got, 0); got.out != "2" {
		c.Errorf("%s\nwant 2", got)
	}
	for _, name := range []string{"a", "d", "e"} {
		c.must("label", "pod", name, "batch.kubernetes.io/job-name=train")
	}
	c.says(c.sluice(viewer, "why", "job/train"), 0, "POD", "on node small", "e    waiting    2",
		"queue train has room for 100m more cpu")
	c.says(c.sluice(viewer, "why", "-l", "batch.kubernetes.io/job-name in (train)", "--limit", "2"), 0,
		"... 1 more pods")
	c.says(c.sluice(viewer, "why", "-l", "batch.kubernetes.io/job-name=other"), 3, "has no pod with")
	c.says(c.sluice(nobody, "why", "job/train"), 4, "cannot list resource")
}

// Only what has changed is said again.
func testWatch(c *cluster) {
	t := c.onTerminal(viewer, 200, 50, "pending", "train", "-w", "--interval", "300ms", "-o", "name")
	t.presses("", "pod/d\r\npod/e\r\n")
	c.create(pod("f", "train", "1300m"))
	t.presses("", "pod/d\r\npod/e\r\npod/d\r\npod/e\r\npod/f\r\n")
	c.must("delete", "pod", "f", "--wait=false")
	t.presses("", "pod/f\r\npod/d\r\npod/e\r\n")
	t.presses("\x03")
	if err := <-t.ended; err != nil {
		c.Errorf("after Ctrl-C: %v", err)
	}
}

const labOfKueue = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: lab}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: default}
spec: {clusterQueue: lab}
`

// Kueue's queues have a stopPolicy, which the same words write.
func testStopPolicies(c *cluster) {
	c.create(labOfKueue)
	c.becomes(viewer, []string{"queue", "cq/lab"}, "State      Open")
	c.says(c.sluice(viewer, "suspend", "clusterqueue/lab"), 4, "cannot patch resource")
	c.says(c.sluice(operator, "suspend", "cq", "lab", "--wait"), 0,
		"clusterqueue/lab suspended (stopPolicy Hold)")
	c.says(c.sluice(viewer, "queue", "cq/lab"), 0, "State      Hold")
	c.says(c.sluice(operator, "suspend", "cq", "lab", "--drain", "--wait", "-o", "json"), 0,
		`"state": "HoldAndDrain"`)
	c.says(c.sluice(operator, "resume", "cq/lab", "--wait"), 0, "clusterqueue/lab resumed")
	c.says(c.sluice(viewer, "queue", "cq/lab"), 0, "State      Open")
	c.says(c.sluice(operator, "suspend", "localqueue/team", "-n", "default"), 0,
		"localqueue/team suspended")
	if got := c.must("get", "localqueue", "team", "-o", "jsonpath={.spec.stopPolicy}"); got != "Hold" {
		c.Errorf("the LocalQueue's stopPolicy is %q", got)
	}
	c.says(c.sluice(operator, "resume", "cq/nothing"), 3, "not found")
	c.says(c.sluice(operator, "open", "cq/lab"), 2, "want NAME or one of queue/NAME")
}
