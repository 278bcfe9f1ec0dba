// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
)

// namespaces are not told to the engine: what they say it is told of their pods and LocalQueues.
type namespaces struct {
	pods   *pods
	queues *kueueQueues
}

// seen tells again of whom a namespace concerns: it matters for the queue that it names to those of
// its pods that name none, and by its labels to those of LocalQueues.
func (n *namespaces) seen(old, now *v1.Namespace) {
	before := ""
	if old != nil {
		before = old.Annotations[facts.QueueName]
	}
	if before != now.Annotations[facts.QueueName] {
		n.pods.tellAgainIn(now.Name, func(*v1.Pod) bool { return true })
	}
	if old == nil || !maps.Equal(old.Labels, now.Labels) {
		n.queues.tellLocalQueues(func(q *kueue.LocalQueue) bool { return q.Namespace == now.Name })
		n.pods.tellAgainIn(now.Name, func(pod *v1.Pod) bool { return facts.LocalQueue(pod) != "" })
	}
}

func (n *namespaces) gone(*v1.Namespace) {}
