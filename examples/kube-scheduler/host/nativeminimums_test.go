// SPDX-License-Identifier: Apache-2.0

package host

import (
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// below is a controller of pods that another one controls.
func below() *unstructured.Unstructured {
	above := owned("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "above", nil, nil)
	return owned("apps/v1", "StatefulSet", "train", above,
		map[string]any{"replicas": int64(3), "podManagementPolicy": "Parallel"})
}

// asking is a pod of that with a minimum of two; group: which it names, or none.
func asking(name, group string) *v1.Pod {
	pod := gatedPod(name)
	if group != "" {
		pod = memberOf(group, name)
	}
	pod.OwnerReferences = []metav1.OwnerReference{referTo(below())}
	pod.Annotations[facts.GroupMinMember] = "2"
	return pod
}

// nativeNow is a PodGroup of Kubernetes' own; nil: there is none.
func (w *world) nativeNow(version, name string) *unstructured.Unstructured {
	group, err := w.dynamic.Resource(nativeOf(version, podGroupsOfNative)).Namespace("default").Get(
		w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return group
}

// told is what whoever asks is told of a pod.
func (w *world) told(name string) map[string]any {
	answer, _ := w.Inspect(sluice.Query{What: "pod", Namespace: "default", Name: name})
	return answer
}

func TestAMinimumIsAnsweredByANativeGroup(t *testing.T) {
	const version, name = "v1beta1", "podgroup-uid-train"
	w := newWorld(t, config.Args{Removal: config.OnBind, NativeMinimums: true}, serving(version),
		below())
	w.create(asking("a", name))
	w.until("its group is made", func() bool { return w.nativeNow(version, name) != nil })
	made := w.nativeNow(version, name)
	want := map[string]any{"schedulingPolicy": map[string]any{
		"gang": map[string]any{"minCount": int64(2)}}}
	if !reflect.DeepEqual(made.Object["spec"], want) ||
		made.GetLabels()[facts.ManagedBy] != facts.ManagedByUs {
		t.Errorf("it is %v", made.Object)
	}
	owner := metav1.GetControllerOf(made)
	if owner == nil || !reflect.DeepEqual(*owner, referTo(below())) {
		t.Errorf("its owner is %v, want that of the pods, whatever controls that", owner)
	}
	if w.groupNow(name) != nil {
		t.Error("one of Volcano's was made, too")
	}
	w.changeNative(version, podGroupsOfNative, func(group *unstructured.Unstructured) {
		group.SetUID("u") // which an API server gives
		group.SetResourceVersion("7")
	})
	w.until("it counts", func() bool {
		group := w.nativeGroup(name)
		return group != nil && group["minimum"] == int64(2)
	})

	change := &sluice.Effect{Kind: sluice.ChangeGroup, UID: "u", Namespace: "default", Name: name,
		NewGroup: &sluice.NewGroup{Native: true, MinMember: 3}}
	change.ResourceVersion = 1 << 40
	w.does(change, sluice.Conflict)
	// Whether it was written: the engine may have changed it back since.
	var three atomic.Bool
	w.untyped.to("patch", podGroupsOfNative, func(action clienttesting.Action) (bool, runtime.Object,
		error) {
		if strings.Contains(string(action.(clienttesting.PatchAction).GetPatch()),
			`"gang":{"minCount":3}`) {
			three.Store(true)
		}
		return false, nil, nil
	})
	change.ResourceVersion = 7
	w.does(change, sluice.Done)
	if !three.Load() {
		t.Error("a minimum of 3 was not written")
	}
	w.untyped.to("patch", podGroupsOfNative, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: facts.KindGroup}, name, nil)
	})
	change.NewGroup.MinMember = 4
	w.does(change, sluice.Done)
	if !w.said("SluiceMinimumStays") {
		t.Error("nobody is told that a minimum cannot be changed")
	}
	change.UID = "another"
	w.does(change, sluice.Gone)
}

// Off, as it is by default, a name in spec.schedulingGroup is somebody else's to answer; and a pod
// without one gets a group of Volcano's, whatever is on.
func TestAMinimumIsAnsweredByVolcanosGroup(t *testing.T) {
	const version = "v1beta1"
	w := newWorld(t, config.Args{Removal: config.OnBind}, serving(version), below())
	w.create(asking("a", "podgroup-uid-train"))
	w.until("it waits for its group", func() bool {
		return w.told("a")["reason"] == sluice.ReasonGroupMissing
	})
	if w.nativeNow(version, "podgroup-uid-train") != nil {
		t.Error("a group was made for nobody")
	}

	w = newWorld(t, config.Args{Removal: config.OnBind, NativeMinimums: true}, serving(version),
		below())
	w.create(asking("b", ""))
	w.until("its group is made", func() bool { return w.groupNow("podgroup-uid-above") != nil })
}

// Where the API server has no such groups it has dropped their name from the pods: they wait, and
// whoever asks is told for what.
func TestAMinimumThatCannotBeAnswered(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind, NativeMinimums: true}, nil, below())
	w.create(asking("a", ""))
	w.until("why says so", func() bool {
		said := w.told("a")
		text, _ := said["message"].(string)
		return said["reason"] == sluice.ReasonGroupMissing &&
			strings.Contains(text, "serves no podgroups.scheduling.k8s.io")
	})
	if w.groupNow("podgroup-uid-above") != nil {
		t.Error("a group of Volcano's was made in its place")
	}
	w.until("it is said once, loudly", func() bool {
		w.native.amiss.mutex.Lock()
		defer w.native.amiss.mutex.Unlock()
		return w.native.amiss.what == errMinimumsUnserved.Error()
	})
}
