// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/sluice"
)

var created = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

func quantity(text string) *resource.Quantity {
	read := resource.MustParse(text)
	return &read
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// wrong checks that the error names the field and the value.
func wrong(t *testing.T, err error, want Error) {
	t.Helper()
	var got *Error
	if !errors.As(err, &got) {
		t.Errorf("got %v, want that %s is %q", err, want.Field, want.Value)
		return
	}
	want.Want = got.Want
	if *got != want || got.Want == "" {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestQueue(t *testing.T) {
	yes, no := true, false
	queue := &volcano.Queue{
		ObjectMeta: metav1.ObjectMeta{Name: "science", CreationTimestamp: created},
		Spec: volcano.QueueSpec{Parent: "lab", Priority: 5, DequeueStrategy: "fifo", Reclaimable: &no,
			Capability: list("memory", "64Gi", "cpu", "8"), Deserved: list("cpu", "4"),
			Guarantee: volcano.Guarantee{Resource: list("cpu", "500m")}},
		Status: volcano.QueueStatus{State: "Suspended"}}
	var got sluice.Queue
	if err := Queue(queue, &got); err != nil {
		t.Fatal(err)
	}
	same(t, got, sluice.Queue{Kind: "Queue", Name: "science", Parent: "lab",
		Created: created.UnixNano(), Strategy: "fifo", Priority: 5, State: "Suspended",
		NotReclaimable: true,
		Capability:     []sluice.Amount{{Name: "cpu", Value: 8000}, {Name: "memory", Value: 64 << 30}},
		Deserved:       []sluice.Amount{{Name: "cpu", Value: 4000}},
		Guarantee:      []sluice.Amount{{Name: "cpu", Value: 500}}})

	type spec = volcano.QueueSpec
	before := got
	for field, change := range map[string]func(*spec){
		"spec.capability[memory]":      func(s *spec) { s.Capability = list("memory", "-1") },
		"spec.deserved[cpu]":           func(s *spec) { s.Deserved = list("cpu", "-1") },
		"spec.guarantee.resource[cpu]": func(s *spec) { s.Guarantee.Resource = list("cpu", "-1") },
	} {
		bad := queue.DeepCopy()
		change(&bad.Spec)
		wrong(t, Queue(bad, &got), Error{Object: "Queue/science", Field: field, Value: "-1"})
	}
	same(t, got, before)

	for _, reclaimable := range []*bool{nil, &yes} {
		var got sluice.Queue
		queue := &volcano.Queue{Spec: volcano.QueueSpec{Reclaimable: reclaimable}}
		if err := Queue(queue, &got); err != nil || got.NotReclaimable || got.Created != 0 {
			t.Errorf("a queue that says nothing is %+v (%v)", got, err)
		}
	}
}

func groupsOf(nominal, borrowing, lending string) []kueue.ResourceGroup {
	return []kueue.ResourceGroup{
		{CoveredResources: []v1.ResourceName{"cpu", "memory"}, Flavors: []kueue.FlavorQuotas{
			{Name: "spot", Resources: []kueue.ResourceQuota{
				{Name: "cpu", NominalQuota: *quantity(nominal), BorrowingLimit: quantity(borrowing),
					LendingLimit: quantity(lending)},
				{Name: "memory", NominalQuota: *quantity("1Gi")}}}}},
	}
}

func TestClusterQueueAndCohort(t *testing.T) {
	borrowing, lending := int64(2000), int64(500)
	groups := []sluice.ResourceGroup{{Resources: []string{"cpu", "memory"},
		Flavors: []sluice.FlavorQuotas{{Name: "spot", Quotas: []sluice.Quota{
			{Resource: "cpu", Nominal: 1000, Borrowing: &borrowing, Lending: &lending},
			{Resource: "memory", Nominal: 1 << 30}}}}}}
	hold := kueue.Hold
	meta := metav1.ObjectMeta{Name: "science", CreationTimestamp: created}

	var got sluice.Queue
	queue := &kueue.ClusterQueue{ObjectMeta: meta, Spec: kueue.ClusterQueueSpec{
		CohortName: "lab", QueueingStrategy: kueue.StrictFIFO, StopPolicy: &hold,
		FlavorFungibility: &kueue.FlavorFungibility{WhenCanBorrow: kueue.TryNextFlavor},
		ResourceGroups:    groupsOf("1", "2", "500m")}}
	if err := ClusterQueue(queue, &got); err != nil {
		t.Fatal(err)
	}
	same(t, got, sluice.Queue{Kind: "ClusterQueue", Name: "science", Parent: "lab",
		Created: created.UnixNano(), Strategy: "StrictFIFO", StopPolicy: "Hold",
		WhenCanBorrow: "TryNextFlavor", Groups: groups})

	cohort := &kueue.Cohort{ObjectMeta: meta, Spec: kueue.CohortSpec{ParentName: "lab",
		ResourceGroups: groupsOf("1", "2", "500m")}}
	if err := Cohort(cohort, &got); err != nil {
		t.Fatal(err)
	}
	same(t, got, sluice.Queue{Kind: "Cohort", Name: "science", Parent: "lab",
		Created: created.UnixNano(), Groups: groups})

	before := got
	for field, bad := range map[string][]kueue.ResourceGroup{
		"nominalQuota":   groupsOf("-1", "2", "1"),
		"borrowingLimit": groupsOf("1", "-1", "1"),
		"lendingLimit":   groupsOf("1", "2", "-1"),
	} {
		at := "spec.resourceGroups[0].flavors[0].resources[0]." + field
		queue.Spec.ResourceGroups, cohort.Spec.ResourceGroups = bad, bad
		wrong(t, ClusterQueue(queue, &got), Error{"ClusterQueue/science", at, "-1", ""})
		wrong(t, Cohort(cohort, &got), Error{"Cohort/science", at, "-1", ""})
	}
	same(t, got, before)
}

func TestNodeAndFlavor(t *testing.T) {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n-1",
		Labels: map[string]string{"zone": "b", "arch": "a"}}, Spec: v1.NodeSpec{Unschedulable: true},
		Status: v1.NodeStatus{Allocatable: list("cpu", "3920m", "pods", "110")}}
	var gotNode sluice.Node
	Node(node, &gotNode)
	same(t, gotNode, sluice.Node{Name: "n-1", Labels: [][2]string{{"arch", "a"}, {"zone", "b"}},
		Allocatable: []sluice.Amount{{Name: "cpu", Value: 3920}, {Name: "pods", Value: 110}}})

	seconds := int64(30)
	flavor := &kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: "spot"},
		Spec: kueue.ResourceFlavorSpec{NodeLabels: map[string]string{"type": "spot"},
			NodeTaints: []v1.Taint{{Key: "spot"}},
			Tolerations: []v1.Toleration{{Key: "spot", Operator: "Exists", Effect: "NoExecute",
				TolerationSeconds: &seconds}, {Key: "x", Value: "y"}}}}
	var gotFlavor sluice.Flavor
	Flavor(flavor, &gotFlavor)
	same(t, gotFlavor, sluice.Flavor{Name: "spot", NodeLabels: [][2]string{{"type", "spot"}},
		Taints: []sluice.Taint{{Key: "spot"}},
		Tolerations: []sluice.Toleration{{Key: "spot", Operator: "Exists", Effect: "NoExecute",
			Seconds: &seconds}, {Key: "x", Value: "y"}}})
}

func TestRead(t *testing.T) {
	read := func(text string, into any) error {
		t.Helper()
		object := map[string]any{}
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		return Read(&unstructured.Unstructured{Object: object}, into)
	}
	var queue volcano.Queue
	if err := read(`{"kind": "Queue", "metadata": {"name": "q"}, "spec": {"capability":
		{"cpu": 2, "memory": "1Gi", "example.com/gpu": null}}}`, &queue); err != nil {
		t.Fatal(err)
	}
	if cpu := queue.Spec.Capability.Cpu().Value(); cpu != 2 || queue.Name != "q" {
		t.Errorf("the queue is read as %+v", queue)
	}
	wrong(t, read(`{"kind": "Queue", "metadata": {"name": "q"}, "spec": {"guarantee":
		{"resource": {"cpu": "lots"}}}}`, &queue),
		Error{Object: "Queue/q", Field: "spec.guarantee.resource[cpu]", Value: "lots"})
	wrong(t, read(`{"kind": "Queue", "metadata": {"name": "q"}, "spec": {"deserved":
		{"cpu": true}}}`, &queue), Error{Object: "Queue/q", Field: "spec.deserved[cpu]", Value: "true"})
	for _, kind := range []string{"ClusterQueue", "Cohort"} {
		wrong(t, read(`{"kind": "`+kind+`", "metadata": {"name": "c"}, "spec": {"resourceGroups": [
			{"flavors": [{}, {"resources": [{"nominalQuota": "1", "lendingLimit": "1 Gi"}]}]}]}}`,
			&kueue.ClusterQueue{}), Error{Object: kind + "/c", Value: "1 Gi",
			Field: "spec.resourceGroups[0].flavors[1].resources[0].lendingLimit"})
	}
	err := read(`{"kind": "Queue", "metadata": {"name": "q"}, "spec": {"capability": "all"}}`, &queue)
	if err == nil {
		t.Error("a capability that is text is read")
	}
}

func TestQuotaOfDimensionsOfDevicesIsNamed(t *testing.T) {
	for name, want := range map[string]string{
		"cpu": "", "nvidia.com/gpu": "", "example.com/deviceclass": "",
		"deviceclass/gpu.nvidia.com":      "",
		"cores.deviceclass/hami-core-gpu": "[cores.deviceclass/hami-core-gpu]",
	} {
		var queue volcano.Queue
		queue.Spec.Capability = list(name, "4")
		said := DeviceQuota(&queue)
		queue.Spec.Capability, queue.Spec.Guarantee.Resource = nil, list(name, "4")
		kept := DeviceQuota(&queue)
		if (want == "") != (said == "") || !strings.HasPrefix(said, "spec.capability"+want) &&
			want != "" || (kept == "") != (want == "") {
			t.Errorf("%s: %q, %q", name, said, kept)
		}
	}
}
