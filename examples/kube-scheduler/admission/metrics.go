// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var durations = metrics.NewHistogramVec(&metrics.HistogramOpts{
	Subsystem: "sluice", Name: "admission_duration_seconds", StabilityLevel: metrics.ALPHA,
	Help: "Time that the webhook took to answer, by the kind of object, and by the answer: " +
		"allowed, refused, or failed (it could not answer).",
	Buckets: metrics.ExponentialBuckets(0.0001, 2, 16),
}, []string{"kind", "answer"})

var register sync.Once

// count notes an answer. Kinds and answers are few, whoever asks.
func count(request *admissionv1.AdmissionRequest, response *admissionv1.AdmissionResponse,
	began time.Time) {
	register.Do(func() { legacyregistry.MustRegister(durations) })
	kind, answer := "other", "failed"
	if request != nil {
		switch request.Resource {
		case pods:
			kind = "pod"
		case queues:
			kind = "queue"
		case commands:
			kind = "command"
		case groups:
			kind = "group"
		}
	}
	if response != nil {
		answer = "refused"
		if response.Allowed {
			answer = "allowed"
		}
	}
	durations.WithLabelValues(kind, answer).Observe(time.Since(began).Seconds())
}
