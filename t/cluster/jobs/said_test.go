// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"
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
