// SPDX-License-Identifier: Apache-2.0

package command

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"sluice/kube-scheduler/facts"
)

// cache is what the scheduler has seen, as the host asks it.
type cache struct{ of *scheduler.Scheduler }

func (c cache) Queues(pod *v1.Pod) bool {
	if c.Counts(pod) {
		return true // it has left the queue, for a node
	}
	queued, has := (*framework.QueuedPodInfo)(nil), false
	switch queue := any(c.of.SchedulingQueue).(type) {
	case queueOfGroups:
		queued, has = queue.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup)
	case queueOfPods:
		queued, has = queue.GetPod(pod.Name, pod.Namespace)
	}
	return has && facts.Version(queued.Pod.ResourceVersion) >= facts.Version(pod.ResourceVersion)
}

// queueOfGroups is the scheduler's queue from Kubernetes 1.37 on, queueOfPods the one before.
type queueOfGroups interface {
	GetPod(name, namespace string, group *v1.PodSchedulingGroup) (*framework.QueuedPodInfo, bool)
}

type queueOfPods interface {
	GetPod(name, namespace string) (*framework.QueuedPodInfo, bool)
}

func (c cache) Counts(pod *v1.Pod) bool {
	counted, err := c.of.Cache.GetPod(pod)
	return err == nil && counted.UID == pod.UID
}

func (c cache) Knows(node *v1.Node) bool {
	info, err := c.of.Cache.GetNode(node.Name)
	return err == nil && info.Node() != nil &&
		facts.Version(info.Node().ResourceVersion) >= facts.Version(node.ResourceVersion)
}
