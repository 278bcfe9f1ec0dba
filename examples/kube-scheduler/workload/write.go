// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
)

// Pending is the reason of who waits for quota. Kueue tells its kinds apart only behind the feature
// gate UnadmittedWorkloadsObservability, which is off in 0.19.
const Pending = "Pending"

// The KEP's name for the signal; BlockedOnPreemptionGates is what was released.
const oldSignal = "PreemptionBlocked"

// write is one effect on its way into a workload.
type write struct {
	*kueue.Workload
	effect *sluice.Effect
	now    metav1.Time
}

// Write is the workload as an effect of the engine wants it, and whether that is another spec; else
// it is another status. nil: this version knows no such write. now is the engine's: it compares the
// times of conditions with each other and with its own.
func Write(seen *kueue.Workload, effect *sluice.Effect, now time.Time) (
	wanted *kueue.Workload, ofSpec bool) {
	w := &write{seen.DeepCopy(), effect, metav1.NewTime(now.Truncate(time.Second))}
	status, said := &w.Status, effect.Workload
	switch said.Write {
	case "gates":
		w.gates()
	case "reserve":
		w.reserve()
	case "admit":
		w.set(kueue.WorkloadAdmitted, true, kueue.WorkloadAdmitted, isAdmitted)
	case "checks":
		w.checks()
	case "signal":
		w.is(kueue.WorkloadBlockedOnPreemptionGates, kueue.PreemptionGated)
		w.isNot(kueue.WorkloadQuotaReserved, Pending)
	case "clearSignal":
		w.clearSignal(effect.Reason, effect.Message)
	case "evict":
		w.evict()
	case "endEviction":
		why := w.whyItWent()
		w.noAdmission(Pending, why)
		w.set(kueue.WorkloadRequeued, said.Requeued, w.whatItWentFor(), why)
	case "unreserve":
		w.noAdmission(effect.Reason, effect.Message)
	case "pending":
		w.isNot(kueue.WorkloadQuotaReserved, effect.Reason)
	case "requeued":
		w.is(kueue.WorkloadRequeued, effect.Reason)
		w.clearBackoff()
	case "requeueAt":
		w.requeueAt()
	case "clearBackoff":
		w.clearBackoff()
	case "clearRequeue":
		status.RequeueState = nil
		apimeta.RemoveStatusCondition(&status.Conditions, kueue.WorkloadDeactivationTarget)
	case "target":
		w.set(kueue.WorkloadDeactivationTarget, true, effect.Reason, w.whyRejected())
	case "deactivate":
		active := false
		w.Spec.Active = &active
		return w.Workload, true
	default:
		return nil, false
	}
	return w.Workload, false
}

func (w *write) set(kind string, is bool, reason, message string) {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	setCondition(w.Workload, kind, status, reason, message, w.now)
}

func (w *write) is(kind, reason string)    { w.set(kind, true, reason, w.effect.Message) }
func (w *write) isNot(kind, reason string) { w.set(kind, false, reason, w.effect.Message) }

func (w *write) gates() {
	var states []kueue.PreemptionGateState
	for _, pair := range w.effect.Workload.Gates {
		state := kueue.PreemptionGateState{Name: pair[0],
			Position: kueue.PreemptionGatePosition(pair[1]), LastTransitionTime: w.now}
		for _, was := range w.Status.PreemptionGates {
			if was.Name == state.Name && was.Position == state.Position &&
				w.effect.Workload.Write == "gates" {
				state.LastTransitionTime = was.LastTransitionTime
			}
		}
		states = append(states, state)
	}
	w.Status.PreemptionGates = states
}

func (w *write) clearSignal(reason, message string) {
	w.set(kueue.WorkloadBlockedOnPreemptionGates, false, reason, message)
	if Is(w.Workload, oldSignal) {
		w.set(oldSignal, false, reason, message)
	}
}

// isOver writes of a condition that is True that it no longer is, because there is quota again.
func (w *write) isOver(kind string) {
	if Is(w.Workload, kind) {
		w.set(kind, false, kueue.WorkloadQuotaReserved, w.previously(kind))
	}
}

func (w *write) reserve() {
	said := w.effect.Workload
	w.Status.Admission, w.Status.ResourceRequests = admission(said.Admission), nil
	w.is(kueue.WorkloadQuotaReserved, kueue.WorkloadQuotaReserved)
	w.isOver(kueue.WorkloadEvicted)
	w.isOver(kueue.WorkloadPreempted)
	w.checks()
	if said.Admitted {
		w.set(kueue.WorkloadAdmitted, true, kueue.WorkloadAdmitted, isAdmitted)
	}
	if said.Clear {
		w.isOver(kueue.WorkloadBlockedOnPreemptionGates)
		w.isOver(oldSignal)
	}
}

func admission(said *sluice.WorkloadAdmission) *kueue.Admission {
	if said == nil {
		return nil
	}
	a := &kueue.Admission{ClusterQueue: kueue.ClusterQueueReference(said.ClusterQueue)}
	for i := range said.PodSets {
		from := &said.PodSets[i]
		set := kueue.PodSetAssignment{Name: kueue.PodSetReference(from.Name), Count: &from.Count}
		for _, pair := range from.Flavors {
			if set.Flavors == nil {
				set.Flavors = map[v1.ResourceName]kueue.ResourceFlavorReference{}
			}
			set.Flavors[v1.ResourceName(pair[0])] = kueue.ResourceFlavorReference(pair[1])
		}
		for _, amount := range from.Requests {
			if set.ResourceUsage == nil {
				set.ResourceUsage = v1.ResourceList{}
			}
			set.ResourceUsage[v1.ResourceName(amount.Name)] = Quantity(amount)
		}
		a.PodSetAssignments = append(a.PodSetAssignments, set)
	}
	return a
}

// Quantity is an amount as the API server would write it.
func Quantity(amount sluice.Amount) resource.Quantity {
	switch name := v1.ResourceName(amount.Name); {
	case name == v1.ResourceCPU:
		return *resource.NewMilliQuantity(amount.Value, resource.DecimalSI)
	case name == v1.ResourceMemory, name == v1.ResourceEphemeralStorage,
		strings.HasPrefix(amount.Name, v1.ResourceHugePagesPrefix):
		return *resource.NewQuantity(amount.Value, resource.BinarySI)
	}
	return *resource.NewQuantity(amount.Value, resource.DecimalSI)
}

// checks lists just those that are said; what is there keeps its state.
func (w *write) checks() {
	var states []kueue.AdmissionCheckState
	for _, name := range w.effect.Workload.Checks {
		at := slices.IndexFunc(w.Status.AdmissionChecks, func(c kueue.AdmissionCheckState) bool {
			return string(c.Name) == name
		})
		if at >= 0 {
			states = append(states, w.Status.AdmissionChecks[at])
			continue
		}
		states = append(states, kueue.AdmissionCheckState{
			Name:  kueue.AdmissionCheckReference(name),
			State: kueue.CheckStatePending, LastTransitionTime: w.now})
	}
	w.Status.AdmissionChecks = states
}

func (w *write) evict() {
	said, cause := w.effect.Workload, ""
	reason, message := w.effect.Reason, w.whyItGoes()
	if reason == kueue.WorkloadDeactivated {
		cause = said.Cause
	}
	w.count(reason, cause)
	if cause != "" {
		reason = deactivatedDueTo(cause)
	}
	w.set(kueue.WorkloadEvicted, true, reason, message)
	if reason == kueue.WorkloadEvictedByPreemption {
		w.set(kueue.WorkloadPreempted, true, said.Cause, message)
	}
	w.gates()
	if said.Clear {
		w.clearSignal(reason, message)
	}
	w.Status.ClusterName, w.Status.NominatedClusterNames = nil, nil
	for i := range w.Status.AdmissionChecks {
		check := &w.Status.AdmissionChecks[i]
		if slices.Contains(said.Checks, string(check.Name)) {
			w.reset(check)
		}
	}
	apimeta.RemoveStatusCondition(&w.Status.Conditions, kueue.WorkloadDeactivationTarget)
	if said.ForgetRequeue {
		w.Status.RequeueState = nil
	}
}

// reset makes a check pending again, and counts how often it asked for that.
func (w *write) reset(check *kueue.AdmissionCheckState) {
	if check.State == kueue.CheckStatePending {
		return
	}
	var retries *int32
	if check.State == kueue.CheckStateRetry {
		count := int32(1)
		if check.RetryCount != nil {
			count += *check.RetryCount
		}
		retries = &count
	}
	*check = kueue.AdmissionCheckState{Name: check.Name, State: kueue.CheckStatePending,
		LastTransitionTime: w.now, Message: resetByEviction + string(check.State),
		RequeueAfterSeconds: check.RequeueAfterSeconds, RetryCount: retries}
}

// count adds one to how often it was evicted for this.
func (w *write) count(reason, cause string) {
	if w.Status.SchedulingStats == nil {
		w.Status.SchedulingStats = &kueue.SchedulingStats{}
	}
	evictions := &w.Status.SchedulingStats.Evictions
	at := slices.IndexFunc(*evictions, func(e kueue.WorkloadSchedulingStatsEviction) bool {
		return e.Reason == reason && string(e.UnderlyingCause) == cause
	})
	if at < 0 {
		at = len(*evictions)
		*evictions = append(*evictions, kueue.WorkloadSchedulingStatsEviction{Reason: reason,
			UnderlyingCause: kueue.EvictionUnderlyingCause(cause)})
	}
	(*evictions)[at].Count++
}

func deactivatedDueTo(cause string) string { return kueue.WorkloadDeactivated + "DueTo" + cause }

func (w *write) noAdmission(reason, message string) {
	w.Status.Admission = nil
	w.set(kueue.WorkloadQuotaReserved, false, reason, message)
	w.ranUntilNow()
	if apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadAdmitted) != nil {
		reason, message := w.whyNotAdmitted()
		w.set(kueue.WorkloadAdmitted, false, reason, message)
	}
}

// ranUntilNow adds the time since it was admitted to that which it ran before. Of one whose time
// was over nothing is kept: who activates it again gives it all of its time.
func (w *write) ranUntilNow() {
	admitted := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadAdmitted)
	if admitted == nil || admitted.Status != metav1.ConditionTrue {
		return
	}
	if evicted := Evicted(w.Workload); evicted != nil && evicted.Reason == deactivatedDueTo(
		kueue.WorkloadMaximumExecutionTimeExceeded) {
		w.Status.AccumulatedPastExecutionTimeSeconds = nil
		return
	}
	ran := int32(max(w.now.Sub(admitted.LastTransitionTime.Time).Seconds(), 0))
	if before := w.Status.AccumulatedPastExecutionTimeSeconds; before != nil {
		ran += *before
	}
	w.Status.AccumulatedPastExecutionTimeSeconds = &ran
}

// clearBackoff leaves nothing behind, unless somebody has counted there.
func (w *write) clearBackoff() {
	state := w.Status.RequeueState
	if state == nil {
		return
	}
	if state.RequeueAt = nil; state.Count == nil {
		w.Status.RequeueState = nil
	}
}

func (w *write) requeueAt() {
	if w.Status.RequeueState == nil {
		w.Status.RequeueState = &kueue.RequeueState{}
	}
	at := metav1.NewTime(time.Unix(0, w.effect.Workload.At))
	w.Status.RequeueState.RequeueAt = &at
}
