// SPDX-License-Identifier: Apache-2.0

package schedulerplugin

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// handle is what the plugin needs of a scheduler, on an API server that has nothing.
type handle struct {
	fwk.Handle
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
}

func (h *handle) KubeConfig() *rest.Config                               { return &rest.Config{} }
func (h *handle) ClientSet() kubernetes.Interface                        { return h.client }
func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }
func (h *handle) EventRecorder() events.EventRecorderLogger              { return nil }
func (h *handle) ProfileName() string                                    { return profile }
func (h *handle) Activate(klog.Logger, map[string]*v1.Pod)               {}

const profile = "default-scheduler"

// world is the plugin of a profile, over an engine that leads, and knows a queue `q` of one cpu.
type world struct {
	*testing.T
	*Plugin
	engine *sluice.Engine
}

func newWorld(t *testing.T) *world {
	t.Helper()
	path := os.Getenv("SLUICE_LIB")
	if path == "" {
		path, _ = filepath.Abs("../../../build/sluice.so")
	}
	client := fake.NewClientset()
	h := &handle{client: client, factory: informers.NewSharedInformerFactory(client, 0)}
	var factory Factory
	made, err := factory.New(context.Background(), &runtime.Unknown{
		ContentType: runtime.ContentTypeJSON, Raw: []byte(`{"library": "` + path + `"}`)}, h)
	if err != nil {
		t.Fatalf("%v (build sluice.so with meson, or name one in SLUICE_LIB)", err)
	}
	if err := factory.Host().Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(factory.Host().Stop)
	h.factory.Start(t.Context().Done())
	for end := time.Now().Add(20 * time.Second); !factory.Host().Synced(); {
		if time.Now().After(end) {
			t.Fatal("the host is not synced within 20 s")
		}
		time.Sleep(5 * time.Millisecond)
	}
	w := &world{t, made.(*Plugin), factory.Host().Engine()}
	w.queue("q", 1000)
	return w
}

func (w *world) queue(name string, cpu int64) {
	w.Helper()
	if _, err := w.engine.ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: name,
		Capability: []sluice.Amount{{Name: "cpu", Value: cpu}}}); err != nil {
		w.Fatal(err)
	}
}

// is checks the code of a status: on it depends whether an autoscaler reads what is said.
func (w *world) is(what string, status *fwk.Status, want fwk.Code) {
	w.Helper()
	if status.Code() != want {
		w.Errorf("%s: %v (%v), want %v", what, status.Code(), status.Message(), want)
	}
}

func pod(name string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default",
			UID: types.UID("uid-" + name), Generation: 1, ResourceVersion: "5",
			CreationTimestamp: metav1.Now(),
			Annotations:       map[string]string{facts.GateLong: "true", facts.QueueName: "q"}},
		Spec: v1.PodSpec{SchedulerName: profile,
			SchedulingGates: []v1.PodSchedulingGate{{Name: facts.GateLong}},
			Containers: []v1.Container{{Resources: v1.ResourceRequirements{
				Requests: v1.ResourceList{"cpu": resource.MustParse("1")}}}}},
	}
}

func TestOfAGrantedPod(t *testing.T) {
	w, ctx, state := newWorld(t), t.Context(), framework.NewCycleState()
	first := pod("first")
	w.is("PreEnqueue", w.PreEnqueue(ctx, first), fwk.Success)
	_, status := w.PreFilter(ctx, state, first, nil)
	w.is("PreFilter without flavors: Filter is not called", status, fwk.Skip)
	_, status = w.PostFilter(ctx, state, first, nil)
	w.is("PostFilter makes no room", status, fwk.Unschedulable)
	w.is("Reserve", w.Reserve(ctx, state, first, "n"), fwk.Success)
	status, _ = w.Permit(ctx, state, first, "n")
	w.is("Permit", status, fwk.Success)
	w.Unreserve(ctx, state, first, "n")
	w.is("Reserve once more", w.Reserve(ctx, state, first, "n"), fwk.Success)
	w.is("Bind without an API server that has the pod", w.Bind(ctx, state, first, "n"), fwk.Error)
	first.Spec.SchedulingGates = nil
	w.is("Bind leaves the binding to the next plugin", w.Bind(ctx, state, first, "n"), fwk.Skip)
	w.PostBind(ctx, state, first, "n")
	_, status = w.SignPod(ctx, first)
	w.is("SignPod without flavors", status, fwk.Success)
	if hints, err := w.EventsToRegister(ctx); len(hints) > 0 || err != nil {
		t.Errorf("it registers %v, %v", hints, err)
	}
}

func TestOfAPodThatWaits(t *testing.T) {
	w, ctx, state := newWorld(t), t.Context(), framework.NewCycleState()
	w.is("PreEnqueue of the first", w.PreEnqueue(ctx, pod("first")), fwk.Success)
	second := pod("second")
	status := w.PreEnqueue(ctx, second)
	w.is("PreEnqueue", status, fwk.UnschedulableAndUnresolvable)
	if want := "waits in its queue: " + sluice.ReasonQueueCapacity; status.Message() != want {
		t.Errorf("it is told %q, want %q", status.Message(), want)
	}
	_, status = w.PreFilter(ctx, state, second, nil)
	w.is("PreFilter", status, fwk.Error)
	w.is("Reserve", w.Reserve(ctx, state, second, "n"), fwk.Error)
}

func TestOfAPodThatWasDemotedInItsCycle(t *testing.T) {
	w, ctx, state := newWorld(t), t.Context(), framework.NewCycleState()
	first := pod("first")
	w.is("PreEnqueue", w.PreEnqueue(ctx, first), fwk.Success)
	_, status := w.PreFilter(ctx, state, first, nil)
	w.is("PreFilter", status, fwk.Skip)
	w.queue("q", 0)
	w.queue("q", 500)
	w.is("Reserve: no autoscaler is to read it", w.Reserve(ctx, state, first, "n"), fwk.Error)
}

func (w *world) state(of *v1.Pod) any {
	w.Helper()
	answer, err := w.engine.Inspect(sluice.Query{What: "pod", UID: string(of.UID)})
	if err != nil {
		w.Fatal(err)
	}
	return answer["state"]
}

// What a cycle only tries is no news of the queue, until the cycle after it that counts.
func TestOfACycleThatOnlyTries(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	first, second := pod("first"), pod("second")
	w.is("PreEnqueue", w.PreEnqueue(ctx, first), fwk.Success)
	w.is("PreEnqueue", w.PreEnqueue(ctx, second), fwk.UnschedulableAndUnresolvable)
	state := framework.NewCycleState()
	state.SetPodGroupSchedulingCycle(framework.NewCycleState())
	w.is("Reserve", w.Reserve(ctx, state, first, "n"), fwk.Success)
	w.is("Reserve of one that waits", w.Reserve(ctx, state, second, "n"), fwk.Error)
	if is := w.state(first); is != "reserved" {
		t.Errorf("what was tried is %v", is)
	}
	w.Unreserve(ctx, state, first, "n")
	state.SetPodGroupSchedulingCycle(nil)
	w.is("Reserve that counts", w.Reserve(ctx, state, first, "n"), fwk.Success)
	if is := w.state(first); is != "allocated" {
		t.Errorf("what counts is %v", is)
	}
	w.Unreserve(ctx, state, first, "n")
	if is := w.state(first); is != "reserved" {
		t.Errorf("what was taken back is %v", is)
	}
}

func TestOfAPodThatIsNotOurs(t *testing.T) {
	w, ctx, state := newWorld(t), t.Context(), framework.NewCycleState()
	other := pod("other")
	other.Annotations, other.Spec.SchedulingGates = nil, nil
	w.is("PreEnqueue", w.PreEnqueue(ctx, other), fwk.Success)
	_, status := w.PreFilter(ctx, state, other, nil)
	w.is("PreFilter", status, fwk.Skip)
	w.is("Reserve", w.Reserve(ctx, state, other, "n"), fwk.Success)
	w.is("Bind", w.Bind(ctx, state, other, "n"), fwk.Skip)

	other.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/other"}}
	other.ResourceVersion = "6"
	w.is("PreEnqueue with a foreign gate", w.PreEnqueue(ctx, other),
		fwk.UnschedulableAndUnresolvable)
}

func TestOfAPodThatCannotBeUsed(t *testing.T) {
	w := newWorld(t)
	odd := pod("odd")
	odd.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("-3")
	status := w.PreEnqueue(t.Context(), odd)
	w.is("PreEnqueue: an Error would be tried again and again", status,
		fwk.UnschedulableAndUnresolvable)
	if want := "waits in its queue: Refused"; status.Message() != want {
		t.Errorf("it is told %q, want %q", status.Message(), want)
	}
}

func TestFilterWithoutItsState(t *testing.T) {
	w := newWorld(t)
	node := framework.NewNodeInfo()
	node.SetNode(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	w.is("Filter", w.Filter(t.Context(), framework.NewCycleState(), pod("p"), node), fwk.Error)
}
