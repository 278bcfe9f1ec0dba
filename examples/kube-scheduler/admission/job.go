// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

var jobs = metav1.GroupVersionResource(batchv1.SchemeGroupVersion.WithResource("jobs"))

// defaultQueue is the LocalQueue of Jobs that name none, where their namespace has it.
const defaultQueue = "default"

// job defaults what Kueue's webhook defaults when a Job is created: one that names no queue gets
// its namespace's default one, one that names a queue is suspended, and one whose queue sends it to
// other clusters is theirs to manage.
func (w *Webhook) job(_ context.Context, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	if request.Operation != admissionv1.Create {
		return allowed(), nil
	}
	if err := w.complete(false); err != nil {
		return nil, err
	}
	var job batchv1.Job
	if err := json.Unmarshal(objectOf(request), &job); err != nil {
		return nil, refuse(http.StatusBadRequest, "the object of %s is not a Job: %v", request.UID, err)
	}
	queue, owner := job.Labels[workload.QueueLabel], metav1.GetControllerOfNoCopy(&job)
	var steps []patchStep
	if queue == "" && (owner == nil || owner.Kind == "CronJob") && w.options.HasQueue != nil &&
		w.options.HasQueue(request.Namespace, defaultQueue) {
		queue = defaultQueue
		steps = append(steps, labelled(&job, queue))
	}
	if queue == "" || owner != nil && owner.Kind == "Job" { // that one is queued as a whole
		return allowed(), nil
	}
	if job.Spec.Suspend == nil || !*job.Spec.Suspend {
		steps = append(steps, patchStep{"add", "/spec/suspend", true})
	}
	if by := job.Spec.ManagedBy; (by == nil || *by == batchv1.JobControllerName) &&
		w.options.Dispatched != nil && w.options.Dispatched(request.Namespace, queue) {
		steps = append(steps, patchStep{"add", "/spec/managedBy", kueue.MultiKueueControllerName})
	}
	return patched(allowed(), steps)
}

// labelled gives the Job its queue. In a path of a patch a ~1 is a slash.
func labelled(job *batchv1.Job, queue string) patchStep {
	if job.Labels == nil {
		return patchStep{"add", "/metadata/labels", map[string]string{workload.QueueLabel: queue}}
	}
	return patchStep{"add", "/metadata/labels/" +
		strings.ReplaceAll(workload.QueueLabel, "/", "~1"), queue}
}

func patched(response *admissionv1.AdmissionResponse, steps []patchStep) (
	*admissionv1.AdmissionResponse, error) {
	if len(steps) == 0 {
		return response, nil
	}
	patch, err := json.Marshal(steps)
	if err != nil {
		return nil, fmt.Errorf("the patch cannot be written: %w", err)
	}
	kind := admissionv1.PatchTypeJSONPatch
	response.Patch, response.PatchType = patch, &kind
	return response, nil
}
