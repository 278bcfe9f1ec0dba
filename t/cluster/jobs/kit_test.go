// SPDX-License-Identifier: Apache-2.0

// Package jobs tests Jobs and Workloads of Kueue's queues on a real control plane, with the real
// controller manager and sluice as it is shipped. Manifests are as Kueue's users write them.
package jobs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	space    = "default"
	kubelets = "kubelets" // the user who plays them
	patience = 90 * time.Second
	lookTurn = 50 * time.Millisecond
)

func kueue(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2",
		Resource: resource}
}

type cluster struct {
	*testing.T
	*shipped.Sluice
	objects dynamic.Interface
	began   time.Time
	space   string // the namespace
}

// start is a control plane with Kueue's CRDs, what an overlay ships, two kinds of nodes, and
// somebody who runs what is bound there.
func start(t *testing.T, overlay string) *cluster {
	p, err := plane.Start(t.Context(), plane.Options{Name: "jobs", ControllerManager: true,
		Ready: patience, Users: []plane.User{{Name: kubelets, Groups: []string{"system:masters"}}},
		APIFlags: []string{"--enable-aggregator-routing=true"}})
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
	s, err := shipped.Apply(t.Context(), p, "overlays/"+overlay)
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Args = shipped.ReasonsAtOnce()
	c := &cluster{T: t, Sluice: s, began: time.Now(), space: space}
	if c.objects, err = dynamic.NewForConfig(p.REST(plane.Admin)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"spot", "reserved"} {
		if _, err := c.CreateNode(t.Context(), plane.Node{Name: kind,
			Labels: map[string]string{"kind": kind}, Allocatable: map[string]string{
				"cpu": "100", "memory": "1Ti", "pods": "100"}}); err != nil {
			t.Fatal(err)
		}
	}
	c.startKubelets()
	return c
}

// startKubelets lets pods run, but those that stand for replicas.
func (c *cluster) startKubelets() {
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

func (c *cluster) run(replica string) *shipped.Replica {
	c.Helper()
	r, err := c.Sluice.Run(c.Context(), replica)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if c.Failed() {
			c.Logf("replica %s runs: %t; the end of its log:\n%s", replica, r.Running(), r.Tail(40))
		}
	})
	return r
}

// lead starts the first replica, and waits until it leads.
func (c *cluster) lead() *shipped.Replica {
	c.Helper()
	r := c.run("a")
	if err := c.AwaitLeader(c.Context()); err != nil {
		c.Fatal(err)
	}
	c.until("whoever creates a Job is answered", func() error {
		j, err := c.dry(sample("probe", "probe", "", 1, "1"))
		if err == nil && (j.Spec.Suspend == nil || !*j.Spec.Suspend) {
			err = errors.New("it is not suspended")
		}
		return err
	})
	return r
}

// dry is a Job as it would be created.
func (c *cluster) dry(manifest string) (*batchv1.Job, error) {
	c.Helper()
	j := &batchv1.Job{}
	if err := yaml.Unmarshal([]byte(manifest), j); err != nil {
		c.Fatalf("%v in\n%s", err, manifest)
	}
	return c.Client.BatchV1().Jobs(c.space).Create(c.Context(), j,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func (c *cluster) on(t *testing.T) *cluster {
	return &cluster{T: t, Sluice: c.Sluice, objects: c.objects, began: c.began, space: c.space}
}

// at is the same in another namespace.
func (c *cluster) at(space string) *cluster {
	there := *c
	there.space = space
	return &there
}

var resources = map[string]schema.GroupVersionResource{
	"Job": batchv1.SchemeGroupVersion.WithResource("jobs"),

	"Pod":          corev1.SchemeGroupVersion.WithResource("pods"),
	"LimitRange":   corev1.SchemeGroupVersion.WithResource("limitranges"),
	"RuntimeClass": nodev1.SchemeGroupVersion.WithResource("runtimeclasses"),

	"AdmissionCheck":        kueue("admissionchecks"),
	"ClusterQueue":          kueue("clusterqueues"),
	"LocalQueue":            kueue("localqueues"),
	"ResourceFlavor":        kueue("resourceflavors"),
	"Workload":              kueue("workloads"),
	"Cohort":                kueue("cohorts"),
	"WorkloadPriorityClass": kueue("workloadpriorityclasses"),
}

var namespaced = map[string]bool{"Job": true, "LimitRange": true, "LocalQueue": true,
	"Pod": true, "Workload": true}

func (c *cluster) in(kind string) dynamic.ResourceInterface {
	if namespaced[kind] {
		return c.objects.Resource(resources[kind]).Namespace(c.space)
	}
	return c.objects.Resource(resources[kind])
}

// create makes the objects of a manifest.
func (c *cluster) create(manifest string) {
	c.Helper()
	for _, text := range strings.Split(manifest, "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			c.Fatalf("%v in\n%s", err, text)
		}
		if _, err := c.in(object.GetKind()).Create(c.Context(), object,
			metav1.CreateOptions{}); err != nil {
			c.Fatalf("%v\n%s", err, text)
		}
	}
}

func (c *cluster) patch(kind, name, patch string, subresources ...string) {
	c.Helper()
	if _, err := c.in(kind).Patch(c.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{}, subresources...); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) delete(kind, name string) {
	c.Helper()
	background := metav1.DeletePropagationBackground
	if err := c.in(kind).Delete(c.Context(), name,
		metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		c.Fatal(err)
	}
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
	c.Fatalf("after %s it is not so that %s: %v", patience, what, problem)
}

// stays looks whether nothing goes wrong for a while.
func (c *cluster) stays(what string, wrong func() error) {
	c.Helper()
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(lookTurn) {
		if err := wrong(); err != nil {
			c.Fatalf("it does not stay so that %s: %v", what, err)
		}
	}
}

// job is the Job, and how many of its pods run.
func (c *cluster) job(name string) (*batchv1.Job, int) {
	c.Helper()
	j, err := c.Client.BatchV1().Jobs(c.space).Get(c.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.Fatal(err)
	}
	running := 0
	for _, pod := range c.pods(name) {
		if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			running++
		}
	}
	return j, running
}

func (c *cluster) pods(job string) []corev1.Pod {
	c.Helper()
	list, err := c.Client.CoreV1().Pods(c.space).List(c.Context(),
		metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job})
	if err != nil {
		c.Fatal(err)
	}
	return list.Items
}

// workload is the one of a Job; nil: there is none.
func (c *cluster) workload(job string) *unstructured.Unstructured {
	c.Helper()
	list, err := c.in("Workload").List(c.Context(), metav1.ListOptions{})
	if err != nil {
		c.Fatal(err)
	}
	for i := range list.Items {
		if owner := metav1.GetControllerOf(&list.Items[i]); owner != nil && owner.Name == job {
			return &list.Items[i]
		}
	}
	return nil
}

// says is a condition as STATUS/REASON; "": it is not there.
func says(object *unstructured.Unstructured, kind string) string {
	if object == nil {
		return "no object"
	}
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, each := range list {
		if one, _ := each.(map[string]any); one["type"] == kind {
			return fmt.Sprintf("%s/%s", one["status"], one["reason"])
		}
	}
	return ""
}

// all is what is known of the workload of a Job.
func (c *cluster) all(job string) string {
	w := c.workload(job)
	if w == nil {
		return "no workload"
	}
	list, _, _ := unstructured.NestedSlice(w.Object, "status", "conditions")
	return fmt.Sprintf("%v\nsluice says %s", list, c.asked("workload", c.space, w.GetName()))
}

// asked is what the scheduler says of an object.
func (c *cluster) asked(view, namespace, name string) string {
	request := c.Client.CoreV1().RESTClient().Get().Namespace(shipped.Namespace).
		Resource("services").SubResource("proxy").Name("https:"+shipped.Name+":https").
		Suffix("debug/sluice/"+view).Param("name", name).
		// The API server's proxy keeps the credentials to itself.
		SetHeader("Sluice-Token", c.REST(plane.Admin).BearerToken)
	if namespace != "" {
		request = request.Param("namespace", namespace)
	}
	body, err := request.DoRaw(c.Context())
	if err != nil {
		return fmt.Sprintf("%v: %s", err, body)
	}
	return string(body)
}

// runs waits until the Job runs so many pods, on nodes of this kind.
func (c *cluster) runs(name string, count int, kind string) {
	c.Helper()
	c.until(fmt.Sprintf("%s runs %d pods on %s nodes", name, count, kind), func() error {
		j, running := c.job(name)
		if j.Spec.Suspend == nil || *j.Spec.Suspend || running != count {
			return fmt.Errorf("suspended %v, %d run, its workload: %s", *j.Spec.Suspend, running,
				c.all(name))
		}
		for _, pod := range c.pods(name) {
			if pod.Spec.NodeName != kind {
				return fmt.Errorf("pod %s is on node %q", pod.Name, pod.Spec.NodeName)
			}
		}
		return nil
	})
}

// waits waits until the Job is suspended without pods, and its workload without quota for a reason.
func (c *cluster) waits(name, reason string) {
	c.Helper()
	c.until(fmt.Sprintf("%s waits, %s", name, reason),
		func() error { return c.isWaiting(name, reason) })
}

func (c *cluster) isWaiting(name, reason string) error {
	j, _ := c.job(name)
	pods := c.pods(name)
	w := c.workload(name)
	said := says(w, "QuotaReserved")
	fits := said == "False/"+reason || reason == "" && (said == "" || strings.HasPrefix(said, "False"))
	if j.Spec.Suspend == nil || !*j.Spec.Suspend || len(pods) > 0 || w == nil || !fits {
		return fmt.Errorf("suspended %v, %d pods, its workload: %s", j.Spec.Suspend, len(pods),
			c.all(name))
	}
	return nil
}

// finish ends all pods of a Job well.
func (c *cluster) finish(name string) {
	c.Helper()
	for _, pod := range c.pods(name) {
		_, err := c.Client.CoreV1().Pods(c.space).Patch(c.Context(), pod.Name,
			types.StrategicMergePatchType, []byte(`{"status": {"phase": "Succeeded"}}`),
			metav1.PatchOptions{}, "status")
		if err != nil {
			c.Fatal(err)
		}
	}
	c.until(name+" is over, and so is its workload", func() error {
		if said := says(c.workload(name), "Finished"); said != "True/Succeeded" {
			return fmt.Errorf("it says %q", said)
		}
		return nil
	})
}
