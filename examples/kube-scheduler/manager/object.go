// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// What is followed, here and in the workers.
var (
	workloadResource = kueue.SchemeGroupVersion.WithResource("workloads")
	checkResource    = kueue.SchemeGroupVersion.WithResource("admissionchecks")
	configResource   = kueue.SchemeGroupVersion.WithResource("multikueueconfigs")
	clusterResource  = kueue.SchemeGroupVersion.WithResource("multikueueclusters")
	jobResource      = batchv1.SchemeGroupVersion.WithResource("jobs")
)

// Names of our own. The first is the engine's, which writes it into a workload's annotations.
const (
	ours              = "sluice.sh/"
	originUID         = ours + "workload-uid"
	prebuiltWorkload  = "kueue.x-k8s.io/prebuilt-workload-name"
	jobUIDLabel       = "kueue.x-k8s.io/job-uid"
	finishedOutOfSync = kueue.WorkloadFinishedReasonOutOfSync
)

// workload is the part of a Workload that the manager reads. What it writes, it writes into the
// object as it came, so that nothing in it is lost.
type workload struct {
	workloadPart
	object *unstructured.Unstructured
}

type workloadPart struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              workloadSpec   `json:"spec"`
	Status            workloadStatus `json:"status"`
}

type workloadSpec struct {
	Active          *bool  `json:"active"`
	PreemptionGates []gate `json:"preemptionGates"`
}

// gate is one of the spec or, with a position, of the status. The KEP calls the position a state.
type gate struct {
	Name     string `json:"name"`
	Position string `json:"position"`
	State    string `json:"state"`
}

type workloadStatus struct {
	Conditions            []metav1.Condition          `json:"conditions"`
	AdmissionChecks       []kueue.AdmissionCheckState `json:"admissionChecks"`
	NominatedClusterNames []string                    `json:"nominatedClusterNames"`
	ClusterName           string                      `json:"clusterName"`
	PreemptionGates       []gate                      `json:"preemptionGates"`
}

func readWorkload(object *unstructured.Unstructured) (*workload, error) {
	w := &workload{object: object}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &w.workloadPart)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (w *workload) is(condition string) bool {
	return apimeta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

// over: nobody is to run it (any more).
func (w *workload) over() bool {
	return w.DeletionTimestamp != nil || w.Spec.Active != nil && !*w.Spec.Active ||
		w.is(kueue.WorkloadFinished) || w.is(kueue.WorkloadEvicted)
}

func (w *workload) check(name string) *kueue.AdmissionCheckState {
	for i := range w.Status.AdmissionChecks {
		if string(w.Status.AdmissionChecks[i].Name) == name {
			return &w.Status.AdmissionChecks[i]
		}
	}
	return nil
}

// othersReady: all checks but this one are.
func (w *workload) othersReady(name string) bool {
	return !slices.ContainsFunc(w.Status.AdmissionChecks, func(c kueue.AdmissionCheckState) bool {
		return string(c.Name) != name && c.State != kueue.CheckStateReady
	})
}

// dispatched: it was at work in clusters, or is.
func (w *workload) dispatched() bool {
	return w.Status.ClusterName != "" || len(w.Status.NominatedClusterNames) > 0
}

// owner is the object that the workload stands for; nil: none.
func (w *workload) owner() *metav1.OwnerReference {
	if controller := metav1.GetControllerOfNoCopy(w); controller != nil {
		return controller
	}
	if len(w.OwnerReferences) > 0 {
		return &w.OwnerReferences[0]
	}
	return nil
}

// job is the name of the Job that the workload stands for; "": it stands for none.
func (w *workload) job() string {
	if owner := w.owner(); owner != nil && isJob(owner) {
		return owner.Name
	}
	return ""
}

func isJob(owner *metav1.OwnerReference) bool {
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && version.Group == batchv1.GroupName && owner.Kind == "Job"
}

// managed is what the engine wants to know of a workload of this manager, whose check is this one;
// "": the check is not known, and the workload stays where it is.
func (w *workload) managed(check string) *sluice.Workload {
	seen := &sluice.Workload{
		UID: string(w.UID), Namespace: w.Namespace, Name: w.Name,
		ResourceVersion: facts.Version(w.ResourceVersion),
		Conditions: statuses(w.Status.Conditions, kueue.WorkloadQuotaReserved,
			kueue.WorkloadFinished, kueue.WorkloadEvicted),
		ChecksReady: check != "" && w.othersReady(check),
		Inactive:    w.Spec.Active != nil && !*w.Spec.Active,
		Deleted:     w.DeletionTimestamp != nil,
		Nominated:   w.Status.NominatedClusterNames,
		Cluster:     w.Status.ClusterName,
	}
	if state := w.check(check); state != nil && state.State == kueue.CheckStateRejected {
		seen.Inactive = true
	}
	for _, gate := range w.Spec.PreemptionGates {
		seen.Gates = append(seen.Gates, gate.Name)
	}
	for key, value := range w.Annotations {
		if strings.HasPrefix(key, ours) {
			seen.Annotations = append(seen.Annotations, [2]string{key, value})
		}
	}
	slices.SortFunc(seen.Annotations, byKey)
	return seen
}

// replica is what the engine wants to know of a copy. One that ended because its worker found it to
// be another than its Job is to be dispatched again, not finished.
func (w *workload) replica(cluster string) *sluice.Replica {
	seen := &sluice.Replica{
		Cluster: cluster, UID: string(w.UID), Namespace: w.Namespace, Name: w.Name,
		ResourceVersion: facts.Version(w.ResourceVersion),
		Origin:          w.Annotations[originUID],
		Conditions: statuses(w.Status.Conditions, kueue.WorkloadBlockedOnPreemptionGates,
			"PreemptionBlocked", kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted,
			kueue.WorkloadEvicted, kueue.WorkloadFinished),
		Deleted: w.DeletionTimestamp != nil,
	}
	if w.outOfSync() {
		seen.Conditions = [][2]string{{kueue.WorkloadEvicted, string(metav1.ConditionTrue)}}
	}
	for _, gate := range w.Spec.PreemptionGates {
		seen.Gates = append(seen.Gates, gate.Name)
	}
	for _, gate := range w.Status.PreemptionGates {
		position := gate.Position
		if position == "" {
			position = gate.State
		}
		seen.GateStatus = append(seen.GateStatus, [2]string{gate.Name, position})
	}
	return seen
}

func (w *workload) outOfSync() bool {
	finished := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadFinished)
	return finished != nil && finished.Status == metav1.ConditionTrue &&
		finished.Reason == finishedOutOfSync
}

func statuses(conditions []metav1.Condition, types ...string) (pairs [][2]string) {
	for i := range conditions {
		if slices.Contains(types, conditions[i].Type) {
			pairs = append(pairs, [2]string{conditions[i].Type, string(conditions[i].Status)})
		}
	}
	return pairs
}

func byKey(a, b [2]string) int { return strings.Compare(a[0], b[0]) }
