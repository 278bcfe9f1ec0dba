// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// partial: a Job that says with how few it may begin runs with as many as there is room for.
func partial(c *cluster) {
	c.create(team("partial", 3, ""))
	c.create(sample("few", "partial", "", 5, "1"))
	c.waits("few", "")
	c.patch("Job", "few", `{"metadata": {"annotations": {"kueue.x-k8s.io/job-min-parallelism": "2"}}}`)
	c.runs("few", 3, "spot")
	if j, _ := c.job("few"); *j.Spec.Parallelism != 3 || *j.Spec.Completions != 5 {
		c.Errorf("it runs %d of %d", *j.Spec.Parallelism, *j.Spec.Completions)
	}
	c.patch("Workload", c.workload("few").GetName(), `{"spec": {"active": false}}`)
	c.waits("few", "")
	if j, _ := c.job("few"); *j.Spec.Parallelism != 5 {
		c.Errorf("stopped, its parallelism is %d", *j.Spec.Parallelism)
	}
	c.delete("Job", "few")
}

// check: reserved until the check of somebody else is ready, which may also write into the pods.
func check(c *cluster) {
	c.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: approval}
spec: {controllerName: example.com/approval}
`)
	c.create(team("check", 3, "  admissionChecksStrategy: {admissionChecks: [{name: approval}]}\n"))
	c.isActive("ClusterQueue", "check", "False/AdmissionCheckInactive")
	c.patch("AdmissionCheck", "approval", fmt.Sprintf(`{"status": {"conditions": [{"type": "Active",
		"status": "True", "reason": "Active", "message": "", "lastTransitionTime": %q}]}}`, now()),
		"status")
	c.isActive("ClusterQueue", "check", "True/Ready")
	c.create(sample("checked", "check", "", 3, "1"))
	c.until("quota is reserved", func() error {
		w := c.workload("checked")
		if says(w, "QuotaReserved") != "True/QuotaReserved" {
			return fmt.Errorf("its workload: %s", c.all("checked"))
		}
		return nil
	})
	c.status("ClusterQueue", "check", 0, 1, 0, "0")
	c.patch("Workload", c.workload("checked").GetName(), fmt.Sprintf(`{"status": {"admissionChecks":
		[{"name": "approval", "state": "Ready", "message": "yes", "lastTransitionTime": %q,
		"podSetUpdates": [{"name": "main", "annotations": {"approved": "yes"}}]}]}}`, now()), "status")
	c.runs("checked", 3, "spot")
	if pod := c.pods("checked")[0]; pod.Annotations["approved"] != "yes" {
		c.Errorf("its pods have %v", pod.Annotations)
	}
	c.delete("Job", "checked")
}

// defaults: what a LimitRange will give the pods counts.
func defaults(c *cluster) {
	c.create(`apiVersion: v1
kind: LimitRange
metadata: {name: memory, namespace: default}
spec:
  limits:
  - type: Container
    defaultRequest: {example.com/thing: "1"}
    default: {example.com/thing: "1"}
`)
	defer c.delete("LimitRange", "memory")
	c.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: defaults}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, example.com/thing]
    flavors:
    - name: spot
      resources: [{name: cpu, nominalQuota: 9}, {name: example.com/thing, nominalQuota: 2}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: defaults, namespace: default}
spec: {clusterQueue: defaults}
`)
	c.create(sample("three", "defaults", "", 3, "1"))
	c.waits("three", "")
	c.patch("ClusterQueue", "defaults", `{"spec": {"resourceGroups": [{"coveredResources": ["cpu",
		"example.com/thing"], "flavors": [{"name": "spot", "resources": [{"name": "cpu",
		"nominalQuota": 9}, {"name": "example.com/thing", "nominalQuota": 3}]}]}]}}`)
	c.until("it is admitted", func() error {
		if said := says(c.workload("three"), "Admitted"); said != "True/Admitted" {
			return fmt.Errorf("its workload: %s", c.all("three"))
		}
		return nil
	})
	c.delete("Job", "three")
}

// alone: a workload that nobody owns holds its quota until it is deleted.
func alone(c *cluster) {
	c.create(team("alone", 1, ""))
	for _, name := range []string{"one", "two"} {
		c.create(fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: %s, namespace: default, finalizers: [kueue.x-k8s.io/resource-in-use]}
spec:
  queueName: alone
  podSets:
  - name: main
    count: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: none, resources: {requests: {cpu: "1"}}}]
`, name))
		c.status("ClusterQueue", "alone", map[string]int64{"two": 1}[name], 1, 1, "1")
	}
	c.delete("Workload", "one")
	c.until("the other one is admitted", func() error {
		w, err := c.in("Workload").Get(c.Context(), "two", metav1.GetOptions{})
		if err == nil && says(w, "Admitted") != "True/Admitted" {
			err = fmt.Errorf("it says %v", w.Object["status"])
		}
		return err
	})
	c.delete("Workload", "two")
}

// prebuilt: a Job runs with the workload that it names.
func prebuilt(c *cluster) {
	c.create(team("prebuilt", 3, ""))
	c.create(sample("built", "prebuilt", ", kueue.x-k8s.io/prebuilt-workload-name: theirs", 2, "1"))
	c.stays("it makes no workload of its own", func() error {
		if w := c.workload("built"); w != nil {
			return fmt.Errorf("there is %s", w.GetName())
		}
		return nil
	})
	c.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: theirs, namespace: default}
spec:
  queueName: prebuilt
  podSets:
  - name: main
    count: 2
    template:
      spec:
        schedulerName: sluice-scheduler
        terminationGracePeriodSeconds: 1
        restartPolicy: Never
        containers:
        - name: c
          image: none
          imagePullPolicy: Always
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          resources: {requests: {cpu: "1"}}
`)
	c.runs("built", 2, "spot")
	if w := c.workload("built"); w == nil || w.GetName() != "theirs" {
		c.Errorf("its workload is %v", w)
	}
	c.delete("Job", "built")
}

// scope: what is out of scope says so, and is never admitted.
func scope(c *cluster) {
	c.create(team("scope", 9, ""))
	c.create(sample("elastic", "scope", "", 1, "1"))
	c.runs("elastic", 1, "spot")
	c.delete("Job", "elastic")
	c.create(`apiVersion: batch/v1
kind: Job
metadata:
  name: racks
  labels: {kueue.x-k8s.io/queue-name: scope}
spec:
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}
    spec:
      schedulerName: sluice-scheduler
      restartPolicy: Never
      containers: [{name: c, image: none, resources: {requests: {cpu: "1"}}}]
`)
	c.waits("racks", "Inadmissible")
	c.patch("ClusterQueue", "scope",
		`{"spec": {"admissionScope": {"admissionMode": "UsageBasedAdmissionFairSharing"}}}`)
	c.isActive("ClusterQueue", "scope", "False/Unsupported")
	c.delete("Job", "racks")
}

// changes: a Job that is edited while it waits asks for what it says now.
func changes(c *cluster) {
	c.create(team("changes", 3, ""))
	c.create(sample("edited", "changes", "", 5, "1"))
	c.waits("edited", "")
	c.patch("Job", "edited", `{"spec": {"parallelism": 2}}`)
	c.runs("edited", 2, "spot")
	c.patch("Workload", c.workload("edited").GetName(), `{"metadata": {"labels": {"a": "b"}}}`)
	c.delete("Workload", c.workload("edited").GetName())
	c.until("it runs with another workload", func() error {
		w := c.workload("edited")
		if w == nil || w.GetLabels()["a"] != "" || says(w, "Admitted") != "True/Admitted" {
			return fmt.Errorf("its workload: %s", c.all("edited"))
		}
		return nil
	})
	c.runs("edited", 2, "spot")
	c.delete("Job", "edited")
}
