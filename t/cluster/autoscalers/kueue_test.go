// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"sluice/cluster/shipped"
	"sluice/cluster/upstream"
)

var (
	clusterQueues = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2",
		Resource: "clusterqueues"}
	localQueues = clusterQueues.GroupVersion().WithResource("localqueues")
	cohorts     = clusterQueues.GroupVersion().WithResource("cohorts")
	flavors     = clusterQueues.GroupVersion().WithResource("resourceflavors")
)

const (
	kueueColumn = "Kueue"
	kueueQueue  = "kueue.x-k8s.io/queue-name" // a label of Jobs
	flavor      = "default"                   // of all nodes
)

// kueue is Kueue itself, whose Jobs are suspended until it admits them, beside the stock scheduler.
type kueue struct{}

// runKueue starts both.
func (c *cluster) runKueue(program string) {
	c.Helper()
	if err := shipped.ApplyKueueCRDs(c.Context(), c.Plane); err != nil {
		c.Fatal(err)
	}
	k, err := upstream.Start(c.Context(), c.Plane, program, map[string]bool{
		"VisibilityOnDemand": false, "MultiKueue": false})
	if err == nil {
		err = k.AwaitReady(c.Context(), patience)
	}
	if err == nil {
		err = k.Convert(c.Context())
	}
	if err != nil {
		c.Fatal(err)
	}
	c.runStock()
	c.runs = append(c.runs, k.Process)
	c.create(flavors, "", object{"kind": "ResourceFlavor", "metadata": object{"name": flavor}})
	c.scheduler = kueue{}
}

func (kueue) column() string { return kueueColumn }

// pods are each of a Job of its own.
func (k kueue) pods(s *tale, prefix string, count int, queue string, edits ...func(*corev1.Pod)) {
	s.Helper()
	for i := range count {
		k.job(s, fmt.Sprint(prefix, i), 1, queue, edits...)
	}
}

func (kueue) job(s *tale, name string, pods int32, queue string, edits ...func(*corev1.Pod)) {
	s.Helper()
	pod := s.pod(s.name, "", 0)
	for _, edit := range edits {
		edit(pod)
	}
	s.job(name, map[string]string{kueueQueue: queue}, pods, pod)
}

// groups are the quota of a queue, or of a cohort.
func groups(quota object) []any {
	quota["name"] = "cpu"
	return []any{object{"coveredResources": []any{"cpu"}, "flavors": []any{
		object{"name": flavor, "resources": []any{quota}}}}}
}

// queue is a ClusterQueue with a LocalQueue. Below a parent all that it has is borrowed.
func (kueue) queue(s *tale, name string, cpus int, parent string) {
	s.Helper()
	spec := object{"namespaceSelector": object{},
		"resourceGroups": groups(object{"nominalQuota": fmt.Sprint(cpus)})}
	if parent != "" {
		spec["cohortName"] = parent
		spec["resourceGroups"] = groups(object{"nominalQuota": "0",
			"borrowingLimit": fmt.Sprint(cpus)})
	}
	s.create(clusterQueues, "", object{"kind": "ClusterQueue", "metadata": object{"name": name},
		"spec": spec})
	s.create(localQueues, s.name, object{"kind": "LocalQueue", "metadata": object{"name": name},
		"spec": object{"clusterQueue": name}})
}

func (kueue) parent(s *tale, name string, cpus int) {
	s.Helper()
	s.create(cohorts, "", object{"kind": "Cohort", "metadata": object{"name": name},
		"spec": object{"resourceGroups": groups(object{"nominalQuota": fmt.Sprint(cpus)})}})
}

func (kueue) ceiling(s *tale, cpus int) {
	s.Helper()
	s.patch(clusterQueues, s.name, object{"spec": object{
		"resourceGroups": groups(object{"nominalQuota": fmt.Sprint(cpus)})}})
}

// gang is a Job, which is admitted as a whole.
func (k kueue) gang(s *tale, size int) {
	s.Helper()
	k.job(s, "g", int32(size), s.name)
}

// suspend lets who is admitted run on: HoldAndDrain would evict them.
func (kueue) suspend(s *tale) {
	s.Helper()
	s.patch(clusterQueues, s.name, object{"spec": object{"stopPolicy": "Hold"}})
}

func (kueue) resume(s *tale) {
	s.Helper()
	s.patch(clusterQueues, s.name, object{"spec": object{"stopPolicy": "None"}})
}

// TestKueue: Kueue itself, with Jobs.
func TestKueue(t *testing.T) {
	program, err := upstream.Program(t.Context())
	if errors.Is(err, upstream.ErrUnobtainable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	everywhere(t, func(t *testing.T, open opener) {
		c := start(t, open, names([]stories{ofKueue}, "empty", "idle"))
		c.runKueue(program)
		c.tellEmpty(t)
		c.tell(t, "stories", ofKueue)
		c.tellIdle(t)
	})
}
