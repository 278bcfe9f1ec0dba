// SPDX-License-Identifier: Apache-2.0

package facts

import (
	v1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
)

// Node writes over `into` what the engine wants to know. A node that is cordoned or not ready still
// counts: which nodes a pod fits on today is the scheduler's to say.
func Node(node *v1.Node, into *sluice.Node) {
	into.Name = node.Name
	into.Labels = pairs(node.Labels, into.Labels)
	into.Allocatable = amounts(node.Status.Allocatable, into.Allocatable)
}

// Flavor writes over `into` what the engine wants to know of Kueue's ResourceFlavor.
func Flavor(flavor *kueue.ResourceFlavor, into *sluice.Flavor) {
	into.Name = flavor.Name
	into.NodeLabels = pairs(flavor.Spec.NodeLabels, into.NodeLabels)
	into.Taints = into.Taints[:0]
	for i := range flavor.Spec.NodeTaints {
		taint := &flavor.Spec.NodeTaints[i]
		into.Taints = append(into.Taints,
			sluice.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)})
	}
	into.Tolerations = into.Tolerations[:0]
	for i := range flavor.Spec.Tolerations {
		toleration := &flavor.Spec.Tolerations[i]
		into.Tolerations = append(into.Tolerations, sluice.Toleration{
			Key:      toleration.Key,
			Operator: string(toleration.Operator),
			Value:    toleration.Value,
			Effect:   string(toleration.Effect),
			Seconds:  toleration.TolerationSeconds,
		})
	}
}
