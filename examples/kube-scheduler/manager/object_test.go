// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"sluice/kube-scheduler/sluice"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return o
}

func aWorkload(t *testing.T, text string) *workload {
	t.Helper()
	w, err := readWorkload(object(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

const full = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata:
  {namespace: ns, name: w, uid: u, resourceVersion: "7", labels: {a: b, kueue.x-k8s.io/job-uid: j},
  annotations: {sluice.sh/preemption-memory: v1 0, other: kept,
  sluice.sh/single-cluster-preemption-timeout: 10m},
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: ju, controller: true}]}
spec: {active: true, preemptionGates: [{name: mine}], podSets: [{name: main, count: 1, future: 1}]}
status:
  conditions:
  - {type: QuotaReserved, status: "True"}
  - {type: PodsReady, status: "True"}
  admissionChecks:
  - {name: other, state: Ready}
  - {name: fleet, state: Pending}
  nominatedClusterNames: [east, west]
`

func TestAWorkloadAsTheEngineSeesIt(t *testing.T) {
	w := aWorkload(t, full)
	want := &sluice.Workload{UID: "u", Namespace: "ns", Name: "w", ResourceVersion: 7,
		Conditions: [][2]string{{"QuotaReserved", "True"}}, ChecksReady: true,
		Nominated: []string{"east", "west"}, Gates: []string{"mine"},
		Annotations: [][2]string{{"sluice.sh/preemption-memory", "v1 0"},
			{"sluice.sh/single-cluster-preemption-timeout", "10m"}}}
	same(t, w.managed("fleet"), want)
	if w.managed("").ChecksReady {
		t.Error("it is ready by a check that is not known")
	}
	if w.managed("other").ChecksReady {
		t.Error("it is ready while another check is pending")
	}
	w.check("fleet").State = "Rejected"
	if !w.managed("fleet").Inactive || w.managed("other").Inactive {
		t.Error("a workload is inactive exactly if our check has rejected it")
	}
	if w.job() != "j" || w.over() {
		t.Errorf("it stands for %q, over: %v", w.job(), w.over())
	}
	same(t, aWorkload(t, `{metadata: {name: w}, spec: {active: false}}`).managed("x"),
		&sluice.Workload{Name: "w", ChecksReady: true, Inactive: true})
}

func TestACopyAsTheEngineSeesIt(t *testing.T) {
	w := aWorkload(t, `{metadata: {namespace: ns, name: w, uid: r, resourceVersion: "9",
		annotations: {sluice.sh/workload-uid: u}}, spec: {preemptionGates: [{name: g}, {name: h}]},
		status: {conditions: [{type: BlockedOnPreemptionGates, status: "True"}],
		preemptionGates: [{name: g, position: Open}, {name: h, state: Closed}]}}`)
	want := &sluice.Replica{Cluster: "east", UID: "r", Namespace: "ns", Name: "w",
		ResourceVersion: 9, Origin: "u", Gates: []string{"g", "h"},
		GateStatus: [][2]string{{"g", "Open"}, {"h", "Closed"}},
		Conditions: [][2]string{{"BlockedOnPreemptionGates", "True"}}}
	same(t, w.replica("east"), want)

	w = aWorkload(t, `{metadata: {name: w}, status: {conditions: [
		{type: Admitted, status: "True"}, {type: Finished, status: "True", reason: OutOfSync}]}}`)
	same(t, w.replica("east").Conditions, [][2]string{{"Evicted", "True"}})
}

func TestTheCopyOfAWorkload(t *testing.T) {
	from := object(t, full)
	clone, err := cloneWorkload(from, "us", []string{"g", "mine"},
		[][2]string{{"sluice.sh/workload-uid", "u"}})
	if err != nil {
		t.Fatal(err)
	}
	want := object(t, `
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {namespace: ns, name: w, labels: {a: b, kueue.x-k8s.io/multikueue-origin: us},
  annotations: {other: kept, sluice.sh/workload-uid: u}}
spec: {active: true, preemptionGates: [{name: g}, {name: mine}],
  podSets: [{name: main, count: 1, future: 1}]}
`)
	same(t, clone.Object, want.Object)
	same(t, from.Object, object(t, full).Object)
	clone, err = cloneWorkload(from, "us", nil, nil)
	if _, has := clone.Object["spec"].(map[string]any)["preemptionGates"]; has || err != nil {
		t.Errorf("without gates it has some: %v", err)
	}
}

func TestTheJobOfACopy(t *testing.T) {
	from := object(t, `
apiVersion: batch/v1
kind: Job
metadata: {namespace: ns, name: j, uid: ju, resourceVersion: "4", labels: {team: a},
  finalizers: [x], annotations: {b: c}}
spec: {managedBy: kueue.x-k8s.io/multikueue, suspend: false, selector: {matchLabels: {a: b}},
  template: {metadata: {labels: {batch.kubernetes.io/controller-uid: ju, controller-uid: ju,
  app: x}}}}
status: {active: 1}
`)
	clone, err := cloneJob(from, "us", "w")
	if err != nil {
		t.Fatal(err)
	}
	same(t, clone.Object, object(t, `
apiVersion: batch/v1
kind: Job
metadata: {namespace: ns, name: j, labels: {team: a, kueue.x-k8s.io/multikueue-origin: us,
  kueue.x-k8s.io/prebuilt-workload-name: w},
  annotations: {b: c, kueue.x-k8s.io/prebuilt-workload-name: w}}
spec: {suspend: true, template: {metadata: {labels: {app: x}}}}
`).Object)
	if workloadOf(clone) != "w" {
		t.Errorf("it is of the workload %q", workloadOf(clone))
	}
}

func TestAGateIsOpened(t *testing.T) {
	from := object(t, `{metadata: {name: w, resourceVersion: "3"}, status: {admission: {x: y},
		preemptionGates: [{name: h, position: Closed}, {name: g, position: Closed}]}}`)
	now := mustTime(t, "2026-01-02T03:04:05Z")
	after, err := opened(from, "g", now)
	if err != nil {
		t.Fatal(err)
	}
	same(t, after.Object, object(t, `{metadata: {name: w, resourceVersion: "3"},
		status: {admission: {x: y}, preemptionGates: [{name: h, position: Closed},
		{name: g, position: Open, lastTransitionTime: "2026-01-02T03:04:05Z"}]}}`).Object)
}
