// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"sluice/kube-scheduler/engine"
	"sluice/kube-scheduler/facts"
)

// An AdmissionReview carries an object and its predecessor; the API server takes objects of at most
// 3 MiB.
const maxReview = 8 << 20

// A refusal is an answer to the request, not to the review in it.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers an AdmissionReview of admission.k8s.io/v1. It has no side effects, so a dry run
// is answered like any other.
func (w *Webhook) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	logger := klog.FromContext(in.Context())
	request, err := readReview(out, in)
	var response *admissionv1.AdmissionResponse
	if err == nil {
		response, err = w.review(logger, request)
	}
	if err != nil {
		status := http.StatusInternalServerError
		if r := (*refusal)(nil); errors.As(err, &r) {
			status = r.status
		}
		logger.Info("A review could not be answered", "status", status, "why", err.Error())
		http.Error(out, err.Error(), status)
		return
	}
	response.UID = request.UID
	answer := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Response: response,
	}
	out.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(out).Encode(answer); err != nil {
		logger.V(2).Info("An answer could not be sent", "why", err.Error())
	}
}

func readReview(out http.ResponseWriter, in *http.Request) (*admissionv1.AdmissionRequest, error) {
	if in.Method != http.MethodPost {
		out.Header().Set("Allow", http.MethodPost)
		return nil, refuse(http.StatusMethodNotAllowed, "method %s, want POST", in.Method)
	}
	content := in.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(content); err != nil || media != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType,
			"Content-Type %q, want application/json", content)
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, maxReview))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, refuse(http.StatusRequestEntityTooLarge,
			"a body of more than %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the body cannot be read: %v", err)
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, refuse(http.StatusBadRequest, "the body is not an AdmissionReview: %v", err)
	}
	if review.APIVersion != "admission.k8s.io/v1" || review.Kind != "AdmissionReview" {
		return nil, refuse(http.StatusBadRequest,
			"a %q of %q, want an AdmissionReview of admission.k8s.io/v1", review.Kind, review.APIVersion)
	}
	if review.Request == nil || review.Request.UID == "" {
		return nil, refuse(http.StatusBadRequest, "an AdmissionReview without request or request.uid")
	}
	return review.Request, nil
}

func (w *Webhook) review(logger klog.Logger, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	allowed := &admissionv1.AdmissionResponse{Allowed: true}
	pods := metav1.GroupVersionResource{Version: "v1", Resource: "pods"}
	if request.Resource != pods || request.SubResource != "" {
		logger.Info("Asked about what is no pod, and allowed it: look at the webhook's rules",
			"resource", request.Resource.String(), "subresource", request.SubResource)
		return allowed, nil
	}
	raw := request.Object.Raw
	switch request.Operation {
	case admissionv1.Create, admissionv1.Update:
	case admissionv1.Delete:
		raw = request.OldObject.Raw
	default:
		logger.Info("Asked about an operation that is none of ours, and allowed it: look at the "+
			"webhook's rules", "operation", request.Operation)
		return allowed, nil
	}
	var pod corev1.Pod
	if err := json.Unmarshal(raw, &pod); err != nil {
		return nil, refuse(http.StatusBadRequest, "the object of %s is not a pod: %v", request.UID, err)
	}
	pod.Namespace = request.Namespace

	var asked engine.Pod
	facts.Pod(&pod, w.options.NamespaceQueue(pod.Namespace), &asked)
	admission, tail, err := w.options.Engine.Admit(string(request.Operation), &asked)
	if wrong := (*engine.Error)(nil); errors.As(err, &wrong) &&
		(wrong.Code == engine.CodeField || wrong.Code == engine.CodeLimit) {
		return denied(fmt.Sprintf("sluice cannot queue this pod: %s: %q, want %s",
			wrong.Key, wrong.Value, wrong.Want)), nil
	}
	if err != nil {
		return nil, fmt.Errorf("the engine cannot answer: %w", err)
	}
	w.options.Told(tail)
	if !admission.Allow {
		return denied(admission.Reason), nil
	}
	if len(admission.Gates) == 0 {
		return allowed, nil
	}
	return gated(allowed, &pod, admission.Gates)
}

func denied(reason string) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Result: &metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusForbidden,
		Reason:  metav1.StatusReasonForbidden,
		Message: reason,
	}}
}

type patchStep struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// gated adds gates beside those that are there.
func gated(response *admissionv1.AdmissionResponse, pod *corev1.Pod, names []string) (
	*admissionv1.AdmissionResponse, error) {
	var steps []patchStep
	if len(pod.Spec.SchedulingGates) == 0 {
		steps = append(steps, patchStep{"add", "/spec/schedulingGates", []any{}})
	}
	for _, name := range names {
		steps = append(steps,
			patchStep{"add", "/spec/schedulingGates/-", corev1.PodSchedulingGate{Name: name}})
	}
	patch, err := json.Marshal(steps)
	if err != nil {
		return nil, fmt.Errorf("the patch cannot be written: %w", err)
	}
	kind := admissionv1.PatchTypeJSONPatch
	response.Patch, response.PatchType = patch, &kind
	return response, nil
}
