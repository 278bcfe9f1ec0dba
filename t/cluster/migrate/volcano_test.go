// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sluice/cluster/plane"
	"sluice/cluster/upstream"
)

const volcanoPage = "MIGRATE-VOLCANO.md"

// volcanoConfig is that of Volcano's scheduler, as its users of the plugin capacity have it.
const volcanoConfig = `actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins: [{name: predicates}, {name: capacity}, {name: nodeorder}]
`

// installed stands for what Volcano's installer leaves, whose processes run beside the cluster: no
// scheduler binds these pods.
const installed = `apiVersion: v1
kind: Namespace
metadata: {name: volcano-system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: volcano-scheduler, namespace: volcano-system}
spec:
  selector: {matchLabels: {app: volcano-scheduler}}
  template:
    metadata: {labels: {app: volcano-scheduler}}
    spec:
      schedulerName: beside-the-cluster
      containers: [{name: s, image: "volcanosh/vc-scheduler:v1.15.1", args: [--logtostderr]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: volcano-controllers, namespace: volcano-system}
spec:
  selector: {matchLabels: {app: volcano-controller}}
  template:
    metadata: {labels: {app: volcano-controller}}
    spec:
      schedulerName: beside-the-cluster
      containers:
      - {name: c, image: "volcanosh/vc-controller-manager:v1.15.1", args: [--logtostderr]}
`

const volcanoQueues = `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: a}
spec: {capability: {cpu: "4"}, deserved: {cpu: "3"}, reclaimable: true}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: b}
spec: {capability: {cpu: "2"}, deserved: {cpu: "2"}, reclaimable: true}
`

const volcanoJob = `---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: %[1]s, namespace: default}
spec:
  schedulerName: volcano
  queue: %[2]s
  minAvailable: %[3]d
  maxRetry: 3
  tasks:
  - name: worker
    replicas: %[3]d
    template:
      metadata: {labels: {job: %[1]s, queue: %[2]s}}
      spec:
        restartPolicy: Never
        containers:
        - {name: c, image: busybox, resources: {requests: {cpu: "1"}}}
`

// lone is a pod of its own, which waits at the gate of its queue.
const lone = `apiVersion: v1
kind: Pod
metadata:
  name: lone
  namespace: default
  labels: {job: lone, queue: a}
  annotations:
    scheduling.volcano.sh/queue-name: a
    scheduling.volcano.sh/queue-allocation-gate: "true"
spec:
  schedulerName: volcano
  containers:
  - {name: c, image: busybox, resources: {requests: {cpu: "2"}}}
`

// gates are those of the lone pod.
func (c *cluster) gates() string {
	c.Helper()
	return c.must("get", "pod", "lone", "-o", "jsonpath={.spec.schedulingGates[*].name}")
}

func volcanoJobs(all ...[3]any) (manifest string) {
	for _, one := range all {
		manifest += fmt.Sprintf(volcanoJob, one[0], one[1], one[2])
	}
	return manifest
}

// startVolcano runs one of Volcano's programs beside the cluster.
func (c *cluster) startVolcano(start func() (*plane.Process, error)) *plane.Process {
	c.Helper()
	process, err := start()
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if c.Failed() {
			c.Logf("the end of the log of %s:\n%s", process.Name, process.Tail(15))
		}
	})
	return process
}

func (c *cluster) startVolcanoScheduler() *plane.Process {
	c.Helper()
	return c.startVolcano(func() (*plane.Process, error) {
		return upstream.StartVolcanoScheduler(c.Context(), c.Plane, volcanoConfig,
			"--schedule-period=200ms")
	})
}

func (c *cluster) startVolcanoControllers(flags ...string) *plane.Process {
	c.Helper()
	return c.startVolcano(func() (*plane.Process, error) {
		return upstream.StartVolcano(c.Context(), c.Plane, upstream.VolcanoControllers, flags...)
	})
}

// allocated wants the status of a queue to count what runs, and nothing twice.
func (c *cluster) allocated(queue, cpu string) {
	c.Helper()
	c.until(fmt.Sprintf("queue %s has %s cpus allocated", queue, cpu), func() error {
		if said := c.must("get", "queues.scheduling.volcano.sh", queue, "-o",
			"jsonpath={.status.allocated.cpu}"); said != cpu {
			return errors.New(said)
		}
		return nil
	})
}

// TestVolcano: check, take over while jobs run, go back.
func TestVolcano(t *testing.T) {
	_, err := upstream.VolcanoModule.Build(t.Context())
	if errors.Is(err, upstream.ErrUnobtainable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, "migrate-volcano", upstream.VolcanoUser)
	if err := upstream.ApplyVolcanoCRDs(t.Context(), c.Plane); err != nil {
		t.Fatal(err)
	}
	module, err := upstream.VolcanoModule.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("VOLCANO", module)
	newLedger(map[string]int64{"a": 4000, "b": 2000}).follow(c)
	c.apply(installed)
	c.must("-n", "volcano-system", "create", "configmap", "volcano-scheduler-configmap",
		"--from-literal=volcano-scheduler.conf="+volcanoConfig)
	scheduler := c.startVolcanoScheduler()
	controllers := c.startVolcanoControllers()

	// Volcano decides: a queue is full, one of each waits.
	c.apply(volcanoQueues + volcanoJobs([3]any{"a-first", "a", 2}, [3]any{"a-second", "a", 2},
		[3]any{"b-first", "b", 1}))
	c.run(map[string]int{"a-first": 2, "a-second": 2, "b-first": 1})
	c.apply(volcanoJobs([3]any{"a-third", "a", 1}, [3]any{"b-second", "b", 2}))
	c.allocated("a", "4")
	before := c.books.uids()

	c.says(c.page(volcanoPage, "1."), "Deployment/volcano-system/volcano-scheduler",
		"Deployment/volcano-system/volcano-controllers", "plugins.predicates", "0 refused")

	// Take over while they run.
	c.stop(scheduler)
	c.stop(controllers)
	c.page(volcanoPage, "2.")
	controllers = c.startVolcanoControllers(
		"--controllers=*,-pg-controller,-queue-controller,-sharding-controller")
	sluice := c.lead("sluice")
	c.allocated("a", "4")
	c.allocated("b", "1")
	if after := c.books.uids(); !slices.Equal(before, after) {
		t.Errorf("other pods run than before: %v, %v", before, after)
	}
	c.finish("a-first")
	c.run(map[string]int{"a-second": 2, "a-third": 1, "b-first": 1})
	c.apply(volcanoJobs([3]any{"a-fourth", "a", 3}))
	c.finish("b-first")
	c.run(map[string]int{"a-second": 2, "a-third": 1, "b-second": 2})
	c.allocated("a", "3")
	c.allocated("b", "2")
	between := c.books.uids()
	c.apply(lone)
	if gates := c.gates(); gates != "scheduling.volcano.sh/queue-allocation-gate" {
		t.Errorf("the gates of the pod that waits are %q", gates)
	}

	// Back, while jobs of both run.
	c.end(sluice)
	c.stop(controllers)
	c.page(volcanoPage, "4.")
	if gates := c.gates(); gates != "" {
		t.Errorf("the pod that waits keeps the gates %q", gates)
	}
	c.startVolcanoControllers()
	c.startVolcanoScheduler()
	time.Sleep(3 * time.Second) // several sessions of Volcano's
	if after := c.books.uids(); !slices.Equal(between, after) {
		t.Errorf("other pods run than before: %v, %v", between, after)
	}
	c.allocated("a", "3")
	c.finish("a-second")
	c.finish("b-second")
	c.run(map[string]int{"a-third": 1, "a-fourth": 3})
	c.finish("a-fourth")
	c.run(map[string]int{"a-third": 1, "lone": 1})
}
