// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

func meta(name string, annotations map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name),
		Annotations: annotations}
}

func controlledBy(kind, version string, by *metav1.ObjectMeta) []metav1.OwnerReference {
	controls := true
	return []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: by.Name, UID: by.UID,
		Controller: &controls}}
}

// heirOf is a gated pod that names no queue.
func heirOf(name string, owners []metav1.OwnerReference) *v1.Pod {
	pod := gatedPod(name)
	delete(pod.Annotations, facts.QueueName)
	pod.OwnerReferences = owners
	return pod
}

// rollout is a Deployment that says this, with one ReplicaSet.
func (w *world) rollout(said map[string]string) (*appsv1.Deployment, *appsv1.ReplicaSet) {
	w.t.Helper()
	ctx := context.Background()
	web := &appsv1.Deployment{ObjectMeta: meta("web", said)}
	set := &appsv1.ReplicaSet{ObjectMeta: meta("web-1", map[string]string{
		facts.QueueName: "an-old-copy"})}
	set.OwnerReferences = controlledBy("Deployment", "apps/v1", &web.ObjectMeta)
	if _, err := w.client.AppsV1().Deployments("default").Create(ctx, web,
		metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.client.AppsV1().ReplicaSets("default").Create(ctx, set,
		metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	return web, set
}

func (w *world) queueOf(name string) string {
	answer, err := w.Engine().Inspect(sluice.Query{What: "pod", Namespace: "default", Name: name})
	if err != nil {
		return "unknown"
	}
	return answer["queue"].(string)
}

func (w *world) isIn(name, queue string) func() bool {
	return func() bool { return w.queueOf(name) == queue }
}

// gets are the requests for single objects that were made for controllers.
func (w *world) gets() (count int) {
	for _, action := range w.dynamic.Actions() {
		if action.GetVerb() == "get" && action.GetResource().Group == "apps" {
			count++
		}
	}
	return count
}

func TestAPodInheritsFromTheDeployment(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	web, set := w.rollout(map[string]string{facts.QueueName: "team"})
	owners := controlledBy("ReplicaSet", "apps/v1", &set.ObjectMeta)
	own := heirOf("own", owners)
	own.Annotations[facts.QueueName] = "q"
	w.create(heirOf("heir", owners))
	w.create(own)
	w.until("it is in the Deployment's queue", w.isIn("heir", "team"))
	w.until("what the pod itself says comes first", w.isIn("own", "q"))

	web.Annotations[facts.QueueName] = "other"
	if _, err := w.client.AppsV1().Deployments("default").Update(context.Background(), web,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("an edit of the Deployment reaches it", w.isIn("heir", "other"))
	delete(web.Annotations, facts.QueueName)
	if _, err := w.client.AppsV1().Deployments("default").Update(context.Background(), web,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("the ReplicaSet's copy does not count", w.isIn("heir", "default"))
}

func TestManyPodsOfADeploymentCostNoRequest(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	_, set := w.rollout(map[string]string{facts.QueueName: "team"})
	owners := controlledBy("ReplicaSet", "apps/v1", &set.ObjectMeta)
	for i := range 1000 {
		w.create(heirOf(fmt.Sprintf("heir-%d", i), owners))
	}
	for i := range 1000 {
		w.until("each is in its queue", w.isIn(fmt.Sprintf("heir-%d", i), "team"))
	}
	t.Logf("%d controllers were read for 1,000 pods", w.gets())
	if w.gets() > 2 {
		t.Errorf("%d controllers were read for 1,000 pods of one Deployment", w.gets())
	}
}

func TestAPodWaitsForItsController(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.queue("default", "8")
	set := meta("web-1", nil)
	pod := w.create(heirOf("heir", controlledBy("ReplicaSet", "apps/v1", &set)))
	w.until("the pod is seen", func() bool {
		_, err := w.pods.lister.Pods("default").Get("heir")
		return err == nil
	})
	verdict, err := w.PreEnqueue(pod)
	if err != nil || verdict.Pass || verdict.Reason != sluice.ReasonNotReady {
		t.Errorf("before its controller is known: %+v %v", verdict, err)
	}
	if w.queueOf("heir") != "unknown" {
		t.Errorf("the engine was told that it is in %s", w.queueOf("heir"))
	}
	w.rollout(map[string]string{facts.QueueName: "team"})
	w.until("it is in the queue of its Deployment", w.isIn("heir", "team"))
	w.until("the scheduler looks at it again", w.wasActivated("heir"))
}

func TestAControllerThatDoesNotCome(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	gone := meta("gone", nil)
	w.create(heirOf("orphan", controlledBy("ReplicaSet", "apps/v1", &gone)))
	began := time.Now()
	w.until("it inherits nothing", w.isIn("orphan", "default"))
	t.Logf("after %v, and %d requests", time.Since(began).Round(time.Millisecond), w.gets())
	if w.gets() != 1 {
		t.Errorf("%d requests", w.gets())
	}
	if err := w.client.CoreV1().Pods("default").Delete(context.Background(), "orphan",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("nothing is kept of it", func() bool {
		w.heritage.mutex.Lock()
		defer w.heritage.mutex.Unlock()
		return len(w.heritage.left) == 0 && len(w.heritage.missing) == 0
	})
}

func TestWhatAControllerSaidOutlivesIt(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	_, set := w.rollout(map[string]string{facts.QueueName: "team"})
	pod := heirOf("heir", controlledBy("ReplicaSet", "apps/v1", &set.ObjectMeta))
	pod.Spec.SchedulingGates, pod.Spec.NodeName = nil, "n"
	pod = w.create(pod)
	w.until("it is in its queue", w.isIn("heir", "team"))
	ctx := context.Background()
	if err := w.client.AppsV1().Deployments("default").Delete(ctx, "web",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.client.AppsV1().ReplicaSets("default").Delete(ctx, "web-1",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("both are gone", func() bool {
		w.heritage.mutex.Lock()
		defer w.heritage.mutex.Unlock()
		return len(w.heritage.left) == 1
	})
	now := metav1.Now()
	pod.DeletionTimestamp, pod.ResourceVersion = &now, "6"
	w.pods.seen(nil, pod)
	if w.queueOf("heir") != "team" {
		t.Errorf("the pod counts in %s", w.queueOf("heir"))
	}
	if err := w.client.CoreV1().Pods("default").Delete(ctx, "heir",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("nothing is kept of them", func() bool {
		w.heritage.mutex.Lock()
		defer w.heritage.mutex.Unlock()
		return len(w.heritage.left) == 0 && len(w.heritage.missing) == 0
	})
}

func TestAPodInheritsAGroup(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	run := &batchv1.Job{ObjectMeta: meta("run", map[string]string{facts.GroupMinMember: "2",
		facts.QueueName: "team"})}
	if _, err := w.client.BatchV1().Jobs("default").Create(context.Background(), run,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod := heirOf("member", controlledBy("Job", "batch/v1", &run.ObjectMeta))
	delete(pod.Annotations, facts.GateLong)
	pod.Spec.SchedulingGates = nil
	w.create(pod)
	w.until("it asks for a group, which opts it in", func() bool {
		answer, err := w.Engine().Inspect(sluice.Query{What: "pod", Namespace: "default",
			Name: "member"})
		return err == nil && answer["group"] == "podgroup-uid-run" && answer["queue"] == "team" &&
			answer["state"] == "held"
	})
	asked, err := w.Newcomer(context.Background(), pod)
	if err != nil {
		t.Fatal(err)
	}
	admission, _, err := w.Engine().Admit("CREATE", asked)
	if err != nil || !admission.Allow || len(admission.Gates) != 1 {
		t.Errorf("admission adds its gate: %+v %v", admission, err)
	}
}

func TestANewcomerInheritsWhatIsNotKnownYet(t *testing.T) {
	web := deployment(3)
	web.SetAnnotations(map[string]string{facts.QueueName: "team"})
	set := owned("apps/v1", "ReplicaSet", "web-1", web, nil)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web, set)
	pod := heirOf("heir", []metav1.OwnerReference{referTo(set)})
	asked, err := w.Newcomer(context.Background(), pod)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range asked.Annotations {
		if pair == [2]string{facts.QueueName, "team"} {
			return
		}
	}
	t.Errorf("it comes with %v", asked.Annotations)
}
