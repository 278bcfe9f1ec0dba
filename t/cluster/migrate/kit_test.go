// SPDX-License-Identifier: Apache-2.0

// Package migrate walks MIGRATE-KUEUE.md and MIGRATE-VOLCANO.md, with jobs that run, from the real
// one to sluice and back: README.md.
package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
	"sluice/cluster/upstream"
)

const (
	space    = "default"
	patience = 90 * time.Second
	lookTurn = 50 * time.Millisecond
)

var (
	kubelets = plane.User{Name: "kubelets", Groups: []string{"system:masters"}}
	stock    = plane.User{Name: "stock", Groups: []string{"system:masters"}}
)

// cluster is a plane with nodes whose pods run, and the ledger.
type cluster struct {
	*testing.T
	*plane.Plane
	began  time.Time
	books  *ledger
	plugin string // kubectl sluice
}

// start is a control plane with one node of each of these kinds.
func start(t *testing.T, name string, users ...plane.User) *cluster {
	if _, err := shipped.OwnAddress(); errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	p, err := plane.Start(t.Context(), plane.Options{Name: name, ControllerManager: true,
		Ready: patience, Users: append(users, kubelets, stock), Audit: auditv1.LevelMetadata,
		APIFlags: []string{"--enable-aggregator-routing=true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{T: t, Plane: p, began: time.Now()}
	if _, err := p.CreateNode(t.Context(), plane.Node{Name: "node",
		Labels: map[string]string{"kind": "spot"}, Allocatable: map[string]string{
			"cpu": "100", "memory": "1Ti", "pods": "100"}}); err != nil {
		t.Fatal(err)
	}
	client, err := p.ClientFor(kubelets.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := (plane.Kubelets{Client: client, Phase: func(pod *corev1.Pod) corev1.PodPhase {
		if pod.Namespace != space {
			return ""
		}
		return corev1.PodRunning
	}}.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	root, err := shipped.Root()
	if err != nil {
		t.Fatal(err)
	}
	if c.plugin, err = shipped.KubectlSluice(t.Context(), root, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) must(args ...string) string {
	c.Helper()
	out, err := c.Kubectl(c.Context(), args...)
	if err != nil {
		c.Fatal(err)
	}
	return out
}

// page runs the commands of a section of a page, as they stand there.
func (c *cluster) page(page, section string) string {
	c.Helper()
	root, err := shipped.Root()
	if err != nil {
		c.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples/deploy", page))
	if err != nil {
		c.Fatal(err)
	}
	_, rest, is := strings.Cut(string(text), "\n## "+section)
	_, rest, starts := strings.Cut(rest, "\n```\n")
	commands, _, ends := strings.Cut(rest, "\n```\n")
	if !is || !starts || !ends || strings.Contains(commands, "\n## ") {
		c.Fatalf("%s has no section %q with commands", page, section)
	}
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euc", commands)
	shell.Dir, shell.Env = root, append(os.Environ(), c.programs()...)
	out, err := shell.CombinedOutput()
	if err != nil {
		c.Fatalf("%s, %s: %v\n%s", page, section, err, out)
	}
	c.Logf("%7.2fs done: %s, %s", time.Since(c.began).Seconds(), page, section)
	return string(out)
}

// programs are kubectl and the plugin, in the PATH of an environment, and whom they ask.
func (c *cluster) programs() []string {
	c.Helper()
	kubectl, err := c.Program(c.Context(), "kubectl")
	if err != nil {
		c.Fatal(err)
	}
	kubeconfig, err := c.Kubeconfig(plane.Admin)
	if err != nil {
		c.Fatal(err)
	}
	root, err := shipped.Root()
	if err != nil {
		c.Fatal(err)
	}
	library, err := shipped.Library(root)
	if err != nil {
		c.Fatal(err)
	}
	folders := []string{filepath.Dir(kubectl), filepath.Dir(c.plugin), filepath.Join(root, "build"),
		os.Getenv("PATH")}
	return []string{"KUBECONFIG=" + kubeconfig, "SLUICE_LIB=" + library,
		"PATH=" + strings.Join(folders, ":")}
}

// apply makes the objects of a manifest.
func (c *cluster) apply(manifest string) {
	c.Helper()
	file := filepath.Join(c.TempDir(), "manifest.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		c.Fatal(err)
	}
	c.must("create", "-f", file)
}

// until waits until nothing is wrong any more.
func (c *cluster) until(what string, wrong func() error) {
	c.Helper()
	problem := errors.New("not looked at yet")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(lookTurn) {
		if problem = wrong(); problem == nil {
			c.Logf("%7.2fs %s", time.Since(c.began).Seconds(), what)
			return
		}
	}
	c.Fatalf("after %s it is not so that %s: %v\n%s", patience, what, problem, c.books)
}

// run waits until so many pods of each job run, and no others.
func (c *cluster) run(want map[string]int) {
	c.Helper()
	c.until(fmt.Sprintf("these run: %v", want), func() error {
		runs := c.books.runs()
		for job, count := range want {
			if runs[job] != count {
				return fmt.Errorf("of %s run %d", job, runs[job])
			}
		}
		for job := range runs {
			if want[job] == 0 {
				return fmt.Errorf("%s runs, too", job)
			}
		}
		return nil
	})
}

// finish lets the pods of a job succeed.
func (c *cluster) finish(job string) {
	c.Helper()
	c.books.mayEnd(job)
	pods, err := c.Client.CoreV1().Pods(space).List(c.Context(),
		metav1.ListOptions{LabelSelector: jobLabel + "=" + job})
	if err != nil {
		c.Fatal(err)
	}
	for i := range pods.Items {
		_, err := c.Client.CoreV1().Pods(space).Patch(c.Context(), pods.Items[i].Name,
			types.StrategicMergePatchType, []byte(`{"status": {"phase": "Succeeded", "conditions":
				[{"type": "Ready", "status": "False"}]}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			c.Fatal(err)
		}
	}
}

// startStock runs the stock scheduler, for the pods that name it.
func (c *cluster) startStock() {
	c.Helper()
	if _, err := upstream.StartStock(c.Context(), c.Plane, stock.Name); err != nil {
		c.Fatal(err)
	}
}

// lead starts a replica of what was applied, and waits until it leads. What was there before of
// sluice has to be stopped.
func (c *cluster) lead(replica string) *install {
	c.Helper()
	s, err := shipped.Installed(c.Context(), c.Plane)
	if err != nil {
		c.Fatal(err)
	}
	r, err := s.Run(c.Context(), replica)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if c.Failed() {
			c.Logf("the end of the log of %s:\n%s", replica, r.Tail(40))
		}
	})
	if err := s.AwaitLeader(c.Context()); err != nil {
		c.Fatal(err)
	}
	c.Logf("%7.2fs %s leads", time.Since(c.began).Seconds(), replica)
	return &install{s, r}
}

// install is an overlay that was applied, and its replica.
type install struct {
	*shipped.Sluice
	replica *shipped.Replica
}

// end stops the replica, as a Deployment does that has no replicas any more.
func (c *cluster) end(i *install) {
	c.Helper()
	c.stop(i.replica.Process)
	if err := i.Refresh(c.Context()); err != nil {
		c.Fatal(err)
	}
}

// stop ends a process, as its Deployment does when it has no replicas any more.
func (c *cluster) stop(process *plane.Process) {
	c.Helper()
	if err := process.Stop(10 * time.Second); err != nil {
		c.Fatal(err)
	}
	c.Logf("%7.2fs %s is stopped", time.Since(c.began).Seconds(), process.Name)
}

// sluice is what the plugin says, and its exit code.
func (c *cluster) sluice(args ...string) (code int, said string) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, c.plugin, args...)
	command.Env = append(os.Environ(), c.programs()...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		c.Fatal(err)
	}
	c.Logf("kubectl sluice %s\n%s", strings.Join(args, " "), out.String())
	return command.ProcessState.ExitCode(), out.String()
}

// says wants words in a text.
func (c *cluster) says(text string, words ...string) {
	c.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			c.Errorf("%q is not in\n%s", word, text)
		}
	}
}

// isOfItself tells what every replica writes of itself: its lease, an event that it leads, and the
// questions who it is and who asks it.
func isOfItself(object *auditv1.ObjectReference) bool {
	switch object.Resource {
	case "leases":
		return true
	case "events":
		return strings.HasPrefix(object.Name, shipped.Name+".")
	}
	return object.APIGroup == "authentication.k8s.io" || object.APIGroup == "authorization.k8s.io"
}

// wrote is what sluice wrote so far, beside what every replica keeps of itself.
func (c *cluster) wrote() (all []string) {
	c.Helper()
	events, err := c.Audit()
	if err != nil {
		c.Fatal(err)
	}
	for i := range events {
		event := &events[i]
		if event.ObjectRef == nil || !strings.HasSuffix(event.User.Username, ":"+shipped.Name) ||
			isOfItself(event.ObjectRef) {
			continue
		}
		all = append(all, fmt.Sprintf("%s %s/%s %s", event.Verb, event.ObjectRef.Resource,
			event.ObjectRef.Subresource, event.ObjectRef.Name))
	}
	return all
}
