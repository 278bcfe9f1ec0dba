// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// played is a sample whose controller is the test.
func played(name, queue, labels string, pods int, cpu string) string {
	return strings.Replace(sample(name, queue, labels, pods, cpu), "spec:\n",
		"spec:\n  managedBy: example.com/played\n", 1)
}

// plays says how many pods of a Job there are whose controller is the test.
func (c *cluster) plays(job string, pods int) {
	c.Helper()
	c.patch("Job", job, fmt.Sprintf(`{"status": {"active": %d, "ready": %[1]d}}`, pods), "status")
}

// victims: who waits for others to go says for how many, until they have gone.
func victims(c *cluster) {
	for name, value := range map[string]int{"victims-low": 10, "victims-high": 100} {
		c.create(fmt.Sprintf(classes, name, value))
	}
	c.create(team("victims", 3, "  preemption: {withinClusterQueue: LowerPriority}\n"))
	class := func(name string) string { return ", kueue.x-k8s.io/priority-class: " + name }
	c.create(played("goes", "victims", class("victims-low"), 3, "1"))
	c.admitted("goes")
	c.plays("goes", 3)
	c.create(sample("comes", "victims", class("victims-high"), 2, "1"))
	c.tells("comes", "couldn't assign flavors to pod set main: insufficient unused quota for cpu in "+
		"flavor spot, 2 more needed. Pending the preemption of 1 workload(s)")
	c.plays("goes", 0)
	c.runs("comes", 2, "spot")
	c.waits("goes", "Pending")
	c.delete("Job", "comes")
	c.admitted("goes")
	c.delete("Job", "goes")
}

// admitted waits until the workload of a Job is.
func (c *cluster) admitted(job string) {
	c.Helper()
	c.until(job+" is admitted", func() error {
		if j, _ := c.job(job); says(c.workload(job), "Admitted") != "True/Admitted" ||
			j.Spec.Suspend == nil || *j.Spec.Suspend {
			return fmt.Errorf("its workload: %s", c.all(job))
		}
		return nil
	})
}

// deactivated: why a workload was is said by its conditions, and by events.
func deactivated(c *cluster) {
	c.check("refusing")
	c.create(team("deactivated", 3,
		"  admissionChecksStrategy: {admissionChecks: [{name: refusing}]}\n"))
	c.create(sample("refused", "deactivated", "", 3, "1"))
	c.holds("refused")
	w := c.workload("refused")
	c.answers(w.GetName(), "refusing", "Rejected", `, "message": "too much"`)
	c.waits("refused", "Pending")
	const why = `AdmissionCheck in Rejected state: "refusing" (too much)`
	c.saysWhy("refused", "DeactivatedDueToAdmissionCheck", "The workload is deactivated due to "+why)
	c.hears(w.GetName(), "AdmissionCheckRejected", "Deactivated due to "+why)
	c.hears(w.GetName(), "EvictedDueToDeactivatedDueToAdmissionCheck",
		"The workload is deactivated due to "+why)
	c.delete("Job", "refused")

	c.create(team("out-of-time", 3, ""))
	c.create(sample("short", "out-of-time", `, kueue.x-k8s.io/max-exec-time-seconds: "3"`, 3, "1"))
	c.waits("short", "Pending")
	c.saysWhy("short", "DeactivatedDueToMaximumExecutionTimeExceeded",
		"The workload is deactivated due to exceeding the maximum execution time")
	c.hears(c.workload("short").GetName(), "MaximumExecutionTimeExceeded",
		"The maximum execution time (3s) exceeded")
	c.delete("Job", "short")
}

// check is an admission check that is active.
func (c *cluster) check(name string) {
	c.Helper()
	c.create(fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: %s}
spec: {controllerName: example.com/%[1]s}
`, name))
	c.patch("AdmissionCheck", name, fmt.Sprintf(`{"status": {"conditions": [{"type": "Active",
		"status": "True", "reason": "Active", "message": "", "lastTransitionTime": %q}]}}`, now()),
		"status")
}

// answers is what the controller of a check says of a workload.
func (c *cluster) answers(workload, check, state, more string) {
	c.Helper()
	if !strings.Contains(more, "message") {
		more += `, "message": ""`
	}
	c.patch("Workload", workload, fmt.Sprintf(`{"status": {"admissionChecks": [{"name": %q,
		"state": %q, "lastTransitionTime": %q%s}]}}`, check, state, now(), more), "status")
}

// saysWhy compares what the workload of a Job says of its eviction.
func (c *cluster) saysWhy(job, reason, message string) {
	c.Helper()
	one := condition(c.workload(job), "Evicted")
	if one["status"] != "True" || one["reason"] != reason || one["message"] != message {
		c.Errorf("%s says Evicted=%v, want %s: %s", job, one, reason, message)
	}
}

// hears waits for an event about a workload.
func (c *cluster) hears(workload, reason, message string) {
	c.Helper()
	c.until("people hear "+reason, func() error {
		list, err := c.Client.EventsV1().Events(c.space).List(c.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		var heard []string
		for i := range list.Items {
			one := &list.Items[i]
			if one.Regarding.Kind != "Workload" || one.Regarding.Name != workload {
				continue
			}
			if one.Reason == reason && one.Note == message {
				return nil
			}
			heard = append(heard, one.Reason+": "+one.Note)
		}
		return fmt.Errorf("they hear %q", heard)
	})
}
