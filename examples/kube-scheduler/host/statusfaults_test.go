// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/config"
)

// statusRefusals refuse what is written into the status of a queue of a name for some time, each in
// a way of its own, and keep when the first was let through.
type statusRefusals struct {
	mutex   sync.Mutex
	errors  map[string]error
	begun   map[string]time.Time
	written map[string]time.Time
}

const refusedFor = 1500 * time.Millisecond

func (r *statusRefusals) react(action clienttesting.Action) (bool, runtime.Object, error) {
	patch := action.(clienttesting.PatchAction)
	if patch.GetSubresource() != "status" {
		return false, nil, nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	name := patch.GetName()
	if r.begun[name].IsZero() {
		r.begun[name] = time.Now()
	}
	if r.errors[name] != nil && time.Since(r.begun[name]) < refusedFor {
		return true, nil, r.errors[name]
	}
	if r.written[name].IsZero() {
		r.written[name] = time.Now()
	}
	return false, nil, nil
}

func (r *statusRefusals) when(name string) time.Time {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.written[name]
}

// Of a status that cannot be written no other one has to wait: a queue is written in its next turn,
// where its object had changed meanwhile, and a while later where the API server refused.
func TestAStatusThatCannotBeWrittenHoldsUpNoOther(t *testing.T) {
	kinds := map[string]string{"clusterqueues": "ClusterQueueList", "workloads": "WorkloadList",
		"localqueues": "LocalQueueList", "resourceflavors": "ResourceFlavorList",
		"admissionchecks": "AdmissionCheckList", "cohorts": "CohortList",
		"workloadpriorityclasses": "WorkloadPriorityClassList"}
	served := &metav1.APIResourceList{GroupVersion: kueue.SchemeGroupVersion.String()}
	for plural, list := range kinds {
		served.APIResources = append(served.APIResources, metav1.APIResource{Name: plural})
		listKinds[kueue.SchemeGroupVersion.WithResource(plural)] = list
	}
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "clusterqueues"}, "q",
		errors.New("another"))
	refusals := &statusRefusals{begun: map[string]time.Time{}, written: map[string]time.Time{},
		errors: map[string]error{"stale": conflict,
			"refused": apierrors.NewInternalError(errors.New("no reason"))}}
	w := newWorld(t, config.Args{Removal: config.OnBind, Workloads: true}, func(h *Host) {
		discovery := h.custom.discoverer.(*fakediscovery.FakeDiscovery)
		discovery.Resources = append(discovery.Resources, served)
	})
	w.untyped.to("patch", "clusterqueues", refusals.react)
	for _, name := range []string{"stale", "refused", "other"} {
		_, err := w.dynamic.Resource(clusterQueues).Create(context.Background(),
			&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": kueue.SchemeGroupVersion.String(), "kind": "ClusterQueue",
				"metadata": map[string]any{"name": name}}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"other", "stale", "refused"} {
		w.until(name+" has its status", func() bool { return !refusals.when(name).IsZero() })
	}
	first := refusals.when("other")
	if late := refusals.when("stale").Sub(first); late < refusedFor || late >= triedAgain {
		t.Errorf("what had changed meanwhile is written after %v", late)
	}
	if late := refusals.when("refused").Sub(first); late < triedAgain || late >= 2*triedAgain {
		t.Errorf("what was refused is written after %v", late)
	}
}
