// SPDX-License-Identifier: Apache-2.0

// Package devices tests quota of devices with sluice as it is shipped, on a real control plane:
// pods name ResourceClaims, the real controller makes those that come from templates, and the real
// scheduler gives devices of a driver that is made up.
package devices

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	class    = "gpu.example.com"
	mapped   = "example.com/gpus" // what ClusterQueues call devices of the class
	gateName = "scheduling.volcano.sh/queue-allocation-gate"
	kubelets = "kubelets" // the user who plays them
	patience = 120 * time.Second
	lookTurn = 50 * time.Millisecond
	// A wrong grant is seen at once, by who looks that long.
	staysFor = 4 * time.Second
)

// of is a resource of a group and version of the API.
func of(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

var kinds = map[string]schema.GroupVersionResource{
	"ClusterQueue":          of("kueue.x-k8s.io", "v1beta2", "clusterqueues"),
	"LocalQueue":            of("kueue.x-k8s.io", "v1beta2", "localqueues"),
	"ResourceFlavor":        of("kueue.x-k8s.io", "v1beta2", "resourceflavors"),
	"Workload":              of("kueue.x-k8s.io", "v1beta2", "workloads"),
	"Queue":                 of("scheduling.volcano.sh", "v1beta1", "queues"),
	"Job":                   of("batch", "v1", "jobs"),
	"DeviceClass":           of("resource.k8s.io", "v1", "deviceclasses"),
	"ResourceSlice":         of("resource.k8s.io", "v1", "resourceslices"),
	"ResourceClaim":         of("resource.k8s.io", "v1", "resourceclaims"),
	"ResourceClaimTemplate": of("resource.k8s.io", "v1", "resourceclaimtemplates"),
}

var namespaced = map[string]bool{"LocalQueue": true, "Workload": true, "Job": true, "Pod": true,
	"ResourceClaim": true, "ResourceClaimTemplate": true}

type cluster struct {
	*testing.T
	*shipped.Sluice
	objects dynamic.Interface
	seen    *sightings
	space   string
}

// plan is what a cluster has beside devices.
type plan struct {
	gates    []string        // of features
	versions map[string]bool // of the API
}

// start is a control plane with a node of 32 devices, and one replica that leads.
func start(t *testing.T, how plan) *cluster {
	on := map[string]bool{}
	for _, gate := range how.gates {
		on[gate] = true
	}
	p, err := plane.Start(t.Context(), plane.Options{Name: "devices", FeatureGates: on,
		RuntimeConfig: how.versions, ControllerManager: true, Ready: patience,
		Controllers: append([]string{"resourceclaim-controller"}, plane.DefaultControllers...),
		Users:       []plane.User{{Name: kubelets, Groups: []string{"system:masters"}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := shipped.ApplyKueueCRDs(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	s, err := shipped.Apply(t.Context(), p, "overlays/workloads")
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Args = shipped.ReasonsAtOnce()
	s.Args["deviceClassMappings"] = []any{
		map[string]any{"name": mapped, "deviceClassNames": []any{class}}}
	if len(how.gates) > 0 {
		s.Flags = []string{"--feature-gates=" + strings.Join(how.gates, "=true,") + "=true"}
	}
	c := &cluster{T: t, Sluice: s, seen: &sightings{pods: map[string]*sighting{}}, space: "default"}
	if c.objects, err = dynamic.NewForConfig(p.REST(plane.Admin)); err != nil {
		t.Fatal(err)
	}
	c.hardware()
	c.watch()
	c.run("a")
	if err := c.AwaitLeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.until("an opted-in pod gets its gate", func() error {
		pod := c.pod("try", "none")
		made, err := c.Client.CoreV1().Pods(c.space).Create(c.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil && len(made.Spec.SchedulingGates) != 1 {
			err = fmt.Errorf("its gates are %v", made.Spec.SchedulingGates)
		}
		return err
	})
	return c
}

// hardware is a node with 32 devices, and somebody who runs what is bound there.
func (c *cluster) hardware() {
	if _, err := c.CreateNode(c.Context(), plane.Node{Name: "node", Allocatable: map[string]string{
		"cpu": "100", "memory": "1Ti"}}); err != nil {
		c.Fatal(err)
	}
	var devices []string
	for i := range 32 {
		devices = append(devices, fmt.Sprintf("{name: d%d}", i))
	}
	c.create(`kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  selectors:
  - cel: {expression: 'device.driver == "made-up.example.com"'}
---
kind: ResourceSlice
metadata: {name: node}
spec:
  driver: made-up.example.com
  nodeName: node
  pool: {name: node, generation: 1, resourceSliceCount: 1}
  devices: [` + strings.Join(devices, ", ") + `]
`)
	client, err := c.ClientFor(kubelets)
	if err != nil {
		c.Fatal(err)
	}
	err = plane.Kubelets{Client: client, Phase: func(pod *corev1.Pod) corev1.PodPhase {
		if pod.Namespace == shipped.Namespace {
			return ""
		}
		return corev1.PodRunning
	}}.Start(c.Context())
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) run(name string) *shipped.Replica {
	c.Helper()
	r, err := c.Sluice.Run(c.Context(), name)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if c.Failed() {
			c.Logf("replica %s runs: %t; the end of its log:\n%s", name, r.Running(), r.Tail(30))
		}
	})
	return r
}

// in is the same for a story, in a namespace of its name, with a queue of its name of so many
// devices, and a template of claims of one.
func (c *cluster) in(t *testing.T, devices int) *cluster {
	t.Helper()
	name := strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:])
	its := &cluster{t, c.Sluice, c.objects, c.seen, name}
	if _, err := c.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	its.create(fmt.Sprintf(`kind: Queue
metadata: {name: %s}
spec: {capability: {deviceclass/%s: %d}}
---
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: %s}}]}}}
`, name, class, devices, class))
	return its
}

// create makes the objects of a manifest.
func (c *cluster) create(manifest string) {
	c.Helper()
	for text := range strings.SplitSeq(manifest, "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			c.Fatalf("%v in\n%s", err, text)
		}
		kind := object.GetKind()
		object.SetAPIVersion(kinds[kind].GroupVersion().String())
		if _, err := c.of(kind).Create(c.Context(), object, metav1.CreateOptions{}); err != nil {
			c.Fatalf("%v of\n%s", err, text)
		}
	}
}

func (c *cluster) of(kind string) dynamic.ResourceInterface {
	if namespaced[kind] {
		return c.objects.Resource(kinds[kind]).Namespace(c.space)
	}
	return c.objects.Resource(kinds[kind])
}

// claim makes a ResourceClaim of so many devices.
func (c *cluster) claim(name string, devices int) {
	c.Helper()
	c.create(fmt.Sprintf(`kind: ResourceClaim
metadata: {name: %s}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: %s, count: %d}}]}}
`, name, class, devices))
}

// pod is one that opts in, in the queue of its namespace, and needs a claim: "one" is made for it
// from the template of that name, "none" is none.
func (c *cluster) pod(name, claim string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
			gateName: "true", "scheduling.volcano.sh/queue-name": c.space}},
		Spec: corev1.PodSpec{SchedulerName: "sluice-scheduler",
			TerminationGracePeriodSeconds: new(int64(0)),
			Containers:                    []corev1.Container{{Name: "c", Image: "none"}}},
	}
	needs := corev1.PodResourceClaim{Name: "gpu", ResourceClaimName: &claim}
	switch claim {
	case "none":
		return pod
	case "one":
		needs = corev1.PodResourceClaim{Name: "gpu", ResourceClaimTemplateName: &claim}
	}
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{needs}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}}
	return pod
}

// pods creates those that need a claim, in this order.
func (c *cluster) pods(claim string, names ...string) {
	c.Helper()
	for _, name := range names {
		c.add(c.pod(name, claim))
	}
}

func (c *cluster) add(pod *corev1.Pod) {
	c.Helper()
	if _, err := c.Client.CoreV1().Pods(c.space).Create(c.Context(), pod,
		metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) delete(names ...string) {
	c.Helper()
	for _, name := range names {
		if err := c.Client.CoreV1().Pods(c.space).Delete(c.Context(), name,
			metav1.DeleteOptions{}); err != nil {
			c.Fatal(err)
		}
	}
}
