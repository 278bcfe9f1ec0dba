// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// waiting: who merely waits says why once, in Kueue's words, however often it is refused.
func waiting(c *cluster) {
	c.create(team("waiting", 3, ""))
	c.create(sample("holds", "waiting", "", 2, "1"))
	c.runs("holds", 2, "spot")
	c.create(sample("behind", "waiting", "", 2, "1"))
	c.tells("behind", "couldn't assign flavors to pod set main: insufficient unused quota for cpu in "+
		"flavor spot, 1 more needed")
	before := c.workload("behind").GetResourceVersion()
	c.create(sample("passes", "waiting", "", 1, "1"))
	c.runs("passes", 1, "spot")
	c.finish("passes")
	c.stays("it is not written to", func() error {
		if version := c.workload("behind").GetResourceVersion(); version != before {
			return fmt.Errorf("it is: %s", c.all("behind"))
		}
		return nil
	})
	c.patch("ClusterQueue", "waiting", `{"spec": {"resourceGroups": [{"coveredResources": ["cpu"],
		"flavors": [{"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 1}]}]}]}}`)
	c.tells("behind", "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor "+
		"spot, previously considered podsets requests (0) + current podset request (2) > maximum "+
		"capacity (1)")
	c.patch("ClusterQueue", "waiting", `{"spec": {"resourceGroups": [{"coveredResources": ["cpu"],
		"flavors": [{"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 4}]}]}]}}`)
	c.runs("behind", 2, "spot")
	for _, name := range []string{"holds", "passes", "behind"} {
		c.delete("Job", name)
	}
}

// late: with what is shipped, who merely waits is told so when it has waited for ten seconds.
func late(c *cluster, queue string) {
	c.create(sample("late", queue, "", 3, "1"))
	c.tells("late", "couldn't assign flavors to pod set main: insufficient unused quota for cpu in "+
		"flavor spot, 3 more needed")
	w := c.workload("late")
	since, err := time.Parse(time.RFC3339, fmt.Sprint(condition(w,
		"QuotaReserved")["lastTransitionTime"]))
	if waited := since.Sub(w.GetCreationTimestamp().Time); err != nil || waited < 9*time.Second {
		c.Errorf("it was told after %s: %v", waited, err)
	}
	c.delete("Job", "late")
}

// tells waits until the workload of a Job says why it waits.
func (c *cluster) tells(job, message string) {
	c.Helper()
	c.until(job+" says: "+message, func() error {
		one := condition(c.workload(job), "QuotaReserved")
		if one["status"] != "False" || one["reason"] != "Pending" || one["message"] != message {
			return fmt.Errorf("it says %v", one)
		}
		return nil
	})
}

// condition is one of an object; nil: it is not there.
func condition(object *unstructured.Unstructured, kind string) map[string]any {
	for _, each := range conditions(object) {
		if one, _ := each.(map[string]any); one["type"] == kind {
			return one
		}
	}
	return nil
}

// retry: a check that wants to be asked again evicts, and its workload comes back after the time
// that the check wants, not before.
func retry(c *cluster) {
	c.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: retried}
spec: {controllerName: example.com/retried}
`)
	c.patch("AdmissionCheck", "retried", fmt.Sprintf(`{"status": {"conditions": [{"type": "Active",
		"status": "True", "reason": "Active", "message": "", "lastTransitionTime": %q}]}}`, now()),
		"status")
	c.create(team("retry", 3, "  admissionChecksStrategy: {admissionChecks: [{name: retried}]}\n"))
	c.create(sample("again", "retry", "", 3, "1"))
	c.holds("again")
	name := c.workload("again").GetName()
	answer := func(state, more string) {
		c.patch("Workload", name, fmt.Sprintf(`{"status": {"admissionChecks": [{"name": "retried",
			"state": %q, "message": "so", "lastTransitionTime": %q%s}]}}`, state, now(), more), "status")
	}
	answer("Retry", `, "requeueAfterSeconds": 5`)
	var at time.Time
	c.until("it is evicted, and waits for its time", func() error {
		w := c.workload("again")
		text, _, _ := unstructured.NestedString(w.Object, "status", "requeueState", "requeueAt")
		_, counted, _ := unstructured.NestedInt64(w.Object, "status", "requeueState", "count")
		checks, _, _ := unstructured.NestedSlice(w.Object, "status", "admissionChecks")
		var err error
		if at, err = time.Parse(time.RFC3339, text); err != nil || counted || len(checks) != 1 ||
			checks[0].(map[string]any)["retryCount"] != int64(1) ||
			says(w, "Evicted") != "True/AdmissionCheck" ||
			says(w, "Requeued") != "False/AdmissionCheck" ||
			says(w, "QuotaReserved") != "False/Pending" {
			return fmt.Errorf("requeueAt %q, %v: %s", text, checks, c.all("again"))
		}
		return nil
	})
	c.status("ClusterQueue", "retry", 1, 0, 0, "0")
	c.holds("again")
	w := c.workload("again")
	if since, _ := time.Parse(time.RFC3339, fmt.Sprint(condition(w,
		"QuotaReserved")["lastTransitionTime"])); since.Before(at) {
		c.Errorf("it came back at %s, before %s", since, at)
	}
	if said := says(w, "Requeued"); said != "True/BackoffFinished" {
		c.Errorf("it says Requeued=%q", said)
	}
	if state, is, _ := unstructured.NestedMap(w.Object, "status", "requeueState"); is {
		c.Errorf("its time is over, and its requeue state is %v", state)
	}
	c.saysWas("again", `Previously: Evicted due to AdmissionCheck in Retry state: "retried" (so)`)
	answer("Ready", "")
	c.runs("again", 3, "spot")
	c.delete("Job", "again")
}

// holds waits until the workload of a Job has quota.
func (c *cluster) holds(job string) {
	c.Helper()
	c.until(job+" has quota", func() error {
		if says(c.workload(job), "QuotaReserved") != "True/QuotaReserved" {
			return fmt.Errorf("its workload: %s", c.all(job))
		}
		return nil
	})
}

// requests: what a RuntimeClass and a LimitRange add to the pods is counted, as it is now.
func requests(c *cluster) {
	if _, err := c.Client.CoreV1().Namespaces().Create(c.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "requests"}}, metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
	c = c.at("requests")
	c.create(`apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: heavy}
handler: heavy
overhead: {podFixed: {cpu: 500m}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: memory, namespace: requests}
spec: {limits: [{type: Container, defaultRequest: {memory: 1Gi}, default: {memory: 1Gi}}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: requests}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: spot
      resources: [{name: cpu, nominalQuota: 9}, {name: memory, nominalQuota: 3Gi}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: requests, namespace: requests}
spec: {clusterQueue: requests}
`)
	heavy := func(name string) string {
		return strings.Replace(sample(name, "requests", "", 2, "1"), "      restartPolicy:",
			"      runtimeClassName: heavy\n      restartPolicy:", 1)
	}
	c.create(heavy("first"))
	c.runs("first", 2, "spot")
	sets, _, _ := unstructured.NestedSlice(c.workload("first").Object, "status", "admission",
		"podSetAssignments")
	usage, _, _ := unstructured.NestedStringMap(sets[0].(map[string]any), "resourceUsage")
	if usage["cpu"] != "3" || usage["memory"] != "2Gi" {
		c.Errorf("its admission says %v", usage)
	}
	c.create(heavy("second"))
	c.tells("second", "couldn't assign flavors to pod set main: insufficient unused quota for memory "+
		"in flavor spot, 1Gi more needed")
	c.patch("LimitRange", "memory", `{"spec": {"limits": [{"type": "Container", "defaultRequest":
		{"memory": "512Mi"}, "default": {"memory": "512Mi"}}]}}`)
	c.runs("second", 2, "spot")
	c.delete("Job", "first")
	c.delete("Job", "second")
}

// classChanges: a workload's priority is that of its class, another one or another value.
func classChanges(c *cluster) {
	for name, value := range map[string]int{"change-low": 10, "change-high": 100} {
		c.create(fmt.Sprintf(classes, name, value))
	}
	c.create(team("ranks", 3, "  preemption: {withinClusterQueue: LowerPriority}\n"))
	class := func(name string) string { return ", kueue.x-k8s.io/priority-class: " + name }
	c.create(sample("one", "ranks", class("change-low"), 3, "1"))
	c.runs("one", 3, "spot")
	c.create(sample("two", "ranks", class("change-low"), 3, "1"))
	c.waits("two", "Pending")
	c.patch("Job", "two", `{"metadata": {"labels": {"kueue.x-k8s.io/priority-class": "change-high"}}}`)
	c.runs("two", 3, "spot")
	c.ranks("two", 100, "change-high")
	c.waits("one", "Pending")
	c.patch("WorkloadPriorityClass", "change-low", `{"value": 1000}`)
	c.runs("one", 3, "spot")
	c.ranks("one", 1000, "change-low")
	c.waits("two", "Pending")
	c.delete("Job", "one")
	c.runs("two", 3, "spot")
	c.delete("Job", "two")
}

func (c *cluster) ranks(job string, value int64, class string) {
	c.Helper()
	w := c.workload(job)
	is, _, _ := unstructured.NestedInt64(w.Object, "spec", "priority")
	of, _, _ := unstructured.NestedString(w.Object, "spec", "priorityClassRef", "name")
	if is != value || of != class {
		c.Errorf("%s has priority %d of class %q, want %d of %s", job, is, of, value, class)
	}
}
