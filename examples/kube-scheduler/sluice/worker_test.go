// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"reflect"
	"testing"
)

func TestWhatAWorkerSeesAsItIsWritten(t *testing.T) {
	least, seconds := int32(1), int64(30)
	var w writer
	w.workerWorkload(&WorkerWorkload{UID: "u", Namespace: "ns", Name: "w", Created: 3,
		ResourceVersion: 5, Queue: "lq", Priority: -1, Inactive: true, Deleted: true,
		PodSets: []PodSet{{Name: "main", Count: 2, MinCount: &least,
			Requests: []Amount{{Name: "cpu", Value: 500}}, NodeSelector: [][2]string{{"a", "b"}},
			Affinity:    [][]Expression{{{"zone", "In", []string{"x", "y"}}, {"big", "Exists", nil}}},
			Tolerations: []Toleration{{Key: "k", Operator: "Exists", Seconds: &seconds}}}},
		Gates: []string{"g"}, GateStatus: [][2]string{{"g", "Open"}},
		Conditions: []KnownCondition{{"Evicted", "True", "Preempted", 4}, {"Finished", "False", "", 0}},
		Admission: &WorkloadAdmission{"cq", []Assignment{{Name: "main", Count: 2,
			Flavors: [][2]string{{"cpu", "spot"}}}}},
		Checks:    []CheckState{{"c", "Retry", 6}, {"d", "Ready", 0}},
		RequeueAt: 7, RequeueCount: 8, JobStopped: true, CannotPreempt: true, Unsupported: "no"})
	same(t, readBack(t, w), map[string]any{"role": "worker", "uid": "u", "namespace": "ns",
		"name": "w", "created": int64(3), "resourceVersion": int64(5), "queue": "lq",
		"priority": int64(-1), "active": false, "deleted": true,
		"podSets": []any{map[string]any{"name": "main", "count": int64(2), "minCount": int64(1),
			"requests": map[string]any{"cpu": int64(500)}, "nodeSelector": map[string]any{"a": "b"},
			"affinity": []any{[]any{
				map[string]any{"key": "zone", "operator": "In", "values": []any{"x", "y"}},
				map[string]any{"key": "big", "operator": "Exists"}}},
			"tolerations": []any{map[string]any{"key": "k", "operator": "Exists",
				"seconds": int64(30)}}}},
		"gates": []any{"g"}, "gateStatus": map[string]any{"g": "Open"},
		"conditions": map[string]any{
			"Evicted":  map[string]any{"status": "True", "reason": "Preempted", "since": int64(4)},
			"Finished": map[string]any{"status": "False"}},
		"admission": map[string]any{"clusterQueue": "cq", "podSets": []any{map[string]any{
			"name": "main", "count": int64(2), "flavors": map[string]any{"cpu": "spot"}}}},
		"checks": []any{map[string]any{"name": "c", "state": "Retry", "retryAfter": int64(6)},
			map[string]any{"name": "d", "state": "Ready"}},
		"requeueAt": int64(7), "requeueCount": int64(8), "jobStopped": true, "cannotPreempt": true,
		"unsupported": "no"})

	w = nil
	w.localQueue(&LocalQueue{UID: "u", Namespace: "ns", Name: "lq", ResourceVersion: 2,
		ClusterQueue: "cq", StopPolicy: "Hold", NotSelected: true})
	same(t, readBack(t, w), map[string]any{"uid": "u", "namespace": "ns", "name": "lq",
		"resourceVersion": int64(2), "clusterQueue": "cq", "stopPolicy": "Hold", "selected": false})

	w = nil
	w.queue(&Queue{Kind: KindClusterQueue, Name: "cq", WhenCanPreempt: "TryNextFlavor",
		Preference: "PreemptionOverBorrowing", Checks: []QueueCheck{{"a", nil}, {"b", []string{"f"}}}})
	same(t, readBack(t, w), map[string]any{"kind": "ClusterQueue", "name": "cq",
		"whenCanPreempt": "TryNextFlavor", "preference": "PreemptionOverBorrowing",
		"checks": []any{map[string]any{"name": "a"},
			map[string]any{"name": "b", "flavors": []any{"f"}}}})

	w = nil
	w.flavor(&Flavor{Name: "f", Taints: []Taint{{"k", "v", "NoSchedule"}}})
	same(t, readBack(t, w), map[string]any{"name": "f", "taints": []any{
		map[string]any{"key": "k", "value": "v", "effect": "NoSchedule"}}})
}

func TestAWriteIntoAWorkloadAsItIsRead(t *testing.T) {
	var w writer
	w.putMap(13)
	w.int("id", 1)
	w.text("kind", WriteWorkload)
	w.text("reason", "r")
	w.text("message", "m")
	w.text("write", "reserve")
	w.pairsIf("gates", [][2]string{{"g", "Closed"}})
	w.putKey("admission")
	w.putMap(2)
	w.text("clusterQueue", "cq")
	w.putKey("podSets")
	w.putArray(1)
	w.putMap(4)
	w.text("name", "main")
	w.int("count", 2)
	w.pairsIf("flavors", [][2]string{{"cpu", "spot"}})
	w.amountsIf("requests", []Amount{{Name: "cpu", Value: 1000}})
	w.textsIf("checks", []string{"c"})
	w.bool("admitted", true)
	w.bool("clear", true)
	w.text("cause", "InClusterQueue")
	w.bool("requeued", true)
	w.int("at", 9)
	r := reader{message: w}
	effect := r.effect()
	want := Effect{ID: 1, Kind: WriteWorkload, Reason: "r", Message: "m", Workload: &WorkloadWrite{
		Write: "reserve", Gates: [][2]string{{"g", "Closed"}}, Checks: []string{"c"},
		Admission: &WorkloadAdmission{"cq", []Assignment{{"main", 2, [][2]string{{"cpu", "spot"}},
			[]Amount{{Name: "cpu", Value: 1000}}}}},
		Admitted: true, Clear: true, Cause: "InClusterQueue", Requeued: true, At: 9}}
	if r.err != nil || r.left() != 0 || !reflect.DeepEqual(effect, want) {
		t.Errorf("read %+v (%v), want %+v", effect, r.err, want)
	}
}
