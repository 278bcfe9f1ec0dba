// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
)

// placed is a pod of the queue q that names its node.
func placed(name string, change func(*v1.Pod)) *v1.Pod {
	pod := gatedPod(name)
	pod.Spec.SchedulingGates, pod.Spec.NodeName = nil, "n"
	if change != nil {
		change(pod)
	}
	return pod
}

func TestADaemonSetIsLookedUp(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind, Manage: config.All}, nil)
	w.queue("q", "8")
	ctx := context.Background()
	agent := &appsv1.DaemonSet{ObjectMeta: meta("agent", nil), Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "agent"}}}}
	other := meta("agent", nil)
	other.UID = "made-up"
	absent := meta("absent", nil)
	of := func(kind, version string, owner *metav1.ObjectMeta, label string) func(*v1.Pod) {
		return func(pod *v1.Pod) {
			pod.OwnerReferences = controlledBy(kind, version, owner)
			pod.Labels = map[string]string{"app": label}
		}
	}
	counted := []*v1.Pod{
		placed("of-no-group", of("DaemonSet", "example.com/v1", &agent.ObjectMeta, "agent")),
		placed("of-nobody", of("DaemonSet", "apps/v1", &absent, "agent")),
		placed("of-another-uid", of("DaemonSet", "apps/v1", &other, "agent")),
		placed("not-selected", of("DaemonSet", "apps/v1", &agent.ObjectMeta, "mine")),
	}
	real := placed("real", of("DaemonSet", "apps/v1", &agent.ObjectMeta, "agent"))
	for _, pod := range append(slices.Clone(counted), real) {
		w.create(pod)
	}
	w.until("a pod comes before its DaemonSet", w.is("real", "allocated"))
	if _, err := w.client.AppsV1().DaemonSets("default").Create(ctx, agent,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("one of a DaemonSet is none of ours", w.is("real", "unknown"))
	for _, pod := range counted {
		w.until(pod.Name+" counts", w.is(pod.Name, "allocated"))
	}
	if err := w.client.AppsV1().DaemonSets("default").Delete(ctx, "agent",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("nor when it is gone", w.is("real", "allocated"))
}

func TestAMirrorPodIsOfItsKubelet(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind, Manage: config.All}, nil)
	w.queue("q", "8")
	ctx := context.Background()
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "uid-n"}}
	mirror := func(uid string, started bool) func(*v1.Pod) {
		return func(pod *v1.Pod) {
			owner := metav1.ObjectMeta{Name: "n", UID: node.UID}
			if uid != "" {
				owner.UID = "made-up"
			}
			pod.OwnerReferences = controlledBy("Node", "v1", &owner)
			pod.Annotations[v1.MirrorPodAnnotationKey] = "x"
			if now := metav1.Now(); started {
				pod.Status.StartTime = &now
			}
		}
	}
	w.create(placed("real", mirror("", true)))
	w.create(placed("of-another-node", mirror("made-up", true)))
	w.create(placed("not-run", mirror("", false)))
	w.create(placed("says-so", func(pod *v1.Pod) {
		pod.Annotations[v1.MirrorPodAnnotationKey] = "x"
	}))
	for _, name := range []string{"real", "of-another-node", "not-run", "says-so"} {
		w.until(name+" counts", w.is(name, "allocated"))
	}
	if _, err := w.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("its node is known, and its kubelet has written its status", w.is("real", "unknown"))
	for _, name := range []string{"of-another-node", "not-run", "says-so"} {
		w.until(name+" counts", w.is(name, "allocated"))
	}
}

func TestWhoWritesIntoARunningPodIsTold(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.queue("q", "8")
	pod := w.create(placed("runs", nil))
	w.until("it counts", w.is("runs", "allocated"))
	pod.Annotations[facts.QueueName], pod.ResourceVersion = "nowhere", "6"
	if _, err := w.client.CoreV1().Pods("default").Update(context.Background(), pod,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("its owner is told that nothing came of it", func() bool {
		w.scheduler.mutex.Lock()
		defer w.scheduler.mutex.Unlock()
		return slices.ContainsFunc(w.events, func(event string) bool {
			return strings.HasPrefix(event, "SluiceCountsAsBefore: ") &&
				strings.Contains(event, "Queue q")
		})
	})
	w.until("it is told where it counts", func() bool {
		return w.seen("runs").Annotations[facts.GrantedIn] == "queue/q"
	})
	if w.queueOf("runs") != "q" || w.seen("runs").Annotations[facts.Granted] != "" {
		t.Errorf("it is in %s, and says %v", w.queueOf("runs"), w.seen("runs").Annotations)
	}
}

// The name of a group that we made may come into a pod when that runs already.
func TestWhatWeWriteIntoARunningPodIsNoNews(t *testing.T) {
	with := func(pod *v1.Pod, key, value string) *v1.Pod {
		pod = pod.DeepCopy()
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
		return pod
	}
	plain := placed("plain", nil)
	asks := with(plain, facts.GroupMinMember, "2")
	named := with(asks, facts.GroupName, "podgroup-of-its-owner")
	for _, edit := range []struct {
		what     string
		old, now *v1.Pod
		isNews   bool
	}{
		{"the name that its minimum asked for", asks, named, false},
		{"another queue", asks, with(asks, facts.QueueName, "nowhere"), true},
		{"another queue beside the name", asks, with(named, facts.QueueName, "nowhere"), true},
		{"no group any more", named, asks, true},
		{"a name in a pod that asked for none", plain, with(plain, facts.GroupName, "g"), true},
	} {
		if news := saysElsewhere(edit.old, edit.now); news != edit.isNews {
			t.Errorf("%s: is news: %t, want %t", edit.what, news, edit.isNews)
		}
	}
}
