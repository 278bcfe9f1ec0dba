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
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/lease"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
)

// Host is one engine in one scheduler: it is made of parts, each of which has what it needs of the
// others, and is what knows all of them.
type Host struct {
	args    *config.Args
	library *sluice.Library
	log     klog.Logger
	engine  engine
	lease   lease.Lease
	grants  *lease.Grants // nil: nobody else is looked at
	clients clients
	cache   schedulerCache
	waitFor []cache.InformerSynced

	start  sync.Once
	broken error
	cancel context.CancelFunc
	done   sync.WaitGroup

	// What is told to the engine, and what it asks for is done to it.
	pods          pods
	nodes         nodes
	namespaces    namespaces
	groups        groups
	native        nativeGroups
	custom        customResources
	volcanoQueues volcanoQueues
	kueueQueues   kueueQueues
	statuses      kueueStatuses
	workloads     workloads

	// What is known of pods beside that.
	describer    describer
	devices      deviceClaims
	heritage     *heritage
	templates    templates
	permits      permits
	flavoredPods flavoredPods
	wakeups      wakeups
	turns        nativeTurns
	activator    fwk.PodActivator

	controllers volcanoControllers
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
	log := klog.FromContext(ctx).WithName("sluice")
	h := &Host{args: args, library: library, log: log, clients: own, activator: handle}
	h.engine = engine{ready: make(chan struct{}), start: h.Start, log: log,
		recorder: handle.EventRecorder(), pump: outbox.New(), limited: newLimited()}
	h.join(handle)
	registerMetrics(h)
	return h, h.follow(handle)
}

// join gives each part what it needs of the others.
func (h *Host) join(handle fwk.Handle) {
	core := handle.SharedInformerFactory().Core().V1()
	lister, spaces := core.Pods().Lister(), core.Namespaces().Lister()
	h.permits = permits{framework: handle, pods: lister}
	h.flavoredPods = flavoredPods{engine: &h.engine, lister: lister, activator: handle}
	h.wakeups = wakeups{engine: &h.engine, activator: handle}
	h.controllers = volcanoControllers{engine: &h.engine, since: time.Now()}
	h.devices = deviceClaims{names: h.args.DeviceNames(), news: h.pods.heirsSeen,
		shared: newSharedClaims(h.describer.countsOnceBound, h.describer.place,
			h.describer.above)}
	h.describer = describer{spaces: spaces, nodes: core.Nodes().Lister(),
		queues: &h.kueueQueues, devices: &h.devices, volcano: &h.volcanoQueues,
		groups: &h.groups, templates: &h.templates, lookups: newLookups(),
		pool: sync.Pool{New: func() any { return new(sluice.Pod) }}}
	h.pods = pods{engine: &h.engine, clients: &h.clients, cache: &h.cache, lister: lister,
		index: core.Pods().Informer().GetIndexer(), observeOnly: h.args.ObserveOnly,
		describer: &h.describer, groups: &h.groups, permits: &h.permits,
		flavored: &h.flavoredPods, wakeups: &h.wakeups, turns: &h.turns, lease: &h.lease}
	h.nodes = nodes{engine: &h.engine, cache: &h.cache, lister: core.Nodes().Lister(),
		flavored: &h.flavoredPods, pods: &h.pods}
	h.namespaces = namespaces{pods: &h.pods, groups: &h.groups, queues: &h.kueueQueues,
		volcano: &h.volcanoQueues}
	h.groups = groups{engine: &h.engine, clients: &h.clients, describer: &h.describer,
		pods: &h.pods, volcano: &h.volcanoQueues, controllers: &h.controllers,
		native: &h.native, done: &h.done}
	h.native = nativeGroups{engine: &h.engine, clients: &h.clients, groups: &h.groups,
		discoverer: handle.ClientSet().Discovery(), look: nativeLook,
		scheduler: thisScheduler().followedBy(handle.SharedInformerFactory()),
		minimums:  h.args.NativeMinimums, lost: make(chan struct{}, 1)}
	h.turns = nativeTurns{native: &h.native,
		apply: h.args.Removal == config.OnAdmission && !h.args.ObserveOnly}
	h.templates = templates{engine: &h.engine, groups: &h.groups}
	h.volcanoQueues = volcanoQueues{engine: &h.engine, clients: &h.clients, custom: &h.custom,
		controllers: &h.controllers, pods: &h.pods, groups: &h.groups, describer: &h.describer,
		spaces: spaces}
	h.volcanoQueues.early = earlyCommands{tell: h.volcanoQueues.tellCommand,
		queues: map[string]bool{}}
	h.kueueQueues = kueueQueues{engine: &h.engine, custom: &h.custom, statuses: &h.statuses,
		pods: &h.pods, spaces: spaces, workloads: h.args.Workloads,
		tellWorkloads: h.workloads.tellOf}
	h.statuses = kueueStatuses{engine: &h.engine, lease: &h.lease, clients: &h.clients,
		custom: &h.custom, local: &h.kueueQueues.local,
		perSecond: ptr.Deref(h.args.QueueStatusesPerSecond, 0)}
	h.workloads = workloads{engine: &h.engine, lease: &h.lease, clients: &h.clients,
		custom: &h.custom, statuses: &h.statuses, pods: &h.pods, queues: &h.kueueQueues,
		writer: jobWriter{&h.engine, &h.clients}, devices: h.args.DeviceNames(),
		workers: h.args.Effects.Workers, observeOnly: h.args.ObserveOnly, done: &h.done}
	h.custom = customResources{client: h.clients.custom,
		discoverer: handle.ClientSet().Discovery(), log: h.log, kinds: h.customKinds()}
}

// follow registers the handlers of what is there in every cluster.
func (h *Host) follow(handle fwk.Handle) (err error) {
	client, factory := handle.ClientSet(), handle.SharedInformerFactory()
	reader := newObjectReader(h.clients.custom, h.custom.discoverer)
	if err := h.groups.prepare(client, reader); err != nil {
		return fmt.Errorf("to follow pods that have ended: %w", err)
	}
	if h.args.Workloads {
		if !h.args.ObserveOnly {
			h.statuses.stale = newStaleStatuses()
		}
		h.workloads.prepare(client)
	}
	h.heritage, err = newHeritage(client, factory, reader, h.pods.heirsSeen)
	if err != nil {
		return fmt.Errorf("to follow the controllers of pods: %w", err)
	}
	h.describer.heritage, h.describer.owners = h.heritage, h.groups.owners
	h.describer.members = &workloadMembers{find: h.workloads.Workload, around: h.workloads.around,
		below: h.heritage.below, of: map[types.UID]types.NamespacedName{},
		all: map[types.NamespacedName]*claimants{}}
	templates, err := h.templates.follow(factory)
	if err != nil {
		return err
	}
	claims, err := h.devices.follow(factory)
	if err != nil {
		return fmt.Errorf("to follow ResourceClaims: %w", err)
	}
	h.waitFor = slices.Concat(h.heritage.synced, templates, claims)
	return h.observeCore(factory)
}

// AddProfile tells of one more profile that enables the plugin. [before Start]
func (h *Host) AddProfile(scheduler string, args *config.Args) error {
	if !reflect.DeepEqual(h.args, args) {
		return fmt.Errorf("profile %q has other args for the plugin Sluice than profile %q: "+
			"they share one engine, so write the same in both", scheduler, h.describer.schedulers[0])
	}
	if !slices.Contains(h.describer.schedulers, scheduler) {
		h.describer.schedulers = append(h.describer.schedulers, scheduler)
	}
	return nil
}

// AwaitCache names the scheduler's cache. [before Start]
func (h *Host) AwaitCache(cache Cache) { h.cache.Cache = cache }

// Args is the configuration.
func (h *Host) Args() *config.Args { return h.args }

// Library is the loaded sluice.so.
func (h *Host) Library() *sluice.Library { return h.library }

// Engine is the open engine: it waits until there is one.
func (h *Host) Engine() *sluice.Engine {
	<-h.engine.ready
	return h.engine.Engine
}

// Note takes what an answer of the engine said about work that is left.
func (h *Host) Note(tail sluice.Tail) { h.engine.note(tail) }

// Ready says what is missing before pods can be granted; nil: nothing.
func (h *Host) Ready() error { return h.engine.missing() }

// Start opens the engine and begins. Further calls return what the first one did.
func (h *Host) Start(ctx context.Context) error {
	h.start.Do(func() { h.broken = h.open(ctx) })
	return h.broken
}

func (h *Host) open(ctx context.Context) error {
	cfg := engineConfig(h.args, h.describer.schedulers, outbox.NewClock())
	cfg.PartialGroups = new(h.native.scheduler.takesOneByOne())
	eng, err := h.library.Open(cfg)
	if err != nil {
		return fmt.Errorf("the configuration of the plugin Sluice: %w", err)
	}
	h.engine.Engine = eng
	ctx, h.cancel = context.WithCancel(ctx)
	close(h.engine.ready)
	manifest := h.library.Manifest()
	h.log.Info("Opened the engine", "library", h.library.Path(), "version", manifest.Version,
		"removal", h.args.Removal, "manage", h.args.Manage, "observeOnly", h.args.ObserveOnly,
		"profiles", h.describer.schedulers, "groups", eng.Asks(sluice.AnswerPermit),
		"workloads", eng.Asks(sluice.WriteWorkload))
	if h.args.Workloads && !eng.Asks(sluice.WriteWorkload) {
		return fmt.Errorf("workloads: %s is too old for them", h.library.Path())
	}
	for _, run := range []func(context.Context){h.followCustom, h.runPump, h.followLease,
		h.groups.owners.run, h.heritage.run, h.native.run, h.runLimited} {
		h.done.Go(func() { run(ctx) })
	}
	if h.grants != nil {
		h.done.Go(func() { h.grants.Run(ctx) })
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

// customKinds come in the order in which they are followed.
func (h *Host) customKinds() []customKind {
	volcano, queues := &h.volcanoQueues, &h.kueueQueues
	all := []customKind{
		{flavorResource, queues.flavorSeen, queues.flavorGone, nil},
		{kueue.SchemeGroupVersion.WithResource("cohorts"), queues.cohortSeen, queues.cohortGone, nil},
		{clusterQueues, queues.clusterQueueSeen, queues.clusterQueueGone, nil},
		{localQueues, queues.localQueueSeen, queues.localQueueGone, nil},
		{queueResource, volcano.seen, volcano.gone, nil},
		{commandResource, volcano.commandSeen, volcano.commandGone, nil},
		{podGroups, h.groups.seen, h.groups.gone, h.groups.begin},
	}
	if h.args.Workloads {
		// Workloads come last: what they stand on is told before them.
		all = append(all,
			customKind{admissionChecks, queues.checkSeen, queues.checkGone, nil},
			customKind{workloadClasses, h.workloads.classSeen, nothing, nil},
			customKind{claimTemplates, h.workloads.retell, h.workloads.retell, nil},
			customKind{wl.Resource, h.workloads.unreadable, nothing, h.workloads.begin})
	}
	return all
}

// followCustom follows the custom resources. The engine hears that the first listing is complete
// when all that was there in the beginning has been listed.
func (h *Host) followCustom(ctx context.Context) {
	h.custom.run(ctx, func(ctx context.Context) bool {
		// What has been listed is known in full when its controllers are.
		return cache.WaitForCacheSync(ctx.Done(), h.waitFor...) &&
			cache.WaitForCacheSync(ctx.Done(), h.custom.synced...) &&
			cache.WaitForCacheSync(ctx.Done(), h.heritage.settled, h.groups.owners.settled,
				h.native.settled.Load) &&
			h.allListed()
	})
}

// allListed tells the engine that the first listing is complete.
func (h *Host) allListed() bool {
	h.volcanoQueues.allListed()
	return h.engine.declareSynced()
}

var errQueuesNotListed = errors.New("the queues have not been listed yet")

// Complete says what is missing before admission can be asked about; nil: nothing. A standby is
// complete, too. Of what came a moment ago the engine may yet have to hear.
//
// Queues need not exist in a cluster. Who asks about one knows that they do: as long as they are
// not followed, nothing is known of the others. A question about a pod can be answered without.
func (h *Host) Complete(aboutQueues bool) error {
	if err := h.Ready(); err != nil {
		return err
	}
	listed, followed := h.custom.listed.Load(queueResource)
	if !followed && !aboutQueues || followed && listed.(cache.InformerSynced)() {
		return nil
	}
	return errQueuesNotListed
}

// Newcomer is what the engine wants to know of a pod that is being created, as it will be told when
// the pod is observed. Controllers that are not known are read.
func (h *Host) Newcomer(ctx context.Context, pod *v1.Pod) (*sluice.Pod, error) {
	return h.describer.newcomer(ctx, pod)
}

// HasQueue tells whether there is such a LocalQueue.
func (h *Host) HasQueue(namespace, name string) bool {
	return h.kueueQueues.hasLocalQueue(namespace, name)
}

// Dispatched tells whether the workloads of a LocalQueue go to other clusters.
func (h *Host) Dispatched(namespace, queue string) bool {
	return h.kueueQueues.dispatched(namespace, queue)
}
