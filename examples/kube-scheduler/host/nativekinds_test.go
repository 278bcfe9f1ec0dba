// SPDX-License-Identifier: Apache-2.0

package host

import (
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// typedGroup is a native group as a client that has a type for it reads it.
func (w *world) typedGroup(group *unstructured.Unstructured) runtime.Object {
	w.t.Helper()
	typed, err := scheme.Scheme.New(group.GroupVersionKind())
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(group.Object, typed)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return typed
}

// The scheduler has an informer of PodGroups, and one of ours beside it would have the API server
// say everything twice: what is seen of them comes through the scheduler's.
func TestPodGroupsAreFollowedAsTheSchedulerDoes(t *testing.T) {
	ours, _ := nativeVersions()
	server := &changing{}
	w := newWorld(t, config.Args{Removal: config.OnBind}, func(h *Host) {
		server.to(ours)(h)
		h.native.scheduler = h.native.scheduler.followedBy(h.activator.(*scheduler).factory)
	})
	resource := nativeOf(ours, podGroupsOfNative)
	create := func(name string, minimum int64) {
		t.Helper()
		if err := w.client.Tracker().Create(resource,
			w.typedGroup(nativeGroup(ours, name, minimum)), "default"); err != nil {
			t.Fatal(err)
		}
	}
	w.queue("q", "2")
	create("g", 2)
	create("goes", 1)
	for _, name := range []string{"p1", "p2"} {
		w.create(memberOf("g", name))
	}
	w.until("both are granted", func() bool {
		return w.state("p1") == "reserved" && w.state("p2") == "reserved"
	})
	for _, action := range w.dynamic.Actions() {
		if action.GetResource() == resource && action.GetVerb() != "patch" {
			t.Errorf("they are asked for once more: %v", action)
		}
	}
	grown := nativeGroup(ours, "g", 3)
	grown.SetResourceVersion("8")
	if err := w.client.Tracker().Update(resource, w.typedGroup(grown), "default"); err != nil {
		t.Fatal(err)
	}
	w.until("its new minimum is seen", func() bool {
		return w.nativeGroup("g")["minimum"] == int64(3)
	})

	server.version.Store("")
	w.native.lost <- struct{}{}
	w.until("it is known that they are served no more", func() bool {
		w.native.amiss.mutex.Lock()
		defer w.native.amiss.mutex.Unlock()
		return w.native.amiss.what != ""
	})
	if err := w.client.Tracker().Delete(resource, "default", "goes"); err != nil {
		t.Fatal(err)
	}
	if w.nativeGroup("g") == nil || w.nativeGroup("goes") == nil {
		t.Error("one is forgotten while no version is served")
	}
	server.version.Store(ours)
	w.until("the one that went meanwhile is forgotten", func() bool {
		return w.nativeGroup("goes") == nil
	})
	create("comes", 1)
	w.until("another one is seen", func() bool { return w.nativeGroup("comes") != nil })
	if w.nativeGroup("g") == nil {
		t.Error("the one that stays is forgotten")
	}
}

// What is read of a group is the same, whoever's informer it came through.
func TestATypedGroupSaysWhatAnUntypedOneDoes(t *testing.T) {
	ours, _ := nativeVersions()
	now := metav1.NewTime(time.Unix(1700000000, 0))
	group := nativeGroup(ours, "g", 2)
	group.SetDeletionTimestamp(&now)
	group.SetLabels(map[string]string{facts.ManagedBy: facts.ManagedByUs})
	group.SetAnnotations(map[string]string{facts.QueueName: "q"})
	spec := group.Object["spec"].(map[string]any)
	spec["priority"] = int64(7)
	if spec["disruptionMode"] = "PodGroup"; ours != "v1alpha2" {
		spec["disruptionMode"] = map[string]any{"all": map[string]any{}}
	}
	group.Object["status"] = map[string]any{"conditions": []any{
		map[string]any{"type": "PodGroupScheduled", "status": "False", "reason": "Unschedulable",
			"message": "m", "lastTransitionTime": "2026-01-02T03:04:05Z"},
		map[string]any{"type": facts.QuotaReserved, "status": "False", "reason": "QueueCapacity",
			"message": "n", "lastTransitionTime": "2026-01-02T03:04:05Z"}}}
	kind := &nativeKind{resource: nativeResource(ours, podGroupsOfNative)}
	untyped := kind.untyped((&world{t: t}).typedGroup(group))
	var seen, wanted sluice.Group
	if err := facts.NativeGroup(group, &wanted); err != nil || wanted.Condition == nil {
		t.Fatal(err, wanted)
	}
	if err := facts.NativeGroup(untyped, &seen); err != nil || !reflect.DeepEqual(seen, wanted) {
		t.Errorf("%v: %+v, want %+v", err, seen, wanted)
	}
	if untyped.GetAnnotations()[facts.QueueName] != "q" || untyped.GetKind() != facts.KindGroup ||
		conditionTime(untyped, facts.QuotaReserved) != "2026-01-02T03:04:05Z" {
		t.Errorf("it says %v", untyped)
	}
}

// Where none are served, an informer of them would never be done, and hold all of the scheduler.
func TestASchedulerThatFollowsNoPodGroupsGetsNoInformerOfThem(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.queue("q", "1")
	w.create(gatedPod("p"))
	w.until("a pod is granted", w.is("p", "reserved"))
	for _, action := range w.client.Actions() {
		if action.GetResource().Resource == podGroupsOfNative {
			t.Errorf("it asks for them: %v", action)
		}
	}
}
