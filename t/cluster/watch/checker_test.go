// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// feed is a made-up API server: what it tells is what the checker sees.
type feed struct {
	*testing.T
	*Checker
	now  time.Time
	pods map[string]*corev1.Pod
	rv   int
}

func newFeed(t *testing.T, config Config, queues ...string) *feed {
	f := &feed{T: t, now: time.Unix(0, 0), pods: map[string]*corev1.Pod{}}
	config.Now = func() time.Time { return f.now }
	f.Checker = New(config)
	for _, text := range queues {
		f.queue(text)
	}
	return f
}

func (f *feed) queue(text string) {
	f.Helper()
	of := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &of.Object); err != nil {
		f.Fatal(err)
	}
	f.Queue(of, false)
}

// change tells a new state of a pod.
func (f *feed) change(name string, how ...func(*corev1.Pod)) *corev1.Pod {
	pod := f.pods[name]
	if pod == nil {
		pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("uid-of-" + name),
			Annotations: map[string]string{ourGates[0]: "true"}, Labels: map[string]string{},
		}}
		pod.Spec.SchedulerName = corev1.DefaultSchedulerName
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: ourGates[0]}}
	}
	pod = pod.DeepCopy()
	for _, each := range how {
		each(pod)
	}
	f.rv++
	pod.ResourceVersion = fmt.Sprint(f.rv)
	f.pods[name] = pod
	f.Pod(pod, false)
	return pod
}

func asks(name, amount string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceName(name): resource.MustParse(amount)},
		}}}
	}
}

func in(queue string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Annotations[queueName] = queue }
}

func inLocal(queue string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Labels[localQueueName] = queue }
}

func gated(names ...string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.SchedulingGates = nil
		for _, name := range names {
			gate := corev1.PodSchedulingGate{Name: name}
			pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, gate)
		}
	}
}

func on(node string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.NodeName = node }
}

func over(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded }

func because(reason string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason,
		}}
	}
}

// later lets the grace pass, and wants these violations, each by words that are in it.
func (f *feed) later(want ...string) {
	f.Helper()
	f.now = f.now.Add(Grace)
	got := f.Violations()
	if len(got) != len(want) {
		f.Fatalf("violations %v, want %d: %v", got, len(want), want)
	}
	for i, violation := range got {
		for _, word := range strings.Fields(want[i]) {
			if !strings.Contains(violation.String(), word) {
				f.Errorf("violation %q, want %q in it", violation, word)
			}
		}
	}
}

const smallQueue = `{kind: Queue, metadata: {name: q}, spec: {capability: {cpu: 2}}}`

func TestTwoThatFitAreNoViolation(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	for _, name := range []string{"a", "b", "c"} {
		f.change(name, in("q"), asks("cpu", "1"))
	}
	f.change("a", gated())
	f.change("a", on("n"))
	f.change("b", gated(), on("n"))
	f.later()
	f.change("a", over)
	f.change("c", gated(), on("n"))
	f.later()
}

func TestTheThirdIsOne(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	for _, name := range []string{"a", "b", "c"} {
		f.change(name, in("q"), asks("cpu", "1"))
		f.change(name, gated())
	}
	f.later("capacity default/c Queue/q 3 cpu 2")
}

func TestWhatLastsLessThanAWriteIsNone(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	f.change("a", in("q"), asks("cpu", "2"))
	f.change("a", gated(), because("Unschedulable"))
	f.change("b", in("q"), asks("cpu", "2"))
	f.change("b", gated())
	f.now = f.now.Add(Grace / 2)
	f.change("a", because("QueueCapacity"))
	f.later()
}

func TestAtRestThereIsNoGrace(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	f.change("a", in("q"), asks("cpu", "3"))
	f.change("a", gated())
	f.AtRest()
	f.now = f.now.Add(Grace / 2)
	f.AtRest()
	f.change("a", over)
	f.later("capacity default/a 3 cpu 2")
}

func TestAShrinkingLimitTouchesNobodyAndLetsNobodyIn(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	for _, name := range []string{"a", "b", "c"} {
		f.change(name, in("q"), asks("cpu", "1"))
	}
	f.change("a", gated(), on("n"))
	f.change("b", gated(), on("n"))
	f.queue(`{kind: Queue, metadata: {name: q}, spec: {capability: {cpu: 1}}}`)
	f.later()
	f.change("a", over)
	f.change("c", gated())
	f.later("capacity default/c 2 cpu 1")
}

func TestAncestorsCountBeyondWhatIsKept(t *testing.T) {
	f := newFeed(t, Config{},
		`{kind: Queue, metadata: {name: all}, spec: {capability: {cpu: 4}}}`,
		`{kind: Queue, metadata: {name: kept},
			spec: {parent: all, guarantee: {resource: {cpu: 2}}}}`,
		`{kind: Queue, metadata: {name: other}, spec: {parent: all}}`)
	for _, name := range []string{"o1", "o2"} {
		f.change(name, in("other"), asks("cpu", "1"))
		f.change(name, gated())
	}
	for _, name := range []string{"k1", "k2"} {
		f.change(name, in("kept"), asks("cpu", "1"))
		f.change(name, gated())
	}
	f.later()
	f.change("o3", in("other"), asks("cpu", "1"))
	f.change("o3", gated())
	f.later("capacity default/o3 Queue/all 3 cpu 2")
}

func TestKueuesLimits(t *testing.T) {
	const group = `resourceGroups: [{coveredResources: [cpu], ` +
		`flavors: [{name: f, resources: [{name: cpu, `
	f := newFeed(t, Config{},
		`{kind: ClusterQueue, metadata: {name: a}, spec: {cohortName: c, `+group+
			`nominalQuota: 2, borrowingLimit: 1}]}]}]}}`,
		`{kind: ClusterQueue, metadata: {name: b}, spec: {cohortName: c, `+group+
			`nominalQuota: 3, lendingLimit: 1}]}]}]}}`,
		`{kind: LocalQueue, metadata: {name: a, namespace: default}, spec: {clusterQueue: a}}`,
		`{kind: LocalQueue, metadata: {name: b, namespace: default}, spec: {clusterQueue: b}}`)
	enter := func(name, queue string) {
		f.change(name, inLocal(queue), asks("cpu", "1"))
		f.change(name, gated(), on("n"))
	}
	enter("a1", "a")
	enter("a2", "a")
	enter("a3", "a")
	enter("b1", "b")
	enter("b2", "b")
	f.later()
	enter("b3", "b")
	f.later("capacity default/b3 Cohort/c 4 cpu 3")
	enter("a4", "a")
	f.later("b3", "capacity default/a4 ClusterQueue/a 4 cpu 3", "a4 Cohort/c")
	f.change("gpu", inLocal("a"), asks("example.com/gpu", "1"))
	f.change("gpu", gated(), on("n"))
	f.later("b3", "a4", "a4", "capacity default/gpu ClusterQueue/a example.com/gpu 0",
		"gpu Cohort/c")
}

func TestInheritedQueue(t *testing.T) {
	f := newFeed(t, Config{},
		`{kind: Queue, metadata: {name: small}, spec: {capability: {cpu: 1}}}`)
	controls := true
	of := func(kind string, uid types.UID) []metav1.OwnerReference {
		return []metav1.OwnerReference{{Kind: kind, UID: uid, Controller: &controls}}
	}
	f.Controller(&metav1.ObjectMeta{UID: "web", Annotations: map[string]string{queueName: "small"}})
	f.Controller(&metav1.ObjectMeta{UID: "set", OwnerReferences: of("Deployment", "web"),
		Annotations: map[string]string{queueName: "an-old-copy"}})
	heir := func(pod *corev1.Pod) {
		delete(pod.Annotations, queueName)
		pod.OwnerReferences = of("ReplicaSet", "set")
	}
	for _, name := range []string{"a", "b"} {
		f.change(name, heir, asks("cpu", "1"))
		f.change(name, gated(), on("n"))
	}
	f.later("capacity default/b Queue/small 2 cpu 1")
}

func TestExactSums(t *testing.T) {
	f := newFeed(t, Config{}, `{kind: Queue, metadata: {name: q}, spec: {capability: {cpu: 300m}}}`)
	for _, name := range []string{"a", "b", "c"} {
		f.change(name, in("q"), asks("cpu", "0.1"))
		f.change(name, gated())
	}
	f.later()
	f.change("d", in("q"), asks("cpu", "1m"))
	f.change("d", gated())
	f.later("capacity default/d 301/1000 3/10")
}

func TestTheRoot(t *testing.T) {
	f := newFeed(t, Config{Root: map[string]string{"cpu": "1"}})
	for _, name := range []string{"a", "b"} {
		f.change(name, asks("cpu", "1"))
		f.change(name, gated())
	}
	f.later("capacity default/b Queue/root 2 cpu 1")

	f = newFeed(t, Config{RootCluster: true})
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	node.Status.Allocatable = corev1.ResourceList{
		"cpu": resource.MustParse("1"), "pods": resource.MustParse("9"),
	}
	f.Node(node, false)
	for _, name := range []string{"a", "b"} {
		f.change(name, asks("cpu", "1"))
		f.change(name, gated())
	}
	f.later("capacity default/b Queue/root 2 cpu 1")
}

func TestWhoNeedNotWait(t *testing.T) {
	free := func(pod *corev1.Pod) { delete(pod.Annotations, ourGates[0]) }
	for _, all := range []bool{false, true} {
		f := newFeed(t, Config{ManageAll: all}, smallQueue)
		f.change("free", in("q"), asks("cpu", "3"), free, gated())
		f.change("free", on("n"))
		if all {
			f.later("capacity default/free 3 cpu 2")
		} else {
			f.later()
		}
	}
}

func TestWhoLeavesTheQueues(t *testing.T) {
	leaves := func(pod *corev1.Pod) { delete(pod.Annotations, ourGates[0]) }
	stamped := func(pod *corev1.Pod) { pod.Annotations[grantStamp] = "1" }
	for _, each := range []struct {
		how  []func(*corev1.Pod)
		want []string
	}{
		{[]func(*corev1.Pod){leaves}, nil},
		{[]func(*corev1.Pod){leaves, stamped}, []string{"capacity default/late 3 cpu 2"}},
		{nil, []string{"capacity default/late 3 cpu 2"}},
	} {
		f := newFeed(t, Config{}, smallQueue)
		f.change("late", in("q"), asks("cpu", "3"))
		f.change("late", append(each.how, gated())...)
		f.change("late", on("n"))
		f.later(each.want...)
	}
}

func TestWhoWaitsIsNotUnschedulable(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	f.change("a", in("q"), because("Unschedulable"))
	f.now = f.now.Add(Grace / 2)
	f.change("a", because("QueueCapacity"))
	f.later()
	f.change("a", because("Unschedulable"))
	f.later("condition default/a")

	f = newFeed(t, Config{}, smallQueue)
	f.change("a", gated(), because("Unschedulable"))
	f.later()
	f.Waits("uid-of-a", true)
	f.later("condition default/a")
}

func TestWhoWaitsHasNoPlace(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	for _, name := range []string{"a", "b"} {
		f.change(name, in("q"), asks("cpu", "2"))
		f.change(name, gated())
	}
	f.Waits("uid-of-a", true)
	f.later()
	f.change("a", on("n"))
	f.later("capacity default/a 4 cpu 2")
}

func TestWhoCannotWriteIsExcused(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	f.Excuse(true)
	f.change("a", in("q"), because("Unschedulable"))
	f.later()
	f.Excuse(false)
	f.change("a", because("QueueCapacity"))
	f.later()
}

func TestAGateIsRemovedOnce(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	f.change("a", in("q"))
	pod := f.change("a", gated())
	f.Write(pod.UID, pod.ResourceVersion, "default/a", true)
	f.Write(pod.UID, pod.ResourceVersion, "default/a", true)
	f.later()
	f.Write(pod.UID, "another", "default/a", true)
	f.later("twice default/a 2 times")
	f.change("a", gated(ourGates[0]))
	f.later("twice", "twice default/a again")
}

func TestForeignGatesAreNotTouched(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue)
	f.change("a", gated("example.com/a", ourGates[0]))
	f.change("b", gated("example.com/a", ourGates[0]))
	user := f.change("a", gated(ourGates[0]))
	f.later()
	bad := f.change("b", gated())
	f.Write(bad.UID, bad.ResourceVersion, "default/b", true)
	f.later("foreign default/b example.com/a")
	f.Write(user.UID, "another", "default/a", false)
	f.later("foreign")
}

func TestMovesAreNoGrants(t *testing.T) {
	f := newFeed(t, Config{}, smallQueue,
		`{kind: Queue, metadata: {name: full}, spec: {capability: {cpu: 1m}}}`)
	f.change("a", in("q"), asks("cpu", "1"))
	f.change("a", gated(), because("Unschedulable"))
	f.change("a", in("full"))
	f.later()
	f.change("a", on("n"))
	f.later("capacity default/a Queue/full")
}
