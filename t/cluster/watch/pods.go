// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

var onePod = resource.MustParse("1")

// Our gate, under either name.
var ourGates = []string{
	"scheduling.volcano.sh/queue-allocation-gate", "volcano.sh/queue-allocation-gate",
}

const (
	queueName      = "scheduling.volcano.sh/queue-name"
	localQueueName = "kueue.x-k8s.io/queue-name"
	grantStamp     = "sluice.sh/granted"
	flavorsStamp   = "sluice.sh/flavors"
	queueStamp     = "sluice.sh/queue"
	mirrorPod      = "kubernetes.io/config.mirror"
)

// grantedIn is where a pod counts that has lost its gate: it says so itself.
func grantedIn(pod *corev1.Pod) (queue id, is bool) {
	kind, name, is := strings.Cut(pod.Annotations[queueStamp], "/")
	if ours, _ := gates(pod); !is || len(ours) > 0 {
		return id{}, false
	}
	if kind == "clusterqueue" {
		return id{clusterQueue, name}, true
	}
	return id{volcanoQueue, name}, true
}

func gates(pod *corev1.Pod) (ours, foreign []string) {
	for _, gate := range pod.Spec.SchedulingGates {
		if slices.Contains(ourGates, gate.Name) {
			ours = append(ours, gate.Name)
		} else {
			foreign = append(foreign, gate.Name)
		}
	}
	return ours, foreign
}

func optedIn(pod *corev1.Pod) bool {
	for _, gate := range ourGates {
		if pod.Annotations[gate] == "true" {
			return true
		}
	}
	return false
}

func isOver(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func isExempt(pod *corev1.Pod) bool {
	for _, owner := range pod.OwnerReferences {
		if owner.Controller != nil && *owner.Controller && owner.Kind == "DaemonSet" {
			return true
		}
	}
	_, mirror := pod.Annotations[mirrorPod]
	return mirror || pod.Namespace == "kube-system"
}

func reason(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Reason
		}
	}
	return ""
}

// toldToWait tells whether the pod's condition is sluice's word: it has no place.
func toldToWait(pod *corev1.Pod) bool {
	switch reason(pod) {
	case "", corev1.PodReasonUnschedulable, "SchedulerError", corev1.PodReasonSchedulingGated:
		return false
	// The queue stands still, but whoever had a place keeps it.
	case "QueueSuspended", "QueueClosed", "QueueUnknown", "QueueInactive":
		return false
	}
	return true
}

// requestsOf is what a pod takes of a queue.
func requestsOf(pod *corev1.Pod) map[string]amount {
	asked := map[string]amount{"pods": exact(onePod)}
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	for name, quantity := range requests {
		if quantity.Sign() != 0 {
			asked[string(name)] = exact(quantity)
		}
	}
	return asked
}

// vectorOf is the pod's requests in the dimensions of its queue: in Kueue's trees by flavor, as far
// as the flavor is known.
func vectorOf(pod *corev1.Pod, of id, q *queue) vector {
	v := vector{}
	stamped := map[string]string{}
	for _, pair := range strings.Split(pod.Annotations[flavorsStamp], ",") {
		if resource, flavor, ok := strings.Cut(pair, "="); ok {
			stamped[resource] = flavor
		}
	}
	for name, asked := range requestsOf(pod) {
		if of.kind == volcanoQueue {
			v[dimension{"", name}] = asked
			continue
		}
		flavor := stamped[name]
		if flavor == "" && q != nil && len(q.flavorsOf[name]) == 1 {
			flavor = q.flavorsOf[name][0]
		}
		undeclared := q != nil && !q.covered[name]
		if flavor != "" || undeclared && name != "pods" {
			v[dimension{flavor, name}] = asked
		}
	}
	return v
}
