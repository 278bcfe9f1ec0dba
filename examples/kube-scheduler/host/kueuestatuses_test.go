// SPDX-License-Identifier: Apache-2.0

package host

import (
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
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/dynamic"
	clienttesting "k8s.io/client-go/testing"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
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

// servesKueue has the API server in memory serve what Kueue's does.
func servesKueue(h *Host) {
	served := &metav1.APIResourceList{GroupVersion: kueue.SchemeGroupVersion.String()}
	for kind := range listKinds {
		if kind.GroupVersion().String() == served.GroupVersion {
			served.APIResources = append(served.APIResources, metav1.APIResource{Name: kind.Resource})
		}
	}
	discovery := h.custom.discoverer.(*fakediscovery.FakeDiscovery)
	discovery.Resources = append(discovery.Resources, served)
}

// addOfKueue creates one of Kueue's objects; what is in a namespace is in the default one.
func (w *world) addOfKueue(of schema.GroupVersionResource, name string, spec map[string]any,
	change ...func(*unstructured.Unstructured)) {
	w.t.Helper()
	kind := strings.TrimSuffix(listKinds[of], "List")
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(kueue.SchemeGroupVersion.String())
	object.SetKind(kind)
	object.SetName(name)
	object.SetUID(types.UID("uid-" + kind + "-" + name))
	object.SetResourceVersion("1")
	for _, each := range change {
		each(object)
	}
	client := dynamic.ResourceInterface(w.dynamic.Resource(of))
	if of == localQueues || of == wl.Resource {
		client = w.dynamic.Resource(of).Namespace("default")
	}
	if _, err := client.Create(w.t.Context(), object, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
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
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "clusterqueues"}, "q",
		errors.New("another"))
	refusals := &statusRefusals{begun: map[string]time.Time{}, written: map[string]time.Time{},
		errors: map[string]error{"stale": conflict,
			"refused": apierrors.NewInternalError(errors.New("no reason"))}}
	w := newWorld(t, config.Args{Removal: config.OnBind, Workloads: true}, servesKueue)
	w.untyped.to("patch", "clusterqueues", refusals.react)
	for _, name := range []string{"stale", "refused", "other"} {
		w.addOfKueue(clusterQueues, name, nil)
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

// What waits for no quota is not pending, as in Kueue: what its owner gates, what is deactivated,
// and all of a LocalQueue that is stopped.
func TestPendingWaitsForQuota(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind, Workloads: true}, servesKueue)
	w.addOfKueue(flavorResource, "f", nil)
	w.addOfKueue(clusterQueues, "q", map[string]any{
		"namespaceSelector": map[string]any{}, "resourceGroups": []any{map[string]any{
			"coveredResources": []any{"cpu"}, "flavors": []any{map[string]any{"name": "f",
				"resources": []any{map[string]any{"name": "cpu", "nominalQuota": "1"}}}}}}})
	w.addOfKueue(localQueues, "q", map[string]any{"clusterQueue": "q"})
	w.addOfKueue(localQueues, "stopped", map[string]any{"clusterQueue": "q",
		"stopPolicy": string(kueue.Hold)})
	set := map[string]any{"name": "main", "count": int64(1), "template": map[string]any{
		"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "none",
			"resources": map[string]any{"requests": map[string]any{"cpu": "2"}}}}}}}
	in := func(queue string, active bool) map[string]any {
		return map[string]any{"queueName": queue, "active": active, "podSets": []any{set}}
	}
	w.addOfKueue(wl.Resource, "waits", in("q", true))
	w.addOfKueue(wl.Resource, "gated", in("q", true),
		func(w *unstructured.Unstructured) {
			w.SetAnnotations(map[string]string{wl.AdmissionGatedBy: "example.com/somebody"})
		})
	w.addOfKueue(wl.Resource, "inactive", in("q", false))
	w.addOfKueue(wl.Resource, "stopped", in("stopped", true))
	pending := func(of dynamic.ResourceInterface, name string) int64 {
		object, err := of.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return -1
		}
		count, found, _ := unstructured.NestedInt64(object.Object, "status", "pendingWorkloads")
		if !found {
			return -1
		}
		return count
	}
	ofCluster, ofLocal := w.dynamic.Resource(clusterQueues),
		w.dynamic.Resource(localQueues).Namespace("default")
	w.until("all four are counted", func() bool {
		answer, _ := w.Inspect(sluice.Query{What: "clusterQueue", Name: "q"})
		return number(answer["waiting"]) == 4 && number(answer["idle"]) == 3
	})
	w.until("the one that waits for quota is pending, and no other", func() bool {
		return pending(ofCluster, "q") == 1 && pending(ofLocal, "q") == 1 &&
			pending(ofLocal, "stopped") == 0
	})
}
