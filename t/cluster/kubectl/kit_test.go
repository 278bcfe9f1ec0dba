// SPDX-License-Identifier: Apache-2.0

// Package kubectl tests `kubectl sluice` on a real control plane with sluice as it is shipped.
package kubectl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// Who asks. The manifests' roles are bound as README.md of examples/deploy says.
var (
	viewer   = plane.User{Name: "viewer"}
	operator = plane.User{Name: "operator"}
	nobody   = plane.User{Name: "nobody"}
)

const queuesOfTeams = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {capability: {cpu: "6"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: train}
spec: {parent: research, capability: {cpu: "4"}, deserved: {cpu: "2"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: notebooks}
spec: {parent: research}
`

type cluster struct {
	*testing.T
	*shipped.Sluice
	program string
}

func (c *cluster) on(t *testing.T) *cluster { return &cluster{t, c.Sluice, c.program} }

// start applies the manifests and binds the roles; no replica runs yet.
func start(t *testing.T) *cluster {
	c := install(t, plane.Options{Name: "kubectl", Users: []plane.User{viewer, operator, nobody}})
	for _, user := range []plane.User{viewer, operator} {
		c.must("create", "clusterrolebinding", user.Name, "--clusterrole=sluice-viewer",
			"--user="+user.Name)
		c.must("create", "rolebinding", user.Name, "-n", "kube-system", "--role=sluice-viewer",
			"--user="+user.Name)
	}
	c.must("create", "clusterrolebinding", "operators", "--clusterrole=sluice-operator",
		"--user=operator")
	if err := shipped.ApplyKueueCRDs(t.Context(), c.Plane); err != nil {
		t.Fatal(err)
	}
	return c
}

// install applies the manifests, and makes the program.
func install(t *testing.T, options plane.Options) *cluster {
	options.APIFlags = append(options.APIFlags, "--enable-aggregator-routing=true")
	p, err := plane.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	s, err := shipped.Apply(t.Context(), p, "overlays/on-bind")
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{T: t, Sluice: s}
	if c.program, err = shipped.KubectlSluice(t.Context(), s.Root, t.TempDir()); err != nil {
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

func (c *cluster) run(replica string) *shipped.Replica {
	c.Helper()
	r, err := c.Sluice.Run(c.Context(), replica)
	if err != nil {
		c.Fatal(err)
	}
	return r
}

func (c *cluster) awaitLeader() {
	c.Helper()
	if err := c.AwaitLeader(c.Context()); err != nil {
		c.Fatal(err)
	}
}

// answer is what a run of the program came to.
type answer struct {
	code     int
	out, err string
}

func (a answer) String() string {
	return fmt.Sprintf("exit code %d\n%s%s", a.code, a.out, a.err)
}

// sluice runs the program as the user.
func (c *cluster) sluice(user plane.User, args ...string) answer {
	c.Helper()
	kubeconfig, err := c.Kubeconfig(user.Name)
	if err != nil {
		c.Fatal(err)
	}
	return c.execute(c.program, append([]string{"--kubeconfig=" + kubeconfig}, args...))
}

func (c *cluster) execute(program string, args []string, env ...string) answer {
	c.Helper()
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(c.Context(), program, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.Fatal(err)
	}
	return answer{cmd.ProcessState.ExitCode(), out.String(), problems.String()}
}

// says fails the test unless the program ends with this code and has written all of the parts.
func (c *cluster) says(a answer, code int, parts ...string) {
	c.Helper()
	if a.code != code {
		c.Errorf("%s\nwant exit code %d", a, code)
	}
	for _, part := range parts {
		if !strings.Contains(a.out+a.err, part) {
			c.Errorf("%s\nhas no %q", a, part)
		}
	}
}

// patience has room for the lease of a replica that was killed, which others respect for 15 s.
const patience = time.Minute

// becomes asks until the program says all of the parts.
func (c *cluster) becomes(user plane.User, args []string, parts ...string) {
	c.Helper()
	var last answer
	for end := time.Now().Add(patience); time.Now().Before(end); {
		last = c.sluice(user, args...)
		missing := false
		for _, part := range parts {
			missing = missing || !strings.Contains(last.out, part)
		}
		if last.code == 0 && !missing {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.Fatalf("not within %v: %q of %q; last:\n%s", patience, parts, args, last)
}

// settles asks until 20 answers in a row have this part. A replica is asked here before it is
// ready, as no Service would let it be: then it does not know yet for whom the API server may
// speak.
func (c *cluster) settles(user plane.User, args []string, part string) {
	c.Helper()
	var last answer
	good := 0
	for end := time.Now().Add(time.Minute); good < 20 && time.Now().Before(end); {
		if last = c.sluice(user, args...); last.code == 0 && strings.Contains(last.out, part) {
			good++
		} else {
			good = 0
			time.Sleep(100 * time.Millisecond)
		}
	}
	if good < 20 {
		c.Fatalf("not 20 times in a row within a minute: %q of %q; last:\n%s", part, args, last)
	}
}

func (c *cluster) create(text string) {
	c.Helper()
	file := filepath.Join(c.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
	c.must("create", "-f", file)
}

// pod opts in, and asks for so much cpu of a queue.
func pod(name, queue, cpu string) string {
	return fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata:
  name: %s
  annotations:
    scheduling.volcano.sh/queue-allocation-gate: "true"
    scheduling.volcano.sh/queue-name: %s
spec:
  schedulerName: sluice-scheduler
  containers:
  - {name: c, image: none, resources: {requests: {cpu: %q, memory: 1Gi}}}
`, name, queue, cpu)
}

// awaitGate waits until the API server has heard of the policy that adds gates.
func (c *cluster) awaitGate() {
	c.Helper()
	file := filepath.Join(c.TempDir(), "probe.yaml")
	if err := os.WriteFile(file, []byte(pod("probe", "default", "1")), 0o600); err != nil {
		c.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if strings.Contains(c.must("create", "--dry-run=server", "-o", "yaml", "-f", file),
			"schedulingGates") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.Fatal("the policy adds no gate within 30 s")
}

func (c *cluster) node(name, cpu string) {
	c.Helper()
	node := plane.Node{Name: name, Allocatable: map[string]string{"cpu": cpu, "memory": "64Gi"}}
	if _, err := c.CreateNode(c.Context(), node); err != nil {
		c.Fatal(err)
	}
}

// finish lets a pod succeed, as its kubelet would.
func (c *cluster) finish(name string) {
	c.Helper()
	pods := c.Client.CoreV1().Pods("default")
	found, err := pods.Get(c.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.Fatal(err)
	}
	found.Status.Phase = "Succeeded"
	if _, err := pods.UpdateStatus(c.Context(), found, metav1.UpdateOptions{}); err != nil {
		c.Fatal(err)
	}
}
