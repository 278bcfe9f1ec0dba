// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mark is the label of pods that are to be looked at once more.
const mark = "sluice.sh/check"

func labelled(value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels = map[string]string{mark: value} }
}

func forged(p *corev1.Pod) { p.Annotations[grantedIn] = "queue/q" }

func gated(p *corev1.Pod) {
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: long}}
}

// Who is marked is looked at, whoever marked him; and nobody but the policy decides who is not.
func testMark(c *cluster) {
	minimumOf := func(text string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Annotations[minimum] = text }
	}
	for _, one := range []struct {
		what    string
		pod     *corev1.Pod
		refused bool
		marked  bool
		gates   []string
	}{
		{"an opted-in pod", pod(long), false, false, []string{long}},
		{"one with a minimum", with(pod(), minimumOf("4")), false, false, []string{long}},
		{"one that brings its gate", with(pod(long), gated), false, false, []string{long}},
		{"one that did not opt in", pod(), false, false, nil},
		{"another scheduler's, with a stamp", with(with(pod(), forged), func(p *corev1.Pod) {
			p.Spec.SchedulerName = "other"
		}), false, false, nil},
		{"a minimum that takes a second look", with(pod(), minimumOf("0004")), false, true,
			[]string{long}},
		{"the same beside other labels", with(with(pod(), minimumOf("2147483647")),
			func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }), false, true,
			[]string{long}},
		{"a pod that brings the mark", with(pod(long), labelled("")), false, true, []string{long}},
		{"one that brings it with its gate", with(with(pod(long), labelled("")), gated), false, true,
			[]string{long}},
		{"a stamp", with(pod(), forged), true, false, nil},
		{"a stamp, opted in", with(pod(long), forged), true, false, nil},
		{"a stamp beside the gate", with(with(pod(long), forged), gated), true, false, nil},
		{"a stamp beside the mark", with(with(pod(long), forged), labelled("")), true, false, nil},
		{"a stamp beside a mark that says no", with(with(pod(), forged), labelled("false")), true,
			false, nil},
		{"a stamp beside other labels", with(with(pod(), forged), func(p *corev1.Pod) {
			p.Labels = map[string]string{"a": "b"}
		}), true, false, nil},
		{"a stamp that names its node", with(with(pod(), forged), func(p *corev1.Pod) {
			p.Spec.NodeName = "n"
		}), true, false, nil},
	} {
		made, err := c.create(one.pod, metav1.DryRunAll)
		switch {
		case one.refused && !apierrors.IsForbidden(err):
			c.Errorf("%s: %v, want it refused", one.what, err)
		case !one.refused && err != nil:
			c.Errorf("%s: %v", one.what, err)
		case !one.refused:
			if _, marked := made.Labels[mark]; marked != one.marked {
				c.Errorf("%s: its labels are %v, want marked %t", one.what, made.Labels, one.marked)
			}
			if got := gatesOf(made); !slices.Equal(got, append([]string{}, one.gates...)) {
				c.Errorf("%s: gates %q, want %q", one.what, got, one.gates)
			}
		}
	}
	// A mark is nothing to what is written later.
	made, err := c.create(with(pod(long), labelled("")))
	if err != nil {
		c.Fatal(err)
	}
	for _, labels := range []string{`{"sluice.sh/check": null}`, `{"sluice.sh/check": ""}`} {
		for stamp, refused := range map[string]bool{"": false,
			`, "annotations": {"sluice.sh/queue": "queue/q"}`: true} {
			patch := fmt.Sprintf(`{"metadata": {"labels": %s%s}}`, labels, stamp)
			_, err := c.as(editor).CoreV1().Pods("default").Patch(c.Context(), made.Name,
				"application/merge-patch+json", []byte(patch), metav1.PatchOptions{})
			if apierrors.IsForbidden(err) != refused || err != nil && !refused {
				c.Errorf("%s: %v, want refused %t", patch, err, refused)
			}
		}
	}
}

// Webhooks are asked after the policy: what they change in a pod that it gated or marked it looks
// at again.
func testLaterWebhook(c *cluster) {
	hook := c.webhook()
	takesOff := `[{"op": "remove", "path": "/metadata/labels"}]`
	stamps := `[{"op": "add", "path": "/metadata/annotations/sluice.sh~1queue",
		"value": "queue/q"}]`
	optsIn := fmt.Sprintf(`[{"op": "add", "path": "/metadata/annotations", "value": {%q: "true"}}]`,
		long)
	for _, one := range []struct {
		what, patch string
		pod         *corev1.Pod
		refused     bool
		gates       []string
	}{
		{"the mark is taken off", takesOff, with(pod(), forged), true, nil},
		{"the mark is taken off an opted-in pod", takesOff, with(pod(long), forged), true, nil},
		{"a stamp is written into a pod that was gated", stamps, pod(long), true, nil},
		{"a stamp is written into one that brought its gate", stamps, with(pod(long), gated), false,
			[]string{long}},
		{"the pod is opted in", optsIn, pod(), false, nil},
	} {
		hook.patch = one.patch
		made, err := c.create(one.pod, metav1.DryRunAll)
		if apierrors.IsForbidden(err) != one.refused || err != nil && !one.refused {
			c.Errorf("%s: %v, want refused %t", one.what, err, one.refused)
		} else if !one.refused && !slices.Equal(gatesOf(made), append([]string{}, one.gates...)) {
			c.Errorf("%s: gates %q, want %q", one.what, gatesOf(made), one.gates)
		}
	}
	// One that is asked again has the last word.
	c.must("patch", "mutatingwebhookconfiguration", "later", "--type=json", "-p",
		`[{"op": "replace", "path": "/webhooks/0/reinvocationPolicy", "value": "IfNeeded"}]`)
	hook.patch = takesOff
	c.await("a mark that is taken off twice is gone", func() bool {
		_, err := c.create(with(pod(), forged), metav1.DryRunAll)
		return err == nil
	})
	// Who has such webhooks has every pod looked at.
	hook.patch = stamps
	c.must("patch", "validatingadmissionpolicybinding", "sluice-pods-created", "--type=merge", "-p",
		`{"spec": {"matchResources": {"objectSelector": null}}}`)
	c.await("a stamp of a webhook is refused, too", func() bool {
		_, err := c.create(with(pod(long), gated), metav1.DryRunAll)
		return apierrors.IsForbidden(err)
	})
	c.must("delete", "mutatingwebhookconfiguration", "later")
	c.must("apply", "--server-side", "--force-conflicts", "-k", manifests+"overlays/on-bind")
}

// later is a webhook of somebody else, which changes each pod in the same way.
type later struct{ patch string }

func (l *later) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &review)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	kind := admissionv1.PatchTypeJSONPatch
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true,
		PatchType: &kind, Patch: []byte(l.patch)}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(review); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (c *cluster) webhook() *later {
	c.Helper()
	hook := &later{}
	server := httptest.NewTLSServer(hook)
	c.Cleanup(server.Close)
	none, fail := registrationv1.SideEffectClassNone, registrationv1.Fail
	_, err := c.Client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(c.Context(),
		&registrationv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "later"},
			Webhooks: []registrationv1.MutatingWebhook{{
				Name: "later.example.com", AdmissionReviewVersions: []string{"v1"},
				SideEffects: &none, FailurePolicy: &fail,
				ClientConfig: registrationv1.WebhookClientConfig{URL: &server.URL,
					CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
						Bytes: server.Certificate().Raw})},
				Rules: []registrationv1.RuleWithOperations{{
					Operations: []registrationv1.OperationType{registrationv1.Create},
					Rule: registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
						Resources: []string{"pods"}}}},
			}},
		}, metav1.CreateOptions{})
	if err != nil {
		c.Fatal(err)
	}
	hook.patch = `[{"op": "add", "path": "/metadata/labels", "value": {"later": ""}}]`
	c.await("the webhook is asked", func() bool {
		made, err := c.create(pod(), metav1.DryRunAll)
		return err == nil && len(made.Labels) == 1
	})
	return hook
}
