// SPDX-License-Identifier: Apache-2.0

package watch

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// controller is what makes pods, and names a queue for those that name none. One that is gone is
// kept: its pods outlive it.
type controller struct {
	queue string
	above types.UID // a Deployment, which speaks for its ReplicaSet
}

// Controller tells of a Deployment, ReplicaSet, StatefulSet, Job or ReplicationController.
func (c *Checker) Controller(of metav1.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := controller{queue: of.GetAnnotations()[queueName]}
	if above := metav1.GetControllerOf(of); above != nil && above.Kind == "Deployment" {
		now = controller{above: above.UID}
	}
	before := c.named(of.GetUID())
	c.controllers[of.GetUID()] = now
	if c.named(of.GetUID()) == before {
		return // most name none
	}
	c.recount()
	c.recheck(c.config.Grace)
}

// named is the queue that a controller names for its pods; "": none.
func (c *Checker) named(uid types.UID) string {
	found := c.controllers[uid]
	if found.above != "" {
		found = c.controllers[found.above]
	}
	return found.queue
}

// inherited is the queue that a pod's controller names; "": none.
func (c *Checker) inherited(pod *corev1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return ""
	}
	return c.named(owner.UID)
}
