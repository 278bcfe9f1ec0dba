// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"reflect"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
)

var at = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

func writes(t *testing.T, w *kueue.Workload, reason string, said sluice.WorkloadWrite) (
	*kueue.Workload, bool) {
	t.Helper()
	before := w.DeepCopy()
	wanted, ofSpec := Write(w, &sluice.Effect{Reason: reason, Message: "why", Workload: &said}, at)
	if !reflect.DeepEqual(w, before) {
		t.Errorf("%s: what was seen is another now", said.Write)
	}
	if wanted == nil {
		t.Fatalf("%s: no such write", said.Write)
	}
	for i := range wanted.Status.Conditions {
		c := &wanted.Status.Conditions[i]
		was := apimeta.FindStatusCondition(w.Status.Conditions, c.Type)
		if (was == nil || was.Status != c.Status) && !c.LastTransitionTime.Time.Equal(at) {
			t.Errorf("%s: %s has changed at %s, want the engine's time", said.Write, c.Type,
				c.LastTransitionTime)
		}
	}
	return wanted, ofSpec
}

// says compares a condition with STATUS/REASON; "": it is not there.
func says(t *testing.T, w *kueue.Workload, kind, want string) {
	t.Helper()
	got := ""
	if c := apimeta.FindStatusCondition(w.Status.Conditions, kind); c != nil {
		got = string(c.Status) + "/" + c.Reason
	}
	if got != want {
		t.Errorf("%s is %q, want %q", kind, got, want)
	}
}

func with(kinds ...string) *kueue.Workload {
	w := admitted()
	for _, kind := range kinds {
		SetCondition(w, kind, metav1.ConditionTrue, "Before", "")
	}
	return w
}

func TestReserve(t *testing.T) {
	w := with(kueue.WorkloadEvicted, kueue.WorkloadPreempted, kueue.WorkloadBlockedOnPreemptionGates)
	w.Status.Admission = nil
	w.Status.ResourceRequests = []kueue.PodSetRequest{{Name: "main"}} // of who waits
	w.Status.AdmissionChecks = []kueue.AdmissionCheckState{
		{Name: "kept", State: kueue.CheckStateReady}, {Name: "dropped", State: kueue.CheckStateReady}}
	got, ofSpec := writes(t, w, "QuotaReserved", sluice.WorkloadWrite{Write: "reserve",
		Admission: &sluice.WorkloadAdmission{ClusterQueue: "team", PodSets: []sluice.Assignment{{
			Name: "main", Count: 2, Flavors: [][2]string{{"cpu", "spot"}, {"memory", "big"}},
			Requests: []sluice.Amount{{Name: "cpu", Value: 1500}, {Name: "memory", Value: 1 << 30}}}}},
		Checks: []string{"kept", "fresh"}, Admitted: true, Clear: true})
	set := Assignment(got, "main")
	if ofSpec || got.Status.Admission.ClusterQueue != "team" || *set.Count != 2 ||
		set.Flavors["cpu"] != "spot" || set.Flavors["memory"] != "big" ||
		set.ResourceUsage.Cpu().String() != "1500m" || set.ResourceUsage.Memory().String() != "1Gi" {
		t.Errorf("the admission is %+v", got.Status.Admission)
	}
	if got.Status.ResourceRequests != nil {
		t.Errorf("it still says what it waited for: %v", got.Status.ResourceRequests)
	}
	checks := got.Status.AdmissionChecks
	if len(checks) != 2 || checks[0].Name != "kept" || checks[0].State != kueue.CheckStateReady ||
		checks[1].Name != "fresh" || checks[1].State != kueue.CheckStatePending {
		t.Errorf("the checks are %+v", checks)
	}
	says(t, got, "QuotaReserved", "True/QuotaReserved")
	says(t, got, "Admitted", "True/Admitted")
	says(t, got, "Evicted", "False/QuotaReserved")
	says(t, got, "BlockedOnPreemptionGates", "False/QuotaReserved")
}

// An eviction closes the gates and clears the signal in the same write.
func TestEvict(t *testing.T) {
	w := with(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted,
		kueue.WorkloadBlockedOnPreemptionGates, "PreemptionBlocked", kueue.WorkloadDeactivationTarget)
	cluster, count := "east", int32(3)
	w.Status.ClusterName = &cluster
	w.Status.RequeueState = &kueue.RequeueState{Count: &count}
	w.Status.PreemptionGates = []kueue.PreemptionGateState{{Name: "g",
		Position: kueue.PreemptionGatePositionOpen}, {Name: "old"}}
	w.Status.AdmissionChecks = []kueue.AdmissionCheckState{{Name: "c", State: kueue.CheckStateRetry},
		{Name: "d", State: kueue.CheckStateReady}}
	got, _ := writes(t, w, "Preempted", sluice.WorkloadWrite{Write: "evict",
		Cause: "InClusterQueue", Gates: [][2]string{{"g", "Closed"}}, Clear: true,
		Checks: []string{"c"}, ForgetRequeue: true})
	gates := got.Status.PreemptionGates
	if len(gates) != 1 || gates[0].Position != kueue.PreemptionGatePositionClosed ||
		!gates[0].LastTransitionTime.Time.Equal(at) {
		t.Errorf("the gates are %+v", gates)
	}
	checks := got.Status.AdmissionChecks
	if checks[0].State != kueue.CheckStatePending || checks[1].State != kueue.CheckStateReady {
		t.Errorf("the checks are %+v", checks)
	}
	if got.Status.ClusterName != nil || got.Status.RequeueState != nil || got.Status.Admission == nil {
		t.Errorf("the status is %+v", got.Status)
	}
	for kind, want := range map[string]string{"Evicted": "True/Preempted",
		"Preempted": "True/InClusterQueue", "BlockedOnPreemptionGates": "False/Preempted",
		"PreemptionBlocked": "False/Preempted", "DeactivationTarget": "",
		"QuotaReserved": "True/Before"} {
		says(t, got, kind, want)
	}
	got, _ = writes(t, with(), "Deactivated", sluice.WorkloadWrite{Write: "evict",
		Cause: "AdmissionCheck"})
	says(t, got, "Evicted", "True/DeactivatedDueToAdmissionCheck")
	got, _ = writes(t, with(), "Deactivated", sluice.WorkloadWrite{Write: "evict"})
	says(t, got, "Evicted", "True/Deactivated")
}

func TestNoAdmission(t *testing.T) {
	w := with(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted, kueue.WorkloadEvicted)
	got, _ := writes(t, w, "Preempted", sluice.WorkloadWrite{Write: "endEviction", Requeued: true})
	says(t, got, "QuotaReserved", "False/Pending")
	says(t, got, "Admitted", "False/NoReservation")
	says(t, got, "Requeued", "True/Before")
	says(t, got, "Evicted", "True/Before")
	if got.Status.Admission != nil {
		t.Error("the admission stays")
	}
	got, _ = writes(t, with(kueue.WorkloadQuotaReserved), "Inadmissible",
		sluice.WorkloadWrite{Write: "unreserve"})
	says(t, got, "QuotaReserved", "False/Inadmissible")
	says(t, got, "Admitted", "")
	if got.Status.Admission != nil {
		t.Error("the admission stays")
	}
}

// What it ran is added up, unless its time was over.
func TestTimeThatItRan(t *testing.T) {
	before := int32(20)
	for reason, want := range map[string]int32{"Preempted": 50,
		"DeactivatedDueToMaximumExecutionTimeExceeded": 0} {
		w := with(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted)
		w.Status.AccumulatedPastExecutionTimeSeconds = &before
		w.Status.Conditions[1].LastTransitionTime = metav1.NewTime(at.Add(-30 * time.Second))
		SetCondition(w, kueue.WorkloadEvicted, metav1.ConditionTrue, reason, "")
		got, _ := writes(t, w, reason, sluice.WorkloadWrite{Write: "endEviction"})
		if ran := got.Status.AccumulatedPastExecutionTimeSeconds; (ran == nil) != (want == 0) ||
			ran != nil && *ran != want {
			t.Errorf("after %s it is said to have run %v s", reason, ran)
		}
	}
}

func TestSmallWrites(t *testing.T) {
	got, _ := writes(t, with(), "", sluice.WorkloadWrite{Write: "signal"})
	says(t, got, "BlockedOnPreemptionGates", "True/PreemptionGated")
	says(t, got, "QuotaReserved", "False/Pending")
	got, _ = writes(t, got, "NoCandidates", sluice.WorkloadWrite{Write: "clearSignal"})
	says(t, got, "BlockedOnPreemptionGates", "False/NoCandidates")
	says(t, got, "PreemptionBlocked", "")

	got, _ = writes(t, with(), "", sluice.WorkloadWrite{Write: "admit"})
	says(t, got, "Admitted", "True/Admitted")
	got, _ = writes(t, with(), "Inadmissible", sluice.WorkloadWrite{Write: "pending"})
	says(t, got, "QuotaReserved", "False/Inadmissible")
	got, _ = writes(t, with(), "AdmissionCheck", sluice.WorkloadWrite{Write: "target"})
	says(t, got, "DeactivationTarget", "True/AdmissionCheck")

	got, ofSpec := writes(t, with(), "", sluice.WorkloadWrite{Write: "deactivate"})
	if !ofSpec || Active(got) {
		t.Error("it is still active")
	}
	if none, _ := Write(with(), &sluice.Effect{Workload: &sluice.WorkloadWrite{Write: "dance"}},
		at); none != nil {
		t.Error("it can dance")
	}
}

func TestBackoff(t *testing.T) {
	later, count := at.Add(time.Minute), int32(2)
	until := sluice.WorkloadWrite{Write: "requeueAt", At: later.UnixNano()}
	for _, over := range []string{"requeued", "clearBackoff"} {
		got, _ := writes(t, with(), "", until)
		got, _ = writes(t, got, "", until)
		if state := got.Status.RequeueState; state.Count != nil || !state.RequeueAt.Time.Equal(later) {
			t.Errorf("the requeue state is %+v", state)
		}
		counted := got.DeepCopy()
		counted.Status.RequeueState.Count = &count
		got, _ = writes(t, got, "BackoffFinished", sluice.WorkloadWrite{Write: over})
		if got.Status.RequeueState != nil {
			t.Errorf("after %s the requeue state is %+v", over, got.Status.RequeueState)
		}
		got, _ = writes(t, counted, "BackoffFinished", sluice.WorkloadWrite{Write: over})
		if state := got.Status.RequeueState; state == nil || state.RequeueAt != nil || *state.Count != 2 {
			t.Errorf("after %s the requeue state is %+v", over, state)
		}
		got, _ = writes(t, got, "", sluice.WorkloadWrite{Write: "clearRequeue"})
		if got.Status.RequeueState != nil {
			t.Errorf("the requeue state is %+v", got.Status.RequeueState)
		}
	}
	got, _ := writes(t, with(), "BackoffFinished", sluice.WorkloadWrite{Write: "requeued"})
	says(t, got, "Requeued", "True/BackoffFinished")
}

// How often a check has asked to be asked again is counted, in a row.
func TestRetries(t *testing.T) {
	w, five, two := with(), int32(5), int32(2)
	w.Status.AdmissionChecks = []kueue.AdmissionCheckState{
		{Name: "first", State: kueue.CheckStateRetry, RequeueAfterSeconds: &five},
		{Name: "again", State: kueue.CheckStateRetry, RetryCount: &two},
		{Name: "ready", State: kueue.CheckStateReady, RetryCount: &two},
		{Name: "pending", State: kueue.CheckStatePending, RetryCount: &two, Message: "its own"}}
	got, _ := writes(t, w, "AdmissionCheck", sluice.WorkloadWrite{Write: "evict",
		Checks: []string{"first", "again", "ready", "pending"}})
	for i, want := range []struct {
		count   int32
		message string
	}{{1, resetByEviction + "Retry"}, {3, resetByEviction + "Retry"},
		{0, resetByEviction + "Ready"}, {2, "its own"}} {
		check, count := got.Status.AdmissionChecks[i], int32(0)
		if check.RetryCount != nil {
			count = *check.RetryCount
		}
		if check.State != kueue.CheckStatePending || count != want.count ||
			check.Message != want.message || !reflect.DeepEqual(check.RequeueAfterSeconds,
			w.Status.AdmissionChecks[i].RequeueAfterSeconds) {
			t.Errorf("%s is %+v, want %+v", check.Name, check, want)
		}
	}
}

// A gate that stays as it was keeps its time, unless the workload is evicted.
func TestGates(t *testing.T) {
	w := with()
	before := metav1.NewTime(at.Add(-time.Hour))
	w.Status.PreemptionGates = []kueue.PreemptionGateState{
		{Name: "a", Position: kueue.PreemptionGatePositionClosed, LastTransitionTime: before}}
	said := sluice.WorkloadWrite{Write: "gates", Gates: [][2]string{{"a", "Closed"}, {"b", "Closed"}}}
	got, _ := writes(t, w, "", said)
	if gates := got.Status.PreemptionGates; len(gates) != 2 ||
		!gates[0].LastTransitionTime.Equal(&before) || !gates[1].LastTransitionTime.Time.Equal(at) {
		t.Errorf("the gates are %+v", gates)
	}
}

// message of a condition; "": it is not there.
func message(w *kueue.Workload, kind string) string {
	if c := apimeta.FindStatusCondition(w.Status.Conditions, kind); c != nil {
		return c.Message
	}
	return ""
}

// What the engine does not see is said all the same: why it was deactivated, and by which checks.
func TestWhyItGoes(t *testing.T) {
	target := with(kueue.WorkloadQuotaReserved)
	SetCondition(target, kueue.WorkloadDeactivationTarget, metav1.ConditionTrue,
		kueue.WorkloadMaximumExecutionTimeExceeded, "exceeding the maximum execution time")
	checked := func(state kueue.CheckState) *kueue.Workload {
		w := with(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted)
		w.Status.AdmissionChecks = []kueue.AdmissionCheckState{
			{Name: "licence", State: state}, {Name: "fine", State: kueue.CheckStateReady},
			{Name: "budget", State: state, Message: "too much"}}
		return w
	}
	for _, each := range []struct {
		w                       *kueue.Workload
		write, reason, cause    string
		condition, says, states string
	}{
		{target, "evict", "Deactivated", "MaximumExecutionTimeExceeded", "Evicted",
			"why due to exceeding the maximum execution time",
			"True/DeactivatedDueToMaximumExecutionTimeExceeded"},
		{with(), "evict", "Deactivated", "", "Evicted", "why", "True/Deactivated"},
		{checked(kueue.CheckStateRetry), "evict", "AdmissionCheck", "", "Evicted",
			`Evicted due to AdmissionChecks in Retry state: "budget" (too much); "licence"`,
			"True/AdmissionCheck"},
		{checked(kueue.CheckStateRejected), "target", "AdmissionCheck", "", "DeactivationTarget",
			`AdmissionChecks in Rejected state: "budget" (too much); "licence"`,
			"True/AdmissionCheck"},
		{with(), "target", "AdmissionCheck", "", "DeactivationTarget", "why", "True/AdmissionCheck"},
	} {
		got, _ := writes(t, each.w, each.reason, sluice.WorkloadWrite{Write: each.write,
			Cause: each.cause})
		says(t, got, each.condition, each.states)
		if said := message(got, each.condition); said != each.says {
			t.Errorf("%s for %s says %q, want %q", each.write, each.reason, said, each.says)
		}
	}
}

// What it said before it has quota again, and before it gave it back, is said with that.
func TestPreviously(t *testing.T) {
	w := with(kueue.WorkloadEvicted, kueue.WorkloadPreempted, kueue.WorkloadBlockedOnPreemptionGates)
	for i := range w.Status.Conditions {
		w.Status.Conditions[i].Message = "this"
	}
	got, _ := writes(t, w, "QuotaReserved", sluice.WorkloadWrite{Write: "reserve", Clear: true})
	for _, kind := range []string{"Evicted", "Preempted", "BlockedOnPreemptionGates"} {
		says(t, got, kind, "False/QuotaReserved")
		if said := message(got, kind); said != "Previously: this" {
			t.Errorf("%s says %q", kind, said)
		}
	}
	w = with(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted)
	SetCondition(w, kueue.WorkloadEvicted, metav1.ConditionTrue, "Preempted", "that")
	w.Status.AdmissionChecks = []kueue.AdmissionCheckState{{Name: "c",
		State: kueue.CheckStatePending}}
	got, _ = writes(t, w, "Preempted", sluice.WorkloadWrite{Write: "endEviction", Requeued: true})
	for kind, want := range map[string]string{"QuotaReserved": "that", "Requeued": "that",
		"Admitted": "The workload has no reservation and not all checks ready"} {
		if said := message(got, kind); said != want {
			t.Errorf("%s says %q, want %q", kind, said, want)
		}
	}
	says(t, got, "Admitted", "False/NoReservationUnsatisfiedChecks")
}

// Evictions are counted, each cause for itself.
func TestCountOfEvictions(t *testing.T) {
	w := with()
	for _, each := range [][2]string{{"Preempted", "InClusterQueue"}, {"Preempted", "InCohort"},
		{"Deactivated", "AdmissionCheck"}, {"Deactivated", ""}, {"Deactivated", "AdmissionCheck"}} {
		w, _ = writes(t, w, each[0], sluice.WorkloadWrite{Write: "evict", Cause: each[1]})
	}
	want := []kueue.WorkloadSchedulingStatsEviction{{Reason: "Preempted", Count: 2},
		{Reason: "Deactivated", UnderlyingCause: "AdmissionCheck", Count: 2},
		{Reason: "Deactivated", Count: 1}}
	if got := w.Status.SchedulingStats.Evictions; !reflect.DeepEqual(got, want) {
		t.Errorf("they are %+v, want %+v", got, want)
	}
}
