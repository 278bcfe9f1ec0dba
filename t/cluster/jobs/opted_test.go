// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"
	"testing"
)

// TestOptedIn is of the manifests that hold pods and admit Jobs, without the webhook.
func TestOptedIn(t *testing.T) {
	for _, overlay := range []string{"workloads", "workloads-webhook"} {
		t.Run(overlay, func(t *testing.T) {
			c := start(t, overlay)
			first := c.lead()
			c.create(spot)
			opted(c)
			evicted(c)
			c.create(templated("left", "optin", gateOpts, 1))
			if err := first.Kill(); err != nil {
				t.Fatal(err)
			}
			c.run("b")
			c.runs("left", 1, "spot")
			c.gateless("left")
		})
	}
}

const (
	gateOpts  = `scheduling.volcano.sh/queue-allocation-gate: "true"`
	shortOpts = `volcano.sh/queue-allocation-gate: "true"`
	gangOpts  = `scheduling.volcano.sh/group-min-member: "2"`
	namedOpts = `scheduling.k8s.io/group-name: nobody`
)

// templated is a Job whose template has annotations.
func templated(name, queue, annotations string, pods int) string {
	return strings.Replace(sample(name, queue, "", pods, "1"), "  template:\n",
		"  template:\n    metadata: {annotations: {"+annotations+"}}\n", 1)
}

// opted: Jobs that name a LocalQueue and whose templates opt in get their quota once, as workloads.
func opted(c *cluster) {
	c.create(team("optin", 3, ""))
	for name, annotations := range map[string]string{
		"long": gateOpts, "short": shortOpts, "gang": gangOpts, "named": namedOpts,
		"both": gateOpts + ", " + gangOpts + `, scheduling.volcano.sh/queue-name: elsewhere`,
	} {
		c.create(templated(name, "optin", annotations, 2))
		c.runs(name, 2, "spot")
		c.gateless(name)
		c.status("ClusterQueue", "optin", 0, 1, 1, "2")
		c.finish(name)
		c.delete("Job", name)
	}
}

// evicted: such a Job loses its quota while its pods are on their way, and gets it back.
func evicted(c *cluster) {
	c.create(templated("stopped", "optin", gateOpts, 2))
	c.runs("stopped", 2, "spot")
	name := c.workload("stopped").GetName()
	c.patch("Workload", name, `{"spec": {"active": false}}`)
	c.waits("stopped", "")
	c.patch("Workload", name, `{"spec": {"active": true}}`)
	c.runs("stopped", 2, "spot")
	c.gateless("stopped")
	c.finish("stopped")
	c.delete("Job", "stopped")
}

// gateless looks whether no pod of a Job carries a gate.
func (c *cluster) gateless(job string) {
	c.Helper()
	c.until("no pod of "+job+" has a gate", func() error {
		for _, pod := range c.pods(job) {
			if len(pod.Spec.SchedulingGates) > 0 {
				return fmt.Errorf("%s has %v", pod.Name, pod.Spec.SchedulingGates)
			}
		}
		return nil
	})
}
