// SPDX-License-Identifier: Apache-2.0

package native

import "testing"

// spec is that of a group below another one ("": of the topmost), with a gang's minimum.
func (s *tale) spec(parent, minimum string, count int) object {
	spec := object{
		"workloadRef":      object{"workloadName": "w", "templateName": "t"},
		"schedulingPolicy": object{"gang": object{minimum: int64(count)}},
	}
	if parent != "" {
		spec["parentCompositePodGroupName"] = parent
	}
	return spec
}

func (s *tale) composite(name, parent string, minimum int) {
	s.Helper()
	s.create(s.groups.CompositeResource(), s.name, object{"kind": "CompositePodGroup",
		"metadata": object{"name": name}, "spec": s.spec(parent, "minGroupCount", minimum)})
}

func (s *tale) below(parent, name string, minimum int) {
	s.Helper()
	s.create(s.groups.Resource(), s.name, object{"kind": "PodGroup", "metadata": object{"name": name},
		"spec": s.spec(parent, "minCount", minimum)})
}

// Two replicas of a leader and two workers are one claim: no pod of them is seen by an autoscaler
// before all of them have room, and then all of them run.
func TestComposite(t *testing.T) {
	c := leading(t, plan{overlay: "on-bind", server: true, scheduler: true, composites: true})
	t.Run("replicas", func(t *testing.T) {
		s := c.in(t, 4, 6)
		s.pods("leader-0", "l0")
		s.pods("workers-0", "w0", "w1")
		s.held("l0", "w0", "w1")
		for _, replica := range []string{"0", "1"} {
			s.below("replica-"+replica, "leader-"+replica, 1)
			s.below("replica-"+replica, "workers-"+replica, 2)
			s.composite("replica-"+replica, "top", 2)
		}
		s.composite("top", "", 2)
		s.held("l0", "w0", "w1")
		s.pods("leader-1", "l1")
		s.pods("workers-1", "w2", "w3")
		s.held("l0", "l1", "w0", "w1", "w2", "w3")
		s.ceiling(6)
		s.bound("l0", "l1", "w0", "w1", "w2", "w3")
		s.neverSpurious("l0", "l1", "w0", "w1", "w2", "w3")
	})
	t.Run("nonodes", func(t *testing.T) {
		s := c.in(t, 2, 1)
		s.composite("top", "", 2)
		s.below("top", "a", 1)
		s.below("top", "b", 1)
		s.pods("a", "a0")
		s.pods("b", "b0")
		s.allUnschedulable("a0", "b0")
		s.addNode()
		s.bound("a0", "b0")
	})
}
