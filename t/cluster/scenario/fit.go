// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

// place is a node that is there, is coming, or would have to be bought, with what is on it.
type place struct {
	node *corev1.Node
	used corev1.ResourceList
}

// put counts a pod on the place.
func (p *place) put(pod *corev1.Pod) {
	if p.used == nil {
		p.used = corev1.ResourceList{}
	}
	for name, amount := range charge(pod) {
		sum := p.used[name].DeepCopy()
		sum.Add(amount)
		p.used[name] = sum
	}
}

// charge is what a pod takes of a node: what it asks for, and one of pods.
func charge(pod *corev1.Pod) corev1.ResourceList {
	asked := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	asked[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return asked
}

// fits tells whether a pod may run on the place: nodeSelector, taints with NoSchedule or NoExecute,
// and room. Affinity, topology and volumes are not modelled.
func (p *place) fits(pod *corev1.Pod) bool {
	if p.node.Spec.Unschedulable {
		return false
	}
	for key, value := range pod.Spec.NodeSelector {
		if label, ok := p.node.Labels[key]; !ok || label != value {
			return false
		}
	}
	for i := range p.node.Spec.Taints {
		taint := &p.node.Spec.Taints[i]
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerates(pod, taint) {
			return false
		}
	}
	for name, amount := range charge(pod) {
		free := p.node.Status.Allocatable[name].DeepCopy()
		free.Sub(p.used[name])
		if amount.Sign() > 0 && amount.Cmp(free) > 0 {
			return false
		}
	}
	return true
}

func tolerates(pod *corev1.Pod, taint *corev1.Taint) bool {
	for _, each := range pod.Spec.Tolerations {
		if each.Effect != "" && each.Effect != taint.Effect {
			continue
		}
		exists := each.Operator == corev1.TolerationOpExists
		if each.Key == "" && exists ||
			each.Key == taint.Key && (exists || each.Value == taint.Value) {
			return true
		}
	}
	return false
}
