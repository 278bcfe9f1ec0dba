// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
)

// libraryPath is $SLUICE_LIB, or the build of the checkout that this file is in.
func libraryPath(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SLUICE_LIB")
	if path == "" {
		path, _ = filepath.Abs("../../../build/sluice.so")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: build it (meson setup build && ninja -C build), or name one in SLUICE_LIB", err)
	}
	return path
}

// scheduler is what of a framework's handle the host uses, on a clientset in memory.
type scheduler struct {
	fwk.Handle
	client    *fake.Clientset
	factory   informers.SharedInformerFactory
	mutex     sync.Mutex
	activated []string
	events    []string
}

type recorded struct {
	events.EventRecorderLogger
	in *scheduler
}

func (r recorded) Eventf(_ runtime.Object, _ runtime.Object, _, reason, _, note string,
	args ...any) {
	r.in.mutex.Lock()
	defer r.in.mutex.Unlock()
	r.in.events = append(r.in.events, reason+": "+fmt.Sprintf(note, args...))
}

func (s *scheduler) SharedInformerFactory() informers.SharedInformerFactory { return s.factory }
func (s *scheduler) ClientSet() clientset.Interface                         { return s.client }

func (s *scheduler) EventRecorder() events.EventRecorderLogger { return recorded{in: s} }

func (s *scheduler) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, pod := range pods {
		s.activated = append(s.activated, pod.Name)
	}
}

func (s *scheduler) wasActivated(name string) func() bool {
	return func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		for _, one := range s.activated {
			if one == name {
				return true
			}
		}
		return false
	}
}

var queues = schema.GroupVersionResource{
	Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "queues"}

// listKinds are those that the API server in memory can list.
var listKinds = map[schema.GroupVersionResource]string{queues: "QueueList",
	commandResource: "CommandList", podGroups: "PodGroupList",
	clusterQueues: "ClusterQueueList", localQueues: "LocalQueueList",
	flavorResource: "ResourceFlavorList", admissionChecks: "AdmissionCheckList",
	workloadClasses: "WorkloadPriorityClassList", wl.Resource: "WorkloadList",
	kueue.SchemeGroupVersion.WithResource("cohorts"): "CohortList",
	nativeOf("v1alpha2", "podgroups"):                "PodGroupList",
	nativeOf("v1alpha2", "workloads"):                "WorkloadList",
	nativeOf("v1beta1", "podgroups"):                 "PodGroupList",
	nativeOf("v1alpha3", "compositepodgroups"):       "CompositePodGroupList",
	nativeOf("v1beta1", "workloads"):                 "WorkloadList"}

// nativeVersions are that of Kubernetes' own groups which the scheduler of this release reads, and
// that of another release.
func nativeVersions() (ours, theirs string) {
	scheduler := thisScheduler()
	if scheduler.reads("v1alpha2") {
		return "v1alpha2", "v1beta1"
	}
	return "v1beta1", "v1alpha2"
}

type world struct {
	t *testing.T
	*Host
	*scheduler
	dynamic *dynamicfake.FakeDynamicClient
	cancel  context.CancelFunc
	// What the API server in memory answers instead of what it would, to typed clients and others.
	typed, untyped *reactions
}

// reactions may come while others ask: those of client-go's fakes must not.
type reactions struct {
	mutex sync.Mutex
	all   []clienttesting.Reactor // the last comes first
}

func (r *reactions) to(verb, resource string, reaction clienttesting.ReactionFunc) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.all = append([]clienttesting.Reactor{&clienttesting.SimpleReactor{Verb: verb,
		Resource: resource, Reaction: reaction}}, r.all...)
}

func (r *reactions) react(action clienttesting.Action) (bool, runtime.Object, error) {
	r.mutex.Lock()
	all := r.all
	r.mutex.Unlock()
	for _, one := range all {
		if !one.Handles(action) {
			continue
		}
		if handled, object, err := one.React(action); handled {
			return true, object, err
		}
	}
	return false, nil, nil
}

// reactionsOf are those of a fake that nobody uses yet.
func reactionsOf(fake *clienttesting.Fake) *reactions {
	r := &reactions{}
	fake.PrependReactor("*", "*", r.react)
	return r
}

// newWorld is a host that runs on an API server in memory, which serves Volcano's queues.
func newWorld(t *testing.T, args config.Args, before func(*Host),
	objects ...runtime.Object) *world {
	t.Helper()
	client := fake.NewClientset()
	client.Resources = []*metav1.APIResourceList{{
		GroupVersion: volcano.SchemeGroupVersion.String(),
		APIResources: []metav1.APIResource{{Name: "queues"}, {Name: "podgroups"}},
	}, {
		GroupVersion: bus.SchemeGroupVersion.String(),
		APIResources: []metav1.APIResource{{Name: "commands"}},
	}, {
		GroupVersion: "apps/v1",
		APIResources: []metav1.APIResource{
			{Name: "deployments/scale", Kind: "Deployment", Namespaced: true},
			{Name: "deployments", Kind: "Deployment", Namespaced: true},
			{Name: "daemonsets", Kind: "DaemonSet", Namespaced: true},
			{Name: "replicasets", Kind: "ReplicaSet", Namespaced: true},
			{Name: "statefulsets", Kind: "StatefulSet", Namespaced: true}},
	}}
	s := &scheduler{client: client, factory: informers.NewSharedInformerFactory(client, 0)}
	dynamic := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		listKinds, objects...)
	typed, untyped := reactionsOf(&client.Fake), reactionsOf(&dynamic.Fake)
	library, err := sluice.Load(libraryPath(t))
	if err != nil {
		t.Fatal(err)
	}
	args.Effects = config.Effects{Workers: 2, QPS: 1000, Burst: 1000}
	ctx, cancel := context.WithCancel(context.Background())
	h, err := assemble(ctx, &args, library, clients{client, dynamic, dynamic}, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.AddProfile("default-scheduler", &args); err != nil {
		t.Fatal(err)
	}
	if before != nil {
		before(h)
	}
	if err := h.Start(ctx); err != nil {
		t.Fatal(err)
	}
	s.factory.Start(ctx.Done())
	w := &world{t, h, s, dynamic, cancel, typed, untyped}
	t.Cleanup(func() {
		w.Stop()
		cancel()
	})
	w.until("it is synced", func() bool { return w.Ready() == nil })
	return w
}

func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("after 10 s it is not so that %s", what)
		}
	}
}

func (w *world) queue(name string, cpu string) {
	w.t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": volcano.SchemeGroupVersion.String(), "kind": "Queue",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"capability": map[string]any{"cpu": cpu}},
	}}
	_, err := w.dynamic.Resource(queues).Create(context.Background(), object,
		metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
}

func gatedPod(name string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("uid-" + name), Generation: 1,
			ResourceVersion: "5", CreationTimestamp: metav1.Now(),
			Annotations: map[string]string{facts.GateLong: "true", facts.QueueName: "q"},
		},
		Spec: v1.PodSpec{
			SchedulerName:   "default-scheduler",
			SchedulingGates: []v1.PodSchedulingGate{{Name: facts.GateLong}},
			Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
				Requests: v1.ResourceList{"cpu": resource.MustParse("1")}}}},
		},
	}
}

func (w *world) create(pod *v1.Pod) *v1.Pod {
	w.t.Helper()
	made, err := w.client.CoreV1().Pods(pod.Namespace).Create(context.Background(), pod,
		metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

func (w *world) state(name string) string {
	answer, err := w.Engine().Inspect(sluice.Query{What: "pod", Namespace: "default", Name: name})
	if err != nil {
		return "unknown"
	}
	return answer["state"].(string)
}

// reason is why a pod is held; "": it is not known.
func (w *world) reason(name string) string {
	answer, err := w.Engine().Inspect(sluice.Query{What: "pod", Namespace: "default", Name: name})
	if err != nil {
		return ""
	}
	reason, _ := answer["reason"].(string)
	return reason
}

func (w *world) is(name, state string) func() bool {
	return func() bool { return w.state(name) == state }
}

func (w *world) seen(name string) *v1.Pod {
	pod, err := w.client.CoreV1().Pods("default").Get(context.Background(), name,
		metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return pod
}
