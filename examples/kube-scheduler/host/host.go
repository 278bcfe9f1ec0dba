// SPDX-License-Identifier: Apache-2.0

// Package host joins the engine with a cluster. It tells the engine what is seen, carries out what
// the engine asks for, and calls it again when time has passed:
//
//	informers ──▶ observers ──▶ ┌────────┐ ──▶ pump ──▶ workers ──▶ API server, scheduler's queue
//	scheduler ──▶ plugin ─────▶ │ engine │ ◀──── acknowledgements ────┘
//	lease ────────────────────▶ └────────┘
//
// Nothing is decided here. One Host serves all profiles of a scheduler: they share one tree of
// queues. It has three steps: New checks the configuration and registers the handlers, Start opens
// the engine and begins, Stop ends without losing what is under way.
//
// The engine has a mutex of its own and never calls back, so nothing here is called with it held.
package host

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/lease"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

// Host is one engine in one scheduler.
type Host struct {
	args       *config.Args
	library    *sluice.Library
	schedulers []string
	log        klog.Logger

	clients    clients
	discoverer discovery.DiscoveryInterface
	recorder   events.EventRecorderLogger
	activator  fwk.PodActivator
	permits    permits
	podLister  corelisters.PodLister
	podIndex   cache.Indexer
	nodes      corelisters.NodeLister
	spaces     corelisters.NamespaceLister
	waitFor    []cache.InformerSynced

	cache Cache // nil: what the scheduler has seen is not known

	start  sync.Once
	broken error
	ready  chan struct{} // closed when the engine is open
	eng    *sluice.Engine
	cancel context.CancelFunc
	done   sync.WaitGroup

	lease          lease.Lease
	pump           *outbox.Pump
	synced         atomic.Bool
	nodeIDs        sync.Map // name -> uint32
	listers        sync.Map // of custom resources: schema.GroupVersionResource -> cache.GenericLister
	listed         sync.Map // schema.GroupVersionResource -> cache.InformerSynced: the engine was told
	rival          rival
	flavored       atomic.Bool
	local          localClusters
	spaceSelectors selectors     // of ClusterQueues
	surroundings   atomic.Uint64 // goes up when something changes that pods depend on
	refusals       refusals
	limited        limited
	devices        sync.Map // uid of a Queue -> what of it counts for nothing
	groups         groups
	heritage       *heritage
	templates      templates
	queued         queued
	nodeless       nodeless
	asleep         asleep
	pods           sync.Pool
}

// New makes a host from a profile's arguments and handle.
func New(ctx context.Context, args *config.Args, handle fwk.Handle) (*Host, error) {
	library, err := sluice.Load(args.Library)
	if err != nil {
		return nil, err
	}
	quick := rest.CopyConfig(handle.KubeConfig())
	quick.QPS, quick.Burst = args.Effects.QPS, args.Effects.Burst
	quick.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(quick.QPS, quick.Burst)
	quick.Wrap(failAtOnce)
	effects, err := kubernetes.NewForConfig(quick)
	if err != nil {
		return nil, fmt.Errorf("a client for effects: %w", err)
	}
	// The scheduler's own client speaks protobuf, which custom resources do not.
	plain := rest.CopyConfig(handle.KubeConfig())
	plain.ContentType, plain.AcceptContentTypes = "application/json", "application/json"
	custom, err := dynamic.NewForConfig(plain)
	if err != nil {
		return nil, fmt.Errorf("a client for custom resources: %w", err)
	}
	plain.QPS, plain.Burst, plain.RateLimiter = quick.QPS, quick.Burst, quick.RateLimiter
	objects, err := dynamic.NewForConfig(plain)
	if err != nil {
		return nil, fmt.Errorf("a client for effects on custom resources: %w", err)
	}
	return assemble(ctx, args, library, clients{effects, objects, custom}, handle)
}

// clients of the API server that the host has for itself.
type clients struct {
	effects kubernetes.Interface // its rate is limited by the configuration,
	objects dynamic.Interface    // and so is this one's
	custom  dynamic.Interface
}

func assemble(ctx context.Context, args *config.Args, library *sluice.Library, own clients,
	handle fwk.Handle) (*Host, error) {
	core := handle.SharedInformerFactory().Core().V1()
	if err := indexByNamespace(core.Pods().Informer()); err != nil {
		return nil, fmt.Errorf("an index of pods by namespace: %w", err)
	}
	h := &Host{
		args:       args,
		library:    library,
		log:        klog.FromContext(ctx).WithName("sluice"),
		clients:    own,
		discoverer: handle.ClientSet().Discovery(),
		recorder:   handle.EventRecorder(),
		activator:  handle,
		permits:    handle,
		podLister:  core.Pods().Lister(),
		podIndex:   core.Pods().Informer().GetIndexer(),
		nodes:      core.Nodes().Lister(),
		spaces:     core.Namespaces().Lister(),
		ready:      make(chan struct{}),
		pump:       outbox.New(),
		rival:      rival{since: time.Now()},
		limited:    newLimited(),
		pods:       sync.Pool{New: func() any { return new(sluice.Pod) }},
	}
	registerMetrics(h)
	if err := h.initGroups(handle.ClientSet()); err != nil {
		return nil, fmt.Errorf("to follow pods that have ended: %w", err)
	}
	h.initQueued(handle.ClientSet())
	var err error
	h.heritage, err = newHeritage(handle.ClientSet(), handle.SharedInformerFactory(),
		h.groups.owners.reader, h.heirsSeen)
	if err != nil {
		return nil, fmt.Errorf("to follow the controllers of pods: %w", err)
	}
	h.waitFor = append(h.waitFor, h.heritage.synced...)
	if err := h.followTemplates(handle.SharedInformerFactory()); err != nil {
		return nil, err
	}
	return h, h.observeCore(handle.SharedInformerFactory())
}

// AddProfile tells of one more profile that enables the plugin. [before Start]
func (h *Host) AddProfile(scheduler string, args *config.Args) error {
	if !reflect.DeepEqual(h.args, args) {
		return fmt.Errorf("profile %q has other args for the plugin Sluice than profile %q: "+
			"they share one engine, so write the same in both", scheduler, h.schedulers[0])
	}
	if !slices.Contains(h.schedulers, scheduler) {
		h.schedulers = append(h.schedulers, scheduler)
	}
	return nil
}

// Cache is what the scheduler has seen. It hears of the same events in another goroutine, and room
// must not be given away before it sees it, too: the pod would find no node, and say so to the
// autoscaler.
type Cache interface {
	// Counts tells whether the pod is still on its node.
	Counts(pod *v1.Pod) bool
	// Knows tells whether the node is known as it is here, or as it was later.
	Knows(node *v1.Node) bool
}

// AwaitCache names the scheduler's cache. [before Start]
func (h *Host) AwaitCache(cache Cache) { h.cache = cache }

// Args is the configuration.
func (h *Host) Args() *config.Args { return h.args }

// Library is the loaded sluice.so.
func (h *Host) Library() *sluice.Library { return h.library }

// Engine is the open engine: it waits until there is one.
func (h *Host) Engine() *sluice.Engine {
	<-h.ready
	return h.eng
}

// Ready says what is missing before pods can be granted; nil: nothing.
func (h *Host) Ready() error {
	select {
	case <-h.ready:
	default:
		return fmt.Errorf("the engine is not open yet")
	}
	if !h.synced.Load() {
		return fmt.Errorf("the first listing is not complete")
	}
	return nil
}

// Start opens the engine and begins. Further calls return what the first one did.
func (h *Host) Start(ctx context.Context) error {
	h.start.Do(func() { h.broken = h.open(ctx) })
	return h.broken
}

func (h *Host) open(ctx context.Context) error {
	eng, err := h.library.Open(engineConfig(h.args, h.schedulers, outbox.NewClock()))
	if err != nil {
		return fmt.Errorf("the configuration of the plugin Sluice: %w", err)
	}
	h.eng = eng
	ctx, h.cancel = context.WithCancel(ctx)
	close(h.ready)
	manifest := h.library.Manifest()
	h.log.Info("Opened the engine", "library", h.library.Path(), "version", manifest.Version,
		"removal", h.args.Removal, "manage", h.args.Manage, "observeOnly", h.args.ObserveOnly,
		"profiles", h.schedulers, "groups", eng.Asks(sluice.AnswerPermit),
		"workloads", eng.Asks(sluice.WriteWorkload))
	if h.args.Workloads && !eng.Asks(sluice.WriteWorkload) {
		return fmt.Errorf("workloads: %s is too old for them", h.library.Path())
	}
	for _, run := range []func(context.Context){h.watchCustom, h.runPump, h.followLease,
		h.groups.owners.run, h.heritage.run, h.runLimited} {
		h.done.Go(func() { run(ctx) })
	}
	return nil
}

// Stop gives no more effects out and waits for those that are under way.
func (h *Host) Stop() {
	if h.cancel == nil {
		return
	}
	h.cancel()
	h.done.Wait()
}

// opened is the engine for who cannot wait for Start: the handlers and hooks of a scheduler that
// knows of the plugin only (the command of this module calls Start itself).
func (h *Host) opened() *sluice.Engine {
	select {
	case <-h.ready:
	default:
		if err := h.Start(context.Background()); err != nil {
			klog.ErrorS(err, "Cannot open the engine")
			klog.FlushAndExit(klog.ExitFlushTimeout, 1)
		}
	}
	return h.eng
}

func engineConfig(args *config.Args, schedulers []string, clock sluice.Clock) sluice.Config {
	cfg := sluice.Config{
		Schedulers:         schedulers,
		Removal:            args.Removal,
		Manage:             args.Manage,
		Ceiling:            args.RootCeiling.Mode,
		Undeclared:         args.Undeclared,
		ReservationTimeout: args.ReservationTimeout.Duration,
		HeadGuard:          args.HeadGuard.Duration,
		ObserveOnly:        args.ObserveOnly,
		Record:             args.Record.Value(),
		Effects:            slices.Concat(ruling, grouping, optional(args)),
		PreemptionGates:    args.PreemptionGates,
		WaitingReasons:     args.Workloads,
		Limits: sluice.Limits{
			Message: args.Limits.Message.Value(),
			Pods:    args.Limits.Pods,
			Queues:  args.Limits.Queues,
			Nodes:   args.Limits.Nodes,
		},
		Clock: clock,
	}
	if args.RootCeiling.Amounts != nil {
		cfg.RootCeiling = map[string]string{}
		for name, amount := range args.RootCeiling.Amounts {
			cfg.RootCeiling[name] = amount.String()
		}
	}
	return cfg
}

// describe writes what the engine wants to know of a pod into one of the pool. False: who controls
// the pod, or what it inherits, is not known yet, and without that the engine must not hear of it.
func (h *Host) describe(pod *v1.Pod) (*sluice.Pod, bool) {
	into := h.pods.Get().(*sluice.Pod)
	heir, known := h.heir(pod, true)
	return into, known && h.fill(heir, into)
}

// NamespaceQueue is the queue that a namespace names; "": none.
func (h *Host) NamespaceQueue(name string) string {
	namespace, err := h.spaces.Get(name)
	if err != nil {
		return ""
	}
	return namespace.Annotations[facts.QueueName]
}
