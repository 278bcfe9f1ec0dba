// SPDX-License-Identifier: Apache-2.0

package command

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"

	"sluice/kube-scheduler/facts"
)

// cache is the scheduler's, as the host asks it.
type cache struct{ of *scheduler.Scheduler }

func (c cache) Counts(pod *v1.Pod) bool {
	counted, err := c.of.Cache.GetPod(pod)
	return err == nil && counted.UID == pod.UID
}

func (c cache) Knows(node *v1.Node) bool {
	info, err := c.of.Cache.GetNode(node.Name)
	return err == nil && info.Node() != nil &&
		facts.Version(info.Node().ResourceVersion) >= facts.Version(node.ResourceVersion)
}
