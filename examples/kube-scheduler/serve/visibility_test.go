// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server"
	schedulerconfig "k8s.io/kubernetes/cmd/kube-scheduler/app/config"

	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

const (
	science = visibilityPath + "/v1alpha1/namespaces/science/"
	others  = visibilityPath + "/v1alpha1/namespaces/others/"
)

// api is what the API server sends questions to: "tess" may view the namespace science and no
// other, "ada" may all.
type api struct {
	*testing.T
	host    *host.Host
	handler http.Handler
	reviews atomic.Int64 // how often somebody was looked up
}

func (a *api) authorize(_ context.Context, of authorizer.Attributes) (authorizer.Decision, string,
	error) {
	a.reviews.Add(1)
	if of.GetUser().GetName() == "ada" || strings.HasPrefix(of.GetPath(), visibilityPath) &&
		!of.IsResourceRequest() || of.GetNamespace() == "science" && of.GetAPIGroup() == visibilityGroup {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "no role binding", nil
}

func newAPI(t *testing.T, leads bool) *api {
	a := &api{T: t}
	handle := newHandle()
	for i, pod := range []*v1.Pod{
		gated("others", "secret-pod", "shared"), gated("science", "mine", "shared"),
		gated("science", "gang-left", "shared"), gated("others", "secret-too", "secret-queue"),
	} {
		pod.CreationTimestamp = metav1.Unix(1_700_000_000+int64(i), 0)
		if _, err := handle.client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod,
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	a.host = newHost(t, handle, "0")
	if !leads {
		a.host.AwaitLease()
	}
	start(t, a.host, handle)
	a.handler = Handler(t.Context(), completed(func(cfg *schedulerconfig.Config) {
		cfg.InformerFactory = handle.factory
		cfg.Authorization = server.AuthorizationInfo{Authorizer: authorizer.AuthorizerFunc(a.authorize)}
		cfg.Authentication.Authenticator = authenticator.RequestFunc(func(req *http.Request) (
			*authenticator.Response, bool, error) {
			name := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
			return &authenticator.Response{User: &user.DefaultInfo{Name: name}}, name != "", nil
		})
	}), &handlers{}, a.host)
	for _, name := range []string{"shared", "secret-queue"} {
		ok(t)(a.host.Engine().ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: name,
			Parent: "lab", Capability: []sluice.Amount{{Name: "cpu", Value: 500}}}))
	}
	ok(t)(a.host.Engine().ObserveGroup(&sluice.Group{UID: "uid-gang", Namespace: "science",
		Name: "gang", Created: 1_700_000_001_000_000_000, MinMember: 2}))
	ok(t)(a.host.Engine().ObserveGroup(&sluice.Group{UID: "uid-theirs", Namespace: "others",
		Name: "secret-gang", Created: 1_700_000_001_000_000_000, MinMember: 2}))
	eventually(t, "the engine knows all pods", func() bool {
		_, err := a.host.Inspect(sluice.Query{What: "pod", Namespace: "others", Name: "secret-too"})
		return err == nil
	})
	return a
}

func gated(namespace, name, queue string) *v1.Pod {
	const gate = "scheduling.volcano.sh/queue-allocation-gate"
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
		UID: types.UID(fmt.Sprintf("%x", name)), // it tells no name
		Annotations: map[string]string{gate: "true",
			"scheduling.volcano.sh/queue-name": queue}}}
	if strings.HasPrefix(name, "gang-") {
		pod.Annotations["scheduling.k8s.io/group-name"] = "gang"
	}
	pod.Spec.SchedulerName = "default-scheduler"
	pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: gate}}
	pod.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
		Requests: v1.ResourceList{"cpu": resource.MustParse("1")}}}}
	return pod
}

func (a *api) ask(token, method, path string) *httptest.ResponseRecorder {
	a.Helper()
	req := httptest.NewRequest(method, path, nil)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	answer := httptest.NewRecorder()
	a.handler.ServeHTTP(answer, req)
	return answer
}

// get is an answer to tess, in which nobody else is named.
func (a *api) get(path string) map[string]any {
	a.Helper()
	before := a.reviews.Load()
	answer := a.ask("tess", http.MethodGet, path)
	if n := a.reviews.Load() - before; n != 1 {
		a.Errorf("%s: it was looked up %d times whether she may, want once", path, n)
	}
	body := answer.Body.String()
	if answer.Code != http.StatusOK {
		a.Fatalf("%s is answered %d: %s", path, answer.Code, body)
	}
	for _, name := range []string{"secret", "others"} {
		if strings.Contains(body, name) {
			a.Errorf("%s names %s:\n%s", path, name, body)
		}
	}
	var decoded map[string]any
	if err := json.Unmarshal([]byte(body), &decoded); err != nil {
		a.Fatalf("%s: %v\n%s", path, err, body)
	}
	return decoded
}

func (a *api) is(from any, want string, path ...any) {
	a.Helper()
	if got := field(a, from, path...); got != want {
		a.Errorf("%v is %q, want %q in\n%v", path, got, want, from)
	}
}

func TestTenantSeesHisNamespace(t *testing.T) {
	a := newAPI(t, true)
	pod := a.get(science + "pods/mine/why")
	a.is(pod, "Why", "kind")
	a.is(pod, "visibility.sluice.sh/v1alpha1", "apiVersion")
	a.is(pod, "mine", "metadata", "name")
	a.is(pod, "waiting", "pod", "state")
	a.is(pod, "2", "pod", "position")
	a.is(pod, "1000", "pod", "ahead", "cpu")
	a.is(pod, "shared", "queues", 0, "name")
	a.is(pod, "lab", "queues", 1, "name")
	a.is(pod, "root", "queues", 2, "name")
	member := a.get(science + "pods/gang-left/why")
	a.is(member, "GroupIncomplete", "pod", "reason")
	a.is(member, "gang-left", "group", "members", 0, "name")
	group := a.get(science + "podgroups/gang/why")
	a.is(group, "held", "group", "state")
	a.is(group, "shared", "queues", 0, "name")

	pending := a.get(science + "pending")
	a.is(pending, "PendingList", "kind")
	a.is(pending, "gang", "items", 0, "metadata", "name")
	a.is(pending, "PodGroup", "items", 0, "status", "of")
	a.is(pending, "mine", "items", 1, "metadata", "name")
	a.is(pending, "2", "items", 1, "status", "position")
	if n := len(pending["items"].([]any)); n != 2 {
		t.Errorf("%d wait in the namespace, want the group and the pod: %v", n, pending)
	}
	queues := a.get(science + "queues")
	a.is(queues, "lab", "items", 0, "metadata", "name")
	a.is(queues, "root", "items", 1, "metadata", "name")
	a.is(queues, "shared", "items", 2, "metadata", "name")
	a.is(queues, "1", "items", 2, "status", "held")
	if n := len(queues["items"].([]any)); n != 3 {
		t.Errorf("the namespace has %d queues, want 3: %v", n, queues)
	}
	all := a.ask("ada", http.MethodGet, visibilityPath+"/v1alpha1/queues").Body.String()
	if !strings.Contains(all, "secret-queue") || !strings.Contains(all, "QueueList") {
		t.Errorf("who may see all namespaces is told of the queues\n%s", all)
	}
}

func TestTenantIsRefused(t *testing.T) {
	a := newAPI(t, true)
	for _, one := range []struct {
		token, method, path string
		want                int
		says                string
	}{
		{"tess", "GET", others + "pods/secret-pod/why", 403, "no role binding"},
		{"tess", "GET", others + "pending", 403, "cannot list resource"},
		{"tess", "GET", visibilityPath + "/v1alpha1/queues", 403, "cannot list resource"},
		{"tess", "GET", "/debug/sluice/queues", 403, "no role binding"},
		{"", "GET", science + "queues", 401, "Unauthorized"},
		{"tess", "GET", science + "pods/secret-pod/why", 404, "knows nothing of pods science/secret-pod"},
		{"tess", "GET", science + "pods/none/why", 404, `"group": "visibility.sluice.sh"`},
		{"tess", "GET", science + "podgroups/secret-gang/why", 404, "knows nothing of podgroups"},
		{"tess", "GET", science + "workloads/none/why", 404, "knows nothing of workloads"},
		{"tess", "GET", science + "pods/mine", 404, "nothing is served there"},
		{"tess", "GET", science + "pods/mine/why/more", 404, "nothing is served there"},
		{"tess", "GET", science + "queues/shared", 404, "nothing is served there"},
		{"tess", "GET", visibilityPath + "/v2/namespaces/science/queues", 404, "nothing is served"},
		{"ada", "GET", visibilityPath + "/v1alpha1/pending", 404, "nothing is served there"},
		{"tess", "POST", science + "queues", 405, "MethodNotAllowed"},
		{"tess", "DELETE", science + "pods/mine/why", 405, "MethodNotAllowed"},
		{"tess", "GET", science + "pending?limit=many", 400, "want a whole number"},
		{"tess", "GET", visibilityPath, 200, `"groupVersion": "visibility.sluice.sh/v1alpha1"`},
		{"tess", "GET", visibilityPath + "/v1alpha1", 200, `"pods/why"`},
		{"tess", "GET", visibilityPath + "/v2", 404, "nothing is served there"},
		{"", "GET", "/openapi/v2", 404, "not found"},
	} {
		answer := a.ask(one.token, one.method, one.path)
		if answer.Code != one.want || !strings.Contains(answer.Body.String(), one.says) {
			t.Errorf("%q: %s %s is answered %d, %s; want %d, %s", one.token, one.method, one.path,
				answer.Code, answer.Body, one.want, one.says)
		}
	}
}

// A standby says that another replica may answer, and lets go of the connection by which it came.
func TestStandbySendsTenantsOn(t *testing.T) {
	a := newAPI(t, false)
	answer := a.ask("tess", http.MethodGet, science+"queues")
	if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") != "1" ||
		answer.Header().Get("Connection") != "close" ||
		!strings.Contains(answer.Body.String(), "does not lead") {
		t.Errorf("%d, %v: %s", answer.Code, answer.Header(), answer.Body)
	}
	if answer := a.ask("tess", http.MethodGet, visibilityPath+"/v1alpha1"); answer.Code != 200 {
		t.Errorf("a standby answers what there is to ask by %d: %s", answer.Code, answer.Body)
	}
}

func TestPendingGoesOn(t *testing.T) {
	a := newAPI(t, true)
	first := a.get(science + "pending?limit=1")
	a.is(first, "1", "metadata", "remainingItemCount")
	next := field(t, first, "metadata", "continue")
	second := a.get(science + "pending?limit=1&continue=" + next)
	if _, more := second["metadata"].(map[string]any)["continue"]; more {
		t.Errorf("there is more behind the end: %v", second)
	}
	if n := len(first["items"].([]any)) + len(second["items"].([]any)); n != 2 {
		t.Errorf("the pages have %d, want the group and the pod: %v, %v", n, first, second)
	}
}

// Whoever asks more than is answered at a time is told to ask again.
func TestQuestionsAreBounded(t *testing.T) {
	api := newVisibility(running(t, "0"), nil)
	for range mostQuestions {
		api.turns <- struct{}{}
	}
	req := httptest.NewRequest(http.MethodGet, science+"queues", nil)
	info := &apirequest.RequestInfo{IsResourceRequest: true}
	_, err := api.serve(req.WithContext(apirequest.WithRequestInfo(req.Context(), info)))
	if err == nil || !strings.Contains(err.Error(), "8 questions are being answered: ask again") {
		t.Errorf("one too many is answered %v", err)
	}
}
