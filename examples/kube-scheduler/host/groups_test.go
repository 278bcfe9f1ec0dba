// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// owned is an object with a controller; nil: with none.
func owned(version, kind, name string, by *unstructured.Unstructured,
	spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": version, "kind": kind, "spec": spec}}
	object.SetNamespace("default")
	object.SetName(name)
	object.SetUID(types.UID("uid-" + name))
	if by != nil {
		object.SetOwnerReferences([]metav1.OwnerReference{referTo(by)})
	}
	return object
}

func referTo(object *unstructured.Unstructured) metav1.OwnerReference {
	controls := true
	return metav1.OwnerReference{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(),
		Name: object.GetName(), UID: object.GetUID(), Controller: &controls}
}

func deployment(replicas int64) *unstructured.Unstructured {
	return owned("apps/v1", "Deployment", "web", nil, map[string]any{"replicas": replicas})
}

// member is a pod that wants a group.
func member(name string, by *unstructured.Unstructured) *v1.Pod {
	pod := gatedPod(name)
	pod.Annotations[facts.GroupMinMember] = "2"
	if by != nil {
		pod.OwnerReferences = []metav1.OwnerReference{referTo(by)}
	}
	return pod
}

// top waits until the topmost controller of a pod is known.
func (w *world) top(pod *v1.Pod) (top *sluice.Controller) {
	w.t.Helper()
	w.until("the controller of "+pod.Name+" is known", func() (known bool) {
		top, known = w.groups.owners.of(pod)
		return known
	})
	return top
}

func TestThePodComesWithItsTopmostController(t *testing.T) {
	web := deployment(3)
	set := owned("apps/v1", "ReplicaSet", "web-1", web, map[string]any{"replicas": int64(2)})
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web, set)
	pod := w.create(member("p1", set))
	top := w.top(pod)
	if top.Kind != "Deployment" || top.UID != "uid-web" || top.APIVersion != "apps/v1" ||
		top.Replicas == nil || *top.Replicas != 3 || top.Ordered {
		t.Errorf("its topmost controller is %+v", top)
	}
	w.until("the engine knows the pod", func() bool { return w.state("p1") != "unknown" })

	// The next pod brings news of the Deployment.
	web.Object["spec"] = map[string]any{"replicas": int64(5)}
	if _, err := w.dynamic.Resource(deployments).Namespace("default").Update(
		context.Background(), web, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.create(member("p2", set))
	w.until("the new number is known", func() bool { return *w.top(pod).Replicas == 5 })

	for _, name := range []string{"p1", "p2"} {
		err := w.client.CoreV1().Pods("default").Delete(context.Background(), name,
			metav1.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.until("nothing is kept of it", func() bool {
		w.groups.owners.mutex.Lock()
		defer w.groups.owners.mutex.Unlock()
		return len(w.groups.owners.controllers) == 0 && len(w.groups.owners.pods) == 0
	})
}

var deployments = apps("deployments")

func TestControllersThatEndTheSearch(t *testing.T) {
	cron := owned("batch/v1", "CronJob", "plan", nil, nil)
	custom := owned("example.com/v1", "Train", "train", nil, map[string]any{"replicas": int64(9)})
	for name, one := range map[string]struct {
		object *unstructured.Unstructured
		want   sluice.Controller
	}{
		"of a plan": {owned("batch/v1", "Job", "run", cron, map[string]any{
			"parallelism": int64(4)}), sluice.Controller{Kind: "Job", Name: "run",
			Replicas: pointer(4)}},
		"ordered": {owned("apps/v1", "StatefulSet", "db", nil, map[string]any{
			"replicas": int64(2)}), sluice.Controller{Kind: "StatefulSet", Name: "db",
			Replicas: pointer(2), Ordered: true}},
		"parallel": {owned("apps/v1", "StatefulSet", "db", nil, map[string]any{
			"podManagementPolicy": "Parallel"}), sluice.Controller{Kind: "StatefulSet",
			Name: "db"}},
		"of no kind of ours": {custom, sluice.Controller{Kind: "Train", Name: "train"}},
	} {
		got := facts.Controller(one.object)
		got.UID, got.APIVersion = "", ""
		if got.Kind != one.want.Kind || got.Name != one.want.Name ||
			got.Ordered != one.want.Ordered ||
			(got.Replicas == nil) != (one.want.Replicas == nil) ||
			got.Replicas != nil && *got.Replicas != *one.want.Replicas {
			t.Errorf("%s: %+v", name, got)
		}
		if above := facts.Above(one.object); above != nil {
			t.Errorf("%s: above it is %v", name, above)
		}
	}
}

func pointer(n int64) *int64 { return &n }

func TestAnOwnerThatMayNotBeRead(t *testing.T) {
	train := owned("example.com/v1", "Train", "train", nil, nil)
	set := owned("apps/v1", "ReplicaSet", "set", train, nil)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, set)
	pod := w.create(member("p1", set))
	if top := w.top(pod); top.Kind != "Train" || top.UID != "uid-train" || top.Replicas != nil {
		t.Errorf("its topmost controller is %+v", top)
	}
	w.until("somebody hears of it", func() bool {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		return strings.Contains(strings.Join(w.events, "\n"), "SluiceOwnerUnknown: Train train")
	})
}

func TestAnOwnerIsReadAgainWhenItsServerFails(t *testing.T) {
	set := owned("apps/v1", "ReplicaSet", "set", nil, map[string]any{"replicas": int64(1)})
	fails := make(chan bool, 1)
	fails <- true
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, set)
	w.untyped.to("get", "replicasets", func(clienttesting.Action) (bool,
		runtime.Object, error) {
		select {
		case <-fails:
			return true, nil, apierrors.NewServiceUnavailable("later")
		default:
			return false, nil, nil
		}
	})
	pod := w.create(member("p1", set))
	if top := w.top(pod); top.Replicas == nil || *top.Replicas != 1 {
		t.Errorf("its topmost controller is %+v", top)
	}
}

func TestAPodWithoutItsControllerIsHeld(t *testing.T) {
	set := owned("apps/v1", "ReplicaSet", "set", nil, nil)
	answers := make(chan struct{})
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, set)
	w.untyped.to("get", "replicasets", func(clienttesting.Action) (bool,
		runtime.Object, error) {
		<-answers
		return false, nil, nil
	})
	pod := w.create(member("p1", set))
	w.until("it is looked for", func() bool { return !w.groups.owners.settled() })
	verdict, err := w.PreEnqueue(pod)
	if err != nil || verdict.Pass || verdict.Reason != sluice.ReasonGroupMissing {
		t.Errorf("it gets %+v, %v", verdict, err)
	}
	if w.state("p1") != "unknown" || w.groups.owners.settled() {
		t.Error("the engine was told too early")
	}
	if w.wasActivated("p1")() {
		t.Error("the scheduler is to look at it before the engine knows it")
	}
	close(answers)
	w.until("the engine knows the pod", func() bool { return w.state("p1") != "unknown" })
	// The engine has not heard that the scheduler keeps it, and would not wake it at its grant.
	w.until("the scheduler looks at it again", w.wasActivated("p1"))
	if verdict, err := w.PreEnqueue(pod); err != nil || verdict.Pass {
		t.Errorf("then it gets %+v, %v", verdict, err)
	}
	w.pods.seen(nil, pod)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if len(w.activated) != 1 {
		t.Errorf("the scheduler is to look at %q, once was enough", w.activated)
	}
}

// What cannot be used is held without the engine's word, too.
func TestAPodThatWasMendedIsLookedAtAgain(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := gatedPod("p1")
	pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("-1")
	if _, err := w.PreEnqueue(pod); err == nil {
		t.Fatal("a negative request is no error")
	}
	mended := gatedPod("p1")
	mended.ResourceVersion = "6"
	w.pods.seen(pod, mended)
	w.until("the scheduler looks at it again", w.wasActivated("p1"))
}

// The two watches that tell of a pod's end come in any order. (What the engine knows is looked
// at as it was before the end, since it may forget by itself who has ended.)
func TestTheEndOfAMember(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	running := member("p1", nil)
	running.Spec.NodeName, running.Spec.SchedulingGates = "n", nil
	running.Status.Phase = v1.PodRunning
	over := running.DeepCopy()
	over.Status.Phase, over.ResourceVersion = v1.PodSucceeded, "9"
	ended := w.groups.ended.GetStore()
	known := func() bool { return w.state("p1") != "unknown" }

	w.pods.seen(nil, running)
	w.pods.gone(running) // it has ended, but that is told later
	if !known() {
		t.Error("it is forgotten before it could be told that it succeeded")
	}
	if err := ended.Add(over); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * endsWithin)
	if !known() {
		t.Error("a member that succeeded is forgotten")
	}
	w.pods.gone(running) // the other order
	time.Sleep(2 * endsWithin)
	if !known() {
		t.Error("a member that had succeeded is forgotten")
	}
	if err := ended.Delete(over); err != nil {
		t.Fatal(err)
	}
	w.groups.endedPodGone(over)
	w.until("it is forgotten", func() bool { return !known() })

	w.pods.seen(nil, running)
	w.pods.gone(running) // it was deleted by force
	w.until("it is forgotten in the end", func() bool { return !known() })
}

func TestOnlyMembersAreKept(t *testing.T) {
	plain := gatedPod("p1")
	kept, err := (&groups{describer: new(describer)}).onlyMembers(plain)
	if err != nil {
		t.Fatal(err)
	}
	if pod := kept.(*v1.Pod); pod.Name != "p1" || pod.UID != plain.UID || len(pod.Annotations) > 0 ||
		len(pod.Spec.Containers) > 0 {
		t.Errorf("of a plain pod there is left %+v", pod)
	}
	wants := member("p2", nil)
	if kept, _ := (&groups{describer: new(describer)}).onlyMembers(wants); kept != any(wants) {
		t.Error("a member is changed")
	}
}

func TestPriorityOfAClass(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	if got := w.groups.classPriority("high"); got != nil {
		t.Errorf("without a class the priority is %d", *got)
	}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 7}
	if _, err := w.client.SchedulingV1().PriorityClasses().Create(context.Background(), class,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("the class is known", func() bool {
		got := w.groups.classPriority("high")
		return got != nil && *got == 7
	})
}
