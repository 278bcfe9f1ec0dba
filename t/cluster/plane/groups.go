// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Groups is what a release of Kubernetes has of PodGroups of its own.
type Groups struct {
	Version string   // of scheduling.k8s.io, in which its API server serves them
	Whole   bool     // its scheduler queues a group as one, else its pods one by one
	gates   []string // with which they are known

	Composites     string   // the version of its CompositePodGroups; "": it has none
	compositeGates []string // with which those are known, beside
}

var groups = map[string]Groups{
	"v1.36": {Version: "v1alpha2",
		gates: []string{"GangScheduling", "GenericWorkload", "WorkloadAwarePreemption"}},
	"v1.37": {Version: "v1beta1", gates: []string{"GenericWorkload"}, Whole: true,
		Composites:     "v1alpha3",
		compositeGates: []string{"CompositePodGroup", "TopologyAwareWorkloadScheduling"}},
}

// NativeGroups is that of the release whose programs Binaries gives.
func NativeGroups(ctx context.Context) (Groups, error) {
	release, err := Kubernetes(ctx)
	if err != nil {
		return Groups{}, err
	}
	minor := release[:strings.LastIndex(release, ".")]
	is, known := groups[minor]
	if !known {
		return Groups{}, fmt.Errorf("what Kubernetes %s has of groups is not written down here: "+
			"only of %v", minor, slices.Sorted(maps.Keys(groups)))
	}
	return is, nil
}

// Resource is that of its PodGroups.
func (g *Groups) Resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: g.Version,
		Resource: "podgroups"}
}

// WithComposites is the same with CompositePodGroups.
func (g *Groups) WithComposites() Groups {
	with := *g
	with.gates = slices.Concat(g.gates, g.compositeGates)
	return with
}

// CompositeResource is that of its CompositePodGroups.
func (g *Groups) CompositeResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: g.Composites,
		Resource: "compositepodgroups"}
}

// On is the gates, as Options takes them.
func (g *Groups) On() map[string]bool {
	on := map[string]bool{}
	for _, gate := range g.gates {
		on[gate] = true
	}
	return on
}

// Flag is the gates, as a scheduler takes them.
func (g *Groups) Flag() string {
	return "--feature-gates=" + strings.Join(g.gates, "=true,") + "=true"
}
