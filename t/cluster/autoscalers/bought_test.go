// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Both look again every 10 s at what is Unschedulable.
const looks = 15 * time.Second

// ends waits until so many nodes are bought for the story's pods, and whether it stays so: for a
// while from when the autoscaler has bought a node for a pod that came later than they.
func (s *tale) ends(row string, want outcome) {
	s.Helper()
	want = s.wanted(row, want)
	s.until(fmt.Sprintf("%d nodes are bought", want.nodes), func() error {
		if got := s.purchases.count(s.name); got < want.nodes {
			return fmt.Errorf("%d are", got)
		}
		return nil
	})
	s.canary()
	time.Sleep(looks)
	s.bought(row, want)
}

// wanted is what is known of this scheduler, else this.
func (s *tale) wanted(row string, want outcome) outcome {
	if known, is := otherwise[s.scheduler.column()][row]; is {
		return known
	}
	return want
}

// bought writes how many nodes were, until now, into the table.
func (s *tale) bought(row string, want outcome) {
	s.Helper()
	got := s.purchases.count(s.name)
	s.Logf("%s: %d nodes are bought for pods of %s", row, got, s.scheduler.column())
	figures.write(s.market.title(), row, s.scheduler.column(), got)
	if got != want.nodes {
		s.Errorf("%s: %d nodes are bought, want %d", row, got, want.nodes)
	}
	s.runs(want.runs)
	s.waits(want.waits)
}

// runs waits until so many of the story's pods have a node.
func (s *tale) runs(want int) {
	s.Helper()
	s.until(fmt.Sprintf("%d pods are bound", want), func() error {
		if got := s.count(func(one sighting) bool { return one.pod.Spec.NodeName != "" }); got != want {
			return fmt.Errorf("%d are", got)
		}
		return nil
	})
}

// unschedulable waits until an autoscaler may see so many.
func (s *tale) unschedulable(want int) {
	s.Helper()
	s.until(fmt.Sprintf("%d pods are Unschedulable", want), func() error {
		got := s.count(func(one sighting) bool {
			return one.pod.Spec.NodeName == "" && reasonOf(one.pod) == corev1.PodReasonUnschedulable
		})
		if got != want {
			return fmt.Errorf("%d are", got)
		}
		return nil
	})
}

func (s *tale) count(is func(sighting) bool) int {
	count := 0
	for _, one := range s.all() {
		if is(one) {
			count++
		}
	}
	return count
}

// settles waits until no more than so many are Unschedulable. A scheduler of which it is known that
// it ends otherwise gets the time that an autoscaler takes.
func (s *tale) settles(row string, unschedulable int) {
	s.Helper()
	if _, is := otherwise[s.scheduler.column()][row]; is {
		time.Sleep(looks)
		return
	}
	s.unschedulable(unschedulable)
}

// waits looks whether so many pods wait, or are not even made, and no autoscaler has seen them at
// any time.
func (s *tale) waits(want int) {
	s.Helper()
	got := s.asked - s.count(func(one sighting) bool {
		return one.pod.Spec.NodeName != "" || one.unschedulable
	})
	if got != want {
		s.Errorf("%d pods wait, and were never Unschedulable; want %d", got, want)
	}
}

// full: 4 pods run in a queue that has room for no more, and on nodes that have none either.
func full(row string) func(*tale) {
	return func(s *tale) {
		s.queue(s.name, 4, "")
		s.nodes(2)
		s.pods("runs", 4, s.name)
		s.runs(4)
		s.pods("waits", 4, s.name)
		s.ends(row, outcome{nodes: 0, runs: 4, waits: 4})
	}
}

func room(row string) func(*tale) {
	return func(s *tale) {
		s.queue(s.name, 4, "")
		s.pods("p", 8, s.name)
		s.ends(row, outcome{nodes: 2, runs: 4, waits: 4})
	}
}

// empty is told while the cluster has no node at all.
func empty(row string, want outcome) func(*tale) {
	return func(s *tale) {
		nodes, err := s.Client.CoreV1().Nodes().List(s.Context(), metav1.ListOptions{})
		if err != nil || len(nodes.Items) > 0 {
			s.Fatalf("the cluster has %d nodes: %v", len(nodes.Items), err)
		}
		s.queue(s.name, 2, "")
		s.pods("p", 2, s.name)
		known := s.wanted(row, want)
		if known.nodes > 0 {
			s.ends(row, known)
			return
		}
		time.Sleep(looks)
		s.bought(row, known)
		s.canary() // last: its node is room
	}
}

// suspended: two pods were granted and are Unschedulable, and the pool may not buy yet. When it
// may, their queue is suspended.
func suspended(s *tale) {
	s.market.mayBuy(s.cluster, s.name, 0)
	s.queue(s.name, 2, "")
	s.pods("p", 2, s.name)
	s.unschedulable(2)
	s.stops().suspend(s)
	s.settles(suspendedRow, 0)
	s.market.mayBuy(s.cluster, s.name, plenty)
	s.ends(suspendedRow, outcome{nodes: 0, runs: 0})
	s.stops().resume(s)
	s.ends(resumedRow, outcome{nodes: 1, runs: 2})
}

// shrunk is the same with a queue that loses half of its room.
func shrunk(s *tale) {
	s.market.mayBuy(s.cluster, s.name, 0)
	s.queue(s.name, 4, "")
	s.pods("p", 4, s.name)
	s.unschedulable(4)
	s.queues().ceiling(s, 2)
	s.settles(shrunkRow, 2)
	s.market.mayBuy(s.cluster, s.name, plenty)
	s.ends(shrunkRow, outcome{nodes: 1, runs: 2})
}

func siblings(s *tale) {
	s.queues().parent(s, s.name, 4)
	for _, one := range []string{"a", "b"} {
		s.queue(s.name+"-"+one, 4, s.name)
	}
	for _, one := range []string{"a", "b"} {
		s.pods(one, 4, s.name+"-"+one)
	}
	s.ends(siblingsRow, outcome{nodes: 2, runs: 4, waits: 4})
}

// gang is of three, as its scheduler has them.
func gang(s *tale) {
	s.queue(s.name, 2, "")
	s.gang(3)
	s.gangEnds(gangRow, gangRoomRow)
}

// native is one of Kubernetes' own.
func native(s *tale) {
	s.queue(s.name, 2, "")
	s.create(s.groups.Resource(), s.name, object{"kind": "PodGroup", "metadata": object{"name": "g"},
		"spec": object{"schedulingPolicy": object{"gang": object{"minCount": int64(3)}}}})
	s.pods("p", 3, s.name, func(pod *corev1.Pod) {
		pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("g")}
	})
	s.gangEnds(nativeRow, nativeRoomRow)
}

func (s *tale) gangEnds(row, roomRow string) {
	s.Helper()
	s.ends(row, outcome{nodes: 0, runs: 0, waits: 3})
	s.queues().ceiling(s, 3)
	s.ends(roomRow, outcome{nodes: 2, runs: 3})
}

// idle: the queue of four pods is suspended, those who ran have ended, and their nodes are empty.
// That four others wait for the queue keeps no node.
func idle(s *tale) {
	s.queue(s.name, 4, "")
	s.pods("runs", 4, s.name)
	s.runs(4)
	s.pods("waits", 4, s.name)
	s.stops().suspend(s)
	s.finish()
	s.market.mayEmpty(s.cluster, s.name, true)
	s.until("no node is left", func() error {
		nodes, err := s.Client.CoreV1().Nodes().List(s.Context(),
			metav1.ListOptions{LabelSelector: story + "=" + s.name})
		if err == nil && len(nodes.Items) > 0 {
			err = fmt.Errorf("there are %d", len(nodes.Items))
		}
		return err
	})
	s.market.mayEmpty(s.cluster, s.name, false)
	s.ends(idleRow, outcome{nodes: 2, runs: 0, waits: 4})
	s.stops().resume(s)
	s.ends(wokenRow, outcome{nodes: 4, runs: 4})
}

const plenty = 100 // cpus

// stories are told by their names.
type stories map[string]func(*tale)

// tell tells them side by side.
func (c *cluster) tell(t *testing.T, of string, all stories) {
	t.Run(of, func(t *testing.T) {
		for name, tell := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tell(c.in(t, name, plenty))
			})
		}
	})
}

// names are those of all of these, and others.
func names(all []stories, others ...string) []string {
	for _, some := range all {
		others = append(others, slices.Sorted(maps.Keys(some))...)
	}
	return others
}

var (
	optedIn = stories{"full": full(fullRow), "room": room(roomRow), "suspended": suspended,
		"shrunk": shrunk, "siblings": siblings, "gang": gang, "native": native}
	manageAll = stories{"all-full": full(allFullRow), "all-room": room(allRoomRow)}
	ofStock   = stories{"full": full(fullRow), "room": room(roomRow)}
	ofVolcano = stories{"full": full(fullRow), "room": room(roomRow), "shrunk": shrunk,
		"siblings": siblings, "gang": gang}
	ofKueue = stories{"full": full(fullRow), "room": room(roomRow), "suspended": suspended,
		"shrunk": shrunk, "siblings": siblings, "gang": gang}
)

// tellEmpty comes before the others, who have nodes.
func (c *cluster) tellEmpty(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		empty(emptyRow, outcome{nodes: 1, runs: 2})(c.in(t, "empty", plenty))
	})
}

// tellIdle is told alone: one of the autoscalers removes empty nodes of all pools or of none.
func (c *cluster) tellIdle(t *testing.T) {
	t.Run("idle", func(t *testing.T) { idle(c.in(t, "idle", plenty)) })
}

func tell(t *testing.T, open opener, overlay string) {
	c := start(t, open, names([]stories{optedIn, manageAll}, "empty", "idle"))
	sluice := c.install(overlay)
	replica := c.runSluice(sluice, "opted-in", nil)
	c.awaitGates()
	c.tellEmpty(t)
	c.tell(t, "opted-in", optedIn)
	c.tellIdle(t)
	c.runSluice(c.end(sluice, replica), "all", object{"manage": "all"})
	c.tell(t, "all", manageAll)
}

func TestStock(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		c := start(t, open, names([]stories{ofStock}, "empty"))
		c.runStock()
		c.tellEmpty(t)
		c.tell(t, "stories", ofStock)
	})
}

func TestOnBind(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) { tell(t, open, "on-bind") })
}

func TestOnAdmission(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) { tell(t, open, "on-admission") })
}

// TestRootIsTheCluster: of a cluster without nodes the queues have no room, and nobody is seen who
// would need one.
func TestRootIsTheCluster(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		c := start(t, open, []string{"sized"})
		c.runSluice(c.install("on-bind"), "sized", object{"rootCeiling": "cluster"})
		c.awaitGates()
		empty(sizedRow, outcome{nodes: 0, runs: 0, waits: 2})(c.in(t, "sized", plenty))
	})
}

// TestBypassed: an autoscaler that is told to bypass our scheduler looks at pods, too, of which
// nobody has said anything. Of those with a gate the API server says something itself.
func TestBypassed(t *testing.T) {
	open := func(context.Context) (market, error) {
		return newClusterAutoscaler("--bypassed-scheduler-names=sluice-scheduler")
	}
	c := start(t, open, []string{"bypassed", "bypassed-all"})
	sluice := c.install("on-bind")
	replica := c.runSluice(sluice, "bypassed", nil)
	c.awaitGates()
	t.Run("opted-in", func(t *testing.T) {
		s := c.in(t, "bypassed", plenty)
		full(bypassedRow)(s)
	})
	c.runSluice(c.end(sluice, replica), "bypassed-all", object{"manage": "all"})
	t.Run("all", func(t *testing.T) {
		s := c.in(t, "bypassed-all", plenty)
		s.queue(s.name, 4, "")
		s.nodes(2)
		s.pods("runs", 4, s.name)
		s.runs(4)
		s.pods("waits", 4, s.name)
		// For nothing: so it is not to be set.
		s.ends(bypassedAllRow, outcome{nodes: 2, runs: 4, waits: 4})
	})
}

// TestProactive: an autoscaler that makes up the pods of Jobs that are still to be made knows those
// that wait with their gate. Those that have another reason than Unschedulable again it does not.
func TestProactive(t *testing.T) {
	open := func(context.Context) (market, error) {
		return newClusterAutoscaler("--enable-proactive-scaleup")
	}
	c := start(t, open, []string{"proactive", "proactive-shrunk"})
	c.runSluice(c.install("on-bind"), "proactive", nil)
	c.awaitGates()
	c.tell(t, "opted-in", stories{
		"proactive": func(s *tale) {
			s.queue(s.name, 4, "")
			s.sluiceJob(8)
			s.ends(proactiveRow, outcome{nodes: 2, runs: 4, waits: 4})
		},
		"proactive-shrunk": func(s *tale) {
			s.market.mayBuy(s.cluster, s.name, 0)
			s.queue(s.name, 4, "")
			s.sluiceJob(4)
			s.unschedulable(4)
			s.queues().ceiling(s, 2)
			s.unschedulable(2)
			s.market.mayBuy(s.cluster, s.name, plenty)
			// One for nothing: so it is not to be set.
			s.ends(proactiveShrunkRow, outcome{nodes: 2, runs: 2})
		},
	})
}
