// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"sluice/kube-scheduler/door"
	"sluice/plain"
)

// Bounds of what is asked. An AdmissionReview carries an object and its predecessor, of which etcd
// takes 1.5 MiB each, and who asks. Who waits longer than the webhooks' timeouts asks in vain.
var bounds = door.Bounds{
	Requests: 128,
	Body:     3<<20 + 256<<10,
	Small:    16 << 20,
	Large:    32 << 20,
	BodyTime: 3 * time.Second,
	Wait:     2 * time.Second,
}

// mostConnections are open at a time: an API server keeps a few.
const mostConnections = 512

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
	body, done, err := r.read(out, in)
	defer done()
	var request *admissionv1.AdmissionRequest
	var response *admissionv1.AdmissionResponse
	if err == nil {
		request, response, err = r.answer(in, body)
	}
	count(request, response, began)
	if err != nil {
		status := http.StatusInternalServerError
		if r := (*refusal)(nil); errors.As(err, &r) {
			status = r.status
		}
		if r := (*door.Refusal)(nil); errors.As(err, &r) {
			status = r.Status
			logger = logger.V(4) // a flood of reviews is none of lines; the metrics count them
		}
		logger.Info("A review could not be answered", "status", status, "why", err.Error())
		http.Error(out, plain.Text(err.Error(), plain.RefusalBytes), status)
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

// answer answers what the body asks, when it is its turn.
func (r *reviewer) answer(in *http.Request, body []byte) (*admissionv1.AdmissionRequest,
	*admissionv1.AdmissionResponse, error) {
	leave, err := r.door.Enter(in)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	request, err := readReview(body)
	if err != nil {
		return nil, nil, err
	}
	response, err := r.review(in.Context(), request)
	return request, response, err
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

// read reads the body. What it takes counts until done is called.
func (r *reviewer) read(out http.ResponseWriter, in *http.Request) (body []byte, done func(),
	err error) {
	if in.Method != http.MethodPost {
		out.Header().Set("Allow", http.MethodPost)
		return nil, func() {}, refuse(http.StatusMethodNotAllowed, "method %s, want POST", in.Method)
	}
	content := in.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(content); err != nil || media != "application/json" {
		return nil, func() {}, refuse(http.StatusUnsupportedMediaType,
			"Content-Type %q, want application/json", content)
	}
	return r.door.Read(out, in)
}

func readReview(body []byte) (*admissionv1.AdmissionRequest, error) {
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
