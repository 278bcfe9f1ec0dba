// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"os/exec"
	"strings"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// why: one command tells which gate is closed, whose room it would take, and since when it signals.
func why(c *cluster) {
	program, err := shipped.KubectlSluice(c.Context(), c.Root, c.TempDir())
	if err != nil {
		c.Fatal(err)
	}
	kubeconfig, err := c.Kubeconfig(plane.Admin)
	if err != nil {
		c.Fatal(err)
	}
	tells := func(workload string, parts ...string) {
		c.Helper()
		said := ""
		c.until("kubectl sluice why tells of "+workload, func() error {
			out, err := exec.CommandContext(c.Context(), program, "--kubeconfig="+kubeconfig, "why",
				"workload/"+workload).CombinedOutput()
			said = string(out)
			for _, part := range parts {
				if err == nil && !strings.Contains(said, part) {
					err = fmt.Errorf("no %q", part)
				}
			}
			if err != nil {
				return fmt.Errorf("%w in\n%s", err, out)
			}
			return nil
		})
		c.Logf("\n%s", said)
	}
	c.create(team("why", 3, "  preemption: {withinClusterQueue: LowerPriority}\n"))
	c.create(sample("takes", "why", "", 3, "1"))
	c.runs("takes", 3, "spot")
	victim := c.workload("takes").GetName()
	c.create(strings.NewReplacer("name: gated", "name: asks", "queueName: gate",
		"queueName: why").Replace(gated))
	tells("asks", "default/asks waits in queue why of ClusterQueue why since ",
		"PreemptionGated: others would have to go, and a gate is closed",
		"example.com/mine is closed", "since ", "that it would preempt",
		"default/"+victim+" would go for it")
	tells(victim, "default/"+victim+" is admitted in queue why of ClusterQueue why",
		"3 of pod set main: cpu from spot")
	c.create(sample("after", "why", "", 1, "1"))
	c.waits("after", "Pending")
	tells(c.workload("after").GetName(), "number 2 of its ClusterQueue",
		"QueueCapacity: cluster queue why has room for 0 more cpu in flavor spot, pod set main "+
			"asks for 1")
	c.delete("Workload", "asks")
	c.delete("Job", "takes")
	c.runs("after", 1, "spot")
	c.delete("Job", "after")
}
