// SPDX-License-Identifier: Apache-2.0

// Package documents runs the commands of the documents that are for a cluster, as they stand there
// but for names that are the reader's: t/documents reads them, and t/documents.txt says in which
// world each is run.
package documents

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// patience is how long a command may take.
const patience = 2 * time.Minute

const lookTurn = 100 * time.Millisecond

type cluster struct {
	*testing.T
	*plane.Plane
	root, folder string   // of the tree; of the commands, with the tree's folders in it
	env          []string // of the commands
	seen         map[string]bool
}

// command is one as t/documents tells it.
type command struct{ Document, Command, Refusal string }

func start(t *testing.T) *cluster {
	if _, err := shipped.OwnAddress(); errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	root, err := shipped.Root()
	if err != nil {
		t.Fatal(err)
	}
	p := startPlane(t, "documents")
	c := &cluster{T: t, Plane: p, root: root, folder: t.TempDir(), seen: map[string]bool{}}
	for _, name := range []string{"examples", "ebpf", "t", "build"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(c.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	c.setEnv()
	c.kubelet()
	return c
}

func startPlane(t *testing.T, name string) *plane.Plane {
	p, err := plane.Start(t.Context(), plane.Options{Name: name, ControllerManager: true,
		Controllers: []string{"job-controller"},
		APIFlags:    []string{"--enable-aggregator-routing=true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// setEnv puts the programs of the tree into the PATH of the commands, and says whom they ask.
func (c *cluster) setEnv() {
	c.Helper()
	kubectl, err := c.Program(c.Context(), "kubectl")
	if err != nil {
		c.Fatal(err)
	}
	plugin, err := shipped.KubectlSluice(c.Context(), c.root, c.TempDir())
	if err != nil {
		c.Fatal(err)
	}
	kubeconfig, err := c.Kubeconfig(plane.Admin)
	if err != nil {
		c.Fatal(err)
	}
	library, err := shipped.Library(c.root)
	if err != nil {
		c.Fatal(err)
	}
	scheduler, err := shipped.Scheduler(c.Context(), c.root)
	if err != nil {
		c.Fatal(err)
	}
	kueue, err := shipped.KueueCRDs(c.Context(), c.root)
	if err != nil {
		c.Fatal(err)
	}
	c.env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "SLUICE_LIB="+library, "KUEUE="+kueue,
		"PATH="+strings.Join([]string{filepath.Dir(kubectl), filepath.Dir(plugin),
			filepath.Dir(library), filepath.Dir(scheduler), os.Getenv("PATH")}, ":"))
}

// must runs what is no document's.
func (c *cluster) must(args ...string) string {
	c.Helper()
	said, err := c.Kubectl(c.Context(), args...)
	if err != nil {
		c.Fatal(err)
	}
	return said
}

// write makes a file in the folder of the commands.
func (c *cluster) write(name, text string) string {
	c.Helper()
	file := filepath.Join(c.folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
	return file
}

// world runs the commands of a world, in their order, each once.
func (c *cluster) world(name string) {
	c.Helper()
	list := exec.CommandContext(c.Context(), filepath.Join(c.root, "t/documents"), "--world", name)
	list.Stderr = os.Stderr
	text, err := list.Output()
	var all []command
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) == 0 {
		c.Fatalf("the commands of the world %s: %v, %d of them", name, err, len(all))
	}
	for _, one := range all {
		if !c.seen[name+one.Command] {
			c.seen[name+one.Command] = true
			c.run(one)
		}
	}
}

func (c *cluster) run(one command) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	began := time.Now()
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", one.Command)
	shell.Dir, shell.Env = c.folder, c.env
	out, err := shell.CombinedOutput()
	c.Logf("%5.1f s %s: %s", time.Since(began).Seconds(), one.Document, one.Command)
	switch {
	case one.Refusal == "" && err != nil:
		c.Errorf("%s: %s: %v\n%s", one.Document, one.Command, err, out)
	case one.Refusal != "" && (err == nil || strings.TrimSpace(string(out)) != one.Refusal):
		c.Errorf("%s: %s: %v\n%s\nthe document says\n%s", one.Document, one.Command, err, out,
			one.Refusal)
	}
}

// install is what is applied, with its one replica.
type install struct {
	*shipped.Sluice
	replica *shipped.Replica
}

// lead starts a replica of what is applied, and waits until it leads.
func (c *cluster) lead(name string, args map[string]any) *install {
	c.Helper()
	s, err := shipped.Installed(c.Context(), c.Plane)
	if err != nil {
		c.Fatal(err)
	}
	s.Args = args
	replica, err := s.Run(c.Context(), name)
	if err == nil {
		err = s.AwaitLeader(c.Context())
	}
	if err == nil {
		err = c.rolledOut(c.Context(), replica)
	}
	if err != nil {
		c.Fatal(err)
	}
	return &install{s, replica}
}

// end stops the replica; its pod goes, and the Services have none any more.
func (c *cluster) end(i *install) {
	c.Helper()
	err := i.replica.Stop(10 * time.Second)
	if err == nil {
		err = i.Refresh(c.Context())
	}
	if err != nil {
		c.Fatal(err)
	}
	c.must("-n", shipped.Namespace, "delete", "pod", i.replica.Name, "--force")
}

// await waits until a pod stands so with the scheduler.
func (c *cluster) await(namespace, name string, stands func(*corev1.Pod) bool) {
	c.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(lookTurn) {
		pod, err := c.Client.CoreV1().Pods(namespace).Get(c.Context(), name, metav1.GetOptions{})
		if err == nil && stands(pod) {
			return
		}
	}
	c.Fatalf("%s/%s is not as it should be after %s", namespace, name, patience)
}
