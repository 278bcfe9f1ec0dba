// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
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

// reviewer answers the AdmissionReviews of admission.k8s.io/v1 of one path. It has no side effects,
// so a dry run is answered like any other.
//
// What cannot be answered is an error of HTTP and no refusal: then the failurePolicy of the webhook
// says what becomes of the object.
type reviewer struct {
	*Webhook
	questions map[metav1.GroupVersionResource]question
}

func (r *reviewer) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	began := time.Now()
	logger := klog.FromContext(in.Context())
	request, err := readReview(out, in)
	var response *admissionv1.AdmissionResponse
	if err == nil {
		response, err = r.review(in.Context(), request)
	}
	count(request, response, began)
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

// review allows what nobody here is asked about: that is a mistake in the webhook's rules, and must
// not stop anybody.
func (r *reviewer) review(ctx context.Context, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	answer, asked := r.questions[request.Resource]
	if asked && request.SubResource == "" {
		switch request.Operation {
		case admissionv1.Create, admissionv1.Update, admissionv1.Delete:
			return answer(ctx, request)
		}
	}
	klog.FromContext(ctx).Info("Asked about what is none of ours, and allowed it: look at the "+
		"webhook's rules", "resource", request.Resource.String(),
		"subresource", request.SubResource, "operation", request.Operation)
	return allowed(), nil
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
