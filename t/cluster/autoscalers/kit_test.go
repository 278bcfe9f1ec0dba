// SPDX-License-Identifier: Apache-2.0

// Package autoscalers counts the nodes that Karpenter and the Cluster Autoscaler themselves buy for
// the pods of queues, with sluice as it is shipped, and for pods of other schedulers.
package autoscalers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/plane"
	"sluice/cluster/upstream"
)

const (
	gateName  = "scheduling.volcano.sh/queue-allocation-gate"
	queueName = "scheduling.volcano.sh/queue-name"
	groupName = "scheduling.k8s.io/group-name"
	story     = "story" // a label of nodes: each story has its own
)

var (
	queues = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1",
		Resource: "queues"}
	podGroups = queues.GroupVersion().WithResource("podgroups")
	commands  = schema.GroupVersionResource{Group: "bus.volcano.sh", Version: "v1alpha1",
		Resource: "commands"}
)

type object = map[string]any

// cluster is a control plane with an autoscaler, and a scheduler.
type cluster struct {
	*testing.T
	*plane.Plane
	groups    plane.Groups // Kubernetes' own
	custom    dynamic.Interface
	market    market
	purchases *purchases
	seen      *sightings
	scheduler scheduler
	runs      []*plane.Process // until the test ends
}

// start is one without a scheduler, for stories of these names.
func start(t *testing.T, open opener, stories []string) *cluster {
	autoscaler, err := open(t.Context())
	if errors.Is(err, upstream.ErrUnobtainable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	groups, err := plane.NativeGroups(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := plane.Start(t.Context(), plane.Options{
		Name: "autoscalers", Ready: patience,
		Users: []plane.User{{Name: stockUser}, upstream.User, upstream.VolcanoUser,
			{Name: autoscalerUser, Groups: []string{"system:masters"}}},
		FeatureGates:      groups.On(),
		RuntimeConfig:     map[string]bool{groups.Resource().GroupVersion().String(): true},
		ControllerManager: true, Controllers: []string{"job-controller"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{T: t, Plane: p, groups: groups, market: autoscaler,
		purchases: &purchases{of: map[types.UID]string{}},
		seen:      &sightings{pods: map[string]*sighting{}}}
	if c.custom, err = dynamic.NewForConfig(p.REST(plane.Admin)); err != nil {
		t.Fatal(err)
	}
	c.namespace(canaries)
	c.watchPods()
	c.playKubelets()
	autoscaler.begin(c, poolsOf(stories))
	return c
}

// poolsOf are those that stories of these names ask for.
func poolsOf(stories []string) (pools []string) {
	for _, name := range stories {
		pools = append(pools, name)
		for i := range canariesOfStory {
			pools = append(pools, canaryOf(name, i+1))
		}
	}
	return pools
}

func (c *cluster) namespace(name string) {
	c.Helper()
	_, err := c.Client.CoreV1().Namespaces().Create(c.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) create(resource schema.GroupVersionResource, namespace string, what object) {
	c.Helper()
	what["apiVersion"] = resource.GroupVersion().String()
	_, err := c.custom.Resource(resource).Namespace(namespace).Create(c.Context(),
		&unstructured.Unstructured{Object: what}, metav1.CreateOptions{})
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) patch(resource schema.GroupVersionResource, name string, what object) {
	c.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		c.Fatal(err)
	}
	_, err = c.custom.Resource(resource).Patch(c.Context(), name, types.MergePatchType, body,
		metav1.PatchOptions{})
	if err != nil {
		c.Fatal(err)
	}
}

// tale is a story that is being told: it has a namespace, a pool and nodes of its own.
type tale struct {
	*cluster
	name     string
	canaries int
	asked    int // pods that it wants
}

// in begins one, with a pool that may buy so many cpus.
func (c *cluster) in(t *testing.T, name string, cpus int) *tale {
	t.Helper()
	its := *c
	its.T = t
	s := &tale{cluster: &its, name: name}
	s.namespace(name)
	its.market.pool(&its, name, cpus)
	t.Cleanup(func() {
		if t.Failed() {
			s.tellPods()
		}
	})
	return s
}

// nodes makes so many that nobody buys, alike to those that autoscalers do.
func (s *tale) nodes(count int) {
	s.Helper()
	for i := range count {
		_, err := s.CreateNode(s.Context(), plane.Node{Name: fmt.Sprintf("%s-%d", s.name, i),
			Labels:      map[string]string{story: s.name},
			Allocatable: map[string]string{"cpu": fmt.Sprint(nodeCPUs), "memory": "8Gi"}})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// pod is one of a cpu for the nodes of its story.
func (s *tale) pod(namespace, prefix string, number int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(prefix, number), Namespace: namespace},
		Spec: corev1.PodSpec{
			NodeSelector:                  map[string]string{story: s.name},
			TerminationGracePeriodSeconds: new(int64(0)),
			Containers: []corev1.Container{{Name: "c", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("1")}}}},
		},
	}
}

func (c *cluster) processes() []*plane.Process {
	return append(slices.Clone(c.runs), c.market.process())
}

const (
	patience = 5 * time.Minute // on the busiest machine
	lookTurn = 50 * time.Millisecond
)

// until waits until nothing is wrong any more, or somebody has ended of whom it is waited for.
func (c *cluster) until(what string, wrong func() error) {
	c.Helper()
	problem := errors.New("not looked at yet")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(lookTurn) {
		if problem = wrong(); problem == nil {
			return
		}
		for _, process := range c.processes() {
			if !process.Running() {
				c.Fatalf("%s has ended; the end of its log:\n%s", process.Name, process.Tail(20))
			}
		}
	}
	for _, process := range c.processes() {
		c.Logf("the end of the log of %s:\n%s", process.Name, process.Tail(20))
	}
	c.Fatalf("after %s it is not so that %s: %v", patience, what, problem)
}
