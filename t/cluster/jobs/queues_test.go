// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// status waits until the status of a queue has these numbers.
func (c *cluster) status(kind, name string, pending, reserving, admitted int64, used string) {
	c.Helper()
	c.until(fmt.Sprintf("%s %s: %d pending, %d reserving, %d admitted, %s cpu", kind, name, pending,
		reserving, admitted, used), func() error {
		queue, err := c.in(kind).Get(c.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for field, want := range map[string]int64{"pendingWorkloads": pending,
			"reservingWorkloads": reserving, "admittedWorkloads": admitted} {
			got, _, _ := unstructured.NestedInt64(queue.Object, "status", field)
			if got != want {
				view := strings.ToLower(kind[:1]) + kind[1:]
				return fmt.Errorf("%s is %d, want %d: %v\nsluice says %s", field, got, want,
					queue.Object["status"], c.asked(view, queue.GetNamespace(), name))
			}
		}
		total := ""
		flavors, _, _ := unstructured.NestedSlice(queue.Object, "status", "flavorsUsage")
		for _, flavor := range flavors {
			list, _, _ := unstructured.NestedSlice(flavor.(map[string]any), "resources")
			for _, each := range list {
				if one := each.(map[string]any); one["name"] == "cpu" {
					total = fmt.Sprint(one["total"])
				}
			}
		}
		if total != used {
			return fmt.Errorf("it uses %q: %v", total, queue.Object["status"])
		}
		return nil
	})
}

func (c *cluster) isActive(kind, name, want string) {
	c.Helper()
	c.until(fmt.Sprintf("%s %s is Active=%s", kind, name, want), func() error {
		queue, err := c.in(kind).Get(c.Context(), name, metav1.GetOptions{})
		if err == nil && says(queue, "Active") != want {
			err = fmt.Errorf("it says %q: %v", says(queue, "Active"), queue.Object["status"])
		}
		return err
	})
}

// unused: a queue that nobody uses says of itself what becomes of it, and of its cohorts.
func unused(c *cluster) {
	cohort := func(name, parent string) string {
		return fmt.Sprintf("apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\n"+
			"metadata: {name: %s}\nspec: {parentName: %s}\n", name, parent)
	}
	are := func(cluster, local string) {
		c.Helper()
		c.isActive("ClusterQueue", "unused", cluster)
		c.isActive("LocalQueue", "unused", local)
	}
	c.create(team("unused", 3, "  cohortName: unused\n"))
	are("True/Ready", "True/Ready")
	c.patch("ClusterQueue", "unused", `{"spec": {"stopPolicy": "Hold"}}`)
	are("False/Stopped", "False/ClusterQueueIsInactive")
	c.patch("ClusterQueue", "unused", `{"spec": {"stopPolicy": "None"}}`)
	are("True/Ready", "True/Ready")
	c.create(cohort("unused", "above-unused"))
	c.create(cohort("above-unused", "unused"))
	are("False/CohortCycle", "False/ClusterQueueIsInactive")
	c.delete("Cohort", "above-unused")
	are("True/Ready", "True/Ready")
	c.patch("LocalQueue", "unused", `{"spec": {"stopPolicy": "Hold"}}`)
	are("True/Ready", "False/Stopped")
	c.delete("ClusterQueue", "unused")
	c.isActive("LocalQueue", "unused", "False/Stopped")
	c.patch("LocalQueue", "unused", `{"spec": {"stopPolicy": "None"}}`)
	c.isActive("LocalQueue", "unused", "False/ClusterQueueDoesNotExist")
}

// sample is a Job as Kueue's documentation has it, for our scheduler.
func sample(name, queue, labels string, pods int, cpu string) string {
	return fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
  labels: {kueue.x-k8s.io/queue-name: %s%s}
spec:
  parallelism: %d
  completions: %[4]d
  template:
    spec:
      schedulerName: sluice-scheduler
      terminationGracePeriodSeconds: 1
      restartPolicy: Never
      containers:
      - {name: c, image: none, resources: {requests: {cpu: %s}}}
`, name, queue, labels, pods, fmt.Sprintf("%q", cpu))
}

// team is a ClusterQueue of one flavor and a LocalQueue of the same name.
func team(name string, cpu int, rest string) string {
	return fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %[1]s}
spec:
  namespaceSelector: {}
%[3]s  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: spot
      resources: [{name: cpu, nominalQuota: %[2]d}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: %[1]s, namespace: default}
spec: {clusterQueue: %[1]s}
`, name, cpu, rest)
}

const spot = `apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec: {nodeLabels: {kind: spot}}
`
