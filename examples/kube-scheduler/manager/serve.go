// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-base/metrics/legacyregistry"

	"sluice/kube-scheduler/door"
	"sluice/kube-scheduler/proxied"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// Endpoints are who may ask, and where.
type Endpoints struct {
	Serving        *server.SecureServingInfo
	Authentication server.AuthenticationInfo
	Authorization  server.AuthorizationInfo
}

// debugPath is where the engine answers questions, as JSON; only reads.
//
//	fleet                       all workloads
//	fleet?namespace=&name=      one of them, with its copies
//	clusters                    the workers
//	limits, memory, digest, check
const debugPath = "/debug/sluice/"

const shutdownTimeout = 5 * time.Second

// Serve begins to serve; what it returns stops that and waits. From the end of ctx on the manager
// is not ready, so that nobody comes any more.
func (m *Manager) Serve(ctx context.Context, at *Endpoints) (stop func(), err error) {
	stopping := make(chan struct{})
	door.Connections(at.Serving)
	active, listening, err := at.Serving.Serve(m.handler(ctx, at), shutdownTimeout, stopping)
	if err != nil {
		return nil, fmt.Errorf("the endpoints cannot be served: %w", err)
	}
	return func() {
		close(stopping)
		<-listening
		<-active
	}, nil
}

func (m *Manager) handler(ctx context.Context, at *Endpoints) http.Handler {
	paths := mux.NewPathRecorderMux("sluice-manager")
	healthz.InstallHandler(paths)
	healthz.InstallLivezHandler(paths)
	healthz.InstallReadyzHandler(paths, healthz.NewShutdownHealthz(ctx.Done()),
		healthz.NamedCheck("sluice-sync", func(*http.Request) error { return m.Ready() }))
	paths.Handle("/metrics", legacyregistry.HandlerWithReset())
	paths.HandlePrefix(debugPath, door.Questions(http.HandlerFunc(m.answer)))

	resolver := &apirequest.RequestInfoFactory{}
	handler := genericapifilters.WithAuthorization(paths, at.Authorization.Authorizer, scheme.Codecs)
	handler = genericapifilters.WithAuthentication(handler, at.Authentication.Authenticator,
		genericapifilters.Unauthorized(scheme.Codecs), nil, nil)
	handler = proxied.WithToken(handler, debugPath)
	handler = genericapifilters.WithRequestInfo(handler, resolver)
	handler = genericapifilters.WithCacheControl(handler)
	return genericfilters.WithPanicRecovery(door.Endpoints(handler), resolver)
}

// answer answers one question.
func (m *Manager) answer(w http.ResponseWriter, req *http.Request) {
	answer, status := m.about(req)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = plain.JSON(w, answer) // all that can fail is the connection
}

func (m *Manager) about(req *http.Request) (answer any, status int) {
	failed := func(status int, format string, words ...any) (any, int) {
		return map[string]string{"error": plain.Text(fmt.Sprintf(format, words...),
			plain.ConditionBytes)}, status
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return failed(http.StatusMethodNotAllowed, "method %s: this only reads, use GET", req.Method)
	}
	if req.Header.Get("Sluice-Ask") == "leader" && !m.Leads() {
		return failed(http.StatusMisdirectedRequest,
			"this replica does not lead: ask again, another one may answer")
	}
	what := strings.TrimPrefix(req.URL.Path, debugPath)
	values := req.URL.Query()
	q := sluice.Query{What: what, Namespace: values.Get("namespace"), Name: values.Get("name")}
	var err error
	switch what {
	case "limits", "memory", "digest", "check":
		answer, err = m.Inspect(q)
	case "clusters":
		answer, err = m.rows(q, "clusters")
	case "fleet":
		if q.Name == "" && q.Namespace == "" {
			answer, err = m.rows(q, "workloads")
		} else {
			answer, err = m.wholeWorkload(q)
		}
	default:
		return failed(http.StatusNotFound, "%s%s: there are clusters, fleet, limits, memory, digest "+
			"and check", debugPath, what)
	}
	var refused *sluice.Error
	switch {
	case err == nil:
		return answer, http.StatusOK
	case errors.As(err, &refused) && refused.Code == sluice.CodeField:
		return failed(http.StatusNotFound, "%v", err)
	}
	return failed(http.StatusInternalServerError, "%v", err)
}

func (m *Manager) rows(q sluice.Query, key string) (map[string]any, error) {
	rows, _, err := m.List(q, key, mostRows)
	if rows == nil {
		rows = []any{} // not null
	}
	return map[string]any{key: rows, "from": 0}, err
}

// wholeWorkload is one workload with all its copies.
func (m *Manager) wholeWorkload(q sluice.Query) (map[string]any, error) {
	answer, err := m.Inspect(q)
	if err != nil {
		return nil, err
	}
	rows, _, err := m.List(q, "replicas", mostRows)
	if err != nil {
		return nil, err
	}
	answer["replicas"] = rows
	for _, key := range []string{"from", "pending", "next", "more"} {
		delete(answer, key)
	}
	return answer, nil
}
