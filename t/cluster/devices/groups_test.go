// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"sluice/cluster/plane"
)

// groups are Kubernetes' own PodGroups with claims, by release: the version in which they are
// served, the gates with which they are known, and whether the scheduler queues a group as one. One
// that does not may look at some pods of a group before it has heard of the others' claims.
var groups = map[string]struct {
	version string
	gates   []string
	whole   bool
}{
	"v1.36": {version: "v1alpha2",
		gates: []string{"GenericWorkload", "GangScheduling", "DRAWorkloadResourceClaims"}},
	"v1.37": {version: "v1beta1", gates: []string{"GenericWorkload", "DRAWorkloadResourceClaims"},
		whole: true},
}

// A group's own claim counts once, whatever the number of its pods.
func TestClaimOfAGroup(t *testing.T) {
	release, err := plane.Kubernetes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	has, known := groups[release[:strings.LastIndex(release, ".")]]
	if !known {
		t.Fatalf("what Kubernetes %s has of groups with claims is not written down here", release)
	}
	kinds["PodGroup"] = of("scheduling.k8s.io", has.version, "podgroups")
	namespaced["PodGroup"] = true
	c := start(t, plan{gates: has.gates,
		versions: map[string]bool{"scheduling.k8s.io/" + has.version: true}})
	t.Run("gang", func(t *testing.T) { gang(c.in(t, 2), has.whole) })
}

// gang: three groups of three pods, which share a device that is made for their group, in a queue
// of two.
func gang(c *cluster, whole bool) {
	bound := c.haveNodes
	if whole {
		bound = c.bound
	}
	for _, name := range []string{"first", "second", "third"} {
		c.create(fmt.Sprintf(`kind: PodGroup
metadata: {name: %s}
spec:
  schedulingPolicy: {gang: {minCount: 3}}
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
`, name))
		for i := range 3 {
			pod := c.pod(fmt.Sprintf("%s-%d", name, i), "one")
			pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &name}
			c.add(pod)
		}
		if name != "third" {
			bound(name+"-0", name+"-1", name+"-2")
		}
	}
	c.holds(2)
	c.held("third-0", "QueueCapacity")
	c.held("third-2", "QueueCapacity")
	c.delete("first-0", "first-1")
	c.held("third-1", "QueueCapacity")
	c.delete("first-2")
	bound("third-0", "third-1", "third-2")
	c.holds(2)
}
