// SPDX-License-Identifier: Apache-2.0

// Package fleet tests sluice-manager on three real control planes: a manager and two workers.
package fleet

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"sluice/cluster/faults"
	"sluice/cluster/plane"
	"sluice/cluster/shipped"
	"sluice/cluster/upstream"
)

const (
	space     = "kueue-system"
	gateName  = "kueue.x-k8s.io/multikueue"
	checkName = "fleet"
	patience  = 5 * time.Minute // for machines that are busy otherwise
)

// us is the manager, in every cluster.
var us = plane.ServiceAccountUser(space, "sluice-manager")

func resource(kind string) schema.GroupVersionResource {
	if kind == "jobs" {
		return schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: kind}
	}
	return schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: kind}
}

// cluster is one control plane, seen by its admin.
type cluster struct {
	*plane.Plane
	objects dynamic.Interface
}

func (c *cluster) workloads() dynamic.ResourceInterface { return c.in("workloads") }

func (c *cluster) in(kind string) dynamic.ResourceInterface {
	return c.objects.Resource(resource(kind)).Namespace("default")
}

type fleet struct {
	*testing.T
	itself   string // the program of Kueue; "": the test plays it
	root     string
	manager  *cluster
	workers  map[string]*cluster
	ways     map[string]*faults.Proxy // to the workers
	program  string
	config   string
	began    time.Time
	replicas int
	leader   *plane.Process
	asked    string // where the manager that is started next answers people; "": nowhere
	plugin   string // of kubectl, for them
}

// start makes the three clusters with all that the manifests say; no manager runs yet.
func start(t *testing.T, config string) *fleet { return startWith(t, config, "") }

func startWith(t *testing.T, config, itself string) *fleet {
	root, err := shipped.Root()
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{T: t, itself: itself, root: root, workers: map[string]*cluster{},
		ways: map[string]*faults.Proxy{}}
	f.build()
	crds, err := shipped.KueueCRDs(t.Context(), root)
	f.must(err)
	var wait sync.WaitGroup
	for name, what := range map[string]string{"manager": "manager", "east": "worker",
		"west": "worker"} {
		c := &cluster{}
		if name == "manager" {
			f.manager = c
		} else {
			f.workers[name] = c
		}
		wait.Go(func() { f.raise(c, name, crds, filepath.Join(root, "examples/deploy/fleet", what)) })
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for name := range f.workers {
		f.join(name)
	}
	f.create(f.manager, "admissionchecks", `{metadata: {name: fleet}, spec: {
		controllerName: kueue.x-k8s.io/multikueue, parameters: {apiGroup: kueue.x-k8s.io,
		kind: MultiKueueConfig, name: both}}}`)
	f.create(f.manager, "multikueueconfigs",
		`{metadata: {name: both}, spec: {clusters: [east, west]}}`)
	f.config = filepath.Join(t.TempDir(), "manager.yaml")
	f.configure(config)
	f.began = time.Now()
	return f
}

// configure is for the replicas that are started after it.
func (f *fleet) configure(config string) {
	f.Helper()
	library, err := shipped.Library(f.root)
	f.must(err)
	f.must(os.WriteFile(f.config, []byte("apiVersion: sluice/v1\nkind: ManagerConfiguration\n"+
		"library: "+library+"\n"+config), 0o600))
}

func (f *fleet) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fleet) build() {
	if f.program = os.Getenv("SLUICE_MANAGER"); f.program != "" {
		return
	}
	f.program = filepath.Join(f.TempDir(), "sluice-manager")
	build := exec.Command(filepath.Join(f.root, "examples/kube-scheduler/build-manager"), f.program)
	if out, err := build.CombinedOutput(); err != nil {
		f.Fatalf("%s: %v\n%s", build, err, out)
	}
}

func (f *fleet) raise(c *cluster, name, crds, manifests string) {
	var err error
	c.Plane, err = plane.Start(f.Context(), plane.Options{Name: name, Audit: auditv1.LevelRequest,
		Users: []plane.User{us, upstream.User, viewer}, Ready: patience,
		ControllerManager: f.itself != "" && name != "manager"})
	if err != nil {
		f.Error(err)
		return
	}
	f.Cleanup(func() {
		if err := c.Stop(); err != nil {
			f.Error(err)
		}
	})
	if c.objects, err = dynamic.NewForConfig(c.REST(plane.Admin)); err != nil {
		f.Error(err)
		return
	}
	// A busy machine takes longer for these than a plane waits.
	for end := time.Now().Add(patience); ; {
		if err = c.ApplyCRDDir(f.Context(), crds); err == nil {
			_, err = c.Kubectl(f.Context(), "apply", "--server-side", "-k", manifests)
		}
		if err == nil || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		f.Error(err)
	}
}

// kubeconfig is the manager's for that cluster, by a way on which things can go wrong.
func (f *fleet) kubeconfig(c *cluster) []byte {
	f.Helper()
	config := c.REST(us.Name)
	anonymous := rest.AnonymousClientConfig(config)
	transport, err := rest.TransportFor(anonymous)
	f.must(err)
	way, err := faults.Start(faults.Config{Target: c.URL(), Transport: transport})
	f.must(err)
	f.Cleanup(func() { _ = way.Close() })
	f.ways[c.Name] = way
	file := filepath.Join(f.TempDir(), c.Name)
	f.must(way.WriteKubeconfig(file, config.BearerToken))
	text, err := os.ReadFile(file)
	f.must(err)
	return text
}

// join makes a worker one of the manager's.
func (f *fleet) join(name string) {
	f.Helper()
	_, err := f.manager.Client.CoreV1().Secrets(space).Create(f.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Data:       map[string][]byte{"kubeconfig": f.kubeconfig(f.workers[name])},
	}, metav1.CreateOptions{})
	f.must(err)
	f.create(f.manager, "multikueueclusters", fmt.Sprintf(`{metadata: {name: %s}, spec:
		{clusterSource: {kubeConfig: {location: %s, locationType: Secret}}}}`, name, name))
}

func read(text string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, text))
	}
	return object
}

var kinds = map[string]string{"admissionchecks": "AdmissionCheck", "workloads": "Workload",
	"multikueueconfigs": "MultiKueueConfig", "multikueueclusters": "MultiKueueCluster",
	"jobs": "Job", "clusterqueues": "ClusterQueue", "localqueues": "LocalQueue",
	"resourceflavors": "ResourceFlavor", "workloadpriorityclasses": "WorkloadPriorityClass"}

func (f *fleet) create(c *cluster, kind, text string) *unstructured.Unstructured {
	f.Helper()
	object := read(text)
	object.SetGroupVersionKind(resource(kind).GroupVersion().WithKind(kinds[kind]))
	var client dynamic.ResourceInterface = c.objects.Resource(resource(kind))
	if kind == "workloads" || kind == "jobs" || kind == "localqueues" {
		client = c.in(kind)
	}
	made, err := client.Create(f.Context(), object, metav1.CreateOptions{})
	if err != nil {
		f.Fatalf("%v\n%s", err, text)
	}
	return made
}

// run starts a replica of the manager.
func (f *fleet) run() *plane.Process {
	f.Helper()
	kubeconfig, err := f.manager.Kubeconfig(us.Name)
	f.must(err)
	f.replicas++
	name := fmt.Sprintf("sluice-manager-%d", f.replicas)
	words := []string{"--config", f.config, "--kubeconfig", kubeconfig, "-v", "2"}
	if f.asked == "" {
		words = append(words, "--secure-port", "0")
	} else {
		address, port, err := net.SplitHostPort(f.asked)
		f.must(err)
		words = append(words, "--bind-address", address, "--secure-port", port)
	}
	process, err := f.manager.Run(name, f.program, words, nil)
	f.must(err)
	f.Cleanup(func() {
		if f.Failed() {
			f.Logf("the end of %s:\n%s", name, process.Tail(20))
		}
	})
	return process
}

// await tries until it holds; it tells since when the story goes on.
func (f *fleet) await(what string, holds func() error) {
	f.Helper()
	var problem error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if problem = holds(); problem == nil {
			f.tell("%s", what)
			return
		}
	}
	f.Fatalf("not within %s: %s: %v", patience, what, problem)
}

func (f *fleet) tell(format string, words ...any) {
	f.Logf("%7.2fs %s", time.Since(f.began).Seconds(), fmt.Sprintf(format, words...))
}

// connected waits until both workers are, and the check says so.
func (f *fleet) connected() {
	f.Helper()
	f.await("both workers are connected", func() error {
		check, err := f.manager.objects.Resource(resource("admissionchecks")).Get(f.Context(),
			checkName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if c := condition(check, "Active"); c["status"] != "True" || c["reason"] != "Active" {
			return fmt.Errorf("the check: %v", c)
		}
		return nil
	})
}

// condition is that of an object; nil: it has none of this type.
func condition(object *unstructured.Unstructured, kind string) map[string]any {
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range list {
		if c := one.(map[string]any); c["type"] == kind {
			return c
		}
	}
	return nil
}

func is(object *unstructured.Unstructured, kind string) bool {
	return condition(object, kind)["status"] == "True"
}

// of is the workload in a cluster.
func of(ctx context.Context, c *cluster, name string) (*unstructured.Unstructured, error) {
	return c.workloads().Get(ctx, name, metav1.GetOptions{})
}
