// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"errors"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	testclock "k8s.io/utils/clock/testing"
)

func TestJob(t *testing.T) {
	const suspend = `{"op":"add","path":"/spec/suspend","value":true}`
	const label = `{"op":"add","path":"/metadata/labels/kueue.x-k8s.io~1queue-name","value":"default"}`
	const theirs = `{"op":"add","path":"/spec/managedBy","value":"kueue.x-k8s.io/multikueue"}`
	o := options(fake.NewClientset(), testclock.NewFakeClock(testStart))
	o.Dispatched = func(namespace, queue string) bool { return namespace+"/"+queue == "ns/far" }
	o.HasQueue = func(namespace, queue string) bool { return namespace+"/"+queue == "ns/default" }
	w := newWebhook(t, o)
	for name, one := range map[string]struct {
		queue, metadata, spec, want string
		operation                   admissionv1.Operation
	}{
		"without a queue": {"", "", `{}`, "[" + label + "," + suspend + "]", admissionv1.Create},
		"of a CronJob": {"", `, "ownerReferences": [{"apiVersion": "batch/v1", "kind": "CronJob",
			"name": "above", "uid": "u", "controller": true}]`, `{"suspend": true}`, "[" + label + "]",
			admissionv1.Create},
		"without a queue, of a JobSet": {"", `, "ownerReferences": [{"apiVersion":
			"jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "above", "uid": "u",
			"controller": true}]`, `{}`, "", admissionv1.Create},
		"suspended":     {"near", "", `{"suspend": true}`, "", admissionv1.Create},
		"not suspended": {"near", "", `{"suspend": false}`, "[" + suspend + "]", admissionv1.Create},
		"for others":    {"far", "", `{}`, "[" + suspend + "," + theirs + "]", admissionv1.Create},
		"said so": {"far", "", `{"suspend": true, "managedBy": "kubernetes.io/job-controller"}`,
			"[" + theirs + "]", admissionv1.Create},
		"of somebody else": {"far", "", `{"suspend": true, "managedBy": "example.com/x"}`, "",
			admissionv1.Create},
		"of another Job": {"near", `, "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job",
			"name": "above", "uid": "u", "controller": true}]`, `{}`, "", admissionv1.Create},
		"later": {"near", "", `{}`, "", admissionv1.Update},
	} {
		t.Run(name, func(t *testing.T) {
			labels := "{}"
			if one.queue != "" {
				labels = fmt.Sprintf(`{"kueue.x-k8s.io/queue-name": %q}`, one.queue)
			}
			response, err := w.job(t.Context(), &admissionv1.AdmissionRequest{UID: "r", Namespace: "ns",
				Operation: one.operation, Object: runtime.RawExtension{Raw: []byte(fmt.Sprintf(
					`{"metadata": {"name": "j", "labels": %s%s}, "spec": %s}`, labels, one.metadata,
					one.spec))}})
			if err != nil || !response.Allowed || string(response.Patch) != one.want {
				t.Errorf("it says %+v (%v) with %s, want %s", response, err, response.Patch, one.want)
			}
		})
	}
	bare, err := w.job(t.Context(), &admissionv1.AdmissionRequest{Namespace: "ns",
		Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: []byte(`{"metadata": {}}`)}})
	if want := `[{"op":"add","path":"/metadata/labels",` +
		`"value":{"kueue.x-k8s.io/queue-name":"default"}},` + suspend + "]"; err != nil ||
		string(bare.Patch) != want {
		t.Errorf("without labels it says %s (%v), want %s", bare.Patch, err, want)
	}
	o.Complete = func(bool) error { return errors.New("not yet") }
	if _, err := newWebhook(t, o).job(t.Context(), &admissionv1.AdmissionRequest{
		Operation: admissionv1.Create}); err == nil {
		t.Error("a replica that has not listed the queues answers")
	}
}
