// SPDX-License-Identifier: Apache-2.0

// Package workloads tests Deployments, StatefulSets and Jobs whose pods want a group, with the real
// controller manager and sluice as it is shipped.
package workloads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	space    = "default"
	kubelets = "kubelets" // the user who plays them

	gateName  = "scheduling.volcano.sh/queue-allocation-gate"
	queueName = "scheduling.volcano.sh/queue-name"
	minMember = "scheduling.volcano.sh/group-min-member"
	groupName = "scheduling.k8s.io/group-name"
	granted   = "sluice.sh/granted"
	grantedIn = "sluice.sh/queue"
)

var (
	queues    = volcano("queues")
	podGroups = volcano("podgroups")
	commands  = schema.GroupVersionResource{Group: "bus.volcano.sh", Version: "v1alpha1",
		Resource: "commands"}
)

func volcano(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1",
		Resource: resource}
}

type object = map[string]any

// bothWays runs a test with each of the overlays that hold pods, one after the other: crowds of
// pods leave an API server no time for a second one.
func bothWays(t *testing.T, test func(*cluster)) {
	for _, overlay := range []string{"on-bind", "on-admission"} {
		t.Run(overlay, func(t *testing.T) { test(start(t, overlay)) })
	}
}

type cluster struct {
	*testing.T
	*shipped.Sluice
	custom dynamic.Interface
	first  *shipped.Replica
}

// start is a control plane with one replica that leads, a big node, and somebody who runs what is
// bound there.
func start(t *testing.T, overlay string) *cluster {
	p, err := plane.Start(t.Context(), plane.Options{
		Name: "workloads", ControllerManager: true, Audit: auditv1.LevelRequest,
		Users: []plane.User{{Name: kubelets, Groups: []string{"system:masters"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	s, err := shipped.Apply(t.Context(), p, "overlays/"+overlay)
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{T: t, Sluice: s}
	if c.custom, err = dynamic.NewForConfig(p.REST(plane.Admin)); err != nil {
		t.Fatal(err)
	}
	c.addNode("node", 2000)
	c.first = c.run("a")
	if err := s.AwaitLeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.awaitGate()
	c.startKubelets()
	return c
}

// ends is the label of pods whose containers end well at once.
const ends = "ends"

func (c *cluster) startKubelets() {
	client, err := c.ClientFor(kubelets)
	if err != nil {
		c.Fatal(err)
	}
	err = plane.Kubelets{Client: client, Phase: func(pod *corev1.Pod) corev1.PodPhase {
		switch {
		case pod.Namespace != space:
			return ""
		case pod.Labels[ends] != "":
			return corev1.PodSucceeded
		}
		return corev1.PodRunning
	}}.Start(c.Context())
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) on(t *testing.T) *cluster { return &cluster{t, c.Sluice, c.custom, c.first} }

func (c *cluster) run(replica string) *shipped.Replica {
	c.Helper()
	r, err := c.Sluice.Run(c.Context(), replica)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if c.Failed() {
			c.Logf("replica %s runs: %t; the end of its log:\n%s", replica, r.Running(), r.Tail(15))
		}
	})
	return r
}

func (c *cluster) addNode(name string, cpu int) {
	c.Helper()
	_, err := c.CreateNode(c.Context(), plane.Node{Name: name, Allocatable: map[string]string{
		"cpu": fmt.Sprint(cpu), "memory": "1Ti", "pods": fmt.Sprint(cpu)}})
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) createQueue(name string, cpu int) {
	c.Helper()
	if err := c.put(queues, "", object{"apiVersion": queues.GroupVersion().String(), "kind": "Queue",
		"metadata": object{"name": name},
		"spec":     object{"capability": object{"cpu": fmt.Sprint(cpu)}}}); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) put(resource schema.GroupVersionResource, namespace string, what object) error {
	_, err := c.custom.Resource(resource).Namespace(namespace).Create(c.Context(),
		&unstructured.Unstructured{Object: what}, metav1.CreateOptions{})
	return err
}

// parallel does something so many times, a few at once, and stops where that fails.
func (c *cluster) parallel(count int, do func(int) error) {
	numbers := make(chan int, count)
	for i := range count {
		numbers <- i
	}
	close(numbers)
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() {
			for i := range numbers {
				if err := do(i); err != nil {
					c.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
}

// awaitGate waits until the shipped policy acts.
func (c *cluster) awaitGate() {
	c.Helper()
	try := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	c.until("an opted-in pod gets its gate", func() error {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "try",
			Annotations: map[string]string{gateName: "true"}}, Spec: podSpec()}
		made, err := c.Client.CoreV1().Pods(space).Create(c.Context(), pod, try)
		if err == nil && len(made.Spec.SchedulingGates) != 1 {
			err = fmt.Errorf("its gates are %v", made.Spec.SchedulingGates)
		}
		return err
	})
}

const (
	// A gang's turn on nodes is 60 s: who is as slow as that was forgotten.
	patience = 40 * time.Second
	lookTurn = 50 * time.Millisecond
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

// pods are those of a workload, or of all of them.
func (c *cluster) pods(workload string) []corev1.Pod {
	c.Helper()
	list, err := c.Client.CoreV1().Pods(space).List(c.Context(),
		metav1.ListOptions{LabelSelector: "app=" + workload})
	if err != nil {
		c.Fatal(err)
	}
	return list.Items
}

func isRunning(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning
}

// runs waits until a workload has so many pods, and so many of them run.
func (c *cluster) runs(workload string, pods, running int) {
	c.Helper()
	c.until(fmt.Sprintf("%s has %d pods, of which %d run", workload, pods, running), func() error {
		found := c.pods(workload)
		count := 0
		var says []string
		for i := range found {
			if isRunning(&found[i]) {
				count++
			}
			says = append(says, fmt.Sprintf("%s %s, node %q, %s", found[i].Name,
				found[i].Status.Phase, found[i].Spec.NodeName, c.why(found[i].Name)))
		}
		if len(found) == pods && count == running {
			return nil
		}
		return fmt.Errorf("it has %d, %d run:\n%s", len(found), count, strings.Join(says, "\n"))
	})
}

// answer is what the scheduler says of a pod.
type answer struct{ State, Reason, Message string }

func (c *cluster) asked(pod string) (a answer) {
	body, err := c.Client.CoreV1().RESTClient().Get().Namespace(shipped.Namespace).
		Resource("services").SubResource("proxy").Name("https:"+shipped.Name+":https").
		Suffix("debug/sluice/pod").Param("namespace", space).Param("name", pod).
		// The API server's proxy keeps the credentials to itself.
		SetHeader("Sluice-Token", c.REST(plane.Admin).BearerToken).DoRaw(c.Context())
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	if err != nil {
		a.Message = fmt.Sprintf("%v: %s", err, body)
	}
	return a
}

func (c *cluster) why(pod string) string {
	a := c.asked(pod)
	return fmt.Sprintf("%s %s %s", a.State, a.Reason, a.Message)
}

// group is a PodGroup.
type group struct {
	name    string
	uid     types.UID
	owner   string // Kind/name
	minimum int64
	phase   string
	running int64
}

// groups are those of the namespace.
func (c *cluster) groups() (all []group) {
	c.Helper()
	list, err := c.custom.Resource(podGroups).Namespace(space).List(c.Context(),
		metav1.ListOptions{})
	if err != nil {
		c.Fatal(err)
	}
	for i := range list.Items {
		of := &list.Items[i]
		one := group{name: of.GetName(), uid: of.GetUID()}
		one.minimum, _, _ = unstructured.NestedInt64(of.Object, "spec", "minMember")
		one.phase, _, _ = unstructured.NestedString(of.Object, "status", "phase")
		one.running, _, _ = unstructured.NestedInt64(of.Object, "status", "running")
		if by := metav1.GetControllerOf(of); by != nil {
			one.owner = by.Kind + "/" + by.Name
		}
		all = append(all, one)
	}
	return all
}

// groupOf is the only PodGroup, and its owner is this one.
func (c *cluster) groupOf(owner string) group {
	c.Helper()
	all := c.groups()
	if len(all) != 1 || all[0].owner != owner {
		c.Fatalf("the PodGroups are %+v, want one, of %s", all, owner)
	}
	return all[0]
}

// nothingLeft waits until no pod of the workload is there, and no PodGroup.
func (c *cluster) nothingLeft(workload string) {
	c.Helper()
	c.until("nothing is left of "+workload, func() error {
		if pods, groups := c.pods(workload), c.groups(); len(pods)+len(groups) > 0 {
			return fmt.Errorf("%d pods and the PodGroups %+v are left", len(pods), groups)
		}
		return nil
	})
}

// whole looks at the pods of a gang in the moment in which they run, and says which group they
// name.
func (c *cluster) whole(workload string, named string) {
	c.Helper()
	for _, pod := range c.pods(workload) {
		if got := pod.Annotations[groupName]; got != named {
			c.Errorf("pod %s names the group %q, want %q", pod.Name, got, named)
		}
	}
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{
		SchedulerName:                 "sluice-scheduler",
		TerminationGracePeriodSeconds: new(int64(1)),
		Containers:                    []corev1.Container{{Name: "c", Image: "none"}},
	}
}

func background() metav1.DeleteOptions {
	how := metav1.DeletePropagationBackground
	return metav1.DeleteOptions{PropagationPolicy: &how}
}

// must is for writes that nothing may refuse.
func must[T any](c *cluster, do func(context.Context) (T, error)) T {
	c.Helper()
	made, err := do(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return made
}
