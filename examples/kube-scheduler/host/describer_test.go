// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

func TestAPodIsAskedAboutAsItIsObserved(t *testing.T) {
	set := owned("apps/v1", "StatefulSet", "db", nil, map[string]any{"replicas": int64(3)})
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, set)
	for name, pod := range map[string]*sluice.Pod{"alone": nil, "grouped": {}} {
		asked := gatedPod(name)
		if pod != nil {
			asked = member(name, set)
		}
		before, err := w.Newcomer(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		if pod != nil && (before.Controller == nil || !before.Controller.Ordered ||
			before.Controller.Name != "db") {
			t.Errorf("before anything is known of it its controller is %+v", before.Controller)
		}
		w.create(asked)
		w.until("the engine knows it", func() bool { return w.state(name) != "unknown" })
		observed, known := w.describer.describe(asked)
		if !known || !reflect.DeepEqual(before, observed) {
			t.Errorf("asked about %+v, observed %+v", before, observed)
		}
		after, err := w.Newcomer(t.Context(), asked)
		if err != nil || !reflect.DeepEqual(after, observed) {
			t.Errorf("later: asked about %+v, %v", after, err)
		}
	}
}

func TestALocalQueueOfANewPod(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.kueueQueues.local.set("default", "mine", "shared")
	pod := gatedPod("p")
	pod.Labels = map[string]string{facts.LocalQueueLabel: "mine"}
	asked, err := w.Newcomer(t.Context(), pod)
	if err != nil || asked.QueueKind != sluice.KindClusterQueue {
		t.Errorf("%+v, %v", asked, err)
	}
}

// Who may not be read is taken for the topmost, as when the pod is observed. A server that fails
// is no answer.
func TestAControllerThatCannotBeRead(t *testing.T) {
	set := owned("apps/v1", "StatefulSet", "db", nil, nil)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, set)
	answer := apierrors.NewForbidden(schema.GroupResource{Resource: "statefulsets"}, "db", nil)
	w.untyped.to("get", "statefulsets",
		func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, answer })
	asked, err := w.Newcomer(t.Context(), member("p", set))
	if err != nil || asked.Controller == nil || asked.Controller.Name != "db" {
		t.Errorf("forbidden: %+v, %v", asked, err)
	}
	answer = apierrors.NewInternalError(errors.New("not today"))
	if _, err := w.Newcomer(t.Context(), member("p", set)); err == nil ||
		!strings.Contains(err.Error(), "StatefulSet db cannot be read: ") {
		t.Errorf("a server that fails: %v", err)
	}
}

func TestWhenAdmissionCanBeAskedAbout(t *testing.T) {
	closed := &Host{engine: engine{ready: make(chan struct{})}}
	if err := closed.Complete(false); err == nil {
		t.Error("before the engine is open")
	}
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	for _, aboutQueues := range []bool{false, true} {
		if err := w.Complete(aboutQueues); err != nil {
			t.Errorf("about queues %t: %v", aboutQueues, err)
		}
	}
	// In a cluster without queues pods can be asked about. Who asks about a queue knows that there
	// are some, and here they are not followed yet.
	w = newWorld(t, config.Args{Removal: config.OnBind}, func(h *Host) {
		h.custom.discoverer.(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{}
	})
	if err := w.Complete(false); err != nil {
		t.Errorf("about pods: %v", err)
	}
	if err := w.Complete(true); !errors.Is(err, errQueuesNotListed) {
		t.Errorf("about queues that are not followed: %v", err)
	}
	w.custom.listed.Store(queueResource, cache.InformerSynced(func() bool { return false }))
	if err := w.Complete(false); !errors.Is(err, errQueuesNotListed) {
		t.Errorf("while they are being listed: %v", err)
	}
}
