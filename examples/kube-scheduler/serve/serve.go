// SPDX-License-Identifier: Apache-2.0

// Package serve is the endpoints of sluice-scheduler: all those of the stock scheduler, and beside
// them what the engine knows.
//
//	/healthz /livez /readyz     readyz knows besides whether the engine is synced
//	/metrics /metrics/...       with sluice_... among them
//	/configz /debug/pprof/ ...  as the stock ones
//	/debug/sluice/              the engine's answers to questions, as JSON; only reads
//	/apis/visibility.sluice.sh/ the same of one namespace, for who may see that one
//
// The stock scheduler makes its endpoints in a place that nobody can add to, so Take makes the same
// ones from the same parts before the scheduler runs, and the scheduler then serves none. Who may
// ask is decided as there, by the same flags.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	goruntime "runtime"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/flagz"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/apiserver/pkg/server/statusz"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-base/configz"
	"k8s.io/component-base/logs"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/slis"
	zpagesfeatures "k8s.io/component-base/zpages/features"
	schedulerconfig "k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/pkg/scheduler/metrics/resources"

	"sluice/kube-scheduler/door"
	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/proxied"
)

// component is the stock one's name: it is in what flagz and statusz answer with.
const component = "kube-scheduler"

// shutdownTimeout is how long requests that are under way may take when the server stops.
const shutdownTimeout = 5 * time.Second

// Handlers tells whether what a scheduler follows has been listed; *scheduler.Scheduler does.
type Handlers interface {
	WaitForHandlersSync(ctx context.Context) error
}

// Server is the endpoints while they are served.
type Server struct {
	stop      sync.Once
	stopping  chan struct{}
	listening <-chan struct{}
	active    <-chan struct{}
}

// Take begins to serve in the place of the stock scheduler, which will not: it takes SecureServing
// out of cc. Readyz has the stock checks, ours, and those that are given. From the end of ctx on it
// fails, so that nobody comes any more; what comes all the same is served until Stop.
func Take(ctx context.Context, cc *schedulerconfig.CompletedConfig, sched Handlers,
	h *host.Host, more ...healthz.HealthChecker) (*Server, error) {
	if cc.SecureServing == nil {
		return nil, nil
	}
	s := &Server{stopping: make(chan struct{})}
	var err error
	door.Connections(cc.SecureServing)
	s.active, s.listening, err = cc.SecureServing.Serve(Handler(ctx, cc, sched, h, more...),
		shutdownTimeout, s.stopping)
	if err != nil {
		close(s.stopping)
		return nil, fmt.Errorf("the endpoints cannot be served: %w", err)
	}
	cc.SecureServing = nil
	return s, nil
}

// Stop takes no new requests and waits for those that are under way. A nil Server serves nothing.
func (s *Server) Stop() {
	if s == nil {
		return
	}
	s.stop.Do(func() { close(s.stopping) })
	<-s.listening
	<-s.active
}

// Handler is all endpoints behind the filters of the stock scheduler.
func Handler(ctx context.Context, cc *schedulerconfig.CompletedConfig, sched Handlers,
	h *host.Host, more ...healthz.HealthChecker) http.Handler {
	resolver := &apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("apis")}
	handler := genericapifilters.WithAuthorization(endpoints(ctx, cc, sched, h, more),
		cc.Authorization.Authorizer, scheme.Codecs)
	handler = genericapifilters.WithAuthentication(handler, cc.Authentication.Authenticator,
		genericapifilters.Unauthorized(scheme.Codecs), nil, nil)
	handler = proxied.WithToken(handler, debugPath)
	handler = withoutSchema(handler)
	handler = genericapifilters.WithRequestInfo(handler, resolver)
	handler = genericapifilters.WithCacheControl(handler)
	handler = genericfilters.WithHTTPLogging(handler)
	return genericfilters.WithPanicRecovery(door.Endpoints(handler), resolver)
}

func endpoints(ctx context.Context, cc *schedulerconfig.CompletedConfig, sched Handlers,
	h *host.Host, more []healthz.HealthChecker) http.Handler {
	paths := mux.NewPathRecorderMux(component)
	live, ready := checks(ctx, cc, sched, h)
	healthz.InstallHandler(paths, live...)
	healthz.InstallLivezHandler(paths)
	healthz.InstallReadyzHandler(paths, append(ready, more...)...)
	installMetrics(paths, cc, h)
	configz.InstallHandler(paths)
	installProfiling(paths, cc)
	questions := door.Questions(debug{h})
	paths.Handle(strings.TrimSuffix(debugPath, "/"), questions)
	paths.HandlePrefix(debugPath, questions)
	api := door.Questions(newVisibility(h, cc.InformerFactory.Core().V1().Pods().Lister()))
	paths.Handle(visibilityPath, api)
	paths.HandlePrefix(visibilityPath+"/", api)
	installPages(paths, cc)
	return paths
}

// withoutSchema answers API servers that ask what the objects of visibilityGroup look like: nobody
// writes such objects, so nothing says it. They ask as a user who may nothing.
func withoutSchema(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, "/openapi/") {
			http.NotFound(w, req)
			return
		}
		handler.ServeHTTP(w, req)
	})
}

func installMetrics(paths *mux.PathRecorderMux, cc *schedulerconfig.CompletedConfig,
	h *host.Host) {
	paths.Handle("/metrics", legacyregistry.HandlerWithReset())
	ofPods := resources.Handler(cc.InformerFactory.Core().V1().Pods().Lister())
	paths.HandleFunc("/metrics/resources", func(w http.ResponseWriter, req *http.Request) {
		if h.Leads() { // else nothing, so that sums over the replicas count each pod once
			ofPods.ServeHTTP(w, req)
		}
	})
	slis.SLIMetricsWithReset{}.Install(paths)
}

func installProfiling(paths *mux.PathRecorderMux, cc *schedulerconfig.CompletedConfig) {
	if !cc.ComponentConfig.EnableProfiling {
		return
	}
	routes.Profiling{}.Install(paths)
	if cc.ComponentConfig.EnableContentionProfiling {
		goruntime.SetBlockProfileRate(1)
	}
	routes.DebugFlags{}.Install(paths, "v", routes.StringFlagPutHandler(logs.GlogSetter))
}

// installPages comes last: statusz lists the paths that there are.
func installPages(paths *mux.PathRecorderMux, cc *schedulerconfig.CompletedConfig) {
	gates := utilfeature.DefaultFeatureGate
	if gates.Enabled(zpagesfeatures.ComponentFlagz) && cc.Flagz != nil {
		flagz.Install(paths, component, cc.Flagz)
	}
	if gates.Enabled(zpagesfeatures.ComponentStatusz) {
		statusz.Install(paths, component, statusz.NewRegistry(
			compatibility.DefaultBuildEffectiveVersion(),
			statusz.WithListedPaths(paths.ListedPaths())))
	}
}

func checks(ctx context.Context, cc *schedulerconfig.CompletedConfig, sched Handlers,
	h *host.Host) (live, ready []healthz.HealthChecker) {
	if cc.ComponentConfig.LeaderElection.LeaderElect && cc.LeaderElection != nil {
		live = append(live, cc.LeaderElection.WatchDog)
		ready = append(ready, cc.LeaderElection.WatchDog)
	}
	return live, append(ready,
		healthz.NewShutdownHealthz(ctx.Done()),
		healthz.NewInformerSyncHealthz(cc.InformerFactory),
		healthz.NamedCheck("sched-handler-sync", func(*http.Request) error {
			return handlersSynced(sched)
		}),
		healthz.NamedCheck("sluice-sync", func(*http.Request) error { return h.Ready() }),
	)
}

var errHandlers = errors.New("handlers are not fully synchronized")

// handlersSynced asks once: the first look does not depend on the context.
func handlersSynced(sched Handlers) error {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if sched.WaitForHandlersSync(over) != nil {
		return errHandlers
	}
	return nil
}
