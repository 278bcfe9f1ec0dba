// SPDX-License-Identifier: Apache-2.0

package documents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"

	"sluice/cluster/plane"
)

// What the documents talk about: a tree of queues, and who waits in it.
const queues = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {capability: {cpu: "40"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: train}
spec: {parent: research, capability: {cpu: "2"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: team}
spec: {capability: {cpu: "10"}}
---
apiVersion: v1
kind: Namespace
metadata: {name: science}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: looks, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: looks}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: sluice-viewer}
subjects:
- {kind: ServiceAccount, name: looks, namespace: default}
`

// pod opts in, of the queue train.
func pod(namespace, name string, more ...string) string {
	return fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata:
  name: %s
  namespace: %s
  annotations:
    scheduling.volcano.sh/queue-allocation-gate: "true"
    scheduling.volcano.sh/queue-name: train
    %s
spec:
  schedulerName: sluice-scheduler
  containers:
  - {name: c, image: none, resources: {requests: {cpu: "1"}}}
`, name, namespace, strings.Join(more, "\n    "))
}

// A controller of another kind, whose API is not here: README.md gives the right to read it.
const trainJobs = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trainjobs.trainer.kubeflow.org}
spec:
  group: trainer.kubeflow.org
  scope: Namespaced
  names: {kind: TrainJob, plural: trainjobs, singular: trainjob}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const greedy = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: greedy}
spec: {capability: {cpu: "4"}, guarantee: {resource: {cpu: "9"}}}
`

const larger = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: train}
spec: {parent: research, capability: {cpu: "20"}}
`

// TestDocuments: one control plane goes through the documents, from nothing to sluice and out.
func TestDocuments(t *testing.T) {
	c := start(t)
	c.world("in")

	sluice := c.lead("a", map[string]any{"record": "64Mi"})
	c.env = append(c.env, fmt.Sprint("PID=", sluice.replica.Pid()),
		fmt.Sprintf("REPLICA=%s:%d", sluice.Address, sluice.replica.Port()))
	c.look()
	c.world("queues")
	c.tracer()
	c.end(sluice)

	c.write("greedy.yaml", greedy)
	c.world("webhook")
	sluice = c.lead("b", nil)
	c.world("refused")
	c.end(sluice)

	c.world("hurry")
	c.workloads()
	c.world("out")
	c.fleet()
}

// look makes what there is to look at: of six pods, two of which are one gang's, two run.
func (c *cluster) look() {
	c.Helper()
	node := plane.Node{Name: "node", Allocatable: map[string]string{"cpu": "8", "memory": "8Gi"}}
	if _, err := c.CreateNode(c.Context(), node); err != nil {
		c.Fatal(err)
	}
	if err := c.ApplyCRDs(c.Context(), []byte(trainJobs)); err != nil {
		c.Fatal(err)
	}
	gang := []string{"scheduling.k8s.io/group-name: gang",
		`scheduling.volcano.sh/group-min-member: "2"`}
	c.must("apply", "-f", c.write("queues.yaml", queues))
	c.must("apply", "-f", c.write("first.yaml", pod("default", "a")+pod("default", "b")))
	bound := func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }
	c.await("default", "a", bound)
	c.await("default", "b", bound)
	c.must("apply", "-f", c.write("more.yaml", pod("default", "e")+pod("science", "train-7")+
		pod("default", "left", gang...)+pod("default", "right", gang...)))
	c.await("science", "train-7", func(pod *corev1.Pod) bool {
		return len(pod.Spec.SchedulingGates) == 1
	})
	c.write("larger.yaml", larger)
}

// tracer is that of a scheduler that runs: as root, where the kernel has BPF.
func (c *cluster) tracer() {
	c.Helper()
	pins := filepath.Join(c.folder, "bpf")
	err := os.Mkdir(pins, 0o700)
	if err == nil {
		err = unix.Mount("bpf", pins, "bpf", 0, "")
	}
	if err != nil {
		c.Logf("the tracer is not tried: %v", err)
		return
	}
	defer func() {
		if err := unix.Unmount(pins, 0); err != nil {
			c.Error(err)
		}
	}()
	c.env = append(c.env, "BPF="+pins)
	c.world("tracer")
}

// workloads is WORKLOADS.md: the overlay, what stands there to try it, and out again.
func (c *cluster) workloads() {
	c.Helper()
	text, err := os.ReadFile(filepath.Join(c.root, "examples/deploy/WORKLOADS.md"))
	if err != nil {
		c.Fatal(err)
	}
	_, rest, is := strings.Cut(string(text), "\n## Try it\n\n```yaml\n")
	example, _, ends := strings.Cut(rest, "\n```\n")
	if !is || !ends {
		c.Fatal("WORKLOADS.md has nothing to try")
	}
	try := c.write("try.yaml", example)
	c.world("workloads in")
	c.must("create", "-f", try)
	if said, err := c.Kubectl(c.Context(), "create", "-f", try); err == nil {
		c.Errorf("all of it is made twice: %s", said)
	}
	if jobs := c.must("-n", "default", "get", "jobs", "-o", "name"); strings.Count(jobs, "\n") != 2 {
		c.Errorf("the second time a second Job is not made; there are\n%s", jobs)
	}
	sluice := c.lead("c", nil)
	c.finalizer()
	c.world("workloads")
	c.end(sluice)
	c.world("workloads out")
}

// finalizer waits until the ClusterQueue that is tried has its finalizer.
func (c *cluster) finalizer() {
	c.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(lookTurn) {
		said, err := c.Kubectl(c.Context(), "get", "clusterqueues", "team", "-o",
			"jsonpath={.metadata.finalizers}")
		if err == nil && said != "" {
			return
		}
	}
	c.Fatalf("the ClusterQueue has no finalizer after %s", patience)
}

// fleet is FLEET.md, with another cluster as the worker.
func (c *cluster) fleet() {
	c.Helper()
	east := startPlane(c.T, "east")
	for name, p := range map[string]*plane.Plane{"EAST": east, "MANAGER": c.Plane} {
		kubeconfig, err := p.Kubeconfig(plane.Admin)
		if err != nil {
			c.Fatal(err)
		}
		c.env = append(c.env, name+"="+kubeconfig)
	}
	c.must("create", "namespace", "kueue-system") // Kueue's, which is in the manager's cluster
	c.world("fleet")
	program := filepath.Join(c.root, "build/sluice-manager")
	build := exec.CommandContext(c.Context(),
		filepath.Join(c.root, "examples/kube-scheduler/build-manager"), program)
	if said, err := build.CombinedOutput(); err != nil {
		c.Fatalf("%s: %v\n%s", build, err, said)
	}
	c.world("manager")
	c.world("fleet out")
}
