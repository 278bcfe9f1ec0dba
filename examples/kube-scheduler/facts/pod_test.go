// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"reflect"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"sluice/kube-scheduler/sluice"
)

func list(amounts ...string) v1.ResourceList {
	read := v1.ResourceList{}
	for i := 0; i < len(amounts); i += 2 {
		read[v1.ResourceName(amounts[i])] = resource.MustParse(amounts[i+1])
	}
	return read
}

func container(name string, amounts ...string) v1.Container {
	return v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: list(amounts...)}}
}

func sidecar(name string, amounts ...string) v1.Container {
	always := v1.ContainerRestartPolicyAlways
	c := container(name, amounts...)
	c.RestartPolicy = &always
	return c
}

func TestPod(t *testing.T) {
	yes, no, priority := true, false, int32(-7)
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	deleted := metav1.NewTime(created.Add(time.Hour))
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "u-1", Namespace: "team", Name: "worker",
			CreationTimestamp: metav1.NewTime(created), Generation: 3, ResourceVersion: "812",
			DeletionTimestamp: &deleted,
			Annotations: map[string]string{GateShort: "true", QueueName: "q", "other": "long",
				Granted: "17", Flavors: "cpu=spot", GroupName: "g", GroupMinMember: "3",
				v1.MirrorPodAnnotationKey: "", "kueue.x-k8s.io/workload": "w\xff"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Controller: &no},
				{Kind: "DaemonSet", Controller: &yes}, {Kind: "Other"}}},
		Spec: v1.PodSpec{SchedulerName: "sluice", Priority: &priority, NodeName: "n-1",
			SchedulingGroup: &v1.PodSchedulingGroup{PodGroupName: new("native")},
			SchedulingGates: []v1.PodSchedulingGate{{Name: GateShort}, {Name: "example.com/wait"}},
			Containers:      []v1.Container{container("main", "cpu", "1500m", "memory", "1Gi")}},
		Status: v1.PodStatus{Phase: v1.PodRunning, NominatedNodeName: "n-2",
			Conditions: []v1.PodCondition{{Type: v1.PodReady},
				{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: "Unschedulable"}}},
	}
	want := sluice.Pod{UID: "u-1", Namespace: "team", Name: "worker", Created: created.UnixNano(),
		Priority: -7, Generation: 3, ResourceVersion: 812, Scheduler: "sluice",
		Gates: []string{GateShort, "example.com/wait"},
		Annotations: [][2]string{{GateShort, "true"}, {QueueName, "q"}, {GroupName, "g"},
			{GroupMinMember, "3"}, {Granted, "17"}, {Flavors, "cpu=spot"},
			{"kueue.x-k8s.io/workload", "w\uFFFD"}},
		NamespaceQueue: "of-the-namespace",
		Requests:       []sluice.Amount{{Name: "cpu", Value: 1500}, {Name: "memory", Value: 1 << 30}},
		Node:           "n-1", Nominated: "n-2", Phase: "Running", Deleted: true, Unschedulable: true,
		Owner: "DaemonSet", SchedulingGroup: "native"}
	var got sluice.Pod
	Pod(pod, "of-the-namespace", &got)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}

	// A poorer pod over a richer one: nothing of the first is left, and its slices serve again.
	gate, annotation, request := &got.Gates[0], &got.Annotations[0], &got.Requests[0]
	Pod(&v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u-2",
		Annotations: map[string]string{QueueName: "r"}},
		Spec: v1.PodSpec{SchedulingGates: []v1.PodSchedulingGate{{Name: GateLong}},
			Containers: []v1.Container{container("main", "cpu", "1")}}}, "", &got)
	want = sluice.Pod{UID: "u-2", Gates: []string{GateLong},
		Annotations: [][2]string{{QueueName, "r"}},
		Requests:    []sluice.Amount{{Name: "cpu", Value: 1000}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if gate != &got.Gates[0] || annotation != &got.Annotations[0] || request != &got.Requests[0] {
		t.Error("the slices were not used again")
	}
}

func TestUnschedulable(t *testing.T) {
	for _, c := range []struct {
		kind   v1.PodConditionType
		status v1.ConditionStatus
		reason string
		want   bool
	}{
		{v1.PodScheduled, v1.ConditionFalse, "Unschedulable", true},
		{v1.PodScheduled, v1.ConditionFalse, "SchedulingGated", false},
		{v1.PodScheduled, v1.ConditionTrue, "Unschedulable", false},
		{v1.PodReady, v1.ConditionFalse, "Unschedulable", false},
	} {
		var got sluice.Pod
		Pod(&v1.Pod{Status: v1.PodStatus{Conditions: []v1.PodCondition{
			{Type: c.kind, Status: c.status, Reason: c.reason}}}}, "", &got)
		if got.Unschedulable != c.want {
			t.Errorf("%+v: got %v", c, got.Unschedulable)
		}
	}
}

func TestVersion(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "0": 0, "7": 7, "9223372036854775807": 1<<63 - 1,
		"9223372036854775808": 0, "-3": 0, "opaque": 0} {
		if got := Version(text); got != want {
			t.Errorf("%q is version %d, want %d", text, got, want)
		}
	}
}

func TestInClusterQueue(t *testing.T) {
	for _, c := range []struct {
		name, namespace, clusterQueue string
		annotations                   map[string]string
		want                          [][2]string
	}{
		{"named", "team", "science", nil, [][2]string{{QueueName, "science"}}},
		{"instead of Volcano's", "team", "science", map[string]string{QueueName: "q", GateLong: "true"},
			[][2]string{{GateLong, "true"}, {QueueName, "science"}}},
		{"no such LocalQueue", "team", "", nil, [][2]string{{QueueName, "localqueue/team/local"}}},
		{"nor in default", "default", "", nil, [][2]string{{QueueName, "localqueue/local"}}},
	} {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Annotations: c.annotations,
			Labels: map[string]string{LocalQueueLabel: "local"}}}
		var got sluice.Pod
		Pod(pod, "of-the-namespace", &got)
		InClusterQueue(&got, LocalQueue(pod), c.clusterQueue)
		if got.QueueKind != sluice.KindClusterQueue || got.NamespaceQueue != "" ||
			!slices.Equal(got.Annotations, c.want) {
			t.Errorf("%s: got %+v, want the annotations %v", c.name, got, c.want)
		}
		if pod.Annotations[QueueName] != c.annotations[QueueName] {
			t.Errorf("%s: the pod itself has changed", c.name)
		}
	}
	if name := LocalQueue(&v1.Pod{}); name != "" {
		t.Errorf("a pod without labels names the LocalQueue %q", name)
	}
}

// TestRequests has the cases of the simulator's own test of effective requests, and those of a pod
// that runs. Each is compared with what the scheduler itself counts.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		pod  v1.Pod
		want map[string]int64
	}{
		{"nothing", v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{container("a")}}},
			map[string]int64{}},
		{"the sum of the containers", v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{
			container("a", "cpu", "500m", "memory", "1Gi"), container("b", "cpu", "1")}}},
			map[string]int64{"cpu": 1500, "memory": 1 << 30}},
		{"an init container that needs more", v1.Pod{Spec: v1.PodSpec{
			InitContainers: []v1.Container{container("i", "cpu", "3")},
			Containers:     []v1.Container{container("a", "cpu", "1", "memory", "1")}}},
			map[string]int64{"cpu": 3000, "memory": 1}},
		{"a sidecar with both", v1.Pod{Spec: v1.PodSpec{
			InitContainers: []v1.Container{sidecar("s", "cpu", "1"), container("i", "cpu", "2")},
			Containers:     []v1.Container{container("a", "cpu", "1500m")}}},
			map[string]int64{"cpu": 3000}},
		{"overhead", v1.Pod{Spec: v1.PodSpec{Overhead: list("cpu", "250m", "memory", "64Mi"),
			Containers: []v1.Container{container("a", "cpu", "1")}}},
			map[string]int64{"cpu": 1250, "memory": 64 << 20}},
		{"the pod as a whole", v1.Pod{Spec: v1.PodSpec{
			Resources:  &v1.ResourceRequirements{Requests: list("cpu", "4")},
			Containers: []v1.Container{container("a", "cpu", "1", "memory", "1Gi")}}},
			map[string]int64{"cpu": 4000, "memory": 1 << 30}},
		{"a resize that the node has yet to follow", v1.Pod{
			Spec: v1.PodSpec{Containers: []v1.Container{container("a", "cpu", "1")}},
			Status: v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{Name: "a",
				Resources:          &v1.ResourceRequirements{Requests: list("cpu", "3")},
				AllocatedResources: list("cpu", "2")}}}},
			map[string]int64{"cpu": 3000}},
		{"a resize of the whole pod", v1.Pod{
			Spec: v1.PodSpec{Resources: &v1.ResourceRequirements{Requests: list("cpu", "1")},
				Containers: []v1.Container{container("a", "cpu", "500m")}},
			Status: v1.PodStatus{Resources: &v1.ResourceRequirements{Requests: list("cpu", "5")}}},
			map[string]int64{"cpu": 5000}},
		{"fractions are rounded up", v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{
			container("a", "cpu", "0.1234", "memory", "1500m", "example.com/gpu", "1")}}},
			map[string]int64{"cpu": 124, "memory": 2, "example.com/gpu": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got sluice.Pod
			Pod(&c.pod, "", &got)
			seen := map[string]int64{}
			for _, amount := range got.Requests {
				seen[amount.Name] = amount.Value
			}
			if !reflect.DeepEqual(seen, c.want) || len(got.Requests) != len(c.want) {
				t.Errorf("got %v, want %v", got.Requests, c.want)
			}
			info, err := framework.NewPodInfo(&c.pod)
			if err != nil {
				t.Fatal(err)
			}
			counted := info.CalculateResource().Resource
			if counted.GetMilliCPU() != seen["cpu"] || counted.GetMemory() != seen["memory"] {
				t.Errorf("the scheduler counts %d and %d, this %v", counted.GetMilliCPU(),
					counted.GetMemory(), seen)
			}
		})
	}
}

func TestAmount(t *testing.T) {
	const most = 1 << 62
	for _, c := range []struct {
		name, quantity string
		want           int64
	}{
		{"cpu", "1", 1000}, {"cpu", "1m", 1}, {"cpu", "1u", 1}, {"cpu", "0", 0},
		{"memory", "1u", 1}, {"memory", "16Gi", 16 << 30}, {"memory", "1e3", 1000},
		{"memory", "4611686018427387903", most - 1}, {"memory", "4611686018427387904", most},
		{"memory", "9223372036854775807", most}, {"memory", "8Ei", most}, {"memory", "100E", most},
		{"cpu", "4611686018427387.903", most - 1}, {"cpu", "4611686018427387904m", most},
		{"cpu", "10E", most}, {"cpu", "9223372036854775807", most},
		{"memory", "1E", 1_000_000_000_000_000_000}, {"cpu", "1P", 1_000_000_000_000_000_000},
		{"cpu", "-1", -1000}, {"cpu", "-100E", -1},
	} {
		if got := amount(c.name, resource.MustParse(c.quantity)); got != c.want {
			t.Errorf("%s of %s is %d, want %d", c.quantity, c.name, got, c.want)
		}
	}
}

func BenchmarkPod(b *testing.B) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u-1", Namespace: "team", Name: "worker",
		ResourceVersion: "812", Annotations: map[string]string{GateLong: "true", QueueName: "q"}},
		Spec: v1.PodSpec{SchedulingGates: []v1.PodSchedulingGate{{Name: GateLong}},
			Containers: []v1.Container{container("main", "cpu", "1500m", "memory", "1Gi")}}}
	var into sluice.Pod
	b.ReportAllocs()
	for b.Loop() {
		Pod(pod, "", &into)
	}
}
