// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// timed: a Job runs for as long as it may, and again when somebody activates its workload.
func timed(c *cluster) {
	c.create(team("timed", 3, ""))
	c.create(sample("short", "timed", `, kueue.x-k8s.io/max-exec-time-seconds: "6"`, 3, "1"))
	c.runs("short", 3, "spot")
	for range 2 {
		c.waits("short", "")
		w := c.workload("short")
		if said := says(w, "Evicted"); said != "True/DeactivatedDueToMaximumExecutionTimeExceeded" {
			c.Errorf("it says Evicted=%q", said)
		}
		c.stays("it is over", func() error { return c.isWaiting("short", "") })
		c.status("ClusterQueue", "timed", 0, 0, 0, "0")
		c.patch("Workload", w.GetName(), `{"spec": {"active": true}}`)
		c.runs("short", 3, "spot")
	}
	c.delete("Job", "short")
}

// again: Jobs that are deleted and made again under their names at once leave no quota behind.
func again(c *cluster) {
	c.create(team("again", 3, ""))
	for range 10 {
		c.create(sample("again", "again", "", 3, "1"))
		c.until("its workload is there", func() error {
			if c.workload("again") == nil {
				return fmt.Errorf("no workload")
			}
			return nil
		})
		c.delete("Job", "again")
	}
	c.create(sample("again", "again", "", 3, "1"))
	c.runs("again", 3, "spot")
	c.status("ClusterQueue", "again", 0, 1, 1, "3")
	c.until("no other workload is left", func() error {
		list, err := c.in("Workload").List(c.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		count := 0
		for i := range list.Items {
			if strings.HasPrefix(list.Items[i].GetName(), "job-again-") {
				count++
			}
		}
		if count != 1 {
			return fmt.Errorf("%d workloads are there", count)
		}
		return nil
	})
	c.delete("Job", "again")
}

// gatedBy: nothing of a Job is admitted as long as it names who gates that.
func gatedBy(c *cluster) {
	c.create(team("gated-by", 3, ""))
	c.create(strings.Replace(sample("gated-by", "gated-by", "", 3, "1"), "metadata:\n",
		"metadata:\n  annotations: {kueue.x-k8s.io/admission-gated-by: example.com/budget}\n", 1))
	c.waits("gated-by", "AdmissionGated")
	c.stays("it waits", func() error { return c.isWaiting("gated-by", "AdmissionGated") })
	c.patch("Job", "gated-by",
		`{"metadata": {"annotations": {"kueue.x-k8s.io/admission-gated-by": null}}}`)
	c.runs("gated-by", 3, "spot")
	c.delete("Job", "gated-by")
}
