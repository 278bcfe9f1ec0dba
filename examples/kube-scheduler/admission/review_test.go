// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	testclock "k8s.io/utils/clock/testing"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

const gate = "scheduling.volcano.sh/queue-allocation-gate"

func ask(t *testing.T, asked *answers, method, content, body string) (int, string) {
	t.Helper()
	return askAt(t, Gates, optionsFor(asked), method, content, body)
}

func optionsFor(asked *answers) Options {
	o := options(newClient(), testclock.NewFakeClock(testStart))
	o.Engine = asked
	o.Describe = func(_ context.Context, pod *corev1.Pod) (*sluice.Pod, error) {
		described := &sluice.Pod{}
		facts.Pod(pod, "queue-of-"+pod.Namespace, described)
		return described, nil
	}
	return o
}

func askAt(t *testing.T, path string, o Options, method, content, body string) (int, string) {
	t.Helper()
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Content-Type", content)
	out := httptest.NewRecorder()
	newWebhook(t, o).handler().ServeHTTP(out, request)
	return out.Code, out.Body.String()
}

func answerOf(t *testing.T, asked *answers, body string) *admissionv1.AdmissionResponse {
	t.Helper()
	return answerAt(t, Gates, optionsFor(asked), body)
}

func answerAt(t *testing.T, path string, o Options, body string) *admissionv1.AdmissionResponse {
	t.Helper()
	status, text := askAt(t, path, o, http.MethodPost, "application/json", body)
	var answer admissionv1.AdmissionReview
	if err := json.Unmarshal([]byte(text), &answer); status != http.StatusOK || err != nil {
		t.Fatalf("%d: %s %v", status, text, err)
	}
	if answer.Kind != "AdmissionReview" || answer.APIVersion != "admission.k8s.io/v1" ||
		answer.Response == nil || answer.Response.UID != "u-1" {
		t.Fatalf("not an answer to the review: %s", text)
	}
	return answer.Response
}

func gatesAfter(t *testing.T, pod string, response *admissionv1.AdmissionResponse) []string {
	t.Helper()
	if response.PatchType == nil || *response.PatchType != admissionv1.PatchTypeJSONPatch {
		t.Fatalf("the patch is no JSON patch: %+v", response)
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		t.Fatal(err)
	}
	patched, err := patch.Apply([]byte(pod))
	if err != nil {
		t.Fatalf("%s on %s: %v", response.Patch, pod, err)
	}
	var after corev1.Pod
	if err := json.Unmarshal(patched, &after); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range after.Spec.SchedulingGates {
		names = append(names, g.Name)
	}
	return names
}

func TestGatesComeBesideThoseThatAreThere(t *testing.T) {
	for pod, want := range map[string][]string{
		`{"spec": {}}`:                      {gate, "b"},
		`{"spec": {"schedulingGates": []}}`: {gate, "b"},
		`{"spec": {"schedulingGates": [{"name": "example.com/x"}]}}`: {"example.com/x", gate, "b"},
	} {
		asked := &answers{admission: sluice.Admission{Allow: true, Gates: []string{gate, "b"}}}
		response := answerOf(t, asked, review(admissionv1.Create, pod))
		if got := gatesAfter(t, pod, response); !response.Allowed || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", pod, got, want)
		}
	}
}

func TestTheEngineIsShownThePod(t *testing.T) {
	asked := &answers{admission: sluice.Admission{Allow: true}}
	pod := `{"metadata": {"generateName": "p-", "annotations": {"` + gate + `": "true"}},
		"spec": {"schedulerName": "s", "schedulingGates": [{"name": "x"}], "containers": [
		{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]}}`
	response := answerOf(t, asked, review(admissionv1.Create, pod))
	if !response.Allowed || response.Patch != nil || len(asked.asked) != 1 {
		t.Fatalf("got %+v after %d questions", response, len(asked.asked))
	}
	got := asked.asked[0]
	if asked.operation != sluice.Create || got.Namespace != "team" || got.Scheduler != "s" ||
		got.NamespaceQueue != "queue-of-team" || !slices.Equal(got.Gates, []string{"x"}) ||
		!slices.Contains(got.Annotations, [2]string{gate, "true"}) ||
		!slices.Contains(got.Requests, sluice.Amount{Name: "cpu", Value: 1500}) {
		t.Errorf("%s: %+v", asked.operation, got)
	}
}

func TestADryRunIsAnsweredLikeAnyOther(t *testing.T) {
	asked := &answers{admission: sluice.Admission{Allow: true, Gates: []string{gate}}}
	body := review(admissionv1.Create, `{"spec": {}}`)
	dry := strings.Replace(body, `"uid":`, `"dryRun": true, "uid":`, 1)
	if a, b := answerOf(t, asked, body), answerOf(t, asked, dry); string(a.Patch) != string(b.Patch) {
		t.Errorf("%s, and dry %s", a.Patch, b.Patch)
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	for why, asked := range map[string]*answers{
		"ours to give": {admission: sluice.Admission{Reason: "the stamp is ours to give"}},
		`requests: "33", want at most 32`: {err: &sluice.Error{Code: sluice.CodeField,
			Key: "object.requests", Value: "33", Want: "at most 32"}},
		`pods: "9", want fewer`: {err: &sluice.Error{Code: sluice.CodeLimit,
			Key: "pods", Value: "9", Want: "fewer"}},
	} {
		response := answerOf(t, asked, review(admissionv1.Create, `{}`))
		if response.Allowed || response.Result == nil || response.Result.Code != http.StatusForbidden ||
			!strings.Contains(response.Result.Message, why) {
			t.Errorf("%s: got %+v", why, response.Result)
		}
	}
}

func TestUpdatesAndDeletesAreShownToTheEngine(t *testing.T) {
	for _, operation := range []admissionv1.Operation{admissionv1.Update, admissionv1.Delete} {
		asked := &answers{admission: sluice.Admission{Allow: true}}
		response := answerOf(t, asked, review(operation, `{"metadata": {"name": "p"}}`))
		if !response.Allowed || asked.operation != string(operation) || asked.asked[0].Name != "p" {
			t.Errorf("%s: %+v, asked %+v", operation, response, asked)
		}
	}
}

func TestWhatIsNotOursIsAllowedUnasked(t *testing.T) {
	pod := review(admissionv1.Create, `{"spec": {}}`)
	for what, body := range map[string]string{
		"another resource": strings.Replace(pod, `"pods"`, `"nodes"`, 1),
		"another group":    strings.Replace(pod, `"group":""`, `"group":"x.io"`, 1),
		"a subresource":    strings.Replace(pod, `"uid":`, `"subResource": "status", "uid":`, 1),
		"an operation":     strings.Replace(pod, `"CREATE"`, `"CONNECT"`, 1),
	} {
		asked := &answers{}
		if body == pod {
			t.Fatalf("%s: nothing was replaced in %s", what, pod)
		}
		response := answerOf(t, asked, body)
		if !response.Allowed || response.Patch != nil || len(asked.asked) != 0 {
			t.Errorf("%s: %+v after %d questions", what, response, len(asked.asked))
		}
	}
}

func TestBadInputIsTold(t *testing.T) {
	good := review(admissionv1.Create, `{}`)
	for name, c := range map[string]struct {
		method, content, body string
		status                int
		says                  string
	}{
		"method":     {"GET", "application/json", good, 405, "want POST"},
		"content":    {"POST", "text/plain", good, 415, "want application/json"},
		"no content": {"POST", "", good, 415, "want application/json"},
		"empty":      {"POST", "application/json", "", 400, "not an AdmissionReview"},
		"text":       {"POST", "application/json", "pods, please", 400, "not an AdmissionReview"},
		"old version": {"POST", "application/json",
			strings.Replace(good, "k8s.io/v1", "k8s.io/v1beta1", 1), 400, `"admission.k8s.io/v1beta1"`},
		"other kind": {"POST", "application/json",
			strings.Replace(good, `"AdmissionReview"`, `"Pod"`, 1), 400, `a "Pod"`},
		"no request": {"POST", "application/json",
			`{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}`, 400, "without request"},
		"no uid": {"POST", "application/json", strings.Replace(good, "u-1", "", 1), 400, "request.uid"},
		"no object": {"POST", "application/json",
			strings.Replace(good, `"object"`, `"obj"`, 1), 400, "not a pod"},
		"not a pod": {"POST", "application/json",
			review(admissionv1.Create, `{"spec": 7}`), 400, "not a pod"},
		"bad quantity": {"POST", "application/json", review(admissionv1.Create,
			`{"spec": {"containers": [{"resources": {"requests": {"cpu": "many"}}}]}}`), 400, "quantities"},
		"too long": {"POST", "application/json",
			`{"kind": "` + strings.Repeat("x", int(bounds.Body)) + `"}`, 413, "more than 3407872 bytes"},
	} {
		asked := &answers{}
		status, text := ask(t, asked, c.method, c.content, c.body)
		if status != c.status || !strings.Contains(text, c.says) || asked.questions() != 0 {
			t.Errorf("%s: %d %.200s, want %d with %q", name, status, text, c.status, c.says)
		}
	}
}

func TestAnEngineThatCannotAnswerIsNoRefusal(t *testing.T) {
	for _, err := range []error{errors.New("closed"), &sluice.Error{Code: sluice.CodeNoMemory}} {
		status, text := ask(t, &answers{err: err}, "POST", "application/json",
			review(admissionv1.Create, `{}`))
		if status != http.StatusInternalServerError || !strings.Contains(text, "cannot answer") {
			t.Errorf("%v: %d %s", err, status, text)
		}
	}
}
