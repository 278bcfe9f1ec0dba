// SPDX-License-Identifier: Apache-2.0

// Package workload knows Kueue's Workload (kueue.x-k8s.io/v1beta2): its name, what its pods ask
// for, what of it is out of scope, what its admission writes into a pod template, and what an
// effect of the engine writes into it. All of it is pure; names, labels, finalizers and annotations
// are those of Kueue 0.19.
package workload

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/plain"
)

// Names that Kueue has in packages which are not its API.
const (
	QueueLabel         = "kueue.x-k8s.io/queue-name"
	PriorityClassLabel = "kueue.x-k8s.io/priority-class"
	Prebuilt           = "kueue.x-k8s.io/prebuilt-workload-name" // annotation, or label
	JobUIDLabel        = "kueue.x-k8s.io/job-uid"
	MaxExecTimeLabel   = "kueue.x-k8s.io/max-exec-time-seconds"
	ElasticAnnotation  = "kueue.x-k8s.io/elastic-job"
	AdmissionGatedBy   = "kueue.x-k8s.io/admission-gated-by" // annotation of Jobs and Workloads

	PodSetLabel       = "kueue.x-k8s.io/podset"
	localQueueLabel   = "kueue.x-k8s.io/local-queue-name"
	clusterQueueLabel = "kueue.x-k8s.io/cluster-queue-name"
	provisioning      = "provreq.kueue.x-k8s.io/" // begins annotations that go into the Workload
)

// Resource is how the API server calls Workloads.
var Resource = kueue.SchemeGroupVersion.WithResource("workloads")

const (
	hashLength  = 5
	mostOfAName = 253 - 1 - hashLength
)

// Name is that of the workload of an owner.
func Name(owner string, uid types.UID, kind schema.GroupKind) string {
	prefix := strings.ToLower(kind.Kind) + "-" + owner
	sum := sha1.Sum([]byte(kind.Kind + "\n" + kind.Group + "\n" + owner + "\n" + string(uid)))
	return prefix[:min(len(prefix), mostOfAName)] + "-" + hex.EncodeToString(sum[:])[:hashLength]
}

// Is tells whether a condition of the workload is True.
func Is(w *kueue.Workload, condition string) bool {
	return apimeta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

// Active tells whether it may be admitted at all.
func Active(w *kueue.Workload) bool { return w.Spec.Active == nil || *w.Spec.Active }

// Reserved tells whether it holds quota.
func Reserved(w *kueue.Workload) bool { return Is(w, kueue.WorkloadQuotaReserved) }

// Admitted tells whether it may run.
func Admitted(w *kueue.Workload) bool { return Is(w, kueue.WorkloadAdmitted) }

// Finished tells whether it is over for good.
func Finished(w *kueue.Workload) bool { return Is(w, kueue.WorkloadFinished) }

// Evicted is the condition that says so; nil: it is not evicted.
func Evicted(w *kueue.Workload) *metav1.Condition {
	found := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadEvicted)
	if found == nil || found.Status != metav1.ConditionTrue {
		return nil
	}
	return found
}

// Orphaned tells whether it was made for a Job, and belongs to none any more: whoever deletes a Job
// may ask for what it owns to be left behind. (A copy in a worker cluster has no such label.)
func Orphaned(w *kueue.Workload) bool {
	return len(w.OwnerReferences) == 0 && w.Labels[JobUIDLabel] != ""
}

// IsOfClass tells whether its priority is that of a class of workloads.
func IsOfClass(w *kueue.Workload) bool {
	class := w.Spec.PriorityClassRef
	return class != nil && class.Kind == kueue.WorkloadPriorityClassKind
}

// TimeLeft is how long it may run from now on; false: as long as it likes, or it does not run, or
// is to stop. What it ran before it was last sent away counts.
func TimeLeft(w *kueue.Workload, now time.Time) (time.Duration, bool) {
	admitted := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadAdmitted)
	if w.Spec.MaximumExecutionTimeSeconds == nil || admitted == nil ||
		admitted.Status != metav1.ConditionTrue || !Active(w) ||
		Is(w, kueue.WorkloadDeactivationTarget) {
		return 0, false
	}
	most := *w.Spec.MaximumExecutionTimeSeconds
	if before := w.Status.AccumulatedPastExecutionTimeSeconds; before != nil {
		most -= *before
	}
	return time.Duration(most)*time.Second - now.Sub(admitted.LastTransitionTime.Time), true
}

// OutOfTime says of the workload that it ran for as long as it may.
func OutOfTime(w *kueue.Workload) *kueue.Workload {
	stopped := w.DeepCopy()
	SetCondition(stopped, kueue.WorkloadDeactivationTarget, metav1.ConditionTrue,
		kueue.WorkloadMaximumExecutionTimeExceeded, "exceeding the maximum execution time")
	stopped.Status.AccumulatedPastExecutionTimeSeconds = nil
	return stopped
}

// SetCondition writes a condition, and keeps the time of one whose status stays. It returns whether
// anything changed.
func SetCondition(w *kueue.Workload, kind string, status metav1.ConditionStatus, reason,
	message string) bool {
	return setCondition(w, kind, status, reason, message, metav1.Now())
}

func setCondition(w *kueue.Workload, kind string, status metav1.ConditionStatus, reason,
	message string, now metav1.Time) bool {
	return apimeta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kind,
		Status: status, Reason: reason,
		Message:            plain.Text(message, plain.ConditionBytes),
		ObservedGeneration: w.Generation, LastTransitionTime: now})
}

// AnnotationsOf are those of an owner that its workload carries too.
func AnnotationsOf(owner map[string]string) (kept map[string]string) {
	for key, value := range owner {
		if strings.HasPrefix(key, provisioning) {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[key] = value
		}
	}
	return kept
}

// PrebuiltName is the workload that an object names as its own; "": none.
func PrebuiltName(object metav1.Object) string {
	if name := object.GetAnnotations()[Prebuilt]; name != "" {
		return name
	}
	return object.GetLabels()[Prebuilt]
}
