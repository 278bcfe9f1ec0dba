// SPDX-License-Identifier: Apache-2.0

package native

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"sluice/cluster/plane"
)

// release is what one of Kubernetes has of groups.
type release struct {
	version string   // of scheduling.k8s.io, in which its API server serves them
	gates   []string // with which they are known
	whole   bool     // its scheduler queues a group as one, else its pods one by one
}

var releases = map[string]release{
	"v1.36": {version: "v1alpha2",
		gates: []string{"GangScheduling", "GenericWorkload", "WorkloadAwarePreemption"}},
	"v1.37": {version: "v1beta1", gates: []string{"GenericWorkload"}, whole: true},
}

// gateOfJobs makes a group of each Job, of which 1.36 takes only those whose pods are numbered.
const gateOfJobs = "WorkloadWithJob"

// thisRelease is the one whose programs are used.
func thisRelease(t *testing.T) release {
	t.Helper()
	name, err := plane.Kubernetes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	minor := name[:strings.LastIndex(name, ".")]
	is, known := releases[minor]
	if !known {
		t.Fatalf("what Kubernetes %s has of groups is not written down here: only of %v", minor,
			slices.Sorted(maps.Keys(releases)))
	}
	return is
}

func (r *release) podGroups() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: r.version,
		Resource: "podgroups"}
}

// on is the gates, as a plane is told of them.
func (r *release) on() map[string]bool {
	on := map[string]bool{}
	for _, gate := range r.gates {
		on[gate] = true
	}
	return on
}

// flag is the gates, as a scheduler is told of them.
func (r *release) flag() string {
	return "--feature-gates=" + strings.Join(r.gates, "=true,") + "=true"
}
