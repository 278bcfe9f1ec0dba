// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// whatItWentFor is the reason of that.
func (w *write) whatItWentFor() string {
	if evicted := Evicted(w.Workload); evicted != nil {
		return evicted.Reason
	}
	return w.effect.Reason
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

// Event is one that people are told.
type Event struct{ Kind, Reason, Message string }

// Events are what people are told of a write, by what it has made of the workload. Who merely waits
// has a condition that says why: an event would add nothing.
func Events(seen, wrote *kueue.Workload, write string, now time.Time) (told []Event) {
	tell := func(kind, reason, format string, words ...any) {
		told = append(told, Event{kind, reason, fmt.Sprintf(format, words...)})
	}
	said := func(condition string) (reason, message string) {
		if c := apimeta.FindStatusCondition(wrote.Status.Conditions, condition); c != nil {
			return c.Reason, c.Message
		}
		return "", ""
	}
	gated := quotaReason(wrote) == kueue.WorkloadAdmissionGated
	if was := quotaReason(seen) == kueue.WorkloadAdmissionGated; was != gated && was {
		tell(v1.EventTypeNormal, "AdmissionGateCleared",
			"Admission gate cleared, workload is now admissible")
	} else if was != gated {
		tell(v1.EventTypeNormal, kueue.WorkloadAdmissionGated, "Workload admission is gated by: %s",
			wrote.Annotations[AdmissionGatedBy])
	}
	switch write {
	case "reserve":
		reason, message := said(kueue.WorkloadQuotaReserved)
		tell(v1.EventTypeNormal, reason, "%s, wait time since queued was %.0fs", message,
			max(now.Sub(queuedAt(seen)), 0).Seconds())
	case "admit":
		since := apimeta.FindStatusCondition(wrote.Status.Conditions, kueue.WorkloadQuotaReserved)
		if since != nil && wrote.Status.Admission != nil {
			tell(v1.EventTypeNormal, kueue.WorkloadAdmitted, "Admitted by ClusterQueue %s, wait time "+
				"since reservation was %.0fs", wrote.Status.Admission.ClusterQueue,
				max(now.Sub(since.LastTransitionTime.Time), 0).Seconds())
		}
	case "evict":
		if reason, message := said(kueue.WorkloadEvicted); seen.Status.Admission != nil {
			tell(v1.EventTypeNormal, "EvictedDueTo"+reason, "%s", message)
		}
	case "target":
		_, message := said(kueue.WorkloadDeactivationTarget)
		tell(v1.EventTypeWarning, "AdmissionCheckRejected", "Deactivated due to %s", message)
	case "signal":
		_, message := said(kueue.WorkloadBlockedOnPreemptionGates)
		tell(v1.EventTypeWarning, Pending, "%s", message)
	}
	return told
}

// quotaReason is why it has no quota, or that it has.
func quotaReason(w *kueue.Workload) string {
	if c := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadQuotaReserved); c != nil {
		return c.Reason
	}
	return ""
}

// queuedAt is when it began to wait, this time.
func queuedAt(w *kueue.Workload) time.Time {
	if c := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadRequeued); c != nil {
		return c.LastTransitionTime.Time
	}
	return w.CreationTimestamp.Time
}
