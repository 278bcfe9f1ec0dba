// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// held waits until these pods are there and held, and looks whether they stay so: with their gate,
// and without an Unschedulable at any time.
func (s *tale) held(names ...string) {
	s.Helper()
	what := strings.Join(names, ", ") + " wait for the queue, and no autoscaler sees them"
	s.until(what, func() error { return s.isHeld(names...) })
	s.stays(staysFor, what, func() error { return s.isHeld(names...) })
}

func (s *tale) isHeld(names ...string) error {
	for _, name := range names {
		is := s.of(name)
		switch {
		case is.pod == nil:
			return fmt.Errorf("%s is not seen", name)
		case !is.unschedulable.IsZero():
			return fmt.Errorf("%s was Unschedulable; sluice: %s", name, s.why(name))
		case len(is.pod.Spec.SchedulingGates) != 1 || is.pod.Spec.NodeName != "":
			return fmt.Errorf("%s has the gates %v and the node %q; sluice: %s", name,
				is.pod.Spec.SchedulingGates, is.pod.Spec.NodeName, s.why(name))
		}
	}
	return nil
}

// bound waits until these pods have nodes.
func (s *tale) bound(names ...string) {
	s.Helper()
	s.until(strings.Join(names, ", ")+" are bound", func() error { return s.areBound(names...) })
}

func (s *tale) areBound(names ...string) error {
	for _, name := range names {
		if is := s.of(name); is.pod == nil || is.pod.Spec.NodeName == "" {
			return fmt.Errorf("%s is not bound; sluice: %s", name, s.why(name))
		}
	}
	return nil
}

// neverSpurious: none of these pods was Unschedulable at any time.
func (s *tale) neverSpurious(names ...string) {
	s.Helper()
	for _, name := range names {
		if at := s.of(name).unschedulable; !at.IsZero() {
			s.Errorf("%s was Unschedulable: an autoscaler would have bought a node for it", name)
		}
	}
}

// condition waits until our condition of a group has this status.
func (s *tale) condition(group, status string) {
	s.Helper()
	s.until("the group "+group+" says "+status, func() error {
		is, err := s.custom.Resource(s.groups.Resource()).Namespace(s.name).Get(s.Context(), group,
			metav1.GetOptions{})
		if err != nil {
			return err
		}
		if one := ours(is); one["status"] != status {
			return fmt.Errorf("it says %v", one)
		}
		return nil
	})
}

// ours is the condition that we write into a group; nil: none is there.
func ours(group *unstructured.Unstructured) object {
	conditions, _, _ := unstructured.NestedSlice(group.Object, "status", "conditions")
	for _, each := range conditions {
		if one := each.(object); one["type"] == quotaReserved {
			return one
		}
	}
	return nil
}

// nothingReserved: the queue holds nothing for whoever is not there.
func (s *tale) nothingReserved() {
	s.Helper()
	s.until("the queue's status says that nothing is reserved", func() error {
		queue, err := s.custom.Resource(queues).Get(s.Context(), s.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if cpu, _, _ := unstructured.NestedString(queue.Object, "status", "reserved", "cpu"); cpu != "" &&
			cpu != "0" {
			return fmt.Errorf("%s cpu are reserved", cpu)
		}
		return nil
	})
}

// tell tells the stories that are so in both ways of removing gates.
func tell(t *testing.T, c *cluster) {
	// A gang of 3, and room for 2: nobody is granted before all can be.
	t.Run("room2gang3", func(t *testing.T) {
		s := c.in(t, 2, 3)
		s.gang("a", 3)
		s.pods("a", "a0", "a1", "a2")
		s.held("a0", "a1", "a2")
		s.nothingReserved()
		s.condition("a", "False")
		s.ceiling(3)
		s.bound("a0", "a1", "a2")
		s.neverSpurious("a0", "a1", "a2")
		s.condition("a", "True")
	})
	// Two gangs of 3, made in turn, and room for 4: the one runs, and then the other.
	t.Run("twohalves", func(t *testing.T) {
		s := c.in(t, 4, 6)
		s.gang("a", 3)
		s.gang("b", 3)
		for i := range 3 {
			s.pods("a", fmt.Sprint("a", i))
			s.pods("b", fmt.Sprint("b", i))
		}
		s.bound("a0", "a1", "a2")
		s.held("b0", "b1", "b2")
		s.neverSpurious("a0", "a1", "a2")
		s.delete("a0", "a1", "a2")
		s.bound("b0", "b1", "b2")
		s.neverSpurious("b0", "b1", "b2")
	})
	// A gang that does not fit stands in nobody's way.
	t.Run("starve", func(t *testing.T) {
		s := c.in(t, 2, 3)
		s.gang("a", 3)
		s.pods("a", "a0", "a1", "a2")
		s.pods("", "z")
		s.bound("z")
		s.held("a0", "a1", "a2")
		s.neverSpurious("z")
	})
	// Nor does half a gang whose other half was never made.
	t.Run("squat", func(t *testing.T) {
		s := c.in(t, 2, 3)
		s.gang("a", 3)
		s.pods("a", "a0", "a1")
		s.pods("", "z1", "z2")
		s.bound("z1", "z2")
		s.held("a0", "a1")
		s.neverSpurious("z1", "z2")
	})
	// Room for the last member comes when somebody else ends.
	t.Run("rel", func(t *testing.T) {
		s := c.in(t, 3, 4)
		s.pods("", "x")
		s.bound("x")
		s.gang("a", 3)
		s.pods("a", "a0", "a1", "a2")
		s.held("a0", "a1", "a2")
		s.delete("x")
		s.bound("a0", "a1", "a2")
		s.neverSpurious("a0", "a1", "a2")
	})
	// The queue has room for all, the cluster for none of them as a gang: the autoscaler is to see
	// all three.
	t.Run("nonodes", func(t *testing.T) {
		s := c.in(t, 3, 2)
		s.gang("a", 3)
		s.pods("a", "a0", "a1", "a2")
		s.allUnschedulable("a0", "a1", "a2")
		s.condition("a", "True")
		s.addNode()
		s.bound("a0", "a1", "a2")
	})
	t.Run("room3gang3", func(t *testing.T) {
		s := c.in(t, 3, 3)
		s.gang("a", 3)
		s.pods("a", "a0", "a1", "a2")
		s.bound("a0", "a1", "a2")
		s.neverSpurious("a0", "a1", "a2")
	})
	// The pods come first, and their group 4 s later.
	t.Run("late", func(t *testing.T) {
		s := c.in(t, 3, 3)
		s.pods("a", "a0", "a1", "a2")
		s.held("a0", "a1", "a2")
		s.nothingReserved()
		s.gang("a", 3)
		s.bound("a0", "a1", "a2")
		s.neverSpurious("a0", "a1", "a2")
	})
	// A scheduler that queues a group as one holds all of it for one pod that is held.
	if c.groups.Whole {
		tellWhole(t, c)
	} else {
		tellOneByOne(t, c)
	}
}

// tellOneByOne tells of a scheduler that takes the pods of a group one by one.
func tellOneByOne(t *testing.T, c *cluster) {
	// A basic group has no minimum.
	t.Run("basic", func(t *testing.T) {
		s := c.in(t, 2, 3)
		s.gang("b", 0)
		s.pods("b", "b0", "b1", "b2")
		s.bound("b0", "b1")
		s.held("b2")
		s.neverSpurious("b0", "b1")
	})
	// More pods than the minimum: those beyond it go one by one.
	t.Run("extra", func(t *testing.T) {
		s := c.in(t, 2, 3)
		s.gang("a", 2)
		s.pods("a", "a0", "a1", "a2")
		s.bound("a0", "a1")
		s.held("a2")
		s.neverSpurious("a0", "a1")
	})
}

// tellWhole tells of one that queues a group as one.
func tellWhole(t *testing.T, c *cluster) {
	// Nobody of a group runs before all that are there can, whatever its minimum; nor does it keep
	// the room of a part. The group comes last, so that all three are there when it does.
	for name, minimum := range map[string]int{"basicburst": 0, "extra": 2} {
		t.Run(name, func(t *testing.T) {
			s := c.in(t, 2, 4)
			s.pods("g", "g0", "g1", "g2")
			s.held("g0", "g1", "g2")
			s.gang("g", minimum)
			s.held("g0", "g1", "g2")
			s.nothingReserved()
			s.pods("", "z")
			s.bound("z")
			s.ceiling(4)
			s.bound("g0", "g1", "g2")
			s.neverSpurious("g0", "g1", "g2", "z")
		})
	}
	// The queue is full, and has room for a part of the group before it has room for all.
	t.Run("backlog", func(t *testing.T) {
		s := c.in(t, 3, 5)
		s.pods("", "x", "y")
		s.bound("x", "y")
		s.gang("g", 0)
		s.pods("g", "g0")
		s.bound("g0") // the only one that is there
		s.pods("g", "g1", "g2")
		s.held("g1", "g2")
		s.delete("x", "y")
		s.bound("g1", "g2")
		s.neverSpurious("g0", "g1", "g2")
	})
	// A member comes to a group that has room and no node, and there is no room for it: the group
	// waits for its room as a whole, and then all are seen without a node once more.
	t.Run("join", func(t *testing.T) {
		s := c.in(t, 4, 1)
		s.pods("", "x")
		s.bound("x")
		s.gang("g", 3)
		s.pods("g", "g0", "g1", "g2")
		s.allUnschedulable("g0", "g1", "g2")
		s.pods("g", "g3")
		s.held("g3")
		for range 3 {
			s.addNode()
		}
		s.delete("x")
		s.bound("g0", "g1", "g2", "g3")
	})
	// The scheduler refuses a group with a member of another priority for ever.
	t.Run("prio", func(t *testing.T) {
		s := c.in(t, 3, 3)
		s.gang("g", 3)
		for _, name := range []string{"g0", "g1", "g2"} {
			pod := s.pod(s.name, name, "g")
			pod.Spec.PriorityClassName = "system-cluster-critical"
			if _, err := s.Client.CoreV1().Pods(s.name).Create(s.Context(), pod,
				metav1.CreateOptions{}); err != nil {
				s.Fatal(err)
			}
		}
		s.held("g0", "g1", "g2")
		s.nothingReserved()
	})
}

// allUnschedulable waits until these pods have lost their gates, and an autoscaler sees each.
func (s *tale) allUnschedulable(names ...string) {
	s.Helper()
	s.until(strings.Join(names, ", ")+" are Unschedulable, without a gate", func() error {
		for _, name := range names {
			is := s.of(name)
			if is.pod == nil || is.unschedulable.IsZero() || len(is.pod.Spec.SchedulingGates) > 0 {
				return fmt.Errorf("%s: sluice: %s", name, s.why(name))
			}
			if is.pod.Spec.NodeName != "" {
				return fmt.Errorf("%s is bound", name)
			}
		}
		return nil
	})
}

func TestOnBind(t *testing.T) {
	c := leading(t, plan{overlay: "on-bind", server: true, scheduler: true})
	tell(t, c)
	t.Run("flap", func(t *testing.T) { testFlap(c.in(t, 3, 2)) })
	t.Run("told", func(t *testing.T) { testTold(c.in(t, 2, 3)) })
}

// onadm, and whatever else is so in both ways.
func TestOnAdmission(t *testing.T) {
	tell(t, leading(t, plan{overlay: "on-admission", server: true, scheduler: true}))
}

// queueWrites is how often the scheduler has written the status of the story's queue.
func (s *tale) queueWrites() int {
	s.Helper()
	events, err := s.Audit()
	if err != nil {
		s.Fatal(err)
	}
	count := 0
	account := plane.ServiceAccountUser(shipped.Namespace, shipped.Name).Name
	for i := range events {
		if of := events[i].ObjectRef; of != nil && of.Resource == "queues" && of.Name == s.name &&
			of.Subresource == "status" && events[i].User.Username == account {
			count++
		}
	}
	return count
}

// testFlap: what a scheduler tries again and again for a gang without nodes is no news of its
// queue.
func testFlap(s *tale) {
	s.until("the queue has a status", func() error {
		if s.queueWrites() == 0 {
			return fmt.Errorf("it was never written")
		}
		return nil
	})
	s.gang("a", 3)
	s.pods("a", "a0", "a1", "a2")
	s.allUnschedulable("a0", "a1", "a2")
	// The first write after the grant may still be to come: a queue's status is written once a second
	// at most.
	time.Sleep(2 * time.Second)
	before := s.queueWrites()
	s.stays(20*time.Second, "none of them has a node", func() error {
		for _, name := range []string{"a0", "a1", "a2"} {
			if node := s.of(name).pod.Spec.NodeName; node != "" {
				return fmt.Errorf("%s is on %s", name, node)
			}
		}
		return nil
	})
	after := s.queueWrites()
	s.Logf("the queue's status was written %d times before, and %d times in the 20 s", before,
		after-before)
	if after-before > 1 {
		s.Errorf("the queue's status was written %d times in 20 s in which nothing changed, want once "+
			"at most", after-before)
	}
}

// testTold: who asks is told of the group, also where Volcano has one of its name.
func testTold(s *tale) {
	s.gang("a", 3)
	s.pods("a", "a0", "a1", "a2")
	s.held("a0", "a1", "a2")
	pod := s.asked("pod", s.name, "a0")
	if pod["native"] != true || pod["group"] != "a" || pod["state"] != "waiting" {
		s.Errorf("of a pod is said %v", pod)
	}
	group := s.asked("group", s.name, "a")
	if group["native"] != true || group["state"] != "waiting" || group["minimum"] != float64(3) {
		s.Errorf("of its group is said %v", group)
	}
}
