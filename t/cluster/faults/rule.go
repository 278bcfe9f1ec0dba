// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Rule is what becomes of the requests that it matches. Empty words match anything.
type Rule struct {
	Verb        string
	Resource    string
	Subresource string // "-": none
	Name        string
	If          func(*Request) bool // nil: always

	Answer int           // refuse with this status: 409, 429, 500; 0: do not
	Lose   bool          // carry it out, and drop the answer
	Hang   time.Duration // first wait so long
	Times  int64         // act so often; 0: always

	acted atomic.Int64
}

// Acted is how often the rule has acted.
func (r *Rule) Acted() int64 { return r.acted.Load() }

func (r *Rule) matches(request *Request) bool {
	subresource := r.Subresource
	if subresource == "-" {
		if request.Subresource != "" {
			return false
		}
		subresource = ""
	}
	for _, word := range [][2]string{
		{r.Verb, request.Verb}, {r.Resource, request.Resource},
		{subresource, request.Subresource}, {r.Name, request.Name},
	} {
		if word[0] != "" && word[0] != word[1] {
			return false
		}
	}
	return r.If == nil || r.If(request)
}

// take tells whether the rule acts on the request, and counts it.
func (r *Rule) take(request *Request) bool {
	if !r.matches(request) {
		return false
	}
	if acted := r.acted.Add(1); r.Times > 0 && acted > r.Times {
		r.acted.Add(-1)
		return false
	}
	return true
}

var reasons = map[int]metav1.StatusReason{
	http.StatusConflict:            metav1.StatusReasonConflict,
	http.StatusTooManyRequests:     metav1.StatusReasonTooManyRequests,
	http.StatusInternalServerError: metav1.StatusReasonInternalError,
	http.StatusServiceUnavailable:  metav1.StatusReasonServiceUnavailable,
	http.StatusGatewayTimeout:      metav1.StatusReasonTimeout,
	http.StatusUnprocessableEntity: metav1.StatusReasonInvalid,
	http.StatusForbidden:           metav1.StatusReasonForbidden,
}

// refuse answers as the API server would.
func refuse(w http.ResponseWriter, status int) {
	answer := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Code:     int32(status),
		Reason:   reasons[status],
		Message:  "refused by a rule of the test",
	}
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
		answer.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}
