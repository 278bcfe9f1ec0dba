// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
)

// Events say what the conditions say, and how long it waited.
func TestEvents(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	minuteAgo := metav1.NewTime(now.Add(-time.Minute))
	gate := map[string]string{AdmissionGatedBy: "budget"}
	for _, each := range []struct {
		write, condition, reason string
		status                   metav1.ConditionStatus
		had                      bool
		want                     []string
	}{
		{"reserve", "QuotaReserved", "QuotaReserved", metav1.ConditionTrue, false,
			[]string{"Normal QuotaReserved: so, wait time since queued was 60s"}},
		{"admit", "QuotaReserved", "QuotaReserved", metav1.ConditionTrue, true,
			[]string{"Normal Admitted: Admitted by ClusterQueue c, wait time since reservation was 60s"}},
		{"evict", "Evicted", "DeactivatedDueToAdmissionCheck", metav1.ConditionTrue, true,
			[]string{"Normal EvictedDueToDeactivatedDueToAdmissionCheck: so"}},
		{"evict", "Evicted", "Deactivated", metav1.ConditionTrue, false, nil},
		{"target", "DeactivationTarget", "AdmissionCheck", metav1.ConditionTrue, true,
			[]string{"Warning AdmissionCheckRejected: Deactivated due to so"}},
		{"signal", "BlockedOnPreemptionGates", "PreemptionGated", metav1.ConditionTrue, false,
			[]string{"Warning Pending: so"}},
		{"pending", "QuotaReserved", "AdmissionGated", metav1.ConditionFalse, false,
			[]string{"Normal AdmissionGated: Workload admission is gated by: budget"}},
		{"pending", "QuotaReserved", "Inadmissible", metav1.ConditionFalse, false, nil},
		{"pending", "QuotaReserved", "Pending", metav1.ConditionFalse, false, nil},
		{"checks", "QuotaReserved", "QuotaReserved", metav1.ConditionTrue, true, nil},
	} {
		seen := with()
		seen.CreationTimestamp, seen.Annotations = minuteAgo, gate
		seen.Status.Admission = nil
		if each.had {
			seen.Status.Admission = &kueue.Admission{ClusterQueue: "c"}
		}
		wrote := seen.DeepCopy()
		setCondition(wrote, each.condition, each.status, each.reason, "so", minuteAgo)
		var got []string
		for _, one := range Events(seen, wrote, each.write, now) {
			got = append(got, one.Kind+" "+one.Reason+": "+one.Message)
		}
		if !slices.Equal(got, each.want) {
			t.Errorf("of %s %s people are told %q, want %q", each.write, each.reason, got, each.want)
		}
		if each.reason != "AdmissionGated" {
			continue
		}
		if again := Events(wrote, wrote, "pending", now); len(again) != 0 {
			t.Errorf("who is gated still is told %v", again)
		}
		cleared := Events(wrote, seen, "reserve", now)
		if len(cleared) == 0 || cleared[0].Reason != "AdmissionGateCleared" {
			t.Errorf("who is gated no more is told %v", cleared)
		}
	}
}

// An eviction that is over keeps its whole reason, with its cause.
func TestRequeuedSaysWhatItWentFor(t *testing.T) {
	w := with(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted)
	SetCondition(w, kueue.WorkloadEvicted, metav1.ConditionTrue, "DeactivatedDueToAdmissionCheck",
		"so")
	got, _ := writes(t, w, "Deactivated", sluice.WorkloadWrite{Write: "endEviction"})
	says(t, got, "Requeued", "False/DeactivatedDueToAdmissionCheck")
}
