// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"reflect"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2/ktesting"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

func apps(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: resource}
}

func creation(owner *unstructured.Unstructured) *sluice.Effect {
	return &sluice.Effect{Kind: sluice.CreateGroup, Namespace: "default",
		Name: "podgroup-" + string(owner.GetUID()), NewGroup: &sluice.NewGroup{
			Owner: sluice.Controller{UID: string(owner.GetUID()), APIVersion: owner.GetAPIVersion(),
				Kind: owner.GetKind(), Name: owner.GetName()},
			Queue: "q", MinMember: 4, PriorityClass: "high",
			MinResources: []sluice.Amount{{Name: "cpu", Value: 1500},
				{Name: "memory", Value: 4 << 30}, {Name: "pods", Value: 4}}}}
}

func (w *world) does(effect *sluice.Effect, want string) {
	w.t.Helper()
	if got := w.carryOut(context.Background(), effect).Result; got != want {
		w.t.Errorf("%s of %s is %q, want %q", effect.Kind, effect.Name, got, want)
	}
}

func (w *world) groupNow(name string) *unstructured.Unstructured {
	w.t.Helper()
	group, err := w.dynamic.Resource(podGroups).Namespace("default").Get(context.Background(),
		name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return group
}

func TestAGroupIsMadeOnce(t *testing.T) {
	web := deployment(4)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web)
	effect := creation(web)
	w.does(effect, sluice.Done)
	got := w.groupNow(effect.Name)
	if got == nil {
		t.Fatal("there is none")
	}
	want := map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
		"metadata": map[string]any{
			"namespace": "default", "name": "podgroup-uid-web",
			"labels": map[string]any{"app.kubernetes.io/managed-by": "sluice-scheduler"},
			"ownerReferences": []any{map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
				"name": "web", "uid": "uid-web", "controller": true}}},
		"spec": map[string]any{"minMember": int64(4), "queue": "q", "priorityClassName": "high",
			"minResources": map[string]any{"cpu": "1500m", "memory": "4Gi", "pods": "4"}},
	}
	if !reflect.DeepEqual(got.Object, want) {
		t.Errorf("got  %v\nwant %v", got.Object, want)
	}
	w.does(effect, sluice.Done)
}

func TestAGroupOfOursIsChanged(t *testing.T) {
	web := deployment(4)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web)
	effect := creation(web)
	w.does(effect, sluice.Done)
	made := w.groupNow(effect.Name)
	made.SetResourceVersion("7")
	if _, err := w.dynamic.Resource(podGroups).Namespace("default").Update(context.Background(),
		made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("it is seen", func() bool {
		seen := w.groups.find("default", effect.Name)
		return seen != nil && seen.GetResourceVersion() == "7"
	})
	change := &sluice.Effect{Kind: sluice.ChangeGroup, Namespace: "default", Name: effect.Name,
		NewGroup: &sluice.NewGroup{Queue: "r", MinMember: 3,
			MinResources: []sluice.Amount{{Name: "cpu", Value: 500}}}}
	change.ResourceVersion = 6
	w.does(change, sluice.Conflict)
	change.ResourceVersion = 7
	w.does(change, sluice.Done)
	want := map[string]any{"minMember": int64(3), "queue": "r",
		"minResources": map[string]any{"cpu": "500m"}}
	now := w.groupNow(effect.Name)
	if !reflect.DeepEqual(now.Object["spec"], want) {
		t.Errorf("got  %v\nwant %v", now.Object["spec"], want)
	}
	if now.GetLabels()[facts.ManagedBy] != facts.ManagedByUs || len(now.GetOwnerReferences()) != 1 {
		t.Errorf("it is nobody's any more: %v", now.Object["metadata"])
	}
	change.Name = "another"
	w.does(change, sluice.Gone)
}

func TestAGroupOfNoQueueSaysSo(t *testing.T) {
	web := deployment(4)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web)
	effect := creation(web)
	effect.NewGroup.Queue = ""
	w.does(effect, sluice.Done)
	queue, there, _ := unstructured.NestedString(w.groupNow(effect.Name).Object, "spec", "queue")
	if queue != "" || !there {
		t.Errorf("its queue is %q, %v: the API server would write one", queue, there)
	}
}

func TestNoGroupForAnOwnerThatIsGone(t *testing.T) {
	web := deployment(4)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.does(creation(web), sluice.Gone)

	another := web.DeepCopy()
	another.SetUID("another")
	owners := w.dynamic.Resource(deployments).Namespace("default")
	if _, err := owners.Create(context.Background(), another, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.does(creation(web), sluice.Gone)

	now := metav1.Now()
	another.SetDeletionTimestamp(&now)
	if _, err := owners.Update(context.Background(), another, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.does(creation(another), sluice.Gone)
	if w.groupNow("podgroup-uid-web") != nil || w.groupNow("podgroup-another") != nil {
		t.Error("there is a group without an owner")
	}
}

func TestAGroupWaitsForItsDefinition(t *testing.T) {
	web := deployment(4)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web)
	w.groups.served.Store(false)
	w.does(creation(web), sluice.Retry)
}

func TestAGroupInANamespaceThatGoes(t *testing.T) {
	web := deployment(4)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web)
	w.untyped.to("create", "podgroups", func(clienttesting.Action) (bool,
		runtime.Object, error) {
		err := apierrors.NewForbidden(podGroups.GroupResource(), "g", nil)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: v1.NamespaceTerminatingCause}}
		return true, nil, err
	})
	w.does(creation(web), sluice.Gone)
}

func TestTheGroupIsWrittenIntoThePod(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	first := member("p1", nil)
	first.ResourceVersion = "5"
	pod := w.create(first)
	w.until("the lister has it", func() bool {
		_, err := w.pods.lister.Pods("default").Get("p1")
		return err == nil
	})
	effect := &sluice.Effect{Kind: sluice.SetGroup, UID: string(pod.UID), Namespace: "default",
		Name: "p1", Group: "g"}
	ack := w.carryOut(context.Background(), effect)
	if ack.Result != sluice.Done || ack.ResourceVersion != 5 {
		t.Errorf("%+v, want %s in the version that was written, 5", ack, sluice.Done)
	}
	if got := w.seen("p1").Annotations[facts.GroupName]; got != "g" {
		t.Errorf("its group is %q", got)
	}
	w.until("the lister has the group", func() bool {
		pod, _ := w.pods.lister.Pods("default").Get("p1")
		return pod.Annotations[facts.GroupName] == "g"
	})
	w.does(effect, sluice.Done)
	effect.Group = "another"
	w.does(effect, sluice.Conflict)
	effect.UID = "another"
	w.does(effect, sluice.Gone)
}

func TestTheStatusOfAGroup(t *testing.T) {
	group := owned("scheduling.volcano.sh/v1beta1", "PodGroup", "g", nil, map[string]any{})
	group.SetResourceVersion("7")
	group.Object["status"] = map[string]any{"phase": "Pending", "unknown": "stays",
		"conditions": []any{map[string]any{"type": "Other", "status": "True"}}}
	// The engine has a word about it, too: it only observes.
	w := newWorld(t, config.Args{Removal: config.OnBind, ObserveOnly: true}, nil, group)
	w.until("the group is known", func() bool { return w.groups.find("default", "g") != nil })
	effect := &sluice.Effect{Kind: sluice.SetGroupStatus, UID: "uid-g", Namespace: "default",
		Name: "g", ResourceVersion: 7, GroupStatus: &sluice.GroupStatus{Phase: "Running",
			Running: 4, Conditions: []sluice.Condition{
				{Type: "Scheduled", Status: "True", Reason: "r", Message: "m"}}}}
	w.does(effect, sluice.Done)
	status := w.groupNow("g").Object["status"].(map[string]any)
	if status["phase"] != "Running" || status["running"] != int64(4) ||
		status["unknown"] != "stays" || len(status["conditions"].([]any)) != 2 {
		t.Errorf("its status is %v", status)
	}
	effect.ResourceVersion = 6
	w.does(effect, sluice.Conflict)
	effect.ResourceVersion = 7
	w.untyped.to("update", "podgroups", func(clienttesting.Action) (bool,
		runtime.Object, error) {
		return true, nil, apierrors.NewNotFound(podGroups.GroupResource(), "g")
	})
	w.does(effect, sluice.Retry) // it is the subresource that is not there
	effect.UID = "another"
	w.does(effect, sluice.Gone)
}

// What was written is seen a moment later. A write that is based on what was before would only be
// refused.
func TestTheStatusOfAGroupIsNotWrittenOverWhatIsNotSeenYet(t *testing.T) {
	group := owned("scheduling.volcano.sh/v1beta1", "PodGroup", "g", nil, map[string]any{})
	group.SetResourceVersion("7")
	w := newWorld(t, config.Args{Removal: config.OnBind, ObserveOnly: true}, nil, group)
	w.until("the group is known", func() bool { return w.groups.find("default", "g") != nil })
	asked := 0
	w.untyped.to("update", "podgroups", func(clienttesting.Action) (bool,
		runtime.Object, error) {
		asked++
		now := group.DeepCopy()
		now.SetResourceVersion("8")
		return true, now, nil
	})
	effect := &sluice.Effect{Kind: sluice.SetGroupStatus, UID: "uid-g", Namespace: "default",
		Name: "g", ResourceVersion: 7, GroupStatus: &sluice.GroupStatus{Phase: "Running"}}
	w.does(effect, sluice.Done)
	w.does(effect, sluice.Conflict)
	if asked != 1 {
		t.Errorf("the API server was asked %d times, want once", asked)
	}
	w.groups.gone(group)
	if _, kept := w.groups.written.Load(group.GetUID()); kept {
		t.Error("of a group that is gone something is kept")
	}
}

func TestTheTimeOfACondition(t *testing.T) {
	at := func(second int) metav1.Time { return metav1.NewTime(time.Unix(int64(second), 0)) }
	scheduled := sluice.Condition{Type: "Scheduled", Status: "True", Reason: "r", Message: "m"}
	not := sluice.Condition{Type: "Unschedulable", Status: "True", Reason: "x", Message: "y"}
	first := withCondition(nil, scheduled, at(1))
	again := withCondition(first, scheduled, at(2))
	if len(again) != 1 || again[0].LastTransitionTime != at(1) {
		t.Errorf("what says nothing new is %v", again)
	}
	other := withCondition(again, not, at(3))
	back := withCondition(other, scheduled, at(4))
	if len(back) != 2 || back[0].Type != "Unschedulable" || back[1].Type != "Scheduled" ||
		back[1].LastTransitionTime != at(4) {
		t.Errorf("what holds again is %v", back)
	}
	if len(other) != 2 || other[1].Type != "Unschedulable" {
		t.Errorf("the list that was given is changed: %v", other)
	}
}

func TestAGroupIsNotScheduledAndUnschedulable(t *testing.T) {
	at := func(second int) metav1.Time { return metav1.NewTime(time.Unix(int64(second), 0)) }
	group := owned("scheduling.volcano.sh/v1beta1", "PodGroup", "g", nil, map[string]any{})
	says := func(second int, kind string) map[string]string {
		t.Helper()
		err := putStatus(group, &sluice.GroupStatus{Conditions: []sluice.Condition{
			{Type: kind, Status: "True", Reason: "r", Message: "m"}}}, at(second))
		if err != nil {
			t.Fatal(err)
		}
		var typed volcano.PodGroup
		if err := facts.Read(group, &typed); err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		for _, one := range typed.Status.Conditions {
			said[string(one.Type)] = string(one.Status)
		}
		var seen sluice.Group
		if err := facts.Group(&typed, nil, &seen); err != nil {
			t.Fatal(err)
		}
		if seen.Condition == nil || seen.Condition.Type != kind || seen.Condition.Message != "m" {
			t.Errorf("the engine is told of %v, not of %s", seen.Condition, kind)
		}
		return said
	}
	for i, kind := range []string{"Unschedulable", "Other", "Scheduled", "Unschedulable",
		"Scheduled"} {
		said := says(i+1, kind)
		if said["Scheduled"] == "True" && said["Unschedulable"] == "True" || said[kind] != "True" ||
			i > 0 && said["Other"] != "True" {
			t.Errorf("with %s True they are %v", kind, said)
		}
	}
}

// waiting has a pod in the framework's own Permit.
func (w *world) waiting(uid types.UID) fwk.WaitingPod {
	w.t.Helper()
	_, ctx := ktesting.NewTestContext(w.t)
	framework, err := frameworkruntime.NewFramework(ctx, frameworkruntime.Registry{},
		&schedulerconfig.KubeSchedulerProfile{}, frameworkruntime.WithWaitingPods(
			frameworkruntime.NewWaitingPodsMap()))
	if err != nil {
		w.t.Fatal(err)
	}
	w.permits.framework = framework
	pod := gatedPod("p1")
	pod.UID = uid
	framework.AddWaitingPod(pod, map[string]time.Duration{PluginName: time.Hour})
	return framework.GetWaitingPod(uid)
}

func TestAnswersToPodsInPermit(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	waiting := w.waiting("u")
	answer := &sluice.Effect{Kind: sluice.AnswerPermit, UID: "u", Allow: true}
	if got := w.permits.answer(answer); got != sluice.Done ||
		len(waiting.GetPendingPlugins()) != 0 {
		t.Errorf("%s, and it waits for %v", got, waiting.GetPendingPlugins())
	}
	waiting = w.waiting("u")
	answer.Allow = false
	if got := w.permits.answer(answer); got != sluice.Done || waiting.Reject(PluginName, "again") {
		t.Errorf("%s, and it was not rejected", got)
	}
	pod := gatedPod("p2")
	pod = w.create(pod)
	w.until("the lister has it", func() bool {
		return podOf(w.pods.lister, &sluice.Effect{UID: "uid-p2",
			Namespace: "default", Name: "p2"}) != nil
	})
	waiting = w.waiting(pod.UID)
	answered := make(chan string)
	go func() {
		answered <- w.permits.answer(&sluice.Effect{Kind: sluice.AnswerPermit, UID: "uid-p2",
			Namespace: "default", Name: "p2"})
	}()
	select {
	case <-answered:
		t.Error("it is rejected before its nomination is seen, which then stays")
	case <-time.After(50 * time.Millisecond):
	}
	pod.Status.NominatedNodeName = "n"
	if _, err := w.client.CoreV1().Pods("default").UpdateStatus(context.Background(), pod,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := <-answered; got != sluice.Done || waiting.Reject(PluginName, "again") {
		t.Errorf("%s, and it was not rejected", got)
	}
	other := &sluice.Effect{Kind: sluice.AnswerPermit, UID: "other"}
	if got := w.permits.answer(other); got != sluice.Done {
		t.Errorf("of a pod that does not wait: %s", got)
	}
	w.permits.asked.Store(types.UID("other"), time.Now())
	if got := w.permits.answer(other); got != sluice.Retry {
		t.Errorf("of a pod that is about to wait: %s", got)
	}
	w.permits.asked.Store(types.UID("other"), time.Now().Add(-2*permitLag))
	if got := w.permits.answer(other); got != sluice.Done {
		t.Errorf("of a pod that should wait for long: %s", got)
	}
}
