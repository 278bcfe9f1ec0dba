// SPDX-License-Identifier: Apache-2.0

// Package autoscalers counts the nodes that Karpenter and the Cluster Autoscaler themselves buy for
// the pods of queues, with sluice as it is shipped, and for pods of other schedulers.
package autoscalers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
	"sluice/cluster/upstream"
)

const (
	gateName  = "scheduling.volcano.sh/queue-allocation-gate"
	queueName = "scheduling.volcano.sh/queue-name"
	groupName = "scheduling.k8s.io/group-name"
	story     = "story" // a label of nodes: each story has its own
	stock     = "default-scheduler"
	stockUser = "system:kube-scheduler" // who the API server itself gives the rights
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
	column    string                // of the table
	dress     func(pod *corev1.Pod) // makes a pod one of this scheduler's
	runs      []*plane.Process      // until the test ends
}

// start is one without a scheduler, for stories of these names.
func start(t *testing.T, open opener, column string, stories []string) *cluster {
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
		Users: []plane.User{{Name: stockUser},
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
	c := &cluster{T: t, Plane: p, groups: groups, column: column, market: autoscaler,
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

// runStock starts the stock scheduler, whose pods have no queue.
func (c *cluster) runStock() {
	c.Helper()
	process, err := upstream.StartStock(c.Context(), c.Plane, stockUser)
	if err != nil {
		c.Fatal(err)
	}
	c.runs = append(c.runs, process)
	c.dress = func(pod *corev1.Pod) { pod.Spec.SchedulerName, pod.Annotations = stock, nil }
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
	c.dress = func(pod *corev1.Pod) {
		if args["manage"] == "all" {
			delete(pod.Annotations, gateName)
		}
	}
	return replica
}

// awaitGates waits until the shipped policy adds the gate to a pod that opts in.
func (c *cluster) awaitGates() {
	c.Helper()
	try := &tale{cluster: c}
	c.until("an opted-in pod gets its gate", func() error {
		made, err := c.Client.CoreV1().Pods(canaries).Create(c.Context(),
			try.pod(canaries, "try", "none"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil && len(made.Spec.SchedulingGates) != 1 {
			err = fmt.Errorf("its gates are %v", made.Spec.SchedulingGates)
		}
		return err
	})
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

// queue makes one of so many cpus; with the name of a parent it is below that.
func (s *tale) queue(name string, cpus int, parent string) {
	s.Helper()
	spec := object{"capability": object{"cpu": fmt.Sprint(cpus)}}
	if parent != "" {
		spec["parent"] = parent
	}
	s.create(queues, "", object{"kind": "Queue", "metadata": object{"name": name}, "spec": spec})
}

// ceiling edits the queue's.
func (s *tale) ceiling(cpus int) {
	s.Helper()
	s.patch(queues, s.name, object{"spec": object{"capability": object{"cpu": fmt.Sprint(cpus)}}})
}

func (s *tale) command(action string) {
	s.Helper()
	s.create(commands, s.name, object{"kind": "Command",
		"metadata": object{"name": strings.ToLower(action)}, "action": action,
		"target": object{"apiVersion": queues.GroupVersion().String(), "kind": "Queue",
			"name": s.name, "uid": ""}})
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

// pod is one of a cpu in this queue that opts in, for the nodes of its story.
func (s *tale) pod(namespace, name, queue string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace,
			Annotations: map[string]string{gateName: "true", queueName: queue}},
		Spec: corev1.PodSpec{
			SchedulerName:                 shipped.Name,
			NodeSelector:                  map[string]string{story: s.name},
			TerminationGracePeriodSeconds: new(int64(0)),
			Containers: []corev1.Container{{Name: "c", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("1")}}}},
		},
	}
}

// pods creates so many in a queue; edits is what is special about them.
func (s *tale) pods(prefix string, count int, queue string, edits ...func(*corev1.Pod)) {
	s.Helper()
	for i := range count {
		pod := s.pod(s.name, fmt.Sprint(prefix, i), queue)
		for _, edit := range append(edits, s.dress) {
			edit(pod)
		}
		_, err := s.Client.CoreV1().Pods(s.name).Create(s.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// job creates one with so many pods at a time.
func (s *tale) job(name string, pods int32, queue string) {
	s.Helper()
	pod := s.pod(s.name, "", queue)
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	_, err := s.Client.BatchV1().Jobs(s.name).Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Parallelism: &pods, Completions: &pods,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: pod.Spec}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
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
