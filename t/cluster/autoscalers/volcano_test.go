// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"cmp"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"sluice/cluster/upstream"
)

const (
	volcanoColumn = "Volcano"
	gatedColumn   = "Volcano, gates"
)

// volcanoConfig is that of its manual for the plugin capacity, with which queues have parents, and
// gates are removed.
const volcanoConfig = `actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins: [{name: predicates}, {name: capacity, enableHierarchy: true}, {name: nodeorder}]
`

// volcanoQueues are Volcano's Queues, which sluice has, too.
type volcanoQueues struct {
	root string // the parent of those that name none, as Volcano's webhook has it; "": they have none
}

func (q volcanoQueues) queue(s *tale, name string, cpus int, parent string) {
	s.Helper()
	spec := object{"capability": object{"cpu": fmt.Sprint(cpus)}}
	if parent = cmp.Or(parent, q.root); parent != "" {
		spec["parent"] = parent
	}
	s.create(queues, "", object{"kind": "Queue", "metadata": object{"name": name}, "spec": spec})
}

func (q volcanoQueues) parent(s *tale, name string, cpus int) {
	s.Helper()
	q.queue(s, name, cpus, "")
}

func (volcanoQueues) ceiling(s *tale, cpus int) {
	s.Helper()
	s.patch(queues, s.name, object{"spec": object{"capability": object{"cpu": fmt.Sprint(cpus)}}})
}

// volcano is Volcano's scheduler, with its controllers.
type volcano struct {
	volcanoQueues
	gates bool // its pods opt in to gates, which it has off by default
}

// runVolcano starts its programs.
func (c *cluster) runVolcano(gates bool) {
	c.Helper()
	if err := upstream.ApplyVolcanoCRDs(c.Context(), c.Plane); err != nil {
		c.Fatal(err)
	}
	scheduler, err := upstream.StartVolcanoScheduler(c.Context(), c.Plane, volcanoConfig,
		fmt.Sprint("--feature-gates=SchedulingGatesQueueAdmission=", gates))
	if err != nil {
		c.Fatal(err)
	}
	controllers, err := upstream.StartVolcano(c.Context(), c.Plane, upstream.VolcanoControllers)
	if err != nil {
		c.Fatal(err)
	}
	c.runs = append(c.runs, scheduler, controllers)
	c.scheduler = volcano{volcanoQueues{root: "root"}, gates}
}

func (v volcano) column() string {
	if v.gates {
		return gatedColumn
	}
	return volcanoColumn
}

// pods have the gate that Volcano's webhook would add, which does not run here.
func (v volcano) pods(s *tale, prefix string, count int, queue string, edits ...func(*corev1.Pod)) {
	s.Helper()
	s.makePods(prefix, count, append([]func(*corev1.Pod){func(pod *corev1.Pod) {
		pod.Spec.SchedulerName = "volcano"
		pod.Annotations = map[string]string{queueName: queue}
		if v.gates {
			pod.Annotations[gateName] = "true"
			pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gateName}}
		}
	}}, edits...)...)
}

func (v volcano) gang(s *tale, size int) {
	s.Helper()
	v.pods(s, "p", size, s.name, s.volcanoGroup(size))
}

// volcanoGroup makes a PodGroup of Volcano's, and returns what makes a pod one of its members.
func (s *tale) volcanoGroup(size int) func(*corev1.Pod) {
	s.Helper()
	s.create(podGroups, s.name, object{"kind": "PodGroup", "metadata": object{"name": "g"},
		"spec": object{"minMember": int64(size), "queue": s.name,
			"minResources": object{"cpu": fmt.Sprint(size)}}})
	return func(pod *corev1.Pod) { pod.Annotations[groupName] = "g" }
}

// TestVolcano: Volcano's own scheduler, without gates, as it is by default, and with them.
func TestVolcano(t *testing.T) {
	_, err := upstream.VolcanoModule.Build(t.Context())
	if errors.Is(err, upstream.ErrUnobtainable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	everywhere(t, func(t *testing.T, open opener) {
		for _, gates := range []bool{false, true} {
			t.Run(fmt.Sprint("gates=", gates), func(t *testing.T) {
				c := start(t, open, names([]stories{ofVolcano}, "empty"))
				c.runVolcano(gates)
				c.tellEmpty(t)
				c.tell(t, "stories", ofVolcano)
			})
		}
	})
}
