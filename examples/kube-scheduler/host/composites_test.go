// SPDX-License-Identifier: Apache-2.0

package host

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	fakediscovery "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// servingComposites makes the API server in memory serve CompositePodGroups, too, to a scheduler of
// a release that has them: it queues a group as one.
func servingComposites(h *Host) {
	serving("v1beta1")(h)
	h.native.scheduler.hasGate = false
	discovery := h.native.discoverer.(*fakediscovery.FakeDiscovery)
	discovery.Resources = append(discovery.Resources, &metav1.APIResourceList{
		GroupVersion: facts.NativeGroups + "/v1alpha3",
		APIResources: []metav1.APIResource{{Name: "compositepodgroups"}},
	})
}

// compositeGroup is one that needs so many of those directly below it.
func compositeGroup(name, parent string, minimum int64) *unstructured.Unstructured {
	spec := map[string]any{"schedulingPolicy": map[string]any{
		"gang": map[string]any{"minGroupCount": minimum}}}
	if parent != "" {
		spec["parentCompositePodGroupName"] = parent
	}
	group := owned(facts.NativeGroups+"/v1alpha3", facts.KindCompositeGroup, name, nil, spec)
	group.SetResourceVersion("7")
	group.SetCreationTimestamp(metav1.Now())
	return group
}

func groupBelow(parent, name string, minimum int64) *unstructured.Unstructured {
	group := nativeGroup("v1beta1", name, minimum)
	group.Object["spec"].(map[string]any)["parentCompositePodGroupName"] = parent
	return group
}

func (w *world) makeNative(version, resource string, object *unstructured.Unstructured) {
	w.t.Helper()
	if _, err := w.dynamic.Resource(nativeOf(version, resource)).Namespace("default").Create(
		w.t.Context(), object, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) loseNative(version, resource, name string) {
	w.t.Helper()
	if err := w.dynamic.Resource(nativeOf(version, resource)).Namespace("default").Delete(
		w.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// The objects of a tree come in any order, and what its pods are members of is known when all of
// those above them are there.
func TestACompositeGroupIsGrantedAsOne(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, servingComposites,
		[]runtime.Object{groupBelow("replica", "workers", 2)}...)
	w.queue("q", "9")
	for name, group := range map[string]string{"l": "leader", "w1": "workers"} {
		w.create(memberOf(group, name))
	}
	w.until("they wait for what is above them", func() bool {
		return w.reason("w1") == sluice.ReasonGroupMissing &&
			w.reason("l") == sluice.ReasonGroupMissing
	})
	w.makeNative("v1alpha3", "compositepodgroups", compositeGroup("replica", "top", 2))
	w.makeNative("v1alpha3", "compositepodgroups", compositeGroup("top", "", 1))
	w.until("they wait for another worker", func() bool {
		answer, err := w.Inspect(sluice.Query{What: "group", Namespace: "default", Name: "workers"})
		return err == nil && answer["composite"] == true && answer["name"] == "top" &&
			strings.Contains(answer["message"].(string), "PodGroup workers has 1 of the 2 pods")
	})
	w.makeNative("v1beta1", "podgroups", groupBelow("replica", "leader", 1))
	w.create(memberOf("workers", "w2"))
	w.until("all are granted", func() bool {
		return w.state("l") == "reserved" && w.state("w1") == "reserved" && w.state("w2") == "reserved"
	})
	w.loseNative("v1alpha3", "compositepodgroups", "top")
	w.until("without its top they are not", func() bool {
		return w.reason("w1") == sluice.ReasonGroupMissing
	})
	w.loseNative("v1alpha3", "compositepodgroups", "replica")
	w.until("nor without what is above them", func() bool {
		answer, err := w.Engine().Inspect(sluice.Query{What: "group", Namespace: "default",
			Name: "replica", Native: true, Composite: true})
		return err == nil && answer["pods"] == int64(3)
	})
}

// Groups that go round in a ring have no top.
func TestARingOfGroupsIsMissing(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, servingComposites,
		groupBelow("a", "workers", 1), compositeGroup("a", "b", 1), compositeGroup("b", "a", 1))
	w.queue("q", "9")
	w.create(memberOf("workers", "p"))
	w.until("its pod waits", func() bool { return w.reason("p") == sluice.ReasonGroupMissing })
}

// What its scheduler refuses may not hold room: pods of another priority than the topmost group's.
func TestThePriorityOfACompositeGroup(t *testing.T) {
	top := compositeGroup("top", "", 1)
	top.Object["spec"].(map[string]any)["priority"] = int64(7)
	w := newWorld(t, config.Args{Removal: config.OnBind}, servingComposites, top,
		groupBelow("top", "workers", 1))
	w.queue("q", "9")
	w.create(memberOf("workers", "p"))
	w.until("it is held", func() bool { return w.reason("p") == sluice.ReasonGroupInvalid })
	urgent := memberOf("workers", "p")
	urgent.Spec.Priority = new(int32(7))
	if _, err := w.client.CoreV1().Pods("default").Update(t.Context(), urgent,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("or granted", func() bool { return w.state("p") == "reserved" })
}

// What is missing of a composite group is said in it and in each group below, and written once into
// each. Who comes later is told alone.
func TestTheConditionOfACompositeGroup(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, servingComposites,
		compositeGroup("top", "", 1), compositeGroup("replica", "top", 2),
		groupBelow("replica", "leader", 1), groupBelow("replica", "workers", 2))
	var mutex sync.Mutex
	writes := map[string]int{}
	version := 100
	for _, resource := range []string{"podgroups", "compositepodgroups"} {
		w.untyped.to("patch", resource, func(action clienttesting.Action) (bool, runtime.Object,
			error) {
			mutex.Lock()
			defer mutex.Unlock()
			patch := action.(clienttesting.PatchAction)
			if patch.GetSubresource() != "status" ||
				!strings.Contains(string(patch.GetPatch()), "PodGroup workers has 0 of the 2 pods") {
				return true, nil, errors.New("what is written is another thing")
			}
			writes[patch.GetName()]++
			version++
			return w.merge(patch, strconv.Itoa(version))
		})
	}
	counts := func(want map[string]int) func() bool {
		return func() bool {
			mutex.Lock()
			defer mutex.Unlock()
			return reflect.DeepEqual(writes, want)
		}
	}
	w.queue("q", "9")
	w.create(memberOf("leader", "p"))
	want := map[string]int{"top": 1, "replica": 1, "leader": 1, "workers": 1}
	w.until("it is written into each, once", counts(want))
	w.makeNative("v1beta1", "podgroups", groupBelow("top", "late", 1))
	want["late"] = 1
	w.until("who comes later is told alone", counts(want))
	w.native.tellAgainOf(func(string, string) bool { return true })
	time.Sleep(100 * time.Millisecond)
	if !counts(want)() {
		t.Errorf("what is so already was written again: %v", writes)
	}
}

// merge does what an API server does with a patch of a status.
func (w *world) merge(patch clienttesting.PatchAction, version string) (bool, runtime.Object,
	error) {
	tracker, resource := w.dynamic.Tracker(), patch.GetResource()
	object, err := tracker.Get(resource, patch.GetNamespace(), patch.GetName())
	if err != nil {
		return true, nil, err
	}
	said := map[string]any{}
	if err := json.Unmarshal(patch.GetPatch(), &said); err != nil {
		return true, nil, err
	}
	now := object.(*unstructured.Unstructured).DeepCopy()
	now.Object["status"] = said["status"]
	now.SetResourceVersion(version)
	return true, now, tracker.Update(resource, now, patch.GetNamespace())
}
