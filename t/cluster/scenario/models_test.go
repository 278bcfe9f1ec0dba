// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/cluster/faults"
)

func TestTimersGoByMomentThenByOrder(t *testing.T) {
	var all timers
	var got []string
	add := func(at time.Duration, name string) {
		all.at(at, func() error { got = append(got, name); return nil })
	}
	add(2*time.Second, "c")
	add(time.Second, "a")
	add(2*time.Second, "d")
	add(time.Second, "b")
	add(3*time.Second, "late")
	for {
		run, ok := all.take(2 * time.Second)
		if !ok {
			break
		}
		if err := run(); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("they went %v, want %v", got, want)
	}
	if next, ok := all.next(); !ok || next != 3*time.Second {
		t.Errorf("the next is at %v (%t), want 3s", next, ok)
	}
}

func TestWantedAndSeen(t *testing.T) {
	for _, each := range []struct {
		wanted, seen string
		like         bool
	}{
		{"*", "", true}, {"*", "x", true}, {"!x", "y", true}, {"!x", "x", false}, {"", "", true},
		{"", "x", false}, {"x", "x", true}, {"x", "y", false},
	} {
		if isLike(each.wanted, each.seen) != each.like {
			t.Errorf("%q is like %q: want %t", each.seen, each.wanted, each.like)
		}
	}
	for _, each := range []struct {
		wanted, name, seen string
		like               bool
	}{
		{"1", "cpu", "1000", true}, {"1000m", "cpu", "1000", true}, {"0.1", "cpu", "100", true},
		{"1", "memory", "1", true}, {"16Gi", "memory", "17179869184", true}, {"1k", "x/y", "1000", true},
		{"1", "cpu", "1", false}, {"!1", "cpu", "1000", false}, {"!1", "cpu", "2000", true},
		{"many", "cpu", "0", false}, {"*", "cpu", "5", true},
	} {
		if isLikeAmount(each.wanted, each.name, each.seen) != each.like {
			t.Errorf("%s %s is like %s: want %t", each.seen, each.name, each.wanted, each.like)
		}
	}
	if got := showAmount("1500", "cpu"); got != "1500m" {
		t.Errorf("1500 of cpu is shown as %s", got)
	}
}

func TestSumsOverFlavors(t *testing.T) {
	row := func(flavor, name string, usage string) any {
		return map[string]any{"flavor": flavor, "resource": name, "usage": json.Number(usage)}
	}
	queue := answer{"quota": []any{
		row("a", "cpu", "1"), row("b", "cpu", "2"), row("a", "memory", "4"),
	}}
	for inner, want := range map[string]int64{
		"cpu": 3, "a:cpu": 1, "b:cpu": 2, "memory": 4, "c:cpu": 0,
	} {
		if got := sumOf(queue, "usage", inner); got != want {
			t.Errorf("%s: %d, want %d", inner, got, want)
		}
	}
}

func podAsking(cpu string) *corev1.Pod {
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu)},
		},
	}}}}
}

func TestFit(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"pool": "spot"}}}
	node.Status.Allocatable = corev1.ResourceList{
		"cpu": resource.MustParse("2"), "pods": resource.MustParse("2"),
	}
	for name, each := range map[string]struct {
		fits bool
		how  func(*place, *corev1.Pod)
	}{
		"it has room": {true, func(*place, *corev1.Pod) {}},
		"too large":   {false, func(_ *place, pod *corev1.Pod) { *pod = *podAsking("2001m") }},
		"full":        {false, func(p *place, _ *corev1.Pod) { p.put(podAsking("1500m")) }},
		"full of pods": {false, func(p *place, _ *corev1.Pod) {
			p.put(podAsking("0"))
			p.put(podAsking("0"))
		}},
		"label": {true, func(_ *place, pod *corev1.Pod) {
			pod.Spec.NodeSelector = map[string]string{"pool": "spot"}
		}},
		"other label": {false, func(_ *place, pod *corev1.Pod) {
			pod.Spec.NodeSelector = map[string]string{"pool": "x"}
		}},
		"no such label": {false, func(_ *place, pod *corev1.Pod) {
			pod.Spec.NodeSelector = map[string]string{"zone": ""}
		}},
		"cordoned": {false, func(p *place, _ *corev1.Pod) { p.node.Spec.Unschedulable = true }},
		"taint": {false, func(p *place, _ *corev1.Pod) {
			p.node.Spec.Taints = []corev1.Taint{{Key: "k", Effect: "NoSchedule"}}
		}},
		"taint as a wish": {true, func(p *place, _ *corev1.Pod) {
			p.node.Spec.Taints = []corev1.Taint{{Key: "k", Effect: "PreferNoSchedule"}}
		}},
		"tolerated taint": {true, func(p *place, pod *corev1.Pod) {
			p.node.Spec.Taints = []corev1.Taint{{Key: "k", Value: "v", Effect: "NoSchedule"}}
			pod.Spec.Tolerations = []corev1.Toleration{{Key: "k", Value: "v"}}
		}},
		"taint of another value": {false, func(p *place, pod *corev1.Pod) {
			p.node.Spec.Taints = []corev1.Taint{{Key: "k", Value: "v", Effect: "NoSchedule"}}
			pod.Spec.Tolerations = []corev1.Toleration{{Key: "k", Value: "w"}}
		}},
	} {
		p, pod := &place{node: node.DeepCopy()}, podAsking("1")
		if each.how(p, pod); p.fits(pod) != each.fits {
			t.Errorf("%s: fits is %t", name, !each.fits)
		}
	}
}

func TestWhoWantsANode(t *testing.T) {
	unschedulable := func() *corev1.Pod {
		pod := podAsking("1")
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
		}}
		return pod
	}
	now := metav1.Now()
	for name, each := range map[string]struct {
		wants bool
		how   func(*corev1.Pod)
	}{
		"Unschedulable": {true, func(*corev1.Pod) {}},
		"another reason": {false, func(pod *corev1.Pod) {
			pod.Status.Conditions[0].Reason = "QueueCapacity"
		}},
		"true by now":     {false, func(pod *corev1.Pod) { pod.Status.Conditions[0].Status = "True" }},
		"bound":           {false, func(pod *corev1.Pod) { pod.Spec.NodeName = "n" }},
		"nominated":       {false, func(pod *corev1.Pod) { pod.Status.NominatedNodeName = "n" }},
		"over":            {false, func(pod *corev1.Pod) { pod.Status.Phase = "Failed" }},
		"about to vanish": {false, func(pod *corev1.Pod) { pod.DeletionTimestamp = &now }},
	} {
		pod := unschedulable()
		if each.how(pod); wantsNode(pod) != each.wants {
			t.Errorf("%s: wants is %t", name, !each.wants)
		}
	}
}

func TestWhoseWriteItIs(t *testing.T) {
	for _, each := range []struct {
		request faults.Request
		ours    bool
	}{
		{faults.Request{Verb: "patch", Resource: "pods", Body: []byte(`[{"op":"test"}]`)}, true},
		{faults.Request{Verb: "patch", Resource: "pods", Subresource: "status",
			Body: []byte(`{"status":{"conditions":[{"reason":"QueueCapacity"}]}}`)}, true},
		{faults.Request{Verb: "patch", Resource: "pods", Subresource: "status",
			Body: []byte(`{"status":{"conditions":[{"reason":"Unschedulable"}]}}`)}, false},
		{faults.Request{Verb: "patch", Resource: "pods", Subresource: "status",
			Body: []byte(`{"status":{"conditions":[{"reason":"SchedulerError"}]}}`)}, false},
		{faults.Request{Verb: "create", Resource: "pods", Subresource: "binding"}, false},
		{faults.Request{Verb: "get", Resource: "pods"}, false},
		{faults.Request{Verb: "update", Resource: "leases"}, false},
	} {
		if isOurPatch(&each.request) != each.ours {
			t.Errorf("%s %s %s is ours: want %t", each.request.Verb, each.request.Subresource,
				each.request.Body, each.ours)
		}
	}
}

// A pod that takes nobody's room in the API server does not do so in the engine either.
func TestWhoseRoomAPodTakes(t *testing.T) {
	for _, each := range []struct {
		spec   object
		evicts bool
		policy string
	}{
		{object{"priority": int64(9)}, true, "PreemptLowerPriority"},
		{object{"priority": int64(9)}, false, "Never"},
		{object{"priority": int64(9), "preemptionPolicy": "Never"}, true, "Never"},
		{object{"preemptionPolicy": "Never"}, true, "Never"},
		{object{}, true, ""},
	} {
		spec := maps.Clone(each.spec)
		policy := ""
		queue := &unstructured.Unstructured{Object: object{"spec": spec}}
		for _, class := range split(queue, each.evicts) {
			policy, _, _ = unstructured.NestedString(class.Object, "preemptionPolicy")
			if spec["priorityClassName"] != class.GetName() || spec["preemptionPolicy"] != nil {
				t.Errorf("%v: the pod says %v, and does not name %s alone", each.spec, spec, class.GetName())
			}
		}
		if policy != each.policy {
			t.Errorf("%v, evicts %t: got %q, want %q", each.spec, each.evicts, policy, each.policy)
		}
	}
}

func TestConfigurationOfTheScheduler(t *testing.T) {
	documents, err := Parse("story.yaml", []byte(storyWith(
		"  config: {manage: all, headGuard: 1m, schedulers: [mine, yours]}\n  steps: [{leader: false}]")))
	if err != nil {
		t.Fatal(err)
	}
	story, err := New(documents)
	if err != nil {
		t.Fatal(err)
	}
	for removal, disabled := range map[string]bool{"onBind": true, "onAdmission": false} {
		story.Removal = removal
		text, err := schedulerConfig(story, "/lib/sluice.so", "/kubeconfig", 9443)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"removal: " + removal, "manage: all", "headGuard: 1m", "library: /lib/sluice.so",
			"leaderElect: true", "schedulerName: mine", "schedulerName: yours",
			"contentType: application/json", "port: 9443",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q in\n%s", removal, want, text)
			}
		}
		if strings.Contains(string(text), "SchedulingGates") != disabled {
			t.Errorf("%s: SchedulingGates is disabled: want %t", removal, disabled)
		}
		if strings.Contains(string(text), "schedulers:") {
			t.Errorf("%s: the names of the profiles are given to the plugin", removal)
		}
	}
	if config := checkerConfig(story); !config.ManageAll || !slices.Equal(config.Schedulers,
		[]string{"mine", "yours"}) {
		t.Errorf("the checker is told %+v", config)
	}
}
