// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestJobs tells stories in one cluster, each in queues of its own.
func TestJobs(t *testing.T) {
	c := start(t, "workloads-webhook")
	c.lead()
	c.create(spot)
	for name, story := range map[string]func(*cluster){
		"life": life, "preemption": preemption, "active": active, "stopPolicy": stopPolicy,
		"gate": gate, "partial": partial, "check": check, "defaults": defaults, "alone": alone,
		"prebuilt": prebuilt, "scope": scope, "changes": changes, "rights": rights,
		"table": tableOfKEP, "created": created, "waiting": waiting,
		"retry": retry, "requests": requests, "classChanges": classChanges, "inUse": inUse,
		"unsupported": unsupported, "why": why, "timed": timed, "again": again, "gatedBy": gatedBy,
		"victims": victims, "deactivated": deactivated, "unused": unused,
	} {
		t.Run(name, func(t *testing.T) { story(c.on(t)) })
	}
}

// life: a Job gets its workload, waits for quota, runs where its flavor says, ends, and the next
// one follows.
func life(c *cluster) {
	c.create(team("life", 3, ""))
	c.isActive("ClusterQueue", "life", "True/Ready")
	c.isActive("LocalQueue", "life", "True/Ready")
	c.create(sample("first", "life", "", 3, "1"))
	c.runs("first", 3, "spot")
	w := c.workload("first")
	j, _ := c.job("first")
	if got := w.GetFinalizers(); len(got) != 1 || got[0] != "kueue.x-k8s.io/resource-in-use" {
		c.Errorf("its finalizers are %v", got)
	}
	if w.GetLabels()["kueue.x-k8s.io/job-uid"] != string(j.UID) {
		c.Errorf("its labels are %v", w.GetLabels())
	}
	for _, pod := range c.pods("first") {
		if pod.Annotations["kueue.x-k8s.io/workload"] != w.GetName() ||
			pod.Labels["kueue.x-k8s.io/podset"] != "main" || pod.Spec.NodeSelector["kind"] != "spot" {
			c.Errorf("pod %s: %v, %v, %v", pod.Name, pod.Annotations, pod.Labels,
				pod.Spec.NodeSelector)
		}
	}
	c.create(sample("second", "life", "", 2, "1"))
	c.waits("second", "")
	c.status("ClusterQueue", "life", 1, 1, 1, "3")
	c.status("LocalQueue", "life", 1, 1, 1, "3")
	c.finish("first")
	c.runs("second", 2, "spot")
	c.status("ClusterQueue", "life", 0, 1, 1, "2")
	c.delete("Job", "second")
	c.until("its workload is gone", func() error {
		if w := c.workload("second"); w != nil {
			return fmt.Errorf("it is there: %v", w.Object["status"])
		}
		return nil
	})
	c.status("ClusterQueue", "life", 0, 0, 0, "0")
	c.delete("Job", "first")
}

const classes = `apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: %s}
value: %d
`

// preemption: a Job of higher priority takes the room of one that runs, which is suspended, waits,
// and runs again with the template that it had.
func preemption(c *cluster) {
	c.create(fmt.Sprintf(classes, "low", 10))
	c.create(fmt.Sprintf(classes, "high", 100))
	c.create(team("prio", 3, "  preemption: {withinClusterQueue: LowerPriority}\n"))
	c.create(sample("low", "prio", ", kueue.x-k8s.io/priority-class: low", 3, "1"))
	c.runs("low", 3, "spot")
	c.create(sample("high", "prio", ", kueue.x-k8s.io/priority-class: high", 2, "1"))
	c.runs("high", 2, "spot")
	c.waits("low", "")
	w := c.workload("low")
	if said := says(w, "Evicted"); said != "True/Preempted" {
		c.Errorf("the victim says Evicted=%q", said)
	}
	if said := says(w, "Preempted"); said != "True/InClusterQueue" {
		c.Errorf("the victim says Preempted=%q", said)
	}
	if said := says(w, "Requeued"); said != "True/Preempted" {
		c.Errorf("the victim says Requeued=%q", said)
	}
	j, _ := c.job("low")
	if len(j.Spec.Template.Spec.NodeSelector) > 0 || len(j.Spec.Template.Annotations) > 0 ||
		len(j.Annotations) > 0 {
		c.Errorf("the victim's template is %v; its annotations are %v", j.Spec.Template, j.Annotations)
	}
	c.finish("high")
	c.runs("low", 3, "spot")
	c.delete("Job", "low")
	c.delete("Job", "high")
}

// active: a workload that somebody deactivates gives all back, until it is active again.
func active(c *cluster) {
	c.create(team("active", 3, ""))
	c.create(sample("stopped", "active", "", 3, "1"))
	c.runs("stopped", 3, "spot")
	name := c.workload("stopped").GetName()
	c.patch("Workload", name, `{"spec": {"active": false}}`)
	c.waits("stopped", "")
	if said := says(c.workload("stopped"), "Evicted"); said != "True/Deactivated" {
		c.Errorf("it says Evicted=%q", said)
	}
	c.status("ClusterQueue", "active", 0, 0, 0, "0")
	c.patch("Workload", name, `{"spec": {"active": true}}`)
	c.runs("stopped", 3, "spot")
	c.delete("Job", "stopped")
}

// stopPolicy: Hold keeps what runs, HoldAndDrain does not; of both kinds of queues.
func stopPolicy(c *cluster) {
	c.create(team("stop", 3, ""))
	c.create(sample("runs", "stop", "", 2, "1"))
	c.runs("runs", 2, "spot")
	c.patch("ClusterQueue", "stop", `{"spec": {"stopPolicy": "Hold"}}`)
	c.isActive("ClusterQueue", "stop", "False/Stopped")
	c.isActive("LocalQueue", "stop", "False/ClusterQueueIsInactive")
	c.create(sample("waits", "stop", "", 1, "1"))
	c.waits("waits", "")
	c.stays("the one runs, and the other does not", func() error {
		if _, running := c.job("runs"); running != 2 {
			return fmt.Errorf("%d pods run", running)
		}
		return c.isWaiting("waits", "")
	})
	c.patch("ClusterQueue", "stop", `{"spec": {"stopPolicy": "HoldAndDrain"}}`)
	c.waits("runs", "")
	if said := says(c.workload("runs"), "Evicted"); said != "True/ClusterQueueStopped" {
		c.Errorf("it says Evicted=%q", said)
	}
	c.patch("ClusterQueue", "stop", `{"spec": {"stopPolicy": "None"}}`)
	c.runs("runs", 2, "spot")
	c.runs("waits", 1, "spot")
	c.patch("LocalQueue", "stop", `{"spec": {"stopPolicy": "HoldAndDrain"}}`)
	c.waits("runs", "")
	c.isActive("LocalQueue", "stop", "False/Stopped")
	c.delete("Job", "runs")
	c.delete("Job", "waits")
}

// gate: a workload that would have to preempt signals instead, until somebody opens its gate.
func gate(c *cluster) {
	c.create(team("gate", 3, "  preemption: {withinClusterQueue: LowerPriority}\n"))
	c.create(fmt.Sprintf(classes, "gate-high", 100))
	c.create(sample("victim", "gate", "", 3, "1"))
	c.runs("victim", 3, "spot")
	c.create(gated)
	workload := func() *unstructured.Unstructured {
		w, err := c.in("Workload").Get(c.Context(), "gated", metav1.GetOptions{})
		if err != nil {
			c.Fatal(err)
		}
		return w
	}
	c.until("it signals", func() error {
		if said := says(workload(), "BlockedOnPreemptionGates"); said != "True/PreemptionGated" {
			return fmt.Errorf("it says %q: %v", said, workload().Object["status"])
		}
		return nil
	})
	c.stays("nobody is preempted", func() error {
		if _, running := c.job("victim"); running != 3 {
			return fmt.Errorf("%d pods run", running)
		}
		return nil
	})
	c.open("gated", "example.com/mine")
	c.waits("victim", "")
	c.until("it is admitted, and signals no more", func() error {
		w := workload()
		if says(w, "Admitted") != "True/Admitted" ||
			says(w, "BlockedOnPreemptionGates") == "True/PreemptionGated" {
			return fmt.Errorf("it says %v", w.Object["status"])
		}
		return nil
	})
	c.delete("Workload", "gated")
	c.runs("victim", 3, "spot")
	c.delete("Job", "victim")
}

// open opens the only gate of a workload, as its owner would.
func (c *cluster) open(workload, gate string) {
	c.Helper()
	c.patch("Workload", workload, fmt.Sprintf(`{"status": {"preemptionGates": [{"name": %q,
		"position": "Open", "lastTransitionTime": %q}]}}`, gate, now()), "status")
}

// now is the time as the API server writes it.
func now() string { return metav1.Now().UTC().Format("2006-01-02T15:04:05Z") }

const gated = `apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: gated, namespace: default}
spec:
  queueName: gate
  priority: 100
  preemptionGates: [{name: example.com/mine}]
  podSets:
  - name: main
    count: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: none, resources: {requests: {cpu: "1"}}}]
`

// rights: with Workloads come no others than it needs.
func rights(c *cluster) {
	may := func(verb, group, resource string) bool {
		review := &authorizationv1.SubjectAccessReview{}
		review.Spec.User = "system:serviceaccount:kube-system:sluice-scheduler"
		resource, subresource, _ := strings.Cut(resource, "/")
		review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{Verb: verb, Group: group,
			Resource: resource, Subresource: subresource, Namespace: space}
		answer, err := c.Client.AuthorizationV1().SubjectAccessReviews().Create(c.Context(), review,
			metav1.CreateOptions{})
		if err != nil {
			c.Fatal(err)
		}
		return answer.Status.Allowed
	}
	for _, one := range []struct {
		verbs, group, resource string
		want                   bool
	}{
		{"get list watch patch", "batch", "jobs", true},
		{"create update delete", "batch", "jobs", false},
		{"patch", "batch", "jobs/status", true},
		{"update", "batch", "jobs/status", false},
		{"get list watch create patch delete", "kueue.x-k8s.io", "workloads", true},
		{"update deletecollection", "kueue.x-k8s.io", "workloads", false},
		{"patch", "kueue.x-k8s.io", "workloads/status", true},
		{"patch", "kueue.x-k8s.io", "clusterqueues/status", true},
		{"patch", "kueue.x-k8s.io", "clusterqueues", true},
		{"patch", "kueue.x-k8s.io", "resourceflavors", true},
		{"patch", "kueue.x-k8s.io", "admissionchecks", true},
		{"create update delete", "kueue.x-k8s.io", "clusterqueues", false},
		{"create update delete", "kueue.x-k8s.io", "resourceflavors", false},
		{"create update patch delete", "kueue.x-k8s.io", "localqueues", false},
		{"create update delete", "kueue.x-k8s.io", "admissionchecks", false},
		{"create update patch delete", "", "limitranges", false},
		{"get list watch", "", "secrets", false},
	} {
		for verb := range strings.FieldsSeq(one.verbs) {
			if is := may(verb, one.group, one.resource); is != one.want {
				c.Errorf("%s %s: allowed %t, want %t", verb, one.resource, is, one.want)
			}
		}
	}
}

// TestKilledLeader: another replica goes on where one was killed, at several moments of a
// preemption.
func TestKilledLeader(t *testing.T) {
	c := start(t, "workloads")
	c.Args = nil
	first := c.lead()
	c.create(spot)
	c.create(team("prio", 3, "  preemption: {withinClusterQueue: LowerPriority}\n"))
	c.create(fmt.Sprintf(classes, "high", 100))
	c.create(sample("low", "prio", "", 3, "1"))
	c.runs("low", 3, "spot")
	c.create(sample("high", "prio", ", kueue.x-k8s.io/priority-class: high", 2, "1"))
	c.until("a victim is evicted", func() error {
		if says(c.workload("low"), "Evicted") != "True/Preempted" {
			return fmt.Errorf("it says %s", c.all("low"))
		}
		return nil
	})
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	c.run("b")
	c.runs("high", 2, "spot")
	c.waits("low", "")
	j, _ := c.job("low")
	if len(j.Spec.Template.Spec.NodeSelector) > 0 || j.Status.StartTime != nil {
		t.Errorf("the victim: %v, %v", j.Spec.Template, j.Status)
	}
	c.finish("high")
	c.runs("low", 3, "spot")
	late(c, "prio")
	c.status("ClusterQueue", "prio", 0, 1, 1, "3")
}
