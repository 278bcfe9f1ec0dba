// SPDX-License-Identifier: Apache-2.0

package native

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var commands = schema.GroupVersionResource{Group: "bus.volcano.sh", Version: "v1alpha1",
	Resource: "commands"}

// What `kubectl describe` shows of native groups: events about their pods, and the condition of the
// PodGroup, which has the same reasons.
func TestDescribed(t *testing.T) {
	c := leading(t, plan{overlay: "on-bind", server: true, scheduler: true,
		args: object{"preempt": true}})
	t.Run("causes", func(t *testing.T) { testCauses(c.in(t, 2, 4)) })
	t.Run("suspended", func(t *testing.T) { testSuspended(c.in(t, 2, 2)) })
	t.Run("evicted", func(t *testing.T) { testEvicted(c.in(t, 2, 2)) })
}

// Who did not opt in, and obeys, is told the same.
func TestDescribedManaged(t *testing.T) {
	c := leading(t, plan{overlay: "on-bind", server: true, scheduler: true,
		args: object{"manage": "all"}})
	t.Run("managed", func(t *testing.T) { testManaged(c.in(t, 1, 2)) })
}

func testManaged(s *tale) {
	const stops, never = "Normal QueueSuspended queue managed is suspended", "Warning NeverFits the " +
		"group asks for 2 cpu, and queue managed may never have more than 1"

	s.order("SuspendQueue")
	s.gang("a", 2)
	for name, group := range map[string]string{"alone": "", "a0": "a", "a1": "a"} {
		pod := s.pod(s.name, name, group)
		delete(pod.Annotations, gateName)
		if _, err := s.Client.CoreV1().Pods(s.name).Create(s.Context(), pod,
			metav1.CreateOptions{}); err != nil {
			s.Fatal(err)
		}
	}
	for _, name := range []string{"alone", "a0", "a1"} {
		s.isTold(name, stops)
	}
	s.order("ResumeQueue")
	s.bound("alone")
	s.isTold("alone", stops, "Normal Granted queue managed has room for it: it was granted, and a "+
		"node is looked for")
	s.isTold("a0", stops, never)
	s.isTold("a1", stops, never)
	s.neverSpurious("alone", "a0", "a1")
}

// isTold waits until a pod was told this, and nothing else.
func (s *tale) isTold(pod string, want ...string) {
	s.Helper()
	slices.Sort(want)
	s.until(pod+" is told", func() error {
		got, err := s.Told(s.Context(), s.name, pod)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("events\n%s\nwant\n%s\nit is %s", strings.Join(got, "\n"),
				strings.Join(want, "\n"), s.why(pod))
		}
		return nil
	})
	for _, line := range want {
		s.Logf("%-8s %s", pod, line)
	}
}

// says waits until our condition of a group has this reason and message.
func (s *tale) says(group, reason, message string) {
	s.Helper()
	want := reason + ": " + message
	s.until("the group "+group+" says "+want, func() error {
		is, err := s.custom.Resource(s.groups.Resource()).Namespace(s.name).Get(s.Context(), group,
			metav1.GetOptions{})
		if err != nil {
			return err
		}
		one := ours(is)
		if got := fmt.Sprint(one["reason"], ": ", one["message"]); got != want {
			return fmt.Errorf("it says %s", got)
		}
		return nil
	})
	s.Logf("podgroup/%s %s", group, want)
}

// testCauses: what does not end by itself is told once, and that it is over.
func testCauses(s *tale) {
	const granted = "Normal Granted queue causes has room for it: it was granted, and a node is " +
		"looked for"
	const missing = "Warning GroupMissing its group causes/unmade does not exist"
	const incomplete = "Warning GroupIncomplete its group causes/pair has 1 of the 2 members that " +
		"it needs"
	noRoom := "queue causes has no room yet for all of the %d members that it needs"
	if s.groups.Whole {
		noRoom = strings.Replace(noRoom, "it needs", "are there", 1)
	}
	const never = "the group asks for 3 cpu, and queue causes may never have more than 2"

	const invalid = "Warning GroupInvalid its group causes/mixed has members of another priority " +
		"than its own"

	s.gang("mixed", 1)
	s.important("mixed", "m0")
	s.pods("unmade", "u0", "u1")
	s.gang("pair", 2)
	s.pods("pair", "p0")
	s.gang("large", 3)
	s.pods("large", "l0", "l1", "l2")
	s.says("large", "NeverFits", never)
	s.says("pair", "GroupIncomplete", "fewer than the 2 members that it needs are there and ready")
	s.isTold("u0", missing)
	s.isTold("p0", incomplete)
	s.isTold("m0", invalid)
	for _, pod := range []string{"l0", "l1", "l2"} {
		s.isTold(pod, "Warning NeverFits "+never)
	}
	s.pods("pair", "p1")
	s.bound("p0", "p1")
	s.isTold("p0", incomplete, granted)
	s.isTold("p1") // it only waited for its turn
	s.gang("unmade", 2)
	s.says("unmade", "QueueCapacity", fmt.Sprintf(noRoom, 2))
	s.isTold("u0", missing) // waiting for room is no news
	s.ceiling(4)
	s.bound("u0", "u1")
	s.isTold("u0", missing, granted)
	s.says("large", "QueueCapacity", fmt.Sprintf(noRoom, 3))
}

// testSuspended: a suspended queue is told to each member at once, and to the group.
func testSuspended(s *tale) {
	const stops = "queue suspended is suspended"

	s.order("SuspendQueue")
	s.gang("a", 2)
	s.pods("a", "a0", "a1")
	s.says("a", "QueueSuspended", stops)
	s.isTold("a0", "Normal QueueSuspended "+stops)
	s.isTold("a1", "Normal QueueSuspended "+stops)
	s.order("ResumeQueue")
	s.bound("a0", "a1")
	s.isTold("a0", "Normal QueueSuspended "+stops, "Normal Granted queue suspended has room for it: "+
		"it was granted, and a node is looked for")
}

// testEvicted: who goes is told for whom, each of a gang.
func testEvicted(s *tale) {
	s.gang("low", 2)
	s.pods("low", "v0", "v1")
	s.bound("v0", "v1")
	s.important("", "urgent")
	const why = "Normal Preempted preempted to make room for pod evicted/urgent of priority 9 in " +
		"queue evicted"
	s.isTold("v0", why)
	s.isTold("v1", why)
	s.bound("urgent")
}

// order sends a command to the queue of the story when it is known, and waits until it was obeyed.
func (s *tale) order(action string) {
	s.Helper()
	var of *unstructured.Unstructured
	s.until("the status of the queue is written", func() (err error) {
		of, err = s.custom.Resource(queues).Get(s.Context(), s.name, metav1.GetOptions{})
		if err == nil && of.Object["status"] == nil {
			err = errors.New("it has none")
		}
		return err
	})
	name := strings.ToLower(action)
	s.create(commands, s.name, object{"kind": "Command", "metadata": object{"name": name},
		"action": action, "target": object{"apiVersion": queues.GroupVersion().String(),
			"kind": "Queue", "name": s.name, "uid": string(of.GetUID())}})
	s.until(action+" is obeyed", func() error {
		_, err := s.custom.Resource(commands).Namespace(s.name).Get(s.Context(), name,
			metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there: %v", err)
	})
}

// important creates a pod of priority 9, as a member of a group ("": of none).
func (s *tale) important(group, name string) {
	s.Helper()
	s.class()
	pod := s.pod(s.name, name, group)
	pod.Spec.PriorityClassName = s.name
	if _, err := s.Client.CoreV1().Pods(s.name).Create(s.Context(), pod,
		metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
}

// class makes a class of priority 9 with the name of the story.
func (s *tale) class() {
	s.Helper()
	_, err := s.Client.SchedulingV1().PriorityClasses().Create(s.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: s.name}, Value: 9},
		metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
}
