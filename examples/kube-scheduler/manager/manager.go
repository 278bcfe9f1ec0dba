// SPDX-License-Identifier: Apache-2.0

// Package manager joins an engine with many clusters: that of the manager, where people submit, and
// the workers, where their work runs.
//
//	manager's API server ──▶ watchers ──▶ ┌────────┐ ──▶ pump ──▶ effects ──▶ manager's API server
//	workers' API servers ──▶ sessions ──▶ │ engine │ ◀─── acks ─────┘  └────▶ workers' API servers
//	lease ──────────────────────────────▶ └────────┘
//
// The engine decides which workload has a copy in which worker, who may preempt for it, and where
// it stays. What needs no decision is done by chores: which clusters are nominated, that a Job's
// status comes back, that a check and a cluster say whether they work, and that nothing is left
// behind.
//
// It takes the place of Kueue's own controller of the admission check kueue.x-k8s.io/multikueue,
// and reads and writes the same objects. Everything is written under the version that was decided
// about, and nothing by a replica whose lease may be over.
package manager

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"sluice/kube-scheduler/lease"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

// Manager is one engine over many clusters.
type Manager struct {
	config  *Config
	library *sluice.Library
	eng     *sluice.Engine
	log     klog.Logger

	core     kubernetes.Interface
	objects  dynamic.Interface
	election resourcelock.Interface // nil: there is none

	workloads, checks, configs, clusters, jobs cache.GenericLister
	byJob                                      cache.Indexer // workloads
	informers                                  []cache.SharedIndexInformer

	lease  lease.Lease
	pump   *outbox.Pump
	chores workqueue.TypedRateLimitingInterface[chore]
	synced atomic.Bool

	limited limited

	running context.Context // of Run
	done    sync.WaitGroup

	mutex   sync.Mutex
	shown   map[types.NamespacedName]shown // workloads that the engine was told of
	workers map[string]*worker
}

// shown is a workload that the engine knows of: which one, and by which check.
type shown struct {
	uid   types.UID
	check string
}

// New makes a manager for the cluster that the client configuration is for.
func New(config *Config, cluster *rest.Config, identity string) (*Manager, error) {
	library, err := sluice.Load(config.Library)
	if err != nil {
		return nil, err
	}
	writer := rest.CopyConfig(cluster)
	writer.QPS, writer.Burst = config.Effects.QPS, config.Effects.Burst
	writer.ContentType, writer.AcceptContentTypes = "application/json", "application/json"
	objects, err := dynamic.NewForConfig(writer)
	if err != nil {
		return nil, fmt.Errorf("a client: %w", err)
	}
	core, err := kubernetes.NewForConfig(cluster)
	if err != nil {
		return nil, fmt.Errorf("a client: %w", err)
	}
	m := &Manager{
		config: config, library: library, core: core, objects: objects,
		log:     klog.Background().WithName("sluice-manager"),
		pump:    outbox.New(),
		chores:  newChores(),
		shown:   map[types.NamespacedName]shown{},
		workers: map[string]*worker{},
		limited: limited{again: map[limitedKey]func(){}},
	}
	if err := m.elect(cluster, identity); err != nil {
		return nil, err
	}
	if m.eng, err = library.Open(m.engineConfig()); err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	return m, m.follow()
}

func (m *Manager) elect(cluster *rest.Config, identity string) error {
	election := &m.config.LeaderElection
	if !*election.LeaderElect {
		return nil
	}
	inner, err := resourcelock.NewFromKubeconfig(election.ResourceLock, election.ResourceNamespace,
		election.ResourceName, resourcelock.ResourceLockConfig{Identity: identity}, cluster,
		election.RenewDeadline.Duration)
	if err != nil {
		return fmt.Errorf("the lease: %w", err)
	}
	m.election = m.lease.Lock(inner, election.RenewDeadline.Duration)
	return nil
}

func (m *Manager) engineConfig() sluice.Config {
	return sluice.Config{
		Clock:  outbox.NewClock(),
		Record: m.config.Record.Value(),
		Limits: sluice.Limits{
			Message:   m.config.Limits.Message.Value(),
			Workloads: m.config.Limits.Workloads,
			Clusters:  m.config.Limits.Clusters,
		},
		MultiKueue: &sluice.MultiKueue{
			Orchestrated:       m.config.FeatureGates[OrchestratedPreemption],
			PreemptionTimeout:  m.config.SingleClusterPreemptionTimeout.Duration,
			WorkerLostTimeout:  m.config.WorkerLostTimeout.Duration,
			PreferNoPreemption: m.config.PreferNoPreemption.Duration,
		},
	}
}

// firstLook is how long the engine waits for workers to answer before it decides without them.
const firstLook = 10 * time.Second

// Run works until the context ends, and then until nothing is under way.
func (m *Manager) Run(ctx context.Context) error {
	manifest := m.library.Manifest()
	m.log.Info("Opened the engine", "library", m.library.Path(), "version", manifest.Version,
		"orchestrated", m.config.FeatureGates[OrchestratedPreemption],
		"timeout", m.config.SingleClusterPreemptionTimeout.Duration, "origin", m.config.Origin)
	registerMetrics(m)
	m.running = ctx
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	for _, informer := range m.informers {
		m.done.Go(func() { informer.RunWithContext(ctx) })
	}
	m.done.Go(func() { m.lease.Follow(ctx, m.lead) })
	m.done.Go(func() {
		m.pump.Run(ctx, outbox.Work{Engine: m.eng, Leads: m.Leads, Workers: m.config.Effects.Workers,
			Log: m.log, CarryOut: m.carryOut})
	})
	var chores sync.WaitGroup
	for range choreWorkers {
		chores.Go(func() { m.runChores(working) })
	}
	m.done.Go(func() { m.collect(ctx) })
	m.done.Go(func() { m.limited.run(ctx) })
	elected := make(chan struct{})
	go func() {
		defer close(elected)
		m.campaign(working)
	}()
	m.declareSynced(ctx)
	<-ctx.Done()
	m.chores.ShutDown()
	m.done.Wait()
	chores.Wait()
	stop() // what is under way has ended: the lease may go
	<-elected
	return nil
}

// campaign wants the lease, again and again.
func (m *Manager) campaign(ctx context.Context) {
	election := &m.config.LeaderElection
	for m.election != nil && ctx.Err() == nil {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: m.election, Name: election.ResourceName, ReleaseOnCancel: true,
			LeaseDuration: election.LeaseDuration.Duration,
			RenewDeadline: election.RenewDeadline.Duration,
			RetryPeriod:   election.RetryPeriod.Duration,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) {}, // the lease itself says when
				OnStoppedLeading: func() {},
			},
		})
	}
}

func (m *Manager) lead(leads bool) {
	tail, err := m.eng.Lead(leads)
	m.told(tail, err, "leader", "")
	m.log.Info("Leading", "leads", leads)
	if leads {
		m.allChores()
	}
}

// declareSynced tells the engine that it knows of all that is there, as far as it can be reached.
func (m *Manager) declareSynced(ctx context.Context) {
	for _, informer := range m.informers {
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return
		}
	}
	m.lookAtAll()
	patience := time.After(firstLook)
	for _, w := range m.everyWorker() {
		select {
		case <-w.looked:
		case <-patience:
			patience = closedTime
		case <-ctx.Done():
			return
		}
	}
	tail, err := m.eng.Synced()
	m.told(tail, err, "synced", "")
	m.synced.Store(err == nil)
	m.log.Info("The first listing is complete")
	m.allChores()
}

var closedTime = func() <-chan time.Time {
	over := make(chan time.Time)
	close(over)
	return over
}()

// Leads tells whether this replica leads.
func (m *Manager) Leads() bool { return m.lease.Leads() }

// Ready says what is missing before anything can be decided; nil: nothing.
func (m *Manager) Ready() error {
	if !m.synced.Load() {
		return fmt.Errorf("the first listing is not complete")
	}
	return nil
}

// Inspect asks the engine a question of a person.
func (m *Manager) Inspect(q sluice.Query) (map[string]any, error) { return m.eng.Inspect(q) }

// toldOf is told of an object, which may be told of again.
func (m *Manager) toldOf(kind, name string, tail sluice.Tail, err error, again func()) {
	m.limited.note(limitedKey{kind, name}, err, again)
	m.told(tail, err, kind, name)
}

// told notes what an answer of the engine says; what it refuses is counted, and told once.
func (m *Manager) told(tail sluice.Tail, err error, kind, name string) {
	if err != nil {
		metrics.refused.Inc()
		m.log.Error(err, "The engine cannot use what was seen", "kind", kind, "object", name)
		return
	}
	m.pump.Note(tail)
}

// follow makes the informers of the manager's own cluster.
func (m *Manager) follow() error {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(m.objects, 0)
	for _, one := range []struct {
		into   *cache.GenericLister
		source informerSource
		events cache.ResourceEventHandler
	}{
		{&m.checks, factory.ForResource(checkResource), handle(m.checkSeen, m.checkSeen)},
		{&m.configs, factory.ForResource(configResource), handle(m.configSeen, m.configSeen)},
		{&m.clusters, factory.ForResource(clusterResource), handle(m.clusterSeen, m.clusterGone)},
		{&m.jobs, factory.ForResource(jobResource), handle(m.jobSeen, m.jobSeen)},
		{&m.workloads, factory.ForResource(workloadResource), handle(m.workloadSeen, m.workloadGone)},
	} {
		*one.into = one.source.Lister()
		informer := one.source.Informer()
		if _, err := informer.AddEventHandler(one.events); err != nil {
			return err
		}
		m.informers = append(m.informers, informer)
	}
	workloads := factory.ForResource(workloadResource).Informer()
	m.byJob = workloads.GetIndexer()
	return workloads.AddIndexers(cache.Indexers{jobIndex: ownersOf})
}
