// SPDX-License-Identifier: Apache-2.0

// Package native tests Kubernetes' own PodGroups (scheduling.k8s.io) with sluice as it is shipped,
// on a control plane that serves them and a scheduler that knows them.
package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	gateName      = "scheduling.volcano.sh/queue-allocation-gate"
	queueName     = "scheduling.volcano.sh/queue-name"
	quotaReserved = "sluice.sh/QuotaReserved"
	story         = "story" // a label of nodes: each story has its own
)

var queues = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1",
	Resource: "queues"}

// gateOfJobs makes a group of each Job, of which 1.36 takes only those whose pods are numbered.
const gateOfJobs = "WorkloadWithJob"

type object = map[string]any

type cluster struct {
	*testing.T
	*shipped.Sluice
	groups plane.Groups
	custom dynamic.Interface
	seen   *sightings
}

// plan is what a cluster has of native groups.
type plan struct {
	overlay           string
	server, scheduler bool   // they know them
	controllers       bool   // the controller manager runs
	jobs              bool   // and its job controller makes one of each Job
	composites        bool   // and there are groups of groups
	args              object // of the plugin, beside those that are shipped
}

// start is a control plane with one replica of the scheduler.
func start(t *testing.T, how plan) *cluster {
	its, err := plane.NativeGroups(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if how.composites && its.Composites == "" {
		t.Skip("this release of Kubernetes has no CompositePodGroups")
	}
	if how.composites {
		its = its.WithComposites()
	}
	options := plane.Options{Name: "native", Audit: auditv1.LevelMetadata}
	if how.server {
		options.FeatureGates = its.On()
		options.RuntimeConfig = map[string]bool{its.Resource().GroupVersion().String(): true}
	}
	if how.composites {
		options.RuntimeConfig[its.CompositeResource().GroupVersion().String()] = true
	}
	options.ControllerManager = how.controllers || how.jobs
	if how.controllers {
		// Without it no PodGroup goes, and it goes with its pods.
		options.Controllers = slices.Concat(plane.DefaultControllers,
			[]string{"podgroup-protection-controller"})
	}
	if how.jobs {
		options.FeatureGates[gateOfJobs] = true
	}
	p, err := plane.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	s, err := shipped.Apply(t.Context(), p, "overlays/"+how.overlay)
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if how.scheduler {
		s.Flags = []string{its.Flag()}
	}
	s.Args = how.args
	c := &cluster{T: t, Sluice: s, groups: its, seen: &sightings{pods: map[string]*sighting{}}}
	if c.custom, err = dynamic.NewForConfig(p.REST(plane.Admin)); err != nil {
		t.Fatal(err)
	}
	c.watch()
	if _, err := s.Run(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range s.Replicas() {
			if t.Failed() {
				t.Logf("%s runs: %t; the end of its log:\n%s", r.Name, r.Running(), r.Tail(30))
			}
		}
	})
	return c
}

// leading is one with a replica that leads.
func leading(t *testing.T, how plan) *cluster {
	c := start(t, how)
	if err := c.AwaitLeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	try := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	c.until("an opted-in pod gets its gate", func() error {
		made, err := c.Client.CoreV1().Pods("default").Create(c.Context(),
			c.pod("default", "try", ""), try)
		if err == nil && len(made.Spec.SchedulingGates) != 1 {
			err = fmt.Errorf("its gates are %v", made.Spec.SchedulingGates)
		}
		return err
	})
	return c
}

// in is the same for a story, in a namespace of its name, with a queue of its name of so many cpus,
// and so many nodes of one cpu.
func (c *cluster) in(t *testing.T, cpus, nodes int) *tale {
	t.Helper()
	name := strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:])
	its := &tale{cluster: &cluster{t, c.Sluice, c.groups, c.custom, c.seen}, name: name}
	if _, err := c.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	its.create(queues, "", object{"kind": "Queue", "metadata": object{"name": name},
		"spec": object{"capability": object{"cpu": fmt.Sprint(cpus)}}})
	for range nodes {
		its.addNode()
	}
	return its
}

// tale is a story that is being told.
type tale struct {
	*cluster
	name  string
	nodes int
}

func (s *tale) addNode() {
	s.Helper()
	s.nodes++
	_, err := s.CreateNode(s.Context(), plane.Node{Name: fmt.Sprintf("%s-%d", s.name, s.nodes),
		Labels:      map[string]string{story: s.name},
		Allocatable: map[string]string{"cpu": "1", "memory": "1Gi"}})
	if err != nil {
		s.Fatal(err)
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

// gang is a PodGroup with this minimum; 0: a basic one.
func (s *tale) gang(name string, minimum int) {
	s.Helper()
	policy := object{"basic": object{}}
	if minimum > 0 {
		policy = object{"gang": object{"minCount": int64(minimum)}}
	}
	s.create(s.groups.Resource(), s.name, object{"kind": "PodGroup", "metadata": object{"name": name},
		"spec": object{"schedulingPolicy": policy}})
}

// pod is one of a cpu that opts in, in the queue of its namespace; with the name of a group it is a
// member of that.
func (c *cluster) pod(namespace, name, group string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
			gateName: "true", queueName: namespace}},
		Spec: corev1.PodSpec{
			SchedulerName:                 "sluice-scheduler",
			NodeSelector:                  map[string]string{story: namespace},
			TerminationGracePeriodSeconds: new(int64(0)),
			Containers: []corev1.Container{{Name: "c", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("1")}}}},
		},
	}
	if group != "" {
		pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	}
	return pod
}

// pods creates those of a group ("": none), in this order.
func (s *tale) pods(group string, names ...string) {
	s.Helper()
	for _, name := range names {
		_, err := s.Client.CoreV1().Pods(s.name).Create(s.Context(), s.pod(s.name, name, group),
			metav1.CreateOptions{})
		if err != nil {
			s.Fatal(err)
		}
	}
}

func (s *tale) delete(names ...string) {
	s.Helper()
	for _, name := range names {
		if err := s.Client.CoreV1().Pods(s.name).Delete(s.Context(), name,
			metav1.DeleteOptions{}); err != nil {
			s.Fatal(err)
		}
	}
}

// ceiling edits the queue's.
func (s *tale) ceiling(cpus int) {
	s.Helper()
	_, err := s.custom.Resource(queues).Patch(s.Context(), s.name, types.MergePatchType,
		fmt.Appendf(nil, `{"spec": {"capability": {"cpu": "%d"}}}`, cpus), metav1.PatchOptions{})
	if err != nil {
		s.Fatal(err)
	}
}

// sightings are what was seen of pods at any time, by namespace/name.
type sightings struct {
	mutex sync.Mutex
	pods  map[string]*sighting
}

type sighting struct {
	pod           *corev1.Pod
	unschedulable time.Time // since when it has been at any time; zero: never
}

func reasonOf(pod *corev1.Pod) string {
	for _, one := range pod.Status.Conditions {
		if one.Type == corev1.PodScheduled && one.Status != corev1.ConditionTrue {
			return one.Reason
		}
	}
	return ""
}

func (s *sightings) see(pod *corev1.Pod) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := pod.Namespace + "/" + pod.Name
	one := s.pods[key]
	if one == nil {
		one = &sighting{}
		s.pods[key] = one
	}
	one.pod = pod
	if one.unschedulable.IsZero() && reasonOf(pod) == corev1.PodReasonUnschedulable {
		one.unschedulable = time.Now()
	}
}

// watch sees every version of every pod that a watch tells of.
func (c *cluster) watch() {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { c.seen.see(pod.(*corev1.Pod)) },
		UpdateFunc: func(_, pod any) { c.seen.see(pod.(*corev1.Pod)) },
	})
	if err != nil {
		c.Fatal(err)
	}
	factory.Start(c.Context().Done())
}

// of is what was seen of a pod.
func (s *tale) of(name string) sighting {
	s.seen.mutex.Lock()
	defer s.seen.mutex.Unlock()
	if one := s.seen.pods[s.name+"/"+name]; one != nil {
		return *one
	}
	return sighting{}
}

// answer is what the scheduler says of a pod or a group.
func (c *cluster) asked(view, namespace, name string) object {
	body, err := c.Client.CoreV1().RESTClient().Get().Namespace(shipped.Namespace).
		Resource("services").SubResource("proxy").Name("https:"+shipped.Name+":https").
		Suffix("debug/sluice/"+view).Param("namespace", namespace).Param("name", name).
		// The API server's proxy keeps the credentials to itself.
		SetHeader("Sluice-Token", c.REST(plane.Admin).BearerToken).DoRaw(c.Context())
	answer := object{}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil {
		return object{"error": fmt.Sprintf("%v: %s", err, body)}
	}
	return answer
}

func (s *tale) why(pod string) string {
	said := s.asked("pod", s.name, pod)
	return fmt.Sprint(said["state"], " ", said["reason"], " ", said["message"], said["error"])
}

const (
	patience = 90 * time.Second
	lookTurn = 50 * time.Millisecond
	// A wrong grant is seen at once, by who looks that long.
	staysFor = 4 * time.Second
)

// until waits until nothing is wrong any more.
func (c *cluster) until(what string, wrong func() error) {
	c.Helper()
	problem := errors.New("not looked at yet")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(lookTurn) {
		if problem = wrong(); problem == nil {
			return
		}
	}
	c.Fatalf("after %s it is not so that %s: %v", patience, what, problem)
}

// stays looks whether nothing goes wrong for a while.
func (c *cluster) stays(length time.Duration, what string, wrong func() error) {
	c.Helper()
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(lookTurn) {
		if err := wrong(); err != nil {
			c.Fatalf("it does not stay so that %s: %v", what, err)
		}
	}
}
