// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

func TestOnBindTheGrantedPodIsActivatedAndKeepsItsGate(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	first := w.create(gatedPod("p1"))
	w.until("the pod is known", func() bool { return w.state("p1") != "unknown" })
	if verdict, err := w.PreEnqueue(first); err != nil || verdict.Pass {
		t.Fatalf("without its queue the pod passes: %+v %v", verdict, err)
	}
	w.queue("q", "1")
	w.until("it is activated", w.wasActivated("p1"))
	if verdict, err := w.PreEnqueue(first); err != nil || !verdict.Pass {
		t.Fatalf("the granted pod is held: %+v %v", verdict, err)
	}
	if len(w.seen("p1").Spec.SchedulingGates) != 1 {
		t.Fatal("the gate is gone before the pod has a node")
	}
	if err := w.Bind(context.Background(), w.seen("p1"), "n"); err != nil {
		t.Fatal(err)
	}
	pod := w.seen("p1")
	if len(pod.Spec.SchedulingGates) != 0 || pod.Annotations[facts.Granted] == "" {
		t.Fatalf("gates %v, annotations %v", pod.Spec.SchedulingGates, pod.Annotations)
	}
}

func TestOnAdmissionTheGateGoesAtTheGrant(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnAdmission}, nil)
	w.queue("q", "1")
	w.create(gatedPod("p1"))
	w.until("the gate is gone", func() bool { return len(w.seen("p1").Spec.SchedulingGates) == 0 })
	w.create(gatedPod("p2"))
	w.until("the second waits", w.is("p2", "waiting"))
	err := w.client.CoreV1().Pods("default").Delete(context.Background(), "p1",
		metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.until("its gate is gone too", func() bool {
		return len(w.seen("p2").Spec.SchedulingGates) == 0
	})
}

func TestAPodOfTheSameNameIsNotTouchedForTheOldOne(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.queue("q", "1")
	old := w.create(gatedPod("p1"))
	w.until("it is granted", w.is("p1", "reserved"))
	patch := sluice.Patch{Gates: []string{facts.GateLong}, Generation: 1}
	other := gatedPod("p1")
	other.UID = "another"
	if err := w.client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), other,
		"default"); err != nil {
		t.Fatal(err)
	}
	if err := w.pods.removeGates(context.Background(), old, &patch); err == nil {
		t.Fatal("the removal for the old pod succeeds")
	}
	if len(w.seen("p1").Spec.SchedulingGates) != 1 {
		t.Fatal("the other pod has lost its gate")
	}
}

func TestAnEditedPodIsNotPatchedForItsOldSpec(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := gatedPod("p1")
	pod.Generation = 2
	err := w.pods.removeGates(context.Background(), pod,
		&sluice.Patch{Gates: []string{facts.GateLong}, Generation: 1})
	if outbox.Result(err) != sluice.Conflict {
		t.Fatalf("got %v", err)
	}
}

func TestARemovalWhoseAnswerIsLostCounts(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := w.create(gatedPod("p1"))
	patch := &sluice.Patch{Gates: []string{facts.GateLong}, Generation: 1}
	written := true
	w.typed.to("patch", "pods", func(action clienttesting.Action) (bool,
		runtime.Object, error) {
		if written {
			after := pod.DeepCopy()
			after.Spec.SchedulingGates = nil
			_ = w.client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), after,
				"default")
		}
		return true, nil, errors.New("connection reset")
	})
	if err := w.pods.removeGates(context.Background(), pod, patch); err != nil {
		t.Errorf("it was written: %v", err)
	}
	written = false
	other := w.create(gatedPod("p2"))
	err := w.pods.removeGates(context.Background(), other, patch)
	if outbox.Result(err) != sluice.Retry {
		t.Errorf("it was not written: %v", err)
	}
}

// late is a cache that has seen everything but the end of pods, or but what became of them in the
// queue.
type late struct{ counts, lags atomic.Bool }

func (l *late) Counts(*v1.Pod) bool { return l.counts.Load() }
func (l *late) Knows(*v1.Node) bool { return true }
func (l *late) Queues(*v1.Pod) bool { return !l.lags.Load() }

func TestRoomIsGivenAwayWhenTheSchedulerSeesItToo(t *testing.T) {
	var seen late
	seen.counts.Store(true)
	w := newWorld(t, config.Args{Removal: config.OnAdmission}, func(h *Host) { h.AwaitCache(&seen) })
	w.queue("q", "1")
	first := gatedPod("p1")
	first.Spec.NodeName, first.Spec.SchedulingGates = "n", nil
	w.create(first)
	w.until("it runs", w.is("p1", "allocated"))
	w.create(gatedPod("p2"))
	w.until("the second waits", w.is("p2", "waiting"))
	err := w.client.CoreV1().Pods("default").Delete(context.Background(), "p1",
		metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if w.state("p2") != "waiting" {
		t.Error("its room is given away while the scheduler still counts it")
	}
	seen.counts.Store(false)
	w.until("the second is granted", w.is("p2", "reserved"))
}

// What the scheduler's queue has of a pod is what a node is looked for with: until it has the
// tolerations of the flavor the engine is not told that the gate is gone.
func TestAPodGoesOnWithTheTolerationsOfItsFlavor(t *testing.T) {
	var seen late
	seen.lags.Store(true)
	w := newWorld(t, config.Args{Removal: config.OnBind}, func(h *Host) { h.AwaitCache(&seen) })
	w.queue("q", "1")
	pod := w.create(gatedPod("p1"))
	w.until("it is granted", w.is("p1", "reserved"))
	patched := pod.DeepCopy()
	patched.ResourceVersion, patched.Spec.SchedulingGates = "6", nil
	patched.Annotations[facts.Flavors] = "cpu=spot"
	patched.Spec.Tolerations = []v1.Toleration{{Key: "spot"}}
	if _, err := w.client.CoreV1().Pods("default").Update(context.Background(), patched,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("the lister has it", func() bool {
		now, err := w.pods.lister.Pods("default").Get("p1")
		return err == nil && now.ResourceVersion == "6"
	})
	told := func() bool {
		_, known, _, err := w.Engine().PreEnqueueKnown("uid-p1", 6)
		return err == nil && known
	}
	time.Sleep(50 * time.Millisecond)
	if told() {
		t.Error("the engine lets it go on while the queue has it as it was before")
	}
	seen.lags.Store(false)
	w.until("the engine is told", told)
}

func TestANewNodeBringsBackWhoHadNoneOfItsFlavor(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := w.create(gatedPod("p1"))
	w.until("the lister has it", func() bool {
		_, err := w.pods.lister.Pods("default").Get("p1")
		return err == nil
	})
	w.flavoredPods.add(pod)
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	if _, err := w.client.CoreV1().Nodes().Create(context.Background(), node,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("it is activated", w.wasActivated("p1"))
	if _, err := w.Reserve(pod, "n"); err != nil || len(w.flavoredPods.all()) != 0 {
		t.Errorf("who has a node is looked for: %v %v", w.flavoredPods.all(), err)
	}
	same := node.DeepCopy()
	same.Labels = map[string]string{"a": "b"}
	if mayFit(node, node) || !mayFit(node, same) {
		t.Error("only other labels may make a node of another flavor")
	}
}

func TestAPodThatIsNotOursIsWokenWhenItsGateIsGone(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	gated := gatedPod("p1")
	gated.Annotations = nil
	gated.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/license"}}
	gated = w.create(gated)
	w.until("the lister has it", func() bool {
		_, err := w.pods.lister.Pods("default").Get("p1")
		return err == nil
	})
	if verdict, err := w.PreEnqueue(gated); err != nil || verdict.Pass {
		t.Fatalf("with its gate it is not held: %+v %v", verdict, err)
	}
	free := gated.DeepCopy()
	free.Spec.SchedulingGates = nil
	_, err := w.client.CoreV1().Pods("default").Update(context.Background(), free,
		metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.until("it is activated", w.wasActivated("p1"))
	w.until("the lister has it without its gate", func() bool { // that it came may wake it, too
		pod, err := w.pods.lister.Pods("default").Get("p1")
		return err == nil && len(pod.Spec.SchedulingGates) == 0
	})
	if verdict, err := w.PreEnqueue(gated); err != nil || !verdict.Pass {
		t.Errorf("asked about the version before, it is held for ever: %+v %v", verdict, err)
	}
}

func TestAGateThatIsGoneIsNoError(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := gatedPod("p1")
	pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "foreign"}}
	err := w.pods.removeGates(context.Background(), pod,
		&sluice.Patch{Gates: []string{facts.GateLong}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOfAStandbyNothingIsGivenOut(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnAdmission}, func(h *Host) { h.AwaitLease() })
	w.queue("q", "1")
	w.create(gatedPod("p1"))
	w.until("the pod is known", func() bool { return w.state("p1") != "unknown" })
	time.Sleep(50 * time.Millisecond)
	if len(w.seen("p1").Spec.SchedulingGates) != 1 {
		t.Fatal("a standby has removed a gate")
	}
	w.lease.Set(time.Now().Add(time.Minute))
	w.until("the gate is gone", func() bool { return len(w.seen("p1").Spec.SchedulingGates) == 0 })
}

func TestProfilesMustSayTheSame(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	if err := w.AddProfile("other", &config.Args{Removal: config.OnAdmission}); err == nil {
		t.Fatal("two profiles with different args are accepted")
	}
}

func TestAConfigurationThatTheEngineRefuses(t *testing.T) {
	library, err := sluice.Load(libraryPath(t))
	if err != nil {
		t.Fatal(err)
	}
	client := fake.NewClientset()
	h, err := assemble(context.Background(), &config.Args{Removal: "later"}, library,
		clients{effects: client}, &scheduler{client: client,
			factory: informers.NewSharedInformerFactory(client, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Start(context.Background()); err == nil {
		t.Fatal("the removal `later` is accepted")
	}
	h.Stop()
}
