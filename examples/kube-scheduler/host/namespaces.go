// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
)

// namespaces are not told to the engine: what they say it is told of their pods, PodGroups and
// LocalQueues.
type namespaces struct {
	pods    *pods
	groups  *groups
	queues  *kueueQueues
	volcano *volcanoQueues
}

// seen tells again of whom a namespace concerns: by the queue that it names those that are in none
// of their own, or in no other one, and by its labels those whose queue selects namespaces.
func (n *namespaces) seen(old, now *v1.Namespace) {
	before := map[string]string{}
	if old != nil {
		before = old.Annotations
	}
	names := before[facts.QueueName] != now.Annotations[facts.QueueName] ||
		before[facts.QueueBinding] != now.Annotations[facts.QueueBinding]
	relabelled := old == nil || !maps.Equal(old.Labels, now.Labels)
	if names || relabelled && n.volcano.selectors.areBound() {
		n.groups.tellAgainOf(func(namespace, _ string) bool { return namespace == now.Name })
		n.pods.tellAgainIn(now.Name, func(*v1.Pod) bool { return true })
	} else if relabelled {
		n.pods.tellAgainIn(now.Name, func(pod *v1.Pod) bool { return facts.LocalQueue(pod) != "" })
	}
	if relabelled {
		n.queues.tellLocalQueues(func(q *kueue.LocalQueue) bool { return q.Namespace == now.Name })
	}
}

func (n *namespaces) gone(*v1.Namespace) {}
