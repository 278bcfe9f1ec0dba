// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"sluice/cluster/shipped"
	"sluice/cluster/upstream"
)

const kueuePage = "MIGRATE-KUEUE.md"

// deployment stands for that of Kueue, whose process runs beside the cluster: no scheduler binds
// its pod.
const deployment = `apiVersion: v1
kind: Namespace
metadata: {name: kueue-system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kueue-controller-manager, namespace: kueue-system}
spec:
  selector: {matchLabels: {control-plane: controller-manager}}
  template:
    metadata: {labels: {control-plane: controller-manager}}
    spec:
      schedulerName: beside-the-cluster
      containers: [{name: manager, image: "registry.k8s.io/kueue/kueue:v0.19.0"}]
`

var workloads = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2",
	Resource: "workloads"}

// Two queues that lend each other: five cpus in all.
const teams = `apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec: {nodeLabels: {kind: spot}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec:
  namespaceSelector: {}
  cohortName: all
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 3, borrowingLimit: 1}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: b}
spec:
  namespaceSelector: {}
  cohortName: all
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 2}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: a, namespace: default}
spec: {clusterQueue: a}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: b, namespace: default}
spec: {clusterQueue: b}
`

const job = `---
apiVersion: batch/v1
kind: Job
metadata: {name: %[1]s, namespace: default, labels: {kueue.x-k8s.io/queue-name: %[2]s}}
spec:
  parallelism: %[3]d
  completions: %[3]d
  template:
    metadata: {labels: {job: %[1]s, queue: %[2]s}}
    spec:
      restartPolicy: Never
      containers:
      - {name: c, image: busybox, resources: {requests: {cpu: "1"}}}
`

// jobs are manifests of these, each as its name, its queue and how many pods.
func jobs(all ...[3]any) (manifest string) {
	for _, one := range all {
		manifest += fmt.Sprintf(job, one[0], one[1], one[2])
	}
	return manifest
}

// startKueue runs Kueue itself, asked by the API server as its manifests say.
func (c *cluster) startKueue(program string) *upstream.Kueue {
	c.Helper()
	k, err := upstream.Start(c.Context(), c.Plane, program, map[string]bool{
		"VisibilityOnDemand": false, "MultiKueue": false})
	if err == nil {
		err = k.AwaitReady(c.Context(), patience)
	}
	if err == nil {
		err = k.Convert(c.Context())
	}
	if err != nil {
		c.Fatal(err)
	}
	c.Logf("%7.2fs Kueue is ready", time.Since(c.began).Seconds())
	return k
}

// count wants a ClusterQueue's status to count what runs, and nothing twice.
func (c *cluster) count(queue, cpu, admitted string) {
	c.Helper()
	what := fmt.Sprintf("queue %s counts %s cpus of %s workloads", queue, cpu, admitted)
	c.until(what, func() error {
		said := c.must("get", "clusterqueue", queue, "-o", "jsonpath={.status.flavorsReservation[0]"+
			".resources[0].total} {.status.admittedWorkloads}")
		if said != cpu+" "+admitted {
			return errors.New(said)
		}
		return nil
	})
}

// TestKueue: observe, take over while jobs run, go back.
func TestKueue(t *testing.T) {
	program, err := upstream.Program(t.Context())
	if errors.Is(err, upstream.ErrUnobtainable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, "migrate-kueue", upstream.User)
	if err := shipped.ApplyKueueCRDs(t.Context(), c.Plane); err != nil {
		t.Fatal(err)
	}
	newLedger(map[string]int64{"a": 4000, "b": 2000, "": 5000}).follow(c, workloads)
	c.startStock()
	c.apply(deployment)
	kueue := c.startKueue(program)

	// Kueue decides: two run, one of them on what is borrowed, and two wait.
	c.apply(teams + jobs([3]any{"a-first", "a", 2}, [3]any{"b-first", "b", 1}))
	c.run(map[string]int{"a-first": 2, "b-first": 1})
	c.apply(jobs([3]any{"a-second", "a", 2}))
	c.run(map[string]int{"a-first": 2, "a-second": 2, "b-first": 1})
	c.apply(jobs([3]any{"a-third", "a", 1}, [3]any{"b-second", "b", 2}))
	c.count("a", "4", "2")

	// Check: nothing would be refused.
	c.says(c.page(kueuePage, "1."), "ClusterQueue/a, ClusterQueue/b spec.cohortName", "0 refused",
		"kueue-controller-manager")

	// Observe beside Kueue: the same is counted, and nothing is written.
	c.page(kueuePage, "2.")
	observer := c.lead("observer")
	_, said := c.sluice("queue", "clusterqueue/a")
	c.says(said, "1 waiting, 0 held, 0 reserved, 2 allocated")
	_, said = c.sluice("pending", "clusterqueue/a")
	c.says(said, "workload/job-a-third-")
	// Where Kueue says nothing, sluice does not speak for it.
	if err := kueue.Pause(); err != nil {
		t.Fatal(err)
	}
	c.finish("b-first")
	c.until("the job is over, while Kueue stands still", func() error {
		if said := c.must("get", "job", "b-first", "-o", "jsonpath={.status.succeeded}"); said != "1" {
			return errors.New(said + " of its pods have succeeded")
		}
		return nil
	})
	time.Sleep(3 * time.Second) // a step takes less than one
	if err := kueue.Resume(); err != nil {
		t.Fatal(err)
	}
	c.count("b", "0", "0")
	c.end(observer)
	if wrote := c.wrote(); len(wrote) > 0 {
		t.Errorf("the observer wrote: %s", strings.Join(wrote, "\n"))
	}

	// Take over while they run.
	before := c.books.uids()
	c.stop(kueue.Process)
	c.page(kueuePage, "3.")
	sluice := c.lead("sluice")
	c.count("a", "4", "2")
	c.count("b", "0", "0")
	if after := c.books.uids(); !slices.Equal(before, after) {
		t.Errorf("other pods run than before: %v, %v", before, after)
	}
	c.finish("a-first")
	c.run(map[string]int{"a-second": 2, "a-third": 1, "b-second": 2})
	c.apply(jobs([3]any{"a-fourth", "a", 3}))
	c.count("a", "3", "2")

	// Back, while jobs of both run.
	c.end(sluice)
	c.page(kueuePage, "4.")
	c.startKueue(program)
	c.count("a", "3", "2")
	c.count("b", "2", "1")
	c.finish("a-second")
	c.finish("b-second")
	c.run(map[string]int{"a-third": 1, "a-fourth": 3})
	c.count("a", "4", "2")
}
