// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestDevices(t *testing.T) {
	c := start(t, plan{})
	for name, tell := range map[string]func(*testing.T){
		"three":  func(t *testing.T) { three(c.in(t, 2)) },
		"late":   func(t *testing.T) { late(c.in(t, 1)) },
		"mapped": func(t *testing.T) { mapping(c.in(t, 0)) },
		"jobs":   func(t *testing.T) { jobs(c.in(t, 0)) },
	} {
		t.Run(name, tell)
	}
	// The last one: it starts the scheduler anew.
	t.Run("shared", func(t *testing.T) { shared(c.in(t, 2)) })
}

// three pods of a device each, in a queue of two.
func three(c *cluster) {
	c.pods("one", "a", "b")
	c.bound("a", "b")
	c.pods("one", "z")
	c.held("z", "QueueCapacity")
	c.held("z", "deviceclass/"+class)
	c.holds(2)
	c.delete("a")
	c.bound("z")
	c.holds(2)
}

// late: a pod counts for nothing before its claim is there, and is not granted for nothing either.
func late(c *cluster) {
	c.pods("comes", "first")
	c.held("first", "ClaimMissing it needs resourceclaim/comes, which is not there")
	c.pods("none", "free")
	c.bound("free")
	c.claim("comes", 1)
	c.bound("first")
	c.claim("more", 1)
	c.pods("more", "second")
	c.held("second", "QueueCapacity")
	c.delete("first")
	c.bound("second")
}

// clusterQueue is one of so many devices, by the name that the configuration gives them.
func (c *cluster) clusterQueue(devices int) {
	c.create(fmt.Sprintf(`kind: ResourceFlavor
metadata: {name: %[1]s}
---
kind: ClusterQueue
metadata: {name: %[1]s}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, %[3]s]
    flavors:
    - name: %[1]s
      resources:
      - {name: cpu, nominalQuota: 10}
      - {name: %[3]s, nominalQuota: %[2]d}
---
kind: LocalQueue
metadata: {name: local}
spec: {clusterQueue: %[1]s}
`, c.space, devices, mapped))
}

// mapping: pods in a ClusterQueue of two devices.
func mapping(c *cluster) {
	c.clusterQueue(2)
	for _, name := range []string{"a", "b", "z"} {
		pod := c.pod(name, "one")
		pod.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "local"}
		c.add(pod)
		if name != "z" {
			c.bound(name)
		}
	}
	c.held("z", mapped)
	c.delete("b")
	c.bound("z")
}

// jobs: Workloads whose pods need claims.
func jobs(c *cluster) {
	c.clusterQueue(2)
	for name, pods := range map[string]int{"large": 3, "fits": 2} {
		c.create(fmt.Sprintf(`kind: Job
metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: local}}
spec:
  suspend: true
  parallelism: %[2]d
  completions: %[2]d
  template:
    spec:
      restartPolicy: Never
      schedulerName: sluice-scheduler
      resourceClaims: [{name: gpu, resourceClaimTemplateName: later}]
      containers:
      - name: c
        image: none
        resources: {requests: {cpu: 1}, claims: [{name: gpu}]}
`, name, pods))
	}
	c.until("both wait for the template", func() error {
		return c.say("large", "fits", "ResourceClaimTemplate later does not exist")
	})
	c.create(fmt.Sprintf(`kind: ResourceClaimTemplate
metadata: {name: later}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: %s}}]}}}
`, class))
	c.until("the one that fits runs", func() error {
		running, err := c.running("fits")
		if err == nil && running != 2 {
			err = fmt.Errorf("%d of its pods run", running)
		}
		return err
	})
	c.stays("the other one does not", func() error {
		running, err := c.running("large")
		if err == nil && running != 0 {
			err = fmt.Errorf("%d of its pods run", running)
		}
		return err
	})
	w := c.workload("fits")
	assigned, _, _ := unstructured.NestedSlice(w.Object, "status", "admission", "podSetAssignments")
	usage, _, _ := unstructured.NestedString(assigned[0].(map[string]any), "resourceUsage", mapped)
	if usage != "2" {
		c.Errorf("the admission says %v", assigned)
	}
}

// workload is that of a Job; nil: there is none.
func (c *cluster) workload(job string) *unstructured.Unstructured {
	all, err := c.of("Workload").List(c.Context(), metav1.ListOptions{})
	if err != nil {
		c.Fatal(err)
	}
	for i := range all.Items {
		if owners := all.Items[i].GetOwnerReferences(); len(owners) == 1 && owners[0].Name == job {
			return &all.Items[i]
		}
	}
	return nil
}

// say looks whether the workloads of two Jobs say so.
func (c *cluster) say(a, b, want string) error {
	for _, job := range []string{a, b} {
		w := c.workload(job)
		if w == nil {
			return fmt.Errorf("%s has no workload", job)
		}
		conditions, _, _ := unstructured.NestedSlice(w.Object, "status", "conditions")
		said := ""
		for _, each := range conditions {
			if one := each.(map[string]any); one["type"] == "QuotaReserved" {
				said = fmt.Sprint(one["message"])
			}
		}
		if said != want {
			return fmt.Errorf("%s says %q", job, said)
		}
	}
	return nil
}

// running counts the pods of a Job that have nodes.
func (c *cluster) running(job string) (count int, err error) {
	pods, err := c.Client.CoreV1().Pods(c.space).List(c.Context(),
		metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + job})
	if err != nil {
		return 0, err
	}
	for i := range pods.Items {
		if pods.Items[i].Spec.NodeName != "" {
			count++
		}
	}
	return count, nil
}

// shared: a claim of two devices that three pods share counts once, whoever of them is there, also
// for a scheduler that starts anew.
func shared(c *cluster) {
	c.claim("all", 2)
	c.pods("all", "a", "b", "c")
	c.bound("a", "b", "c")
	c.holds(2)
	c.pods("one", "z")
	c.held("z", "QueueCapacity")

	for _, replica := range c.Replicas() {
		if err := replica.Kill(); err != nil {
			c.Fatal(err)
		}
	}
	c.run("b")
	c.pods("none", "free")
	c.bound("free") // so it leads, and grants
	c.held("z", "QueueCapacity")
	c.holds(2)
	c.delete("a", "b")
	c.until("a and b are gone", func() error {
		pods, err := c.Client.CoreV1().Pods(c.space).List(c.Context(), metav1.ListOptions{})
		if err == nil && len(pods.Items) != 3 {
			err = fmt.Errorf("%d pods are there", len(pods.Items))
		}
		return err
	})
	c.held("z", "QueueCapacity")
	c.holds(2)
	c.delete("c")
	c.bound("z")
	c.holds(1)
}
