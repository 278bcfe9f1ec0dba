// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// sluice is sluice as an overlay ships it.
type sluice struct {
	volcanoQueues
	overlay string
	all     bool // its pods obey without opting in
}

// install applies sluice's manifests.
func (c *cluster) install(overlay string) *shipped.Sluice {
	c.Helper()
	s, err := shipped.Apply(c.Context(), c.Plane, "overlays/"+overlay)
	if errors.Is(err, shipped.ErrNoAddress) {
		c.Skip(err)
	}
	if err != nil {
		c.Fatal(err)
	}
	c.scheduler = sluice{overlay: overlay}
	return c.withGroups(s)
}

// end stops a replica; what is returned has none yet.
func (c *cluster) end(s *shipped.Sluice, replica *shipped.Replica) *shipped.Sluice {
	c.Helper()
	c.runs = slices.DeleteFunc(c.runs, func(one *plane.Process) bool {
		return one == replica.Process
	})
	err := replica.Stop(10 * time.Second)
	if err == nil {
		err = s.Refresh(c.Context())
	}
	if err == nil {
		s, err = shipped.Installed(c.Context(), c.Plane)
	}
	if err != nil {
		c.Fatal(err)
	}
	return c.withGroups(s)
}

func (c *cluster) withGroups(s *shipped.Sluice) *shipped.Sluice {
	s.Patient = true
	s.Flags = []string{c.groups.Flag()}
	return s
}

// runSluice starts a replica with these arguments, and waits until it leads.
func (c *cluster) runSluice(s *shipped.Sluice, name string, args object) *shipped.Replica {
	c.Helper()
	s.Args = args
	replica, err := s.Run(c.Context(), name)
	if err == nil {
		err = s.AwaitLeader(c.Context())
	}
	if err != nil {
		c.Fatal(err)
	}
	c.runs = append(c.runs, replica.Process)
	c.scheduler = sluice{overlay: c.scheduler.(sluice).overlay, all: args["manage"] == "all"}
	return replica
}

// awaitGates waits until the shipped policy adds the gate to a pod that opts in.
func (c *cluster) awaitGates() {
	c.Helper()
	try := &tale{cluster: c}
	c.until("an opted-in pod gets its gate", func() error {
		pod := try.pod(canaries, "try", 0)
		sluice{}.dress(pod, "none")
		made, err := c.Client.CoreV1().Pods(canaries).Create(c.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil && len(made.Spec.SchedulingGates) != 1 {
			err = fmt.Errorf("its gates are %v", made.Spec.SchedulingGates)
		}
		return err
	})
}

func (own sluice) column() string { return "sluice, " + own.overlay }

// dress makes a pod one of sluice's.
func (own sluice) dress(pod *corev1.Pod, queue string) {
	pod.Spec.SchedulerName = shipped.Name
	pod.Annotations = map[string]string{gateName: "true", queueName: queue}
	if own.all {
		delete(pod.Annotations, gateName)
	}
}

func (own sluice) pods(s *tale, prefix string, count int, queue string,
	edits ...func(*corev1.Pod)) {
	s.Helper()
	s.makePods(prefix, count, append([]func(*corev1.Pod){
		func(pod *corev1.Pod) { own.dress(pod, queue) }}, edits...)...)
}

func (own sluice) gang(s *tale, size int) {
	s.Helper()
	own.pods(s, "p", size, s.name, s.volcanoGroup(size))
}

func (sluice) suspend(s *tale) {
	s.Helper()
	s.command("SuspendQueue")
}

func (sluice) resume(s *tale) {
	s.Helper()
	s.command("ResumeQueue")
}

func (s *tale) command(action string) {
	s.Helper()
	s.create(commands, s.name, object{"kind": "Command",
		"metadata": object{"name": strings.ToLower(action)}, "action": action,
		"target": object{"apiVersion": queues.GroupVersion().String(), "kind": "Queue",
			"name": s.name, "uid": ""}})
}

// sluiceJob creates a Job whose pods opt in.
func (s *tale) sluiceJob(pods int32) {
	s.Helper()
	s.asked += int(pods)
	pod := s.pod(s.name, "", 0)
	sluice{}.dress(pod, s.name)
	s.job("j", nil, pods, pod)
}
