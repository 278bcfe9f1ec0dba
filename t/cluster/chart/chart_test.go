// SPDX-License-Identifier: Apache-2.0

// Package chart tests the Helm chart of examples/deploy on a real API server, by helm itself:
// installed, tried by `helm test`, with other values, and taken out. That it is the same manifests
// as the overlays is proven by t/chart.
package chart

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const everything = "deployments,configmaps,services,serviceaccounts,secrets,poddisruptionbudgets," +
	"roles,rolebindings,clusterroles,clusterrolebindings,mutatingadmissionpolicies," +
	"mutatingadmissionpolicybindings,validatingadmissionpolicies,validatingadmissionpolicybindings," +
	"validatingwebhookconfigurations,mutatingwebhookconfigurations,apiservices,networkpolicies," +
	"servicemonitors,prometheusrules"

type cluster struct {
	*testing.T
	*plane.Plane
	program, chart, config string
	ran                    chan *corev1.Pod // of `helm test`, as they came to their node
}

// build gives the helm that is pinned in t/helm, or $SLUICE_HELM.
func build(t *testing.T, root string) string {
	if program := os.Getenv("SLUICE_HELM"); program != "" {
		return program
	}
	program := filepath.Join(t.TempDir(), "helm")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"helm.sh/helm/v3/cmd/helm")
	build.Dir = filepath.Join(root, "t/helm")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if said, err := build.CombinedOutput(); err != nil {
		if strings.Contains(string(said), "dial tcp") {
			t.Skip("the modules of helm cannot be had here")
		}
		t.Fatalf("helm: %v\n%s", err, said)
	}
	return program
}

func (c *cluster) helm(words ...string) string {
	c.Helper()
	helm := exec.CommandContext(c.Context(), c.program,
		append(words, "--namespace", shipped.Namespace, "--kubeconfig", c.config)...)
	said, err := helm.CombinedOutput()
	if err != nil {
		c.Fatalf("helm %s: %v\n%s", strings.Join(words, " "), err, said)
	}
	return string(said)
}

func (c *cluster) kubectl(words ...string) string {
	c.Helper()
	said, err := c.Kubectl(c.Context(), words...)
	if err != nil {
		c.Fatal(err)
	}
	return said
}

// start is a control plane without sluice.
func start(t *testing.T) *cluster {
	root, err := shipped.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := build(t, root)
	p, err := plane.Start(t.Context(), plane.Options{Name: "chart",
		APIFlags: []string{"--enable-aggregator-routing=true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{T: t, Plane: p, program: program, ran: make(chan *corev1.Pod, 16),
		chart: filepath.Join(root, "examples/deploy/chart")}
	if c.config, err = p.Kubeconfig(plane.Admin); err != nil {
		t.Fatal(err)
	}
	node := plane.Node{Name: "node", Allocatable: map[string]string{
		"cpu": "1", "memory": "1Gi", "pods": "10"}}
	if _, err := p.CreateNode(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	kubelets := plane.Kubelets{Client: p.Client, Starts: 100 * time.Millisecond,
		Phase: func(pod *corev1.Pod) corev1.PodPhase {
			if pod.Namespace == shipped.Namespace {
				return "" // a replica, which runs beside the cluster
			}
			if pod.Name == "sluice-test" && pod.Status.Phase == corev1.PodPending {
				c.ran <- pod
			}
			return corev1.PodSucceeded
		}}
	if err := kubelets.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// run starts a replica of what is installed, and waits until it leads.
func (c *cluster) run(name string) (*shipped.Sluice, *shipped.Replica) {
	c.Helper()
	s, err := shipped.Installed(c.Context(), c.Plane)
	if errors.Is(err, shipped.ErrNoAddress) {
		c.Skip(err)
	}
	if err != nil {
		c.Fatal(err)
	}
	replica, err := s.Run(c.Context(), name)
	if err == nil {
		err = s.AwaitLeader(c.Context())
	}
	if err != nil {
		c.Fatal(err)
	}
	return s, replica
}

// TestChart installs the chart, gives it one option after the other, and takes it out.
func TestChart(t *testing.T) {
	c := start(t)
	c.prepare()
	c.helm("install", "sluice", c.chart)
	for number, one := range options {
		name := strings.ReplaceAll(one.values, ",", " ")
		if !t.Run(name, func(t *testing.T) {
			its := *c
			its.T = t
			its.try(fmt.Sprint("with-", number), one)
		}) {
			return
		}
	}
	c.helm("uninstall", "sluice")
	left := c.kubectl("get", everything, "--all-namespaces", "-o", "name", "-l",
		"app.kubernetes.io/part-of=sluice")
	if strings.TrimSpace(left) != "" {
		t.Errorf("uninstalled, there is still\n%s", left)
	}
	// What is in the queues is the users'.
	c.kubectl("get", "crd", "queues.scheduling.volcano.sh")
}

// testPod is `helm test`: its pod goes through a queue onto a node, where a kubelet runs it.
func (c *cluster) testPod() {
	c.Helper()
	said := c.helm("test", "sluice", "--timeout", "2m")
	if !strings.Contains(said, "Phase:          Succeeded") {
		c.Errorf("helm test says\n%s", said)
	}
	pod := <-c.ran
	if stamp := pod.Annotations["sluice.sh/queue"]; stamp != "queue/default" ||
		len(pod.Spec.SchedulingGates) > 0 {
		c.Errorf("it came to its node with the stamp %q and the gates %v", stamp,
			pod.Spec.SchedulingGates)
	}
	c.kubectl("-n", "default", "delete", "pod", "sluice-test")
}
