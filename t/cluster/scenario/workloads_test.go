// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWrongStoriesOfWorkloads(t *testing.T) {
	const wholeWorkload = "reserved, admitted, evicted, finished, signal, active, running, count, " +
		"flavor, evictions, writes, requeues, state, hold, why, position, priority, victims, " +
		"clusterQueue, backoff, flavors, gates, checks, retries, reasons"
	for _, each := range []struct{ step, says string }{
		{"gate: {}", "gate is a map, want a map such as {workload/w: {example.com/mine: Open}}"},
		{"gate: {pod/p: {g: Open}}", "gate is a map, want a map such as {workload/w:"},
		{"gate: {workload/w: {g: Ajar}}", "g is Ajar, want Open or Closed"},
		{"check: {workload/w: Ready}",
			"check is a map, want a map such as {workload/w: {budget: Ready}}"},
		{"check: {workload/w: {c: Maybe}}", "c is Maybe, want a map such as {workload/w:"},
		{"check: {workload/w: {c: {state: Retry, after: -1s}}}",
			"after is -1s, want a duration that is not negative"},
		{"check: {workload/w: {c: {after: 1s}}}", "c is a map, want a map such as {workload/w:"},
		{"expect: {workload/w: {colour: blue}}",
			"colour cannot be expected, want one of " + wholeWorkload},
		{"expect: {workload/w: {reserved: [a]}}",
			"reserved is a list, want text, \"*\" or \"!text\" (a list is \"a, b\")"},
		{"expect: {workload/w: {checks: Ready}}", "checks is Ready, want a map"},
		{"expect: {workload/w: {gates: {g: [a]}}}", "g is a list, want text, \"*\" or \"!text\""},
		{"expect: {workload/w: there}", "workload/w is there, want a map of what is expected, or gone"},
		{"expect: {localqueue/l: {usage: 1}}",
			"usage cannot be expected, want one of active, reason, waiting, reserving, admitted"},
		{"show: [jobs]", "show is jobs, want pods, workloads, queues or nodes"},
		{"jump: 1", "jump is no step, want at, apply, delete, complete, fail, patch, command, refuse, " +
			"restart, leader, clock, fault, gate, check, cluster, evict, send, say, show or expect"},
	} {
		refused(t, storyWith("  steps:\n  - {"+each.step+"}"), "6: "+each.says)
	}
}

// workloadsTelling is a story without a cluster: of the jobs behind its Workloads.
func workloadsTelling(t *testing.T) *telling {
	t.Helper()
	clock, err := NewClock(filepath.Join(t.TempDir(), "clock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clock.Close() })
	clock.Hold(0)
	return &telling{
		clock: clock, workloads: map[string]*workload{}, objects: map[string]bool{}, out: &bytes.Buffer{},
	}
}

// workloadOf is one of two pod sets, with these conditions that are true.
func workloadOf(uid string, conditions ...string) *unstructured.Unstructured {
	var list []any
	for _, kind := range conditions {
		list = append(list, object{"type": kind, "status": "True", "reason": "Of" + kind})
	}
	set := func(name string, count int64, flavor string) object {
		return object{"name": name, "count": count, "flavors": object{
			"cpu": flavor, "memory": "plain"}}
	}
	return &unstructured.Unstructured{Object: object{
		"metadata": object{"name": "w", "namespace": "default", "uid": uid},
		"spec": object{"podSets": []any{
			object{"template": object{"spec": object{"terminationGracePeriodSeconds": int64(5)}}},
			object{"template": object{"spec": object{"terminationGracePeriodSeconds": int64(7)}}},
		}},
		"status": object{"conditions": list, "admission": object{"podSetAssignments": []any{
			set("a", 2, "spot"), set("b", 3, "plain")}}},
	}}
}

// passes lets the story's time pass.
func (t *telling) passes(by time.Duration) error {
	line := t.clock.Now() + by
	for {
		at, ok := t.timers.next()
		if !ok || at > line {
			t.clock.Jump(line)
			return nil
		}
		t.clock.Jump(at)
		run, _ := t.timers.take(at)
		if err := run(); err != nil {
			return err
		}
	}
}

func TestJobsFollowTheirWorkloads(t *testing.T) {
	story := workloadsTelling(t)
	is := func(when string, want jobState) {
		t.Helper()
		if got := story.workloads["workload/w"].job; got != want {
			t.Errorf("%s its job is %d, want %d", when, got, want)
		}
	}
	saw := func(w *unstructured.Unstructured) {
		t.Helper()
		if err := story.sawWorkload(w, false); err != nil {
			t.Fatal(err)
		}
	}
	passes := func(by time.Duration) {
		t.Helper()
		if err := story.passes(by); err != nil {
			t.Fatal(err)
		}
	}
	saw(workloadOf("1"))
	is("not admitted", jobStopped)
	saw(workloadOf("1", "Admitted"))
	is("just admitted", jobStarts)
	passes(startsAfter / 2)
	is("half a second later", jobStarts)
	passes(startsAfter)
	is("a second later", jobRuns)
	one := story.workloads["workload/w"]
	if one.count() != 5 || one.flavors("") != "spot, plain" || one.flavors("memory") != "plain" {
		t.Errorf("it runs %d pods, on %q", one.count(), one.flavors(""))
	}
	inactive := workloadOf("1", "Admitted")
	inactive.Object["spec"].(object)["active"] = false
	saw(inactive)
	is("not active", jobStops)
	saw(workloadOf("1", "Admitted"))
	passes(6 * time.Second)
	is("within the longest grace", jobStops)
	passes(time.Second)
	is("active again, when its pods are gone", jobStarts)
	passes(startsAfter)
	is("again a second later", jobRuns)
	saw(workloadOf("1", "Admitted", "Evicted"))
	saw(workloadOf("1", "Admitted", "Evicted", "Preempted"))
	is("evicted", jobStops)
	if one.evictions != 1 {
		t.Errorf("it was evicted %d times, want once", one.evictions)
	}
	saw(workloadOf("2"))
	is("another one of its name", jobStopped)
	passes(time.Minute)
	is("when the first one's pods would be gone", jobStopped)
	if err := story.sawWorkload(workloadOf("1"), true); err != nil || one.now == nil {
		t.Errorf("a late word about the first one takes the second away: %v", err)
	}
	if err := story.sawWorkload(workloadOf("2"), true); err != nil || one.now != nil {
		t.Errorf("it is not gone: %v", err)
	}
}

func TestWorkloadsAsSeen(t *testing.T) {
	story := workloadsTelling(t)
	now := workloadOf("1", "QuotaReserved", "Evicted")
	status := now.Object["status"].(object)
	status["preemptionGates"] = []any{object{"name": "g", "position": "Closed"}}
	status["admissionChecks"] = []any{object{"name": "c", "state": "Ready", "retryCount": int64(2)}}
	status["requeueState"] = object{"count": int64(2), "requeueAt": "2026-01-01T00:00:00Z"}
	one := &workload{ref: "workload/w", now: now, evictions: 3}
	look := story.newSight()
	look.workloads[one.ref] = answer{
		"state": "waiting", "reason": "Preempting", "message": "why",
		"victims": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}},
	}
	for _, each := range [][3]string{
		{"reserved", "", "true"}, {"admitted", "", "false"}, {"evicted", "", "true"},
		{"signal", "", "false"}, {"active", "", "true"}, {"running", "", "false"},
		{"count", "", "5"}, {"flavor", "", "spot, plain"}, {"flavors", "cpu", "spot"},
		{"flavors", "gpu", ""}, {"gates", "g", "Closed"}, {"gates", "other", ""},
		{"checks", "c", "Ready"}, {"retries", "c", "2"},
		{"reasons", "Evicted", "OfEvicted"}, {"reasons", "Admitted", ""},
		{"evictions", "", "3"}, {"requeues", "", "2"}, {"backoff", "", "true"},
		{"state", "", "waiting"}, {"hold", "", "Preempting"}, {"why", "", "why"},
		{"victims", "", "a, b"}, {"position", "", "0"}, {"clusterQueue", "", "unknown"},
	} {
		if got := look.ofWorkload(one, each[0], each[1]); got != each[2] {
			t.Errorf("%s %s is %q, want %q", each[0], each[1], got, each[2])
		}
	}
	document, err := Parse("x.yaml", []byte(`{reserved: "!true", checks: {c: Ready}}`))
	if err != nil {
		t.Fatal(err)
	}
	compare := comparison{sight: look}
	compare.workload("workload/none", document.Pairs[0].Value)
	if len(compare.differ) != 1 || compare.differ[0].seen != "gone" {
		t.Errorf("of what is not there %+v differs, want its check alone", compare.differ)
	}
}

func TestGatesAndChecksAsWritten(t *testing.T) {
	story := workloadsTelling(t)
	status := object{
		"preemptionGates": []any{object{"name": "g", "position": "Open", "lastTransitionTime": "x"}},
		"admissionChecks": []any{object{"name": "c", "state": "Pending",
			"requeueAfterSeconds": int64(9)}},
	}
	story.setGate(status, "g", "Open")
	story.setGate(status, "h", "Closed")
	gates := list(status, "preemptionGates")
	if named(gates, "name", "g")["lastTransitionTime"] != "x" ||
		named(gates, "name", "h")["position"] != "Closed" || len(gates) != 2 {
		t.Errorf("the gates are %v", gates)
	}
	answers, err := Parse("x.yaml", []byte("{c: {state: Retry, after: 1m}, asked-no-more: Ready}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range answers.Pairs[0].Value.Pairs {
		story.answer(status, pair)
	}
	checks := list(status, "admissionChecks")
	one := named(checks, "name", "c")
	if len(checks) != 1 || one["state"] != "Retry" || one["requeueAfterSeconds"] != int64(60) ||
		one["lastTransitionTime"] == "" || one["message"] != "" {
		t.Errorf("the checks are %v", checks)
	}
	story.setCondition(status, "Finished", true, "Failed", "a")
	at := list(status, "conditions")[0].(object)["lastTransitionTime"]
	story.clock.Jump(time.Hour)
	story.setCondition(status, "Finished", true, "Succeeded", "b")
	finished := list(status, "conditions")[0].(object)
	if finished["reason"] != "Succeeded" || finished["lastTransitionTime"] != at {
		t.Errorf("it is %v, and changed at %v", finished, at)
	}
}

func TestWhatIsInUseIsNotDeleted(t *testing.T) {
	for file, whole := range map[string]bool{
		"workload-flavor-is-deleted": true, "workload-one-waits": false, "workload-kep-table": false,
	} {
		story, err := Read("../../../examples/scenarios/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if (len(story.OutOfReach) == 1 && story.OutOfReach[0].Whole) != whole {
			t.Errorf("%s is out of reach: %+v, want %t", file, story.OutOfReach, whole)
		}
	}
}

func TestDocumentsOfWorkloads(t *testing.T) {
	story, err := Read("../../../examples/scenarios/workload-one-waits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !story.Workloads || len(story.OutOfReach) > 0 {
		t.Errorf("it has Workloads: %t; %v cannot be told", story.Workloads, story.OutOfReach)
	}
	made := objectOf(story.Documents["workload/first"], "workload/first")
	if owner := made.GetOwnerReferences(); len(owner) != 1 || !*owner[0].Controller ||
		owner[0].Kind == "Job" {
		t.Errorf("its owners are %+v", owner)
	}
	config, err := schedulerConfig(story, "library", "kubeconfig", 1)
	if err != nil || !strings.Contains(string(config), "workloads: true") {
		t.Errorf("the scheduler is not the controller of Workloads: %v\n%s", err, config)
	}
	check := object{}
	fillCheck(check)
	if named(list(child(check, "status"), "conditions"), "type", "Active")["status"] != "True" {
		t.Errorf("a check has no controller: %v", check)
	}
	gone := object{"status": object{"conditions": []any{object{"type": "Active", "status": "False"}}}}
	fillCheck(gone)
	said := named(list(child(gone, "status"), "conditions"), "type", "Active")
	if said["status"] != "False" || said["lastTransitionTime"] == nil || said["message"] == nil {
		t.Errorf("its controller is there though the story says otherwise: %v", gone)
	}
	rights, err := os.ReadFile(filepath.Join("../../..", workloadRights))
	if err != nil || !strings.Contains(string(rights), "workloads/status") {
		t.Errorf("no rights for Workloads: %v", err)
	}
}
