// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/util/cert"
	schedulerconfig "k8s.io/kubernetes/cmd/kube-scheduler/app/config"

	"sluice/kube-scheduler/host"
)

// handlers is a scheduler that has or has not listed what it follows.
type handlers struct{ synced atomic.Bool }

func (h *handlers) WaitForHandlersSync(context.Context) error {
	if h.synced.Load() {
		return nil
	}
	return errors.New("not synced")
}

// completed is a scheduler's configuration: the token "ada" names a user who may all, "bob" one who
// may nothing but what everybody may.
func completed(change func(*schedulerconfig.Config)) *schedulerconfig.CompletedConfig {
	users := authenticator.RequestFunc(func(req *http.Request) (*authenticator.Response, bool,
		error) {
		token, given := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		if !given {
			token = user.Anonymous
		}
		known := !given || token == "ada" || token == "bob"
		return &authenticator.Response{User: &user.DefaultInfo{Name: token}}, known, nil
	})
	rules := authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (
		authorizer.Decision, string, error) {
		if a.GetUser().GetName() == "ada" || a.GetPath() == "/healthz" {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "not ada", nil
	})
	cfg := &schedulerconfig.Config{
		Authentication:  server.AuthenticationInfo{Authenticator: users},
		Authorization:   server.AuthorizationInfo{Authorizer: rules},
		InformerFactory: informers.NewSharedInformerFactory(fake.NewClientset(), 0),
	}
	cfg.ComponentConfig.EnableProfiling = true
	if change != nil {
		change(cfg)
	}
	cc := cfg.Complete()
	return &cc
}

func ask(tb testing.TB, handler http.Handler, token, method, path string) (int, string) {
	tb.Helper()
	req := httptest.NewRequest(method, path, nil)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, req)
	if cache := answer.Header().Get("Cache-Control"); !strings.Contains(cache, "no-cache") {
		tb.Errorf("%s may be cached: %q", path, cache)
	}
	return answer.Code, answer.Body.String()
}

func TestEndpoints(t *testing.T) {
	h := running(t, "0")
	sched := &handlers{}
	sched.synced.Store(true)
	handler := Handler(context.Background(), completed(nil), sched, h)
	for path, says := range map[string]string{
		"/healthz":                "ok",
		"/livez":                  "ok",
		"/readyz":                 "ok",
		"/readyz?verbose":         "[+]sluice-sync ok",
		"/metrics":                "sluice_leading",
		"/metrics/slis":           "process_start_time_seconds",
		"/configz":                "{",
		"/debug/pprof/":           "goroutine",
		"/debug/flags/v":          "", // only PUT
		"/debug/sluice":           `"views"`,
		"/debug/sluice/":          `"views"`,
		"/debug/sluice/queues":    `"default"`,
		"/debug/sluice/host":      `"leads": true`,
		"/readyz/sluice-sync":     "ok",
		"/healthz/ping":           "ok",
		"/metrics/resources":      "",
		"/debug/sluice/queues?x=": "",
	} {
		code, body := ask(t, handler, "ada", http.MethodGet, path)
		want := http.StatusOK
		switch path {
		case "/debug/flags/v":
			want = http.StatusNotAcceptable
		case "/debug/sluice/queues?x=":
			want = http.StatusBadRequest
		}
		if code != want || !strings.Contains(body, says) {
			t.Errorf("%s is answered %d, %.300q; want %d and %q", path, code, body, want, says)
		}
	}
}

func TestWhoMayAsk(t *testing.T) {
	handler := Handler(context.Background(), completed(nil), &handlers{}, running(t, "0"))
	for _, one := range []struct {
		token, path string
		want        int
	}{
		{"", "/healthz", 200},
		{"", "/debug/sluice/queues", 403},
		{"bob", "/debug/sluice/", 403},
		{"bob", "/metrics", 403},
		{"mallory", "/healthz", 401},
		{"mallory", "/debug/sluice/host", 401},
		{"ada", "/debug/sluice/host", 200},
	} {
		if code, body := ask(t, handler, one.token, http.MethodGet, one.path); code != one.want {
			t.Errorf("%q asks for %s and is answered %d, want %d: %s", one.token, one.path, code,
				one.want, body)
		}
	}
}

func TestProfilingCanBeOff(t *testing.T) {
	cc := completed(func(cfg *schedulerconfig.Config) {
		cfg.ComponentConfig.EnableProfiling = false
	})
	handler := Handler(context.Background(), cc, &handlers{}, running(t, "0"))
	for _, path := range []string{"/debug/pprof/", "/debug/flags/v"} {
		if code, _ := ask(t, handler, "ada", http.MethodGet, path); code != 404 {
			t.Errorf("%s is answered %d, want 404", path, code)
		}
	}
	if code, _ := ask(t, handler, "ada", http.MethodGet, "/debug/sluice/host"); code != 200 {
		t.Errorf("/debug/sluice/host is answered %d, want 200", code)
	}
}

// Ready is who has opened the engine, listed all, and is not told to end.
func TestReady(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	sched, handle := &handlers{}, newHandle()
	h := newHost(t, handle, "0")
	dog := leaderelection.NewLeaderHealthzAdaptor(0)
	cc := completed(func(cfg *schedulerconfig.Config) {
		cfg.InformerFactory = handle.factory
		cfg.ComponentConfig.LeaderElection.LeaderElect = true
		cfg.LeaderElection = &leaderelection.LeaderElectionConfig{WatchDog: dog}
	})
	var broken error
	handler := Handler(ctx, cc, sched, h, healthz.NamedCheck("webhook",
		func(*http.Request) error { return broken }))
	is := func(want int, parts ...string) {
		t.Helper()
		code, body := ask(t, handler, "ada", http.MethodGet, "/readyz?verbose")
		for _, part := range append(parts, "leaderElection ok") {
			if code != want || !strings.Contains(body, part) {
				t.Errorf("readyz is %d, %s; want %d and %s", code, body, want, part)
			}
		}
	}
	is(500, "[-]sched-handler-sync failed", "[-]sluice-sync failed", "[+]shutdown ok")
	start(t, h, handle)
	is(500, "[-]sched-handler-sync failed", "[+]sluice-sync ok", "[+]informer-sync ok")
	sched.synced.Store(true)
	is(200, "[+]sched-handler-sync ok", "[+]sluice-sync ok")
	broken = errors.New("no certificate")
	is(500, "[+]sluice-sync ok", "[-]webhook failed")
	broken = nil
	end()
	is(500, "[+]webhook ok", "[-]shutdown failed", "[+]sluice-sync ok")
	code, body := ask(t, handler, "ada", http.MethodGet, "/livez")
	if code != 200 {
		t.Errorf("livez at the end is %d, %s", code, body)
	}
}

// A standby is ready too, and says nothing of pods' resources.
func TestStandby(t *testing.T) {
	handle := newHandle()
	h := newHost(t, handle, "0")
	h.AwaitLease()
	start(t, h, handle)
	sched := &handlers{}
	sched.synced.Store(true)
	handler := Handler(context.Background(), completed(nil), sched, h)
	for path, says := range map[string]string{
		"/readyz":              "ok",
		"/metrics/resources":   "",
		"/debug/sluice/queues": `"waiting": 0`,
		"/debug/sluice/host":   `"leads": false`,
	} {
		code, body := ask(t, handler, "ada", http.MethodGet, path)
		if code != 200 || !strings.Contains(body, says) || (says == "" && body != "") {
			t.Errorf("%s is answered %d, %s; want 200, %q", path, code, body, says)
		}
	}
}

func serving(tb testing.TB) *server.SecureServingInfo {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	content, err := dynamiccertificates.NewStaticCertKeyContent("test", certificate, key)
	if err != nil {
		tb.Fatal(err)
	}
	return &server.SecureServingInfo{Listener: listener, Cert: content}
}

func TestTake(t *testing.T) {
	h := running(t, "0")
	info := serving(t)
	address := "https://" + info.Listener.Addr().String()
	cc := completed(func(cfg *schedulerconfig.Config) { cfg.SecureServing = info })
	s, err := Take(context.Background(), cc, &handlers{}, h)
	if err != nil {
		t.Fatal(err)
	}
	if cc.SecureServing != nil {
		t.Error("the stock scheduler would serve too")
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil || string(body) != "ok" || answer.StatusCode != 200 {
		t.Errorf("healthz is %d, %q, %v", answer.StatusCode, body, err)
	}
	s.Stop()
	s.Stop()
	if answer, err := client.Get(address + "/healthz"); err == nil {
		_ = answer.Body.Close()
		t.Error("it still serves after Stop")
	}
}

func TestNothingToServe(t *testing.T) {
	s, err := Take(context.Background(), completed(nil), &handlers{}, &host.Host{})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
}

// A listener that cannot serve is an error, and not a scheduler without endpoints.
func TestCannotServe(t *testing.T) {
	cc := completed(func(cfg *schedulerconfig.Config) {
		cfg.SecureServing = &server.SecureServingInfo{}
	})
	if _, err := Take(context.Background(), cc, &handlers{}, running(t, "0")); err == nil {
		t.Error("it serves without a listener")
	}
}
