// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Of conditions that are written because another one is.
const (
	isAdmitted      = "The workload is admitted"
	resetByEviction = "Reset to Pending after eviction. Previously: "
)

// checksIn names the checks in one state, and what they say; "": there are none.
func checksIn(w *kueue.Workload, state kueue.CheckState) string {
	var said []string
	for i := range w.Status.AdmissionChecks {
		check := &w.Status.AdmissionChecks[i]
		if check.State != state {
			continue
		}
		one := fmt.Sprintf("%q", check.Name)
		if check.Message != "" {
			one += " (" + check.Message + ")"
		}
		said = append(said, one)
	}
	if len(said) == 0 {
		return ""
	}
	slices.Sort(said)
	noun := "AdmissionCheck"
	if len(said) > 1 {
		noun += "s"
	}
	return fmt.Sprintf("%s in %s state: %s", noun, state, strings.Join(said, "; "))
}

// whyRejected is the message of a target of deactivation.
func (w *write) whyRejected() string {
	if said := checksIn(w.Workload, kueue.CheckStateRejected); said != "" {
		return said
	}
	return w.effect.Message
}

// whyItGoes is the message of an eviction.
func (w *write) whyItGoes() string {
	why := w.effect.Message
	switch w.effect.Reason {
	case kueue.WorkloadDeactivated:
		target := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadDeactivationTarget)
		if target != nil {
			why += " due to " + target.Message
		}
	case kueue.WorkloadEvictedByAdmissionCheck:
		if said := checksIn(w.Workload, kueue.CheckStateRetry); said != "" {
			why = "Evicted due to " + said
		}
	}
	return why
}

// whyItWent is that message later.
func (w *write) whyItWent() string {
	if evicted := Evicted(w.Workload); evicted != nil {
		return evicted.Message
	}
	return w.effect.Message
}

// previously is the message of a condition that is over.
func (w *write) previously(kind string) string {
	return "Previously: " + apimeta.FindStatusCondition(w.Status.Conditions, kind).Message
}

// whyNotAdmitted is of who has no quota.
func (w *write) whyNotAdmitted() (reason, message string) {
	for i := range w.Status.AdmissionChecks {
		if w.Status.AdmissionChecks[i].State != kueue.CheckStateReady {
			return "NoReservationUnsatisfiedChecks",
				"The workload has no reservation and not all checks ready"
		}
	}
	return kueue.WorkloadAdmittedReasonNoReservation, "The workload has no reservation"
}

// Event is what people are told of a write, by what it has made of the workload; no reason: they
// are told nothing. had: whether there was an admission before.
func Event(wrote *kueue.Workload, write string, had bool) (kind, reason, message string) {
	said := func(condition string) (reason, message string) {
		if c := apimeta.FindStatusCondition(wrote.Status.Conditions, condition); c != nil {
			return c.Reason, c.Message
		}
		return "", ""
	}
	kind = v1.EventTypeNormal
	switch write {
	case "reserve":
		reason, message = said(kueue.WorkloadQuotaReserved)
	case "admit":
		reason, message = said(kueue.WorkloadAdmitted)
	case "evict":
		if reason, message = said(kueue.WorkloadEvicted); had {
			return kind, "EvictedDueTo" + reason, message
		}
		return "", "", ""
	case "target":
		_, message = said(kueue.WorkloadDeactivationTarget)
		return v1.EventTypeWarning, "AdmissionCheckRejected", "Deactivated due to " + message
	case "signal":
		reason, message = said(kueue.WorkloadBlockedOnPreemptionGates)
	case "pending", "unreserve":
		reason, message = said(kueue.WorkloadQuotaReserved)
		if reason == Pending { // it only waits: its condition says why, and an event adds nothing
			return "", "", ""
		}
		kind, reason = v1.EventTypeWarning, Pending
	}
	return kind, reason, message
}
