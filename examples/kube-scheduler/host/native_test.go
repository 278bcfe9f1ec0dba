// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

func nativeOf(version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: facts.NativeGroups, Version: version,
		Resource: resource}
}

// serving makes the API server in memory serve native groups, to a scheduler that follows them.
func serving(version string) func(*Host) {
	return func(h *Host) {
		discovery := h.native.discoverer.(*fakediscovery.FakeDiscovery)
		discovery.Resources = append(discovery.Resources, &metav1.APIResourceList{
			GroupVersion: facts.NativeGroups + "/v1",
			APIResources: []metav1.APIResource{{Name: "priorityclasses"}},
		}, &metav1.APIResourceList{
			GroupVersion: facts.NativeGroups + "/" + version,
			APIResources: []metav1.APIResource{{Name: "workloads"}, {Name: "podgroups"}},
		})
		h.native.scheduler.follows = true
		h.native.look = 20 * time.Millisecond
	}
}

// nativeGroup is a gang of Kubernetes' own with this minimum.
func nativeGroup(version, name string, minimum int64) *unstructured.Unstructured {
	group := owned(facts.NativeGroups+"/"+version, "PodGroup", name, nil, map[string]any{
		"schedulingPolicy": map[string]any{"gang": map[string]any{"minCount": minimum}}})
	group.SetResourceVersion("7")
	group.SetCreationTimestamp(metav1.Now())
	return group
}

func memberOf(group, name string) *v1.Pod {
	pod := gatedPod(name)
	pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group}
	return pod
}

// nativeGroup is what the engine says of one; nil: it does not know it.
func (w *world) nativeGroup(name string) map[string]any {
	answer, err := w.Engine().Inspect(sluice.Query{What: "group", Namespace: "default", Name: name,
		Native: true})
	if err != nil || answer["known"] != true {
		return nil
	}
	return answer
}

func (w *world) changeNative(version, name string, change func(*unstructured.Unstructured)) {
	w.t.Helper()
	client := w.dynamic.Resource(nativeOf(version, name)).Namespace("default")
	list, err := client.List(context.Background(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		w.t.Fatalf("%v, %d %s", err, len(list.Items), name)
	}
	change(&list.Items[0])
	if _, err := client.Update(context.Background(), &list.Items[0],
		metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func TestAGangOfKubernetesOwnIsGrantedAsOne(t *testing.T) {
	group := nativeGroup("v1alpha2", "g", 2)
	w := newWorld(t, config.Args{Removal: config.OnBind}, serving("v1alpha2"), group)
	w.queue("q", "2")
	w.create(memberOf("g", "p1"))
	w.until("half of it is held", func() bool {
		answer, err := w.Engine().Inspect(sluice.Query{What: "pod", Namespace: "default", Name: "p1"})
		return err == nil && answer["reason"] == sluice.ReasonGroupIncomplete
	})
	w.create(memberOf("g", "p2"))
	w.until("both are granted", func() bool {
		return w.state("p1") == "reserved" && w.state("p2") == "reserved"
	})
	answer, err := w.Inspect(sluice.Query{What: "pod", Namespace: "default", Name: "p1"})
	if err != nil || answer["native"] != true {
		t.Errorf("of its pod is told %v, %v", answer, err)
	}
	// Who asks for a group of this name means this one, since there is no other.
	answer, err = w.Inspect(sluice.Query{What: "group", Namespace: "default", Name: "g"})
	if err != nil || answer["native"] != true || answer["known"] != true {
		t.Errorf("of it is told %v, %v", answer, err)
	}
	pod := w.seen("p1")
	if verdict, err := w.TryReserve(pod, "n"); err != nil || !verdict.Pass {
		t.Errorf("%+v, %v", verdict, err)
	}
	if err := w.TryUnreserve(pod, "n"); err != nil || w.state("p1") != "reserved" {
		t.Errorf("what was only tried is %s, %v", w.state("p1"), err)
	}
	if allow, _, err := w.Permit(pod, "n"); err != nil || !allow {
		t.Errorf("its scheduler assembles it, and it is told to wait: %v", err)
	}
}

// The scheduler refuses a group with a member of another priority than its own, whatever of that
// counts in a queue: nobody of it may hold room.
func TestMembersOfAnotherPriorityAreHeld(t *testing.T) {
	const system = 2000000000
	for name, priorities := range map[string][2]int32{
		"higher than its group": {system, 0}, "lower": {0, system},
	} {
		t.Run(name, func(t *testing.T) {
			group := nativeGroup("v1beta1", "g", 2)
			group.Object["spec"].(map[string]any)["priority"] = int64(priorities[1])
			w := newWorld(t, config.Args{Removal: config.OnBind}, serving("v1beta1"))
			w.queue("q", "2")
			for _, name := range []string{"p1", "p2"} {
				pod := memberOf("g", name)
				pod.Spec.Priority = &priorities[0]
				w.create(pod)
			}
			w.until("they wait for their group", func() bool { return w.reason("p2") == "GroupMissing" })
			_, err := w.dynamic.Resource(nativeOf("v1beta1", "podgroups")).Namespace("default").Create(
				context.Background(), group, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w.until("they are held", func() bool { return w.reason("p2") == "GroupInvalid" })
		})
	}
}

// Where gates go at the grant, they go one after the other.
func TestMembersComeBeforeTheSchedulerTogether(t *testing.T) {
	group := nativeGroup("v1alpha2", "g", 2)
	w := newWorld(t, config.Args{Removal: config.OnAdmission}, func(h *Host) {
		serving("v1alpha2")(h)
		h.native.scheduler.hasGate = true // it takes them one by one
	}, group)
	w.queue("q", "3")
	for _, name := range []string{"p1", "p2"} {
		w.create(memberOf("g", name))
	}
	w.until("both have lost their gates", func() bool {
		return len(w.seen("p1").Spec.SchedulingGates)+len(w.seen("p2").Spec.SchedulingGates) == 0
	})
	passes := func(name string) bool {
		t.Helper()
		verdict, err := w.PreEnqueue(w.seen(name))
		if err != nil || !verdict.Pass && verdict.Reason != sluice.ReasonGroupTurn {
			t.Errorf("%s: %+v, %v", name, verdict, err)
		}
		return verdict.Pass
	}
	if passes("p1") {
		t.Error("the scheduler takes the first of two")
	}
	if !passes("p2") || !passes("p1") {
		t.Error("it does not take both")
	}
	stranger := w.seen("p1").DeepCopy()
	stranger.UID, stranger.Name, stranger.Annotations = "uid-s", "s", nil
	stranger.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: new("other")}
	if verdict, err := w.PreEnqueue(stranger); err != nil || !verdict.Pass {
		t.Errorf("who did not opt in is held: %+v, %v", verdict, err)
	}
	w.turns.gone(w.seen("p2"))
	if passes("p1") {
		t.Error("it takes one whose companion is gone")
	}
	bound := w.seen("p2").DeepCopy()
	bound.Spec.NodeName = "n"
	w.turns.seen(bound)
	if !passes("p1") {
		t.Error("it does not take one whose companion has a node")
	}
}

func TestANativeGroupIsEvictedAsItsModeSays(t *testing.T) {
	for mode, want := range map[string]int{"Pod": 1, "PodGroup": 2} {
		group := nativeGroup("v1alpha2", "g", 1)
		group.Object["spec"].(map[string]any)["disruptionMode"] = mode
		w := newWorld(t, config.Args{Removal: config.OnBind, Preempt: true}, serving("v1alpha2"),
			group)
		asked := w.evictions(func() error { return nil })
		w.queue("q", "2")
		w.create(memberOf("g", "p1"))
		w.create(memberOf("g", "p2"))
		w.until("both are granted", func() bool {
			return w.state("p1") == "reserved" && w.state("p2") == "reserved"
		})
		for _, name := range []string{"p1", "p2"} {
			bound := w.seen(name).DeepCopy()
			bound.Spec.NodeName, bound.Spec.SchedulingGates = "n", nil
			if _, err := w.client.CoreV1().Pods("default").Update(t.Context(), bound,
				metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			w.until("it runs", func() bool { return w.state(name) == "allocated" })
		}
		urgent := gatedPod("urgent")
		urgent.Spec.Priority = new(int32(9))
		w.create(urgent)
		w.until(mode+": its members go", func() bool {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			return len(*asked) == want
		})
	}
}

func TestTheQueueOfANativeGroup(t *testing.T) {
	group := nativeGroup("v1alpha2", "g", 1)
	spec := group.Object["spec"].(map[string]any)
	spec["podGroupTemplateRef"] = map[string]any{"workload": map[string]any{"workloadName": "w"}}
	workload := owned(facts.NativeGroups+"/v1alpha2", "Workload", "w", nil, map[string]any{
		"podGroupTemplates": []any{}})
	w := newWorld(t, config.Args{Removal: config.OnBind}, serving("v1alpha2"), group, workload)
	isIn := func(queue string) func() bool {
		return func() bool {
			is := w.nativeGroup("g")
			return is != nil && is["queue"] == queue
		}
	}
	w.until("nobody says where it is", isIn(""))
	w.changeNative("v1alpha2", "workloads", func(w *unstructured.Unstructured) {
		w.SetAnnotations(map[string]string{facts.QueueName: "of-the-workload"})
	})
	w.until("its Workload says it", isIn("of-the-workload"))
	w.changeNative("v1alpha2", "podgroups", func(g *unstructured.Unstructured) {
		g.SetAnnotations(map[string]string{facts.QueueName: "its-own"})
	})
	w.until("it says it itself", isIn("its-own"))
	if _, err := w.client.CoreV1().Namespaces().Create(context.Background(), &v1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "default", Annotations: map[string]string{
			facts.QueueName: "of-the-namespace", facts.QueueBinding: "true"}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("its namespace binds it", isIn("of-the-namespace"))
	if err := w.dynamic.Resource(nativeOf("v1alpha2", "podgroups")).Namespace("default").Delete(
		context.Background(), "g", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("it is gone", func() bool { return w.nativeGroup("g") == nil })
}

func TestOurConditionOfANativeGroup(t *testing.T) {
	group := nativeGroup("v1alpha2", "g", 1)
	group.Object["status"] = map[string]any{"conditions": []any{
		map[string]any{"type": "PodGroupScheduled", "status": "False", "reason": "Unschedulable",
			"message": "m", "lastTransitionTime": "2026-01-02T03:04:05Z"},
		map[string]any{"type": facts.QuotaReserved, "status": "False", "reason": "QueueCapacity",
			"message": "m", "lastTransitionTime": "2026-01-02T03:04:05Z"}}}
	w := newWorld(t, config.Args{Removal: config.OnBind, ObserveOnly: true}, serving("v1alpha2"),
		group)
	w.until("it is known", func() bool { return w.native.find("default", "g") != nil })
	var patches []string
	w.untyped.to("patch", "podgroups", func(action clienttesting.Action) (bool, runtime.Object,
		error) {
		patch := action.(clienttesting.PatchAction)
		if patch.GetSubresource() != "status" {
			t.Errorf("the subresource is %q", patch.GetSubresource())
		}
		patches = append(patches, string(patch.GetPatch()))
		return true, group, nil
	})
	effect := &sluice.Effect{Kind: sluice.SetGroupStatus, UID: "uid-g", Namespace: "default",
		Name: "g", ResourceVersion: 7, GroupStatus: &sluice.GroupStatus{Native: true,
			Conditions: []sluice.Condition{{Type: facts.QuotaReserved, Status: "False",
				Reason: "QueueCapacity", Message: "m"}}}}
	w.does(effect, sluice.Done)
	if len(patches) != 0 {
		t.Errorf("what it says already is written: %q", patches)
	}
	effect.GroupStatus.Conditions[0].Message = "other"
	w.does(effect, sluice.Done)
	effect.GroupStatus.Conditions[0].Status = "True"
	w.does(effect, sluice.Done)
	if len(patches) != 2 {
		t.Fatalf("written was %q", patches)
	}
	for i, text := range patches {
		var patch struct {
			Metadata map[string]string
			Status   struct{ Conditions []map[string]string }
		}
		if err := json.Unmarshal([]byte(text), &patch); err != nil {
			t.Fatal(err)
		}
		one := patch.Status.Conditions[0]
		since := one["lastTransitionTime"] == "2026-01-02T03:04:05Z"
		if len(patch.Status.Conditions) != 1 || patch.Metadata["resourceVersion"] != "7" ||
			patch.Metadata["uid"] != "uid-g" || one["type"] != facts.QuotaReserved ||
			one["message"] != "other" || since != (i == 0) {
			t.Errorf("written was %s", text)
		}
	}
	effect.ResourceVersion = 6
	w.does(effect, sluice.Conflict)
	effect.ResourceVersion = 7
	w.untyped.to("patch", "podgroups", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewGenericServerResponse(404, "patch",
			nativeOf("v1alpha2", "podgroups").GroupResource(), "g", "", 0, true)
	})
	w.does(effect, sluice.Retry) // it is the version that is not there
	effect.UID = "another"
	w.does(effect, sluice.Gone)
	effect.GroupStatus.Conditions = nil
	w.does(effect, sluice.Retry)
}

func (w *world) said(reason string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return strings.Contains(strings.Join(w.events, "\n"), reason)
}
