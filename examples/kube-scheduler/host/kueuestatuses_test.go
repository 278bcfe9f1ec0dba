// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"strings"
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
	"sluice/kube-scheduler/facts"
)

// A count that is 0 is written once, what is not ours stays, and what is so already is no write.
func TestWithStatus(t *testing.T) {
	seen := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "q", "uid": "u", "resourceVersion": "7"},
		"status":   map[string]any{"theirs": "stays", "admittedWorkloads": int64(2)}}}
	var queue kueue.ClusterQueue
	if err := facts.Read(seen, &queue); err != nil {
		t.Fatal(err)
	}
	wanted := queue.DeepCopy()
	wanted.Status.AdmittedWorkloads = 1
	became, err := withStatus(seen, queue.Status, wanted.Status)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := difference(seen, became)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"pendingWorkloads":0`, `"admittedWorkloads":1`, `"uid":"u"`} {
		if !strings.Contains(string(patch), part) {
			t.Errorf("the patch is %s, without %s", patch, part)
		}
	}
	if strings.Contains(string(patch), "theirs") {
		t.Errorf("the patch takes away what is not ours: %s", patch)
	}
	again, err := withStatus(became, wanted.Status, wanted.Status)
	if err != nil {
		t.Fatal(err)
	}
	if patch, err := difference(became, again); err != nil || patch != nil {
		t.Errorf("what is so is written again: %s, %v", patch, err)
	}
}

// What waits for its turn is a patch of counts alone, of an object as the API server has it, whose
// numbers are of another type than those that are compared with it.
func TestOnlyCounts(t *testing.T) {
	if onlyCounts(nil) {
		t.Error("what lacks nothing is taken to lack counts")
	}
	seen := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
		"admittedWorkloads": int64(1), "conditions": []any{map[string]any{"type": "Active",
			"status": "True", "reason": "Ready", "message": "m", "observedGeneration": int64(3),
			"lastTransitionTime": "2026-01-02T03:04:05Z"}}}}}
	for what, one := range map[string]struct {
		change func(*kueue.ClusterQueueStatus)
		want   bool
	}{
		"another count": {func(s *kueue.ClusterQueueStatus) { s.AdmittedWorkloads = 2 }, true},
		"another condition": {func(s *kueue.ClusterQueueStatus) { s.Conditions[0].Status = "False" },
			false},
		"no condition": {func(s *kueue.ClusterQueueStatus) { s.Conditions = nil }, false},
	} {
		var queue kueue.ClusterQueue
		if err := facts.Read(seen, &queue); err != nil {
			t.Fatal(err)
		}
		wanted := queue.DeepCopy()
		one.change(&wanted.Status)
		became, err := withStatus(seen, queue.Status, wanted.Status)
		if err != nil {
			t.Fatal(err)
		}
		patch, err := difference(seen, became)
		if err != nil || onlyCounts(patch) != one.want {
			t.Errorf("%s: only counts: %v, %v: %s", what, !one.want, err, patch)
		}
	}
}

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
	served := &metav1.APIResourceList{GroupVersion: kueue.SchemeGroupVersion.String()}
	for kind := range listKinds {
		if kind.GroupVersion().String() == served.GroupVersion {
			served.APIResources = append(served.APIResources, metav1.APIResource{Name: kind.Resource})
		}
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
