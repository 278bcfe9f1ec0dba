// SPDX-License-Identifier: Apache-2.0

// Package admission is the webhook: it asks the engine about what the API server shows it.
//
//	/pods     for a mutating webhook: pods, and the gates to add to them
//	/jobs     for a mutating webhook: Jobs that name a queue, which are suspended, and marked where
//	          their queue sends them to other clusters
//	/checks   for a validating one: pods, Volcano's queues, commands for them, and groups. What
//	          cannot work is refused, with what the engine says: the field, and the amounts
//
// Objects are told to the engine as the observers tell them, by the package facts.
//
// Every replica answers, whoever leads: admission changes nothing in the engine, and a standby
// observes as much as the leader. A replica that has yet to list what there is answers no checks
// (503), and is not ready, so that its Service leaves it out; then the failurePolicy of the webhook
// decides, as when nobody listens. What was written a moment ago may still be on its way, so a
// refusal is given when it has stood for a while. Two queues that are written in the same moment
// can pass each other: each is judged by the tree without the other.
//
// It needs nobody to give it certificates. A CA of its own and a serving certificate lie in one
// Secret that all replicas share; whoever finds something missing or old renews it, under the
// Secret's resourceVersion, and the others load what the winner wrote. What the API server must
// trust is written into the webhook's configuration:
//
//	Secret ca.crt: [CA 2, CA 1] ──▶ caBundle of each webhook ──▶ the API server trusts both
//	       ca.key: of CA 2
//	       tls.crt, tls.key: signed by CA 1, later by CA 2 ──▶ every replica's listener
//
// A new CA is only trusted at first: the next serving certificate is signed by it, once it stands
// in the configuration. An old CA is trusted until it expires, so no replica that still serves the
// older certificate is turned away.
package admission

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"sluice/kube-scheduler/door"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// Where what is asked.
const (
	Gates  = "/pods"
	Jobs   = "/jobs"
	Checks = "/checks"
)

// Engine is who decides: *sluice.Engine.
type Engine interface {
	Admit(operation string, pod *sluice.Pod) (sluice.Admission, sluice.Tail, error)
	AdmitQueue(operation string, queue *sluice.Queue) (sluice.Admission, sluice.Tail, error)
	AdmitCommand(operation string, command *sluice.Command) (sluice.Admission, sluice.Tail, error)
	AdmitGroup(operation string, group *sluice.Group) (sluice.Admission, sluice.Tail, error)
}

// Options of a webhook. Those without a default must be given.
type Options struct {
	Engine Engine
	Client kubernetes.Interface

	// Namespace and Service are where the API server reaches the webhook, and what its certificate
	// is for. The Secret is in the same namespace.
	Namespace, Service string
	// SecretName is the Secret that the replicas share. WebhookName is the name of the
	// ValidatingWebhookConfiguration and of the MutatingWebhookConfiguration that trust its CAs; one
	// of them is enough.
	SecretName, WebhookName string
	// Addr is where to listen, such as ":9443".
	Addr string

	// Describe is what the engine wants to know of a pod that is being created. Default: what the pod
	// itself tells.
	Describe func(context.Context, *corev1.Pod) (*sluice.Pod, error)
	// Complete says what is missing before a check can be answered; nil: nothing. Default: nothing.
	Complete func(aboutQueues bool) error
	// Dispatched tells whether the Jobs of a LocalQueue go to other clusters. Default: none does.
	Dispatched func(namespace, queue string) bool
	// HasQueue tells whether there is such a LocalQueue. Default: there is none.
	HasQueue func(namespace, name string) bool
	// Patience is how long a refusal must have stood before it is given. Default: 300 ms.
	Patience time.Duration
	// Told is called with what came of each answer of the engine: its pending effects and deadline.
	// Default: nobody is told.
	Told func(sluice.Tail)
	// Life of the certificates, each renewed when two thirds are over. Defaults: a year, 90 days.
	CALife, CertLife time.Duration
	// Clock is the time of the certificates. Default: the machine's.
	Clock clock.WithTicker
}

// Webhook serves admission. It is made by New and works while Run does.
type Webhook struct {
	options Options
	keeper  *keeper
	served  atomic.Pointer[tls.Certificate]
	door    *door.Door

	listening sync.Once
	bound     chan struct{}
	addr      net.Addr
}

// New checks the options. Nothing is read, written or listened to before Run.
func New(options Options) (*Webhook, error) {
	for name, missing := range map[string]bool{
		"Engine": options.Engine == nil, "Client": options.Client == nil,
		"Namespace": options.Namespace == "", "Service": options.Service == "",
		"SecretName": options.SecretName == "", "WebhookName": options.WebhookName == "",
		"Addr": options.Addr == "",
	} {
		if missing {
			return nil, fmt.Errorf("admission: the option %s is missing", name)
		}
	}
	if options.Describe == nil {
		options.Describe = func(_ context.Context, pod *corev1.Pod) (*sluice.Pod, error) {
			described := &sluice.Pod{}
			facts.Pod(pod, "", described)
			return described, nil
		}
	}
	if options.Complete == nil {
		options.Complete = func(bool) error { return nil }
	}
	if options.Patience == 0 {
		options.Patience = 300 * time.Millisecond
	}
	if options.Told == nil {
		options.Told = func(sluice.Tail) {}
	}
	if options.CALife == 0 {
		options.CALife = 365 * 24 * time.Hour
	}
	if options.CertLife == 0 {
		options.CertLife = 90 * 24 * time.Hour
	}
	if options.CertLife > options.CALife/3 {
		return nil, fmt.Errorf("admission: CertLife: %s, want at most a third of CALife (%s): a CA "+
			"that is replaced must outlive what it signed", options.CertLife, options.CALife)
	}
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	w := &Webhook{options: options, door: door.New(bounds), bound: make(chan struct{})}
	w.keeper = newKeeper(&w.options, w.served.Store)
	return w, nil
}

// Run listens, keeps the certificates, and serves until ctx ends; then it lets the requests that
// are under way finish. It returns an error when it cannot listen, or can no longer. Call it once.
func (w *Webhook) Run(ctx context.Context) error {
	logger := klog.FromContext(ctx).WithName("admission")
	ctx, stop := context.WithCancel(klog.NewContext(ctx, logger))
	defer stop()

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", w.options.Addr)
	if err != nil {
		return fmt.Errorf("admission: cannot listen on %s: %w", w.options.Addr, err)
	}
	w.addr = listener.Addr()
	w.listening.Do(func() { close(w.bound) })

	var keeping sync.WaitGroup
	defer keeping.Wait()
	defer stop()
	keeping.Go(func() { w.keeper.run(ctx) })

	server := w.server(logger)
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		ended <- server.Shutdown(grace)
	}()
	logger.Info("Serving admission", "address", w.addr.String())
	bounded := door.Listener(listener, mostConnections)
	if err := server.ServeTLS(bounded, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("admission: serving on %s ended: %w", w.addr, err)
	}
	return <-ended
}

// Addr waits until Run listens, and says where.
func (w *Webhook) Addr(ctx context.Context) (net.Addr, error) {
	select {
	case <-w.bound:
		return w.addr, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Name and Check make it a health check: it can serve once it has a certificate that the API server
// has been told to trust.
func (w *Webhook) Name() string { return "sluice-admission" }

// Check says what keeps it from serving.
func (w *Webhook) Check(*http.Request) error {
	if w.served.Load() == nil {
		return errors.New("there is no certificate yet")
	}
	return w.keeper.check()
}

func (w *Webhook) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(Gates, &reviewer{w, map[metav1.GroupVersionResource]question{pods: w.gates}})
	mux.Handle(Jobs, &reviewer{w, map[metav1.GroupVersionResource]question{jobs: w.job}})
	mux.Handle(Checks, &reviewer{w, map[metav1.GroupVersionResource]question{
		pods: w.checkPod, queues: w.checkQueue, commands: w.checkCommand,
		groups: w.checkGroup}})
	return mux
}

func (w *Webhook) server(logger klog.Logger) *http.Server {
	base := klog.NewContext(context.Background(), logger)
	return &http.Server{
		Handler:           w.handler(),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 3 * time.Second,
		ReadTimeout:       6 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    16 << 10,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          bounds.Requests,
			MaxReceiveBufferPerConnection: 1 << 20,
			MaxReceiveBufferPerStream:     256 << 10,
		},
		ErrorLog: log.New(quiet{logger}, "", 0),
		TLSConfig: &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: w.certificate,
		},
	}
}

func (w *Webhook) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if served := w.served.Load(); served != nil {
		return served, nil
	}
	return nil, errors.New("there is no certificate yet")
}

// quiet takes what net/http says of broken connections: probes and port scans make many.
type quiet struct{ logger klog.Logger }

func (q quiet) Write(line []byte) (int, error) {
	q.logger.V(4).Info("A connection failed", "message", string(line))
	return len(line), nil
}
