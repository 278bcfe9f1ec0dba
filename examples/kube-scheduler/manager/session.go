// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// session is one connection to a worker: it follows what this manager has made there.
type session struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	server  string
	objects dynamic.Interface
	copies  cache.GenericLister
	jobs    cache.GenericLister
	byName  cache.Indexer // jobs, by their workload
}

const (
	probeEvery   = 5 * time.Second // how often a worker is asked whether it is there,
	probeTimeout = 5 * time.Second // and how long it may think about it
	listTimeout  = time.Minute     // how long the first listing may take
	accessLook   = time.Minute     // how often the kubeconfig is read again
)

// connect follows the worker until it is lost, and returns why it was.
func (w *worker) connect(ctx context.Context) error {
	w.mutex.Lock()
	source := w.source
	w.mutex.Unlock()
	access, err := w.manager.access(ctx, &source)
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(access.config)
	if err != nil {
		return because(badConfig, "the kubeconfig cannot be used: %w", err)
	}
	asker, err := discovery.NewDiscoveryClientForConfig(access.config)
	if err != nil {
		return because(badConfig, "the kubeconfig cannot be used: %w", err)
	}
	if err := probe(ctx, asker); err != nil {
		return because(connectionFailed, "%w", err)
	}
	s := &session{server: access.config.Host, objects: objects}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	defer s.cancel(nil)
	if err := w.follow(s); err != nil {
		return because(connectionFailed, "%w", err)
	}
	w.forgetOthers(s)
	w.joined(s)
	return w.watchOver(s, asker, &source, access)
}

// follow shows the engine every copy that is there; later ones as they come.
func (w *worker) follow(s *session) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.objects, 0,
		metav1.NamespaceAll, func(options *metav1.ListOptions) {
			options.LabelSelector = kueue.MultiKueueOriginLabel + "=" + w.manager.config.Origin
		})
	copies, jobs := factory.ForResource(workloadResource), factory.ForResource(jobResource)
	s.copies, s.jobs, s.byName = copies.Lister(), jobs.Lister(), jobs.Informer().GetIndexer()
	if err := jobs.Informer().AddIndexers(cache.Indexers{workloadIndex: workloadsOfJob}); err != nil {
		return err
	}
	var synced []cache.InformerSynced
	for informer, events := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		copies.Informer(): handle(
			func(object *unstructured.Unstructured) { w.copySeen(s, object) },
			func(object *unstructured.Unstructured) {
				w.copyGone(s, keyOf(object), string(object.GetUID()))
			}),
		jobs.Informer(): handle(w.workerJobSeen, w.workerJobSeen),
	} {
		err := informer.SetWatchErrorHandlerWithContext(
			func(_ context.Context, _ *cache.Reflector, err error) { s.failed(err) })
		if err != nil {
			return err
		}
		registration, err := informer.AddEventHandler(events)
		if err != nil {
			return err
		}
		synced = append(synced, registration.HasSynced)
		go informer.RunWithContext(s.ctx)
	}
	ctx, cancel := context.WithTimeoutCause(s.ctx, listTimeout, fmt.Errorf(
		"what is there was not listed within %s", listTimeout))
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return context.Cause(ctx)
	}
	return nil
}

// failed ends the session, but for what is part of the life of a watch.
func (s *session) failed(err error) {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsTimeout(err) ||
		apierrors.IsTooManyRequests(err) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	s.cancel(because(connectionFailed, "%w", err))
}

func (s *session) over() bool { return s.ctx.Err() != nil }

// watchOver returns when the worker does not answer any more, or is to be reached otherwise.
func (w *worker) watchOver(s *session, asker discovery.DiscoveryInterface,
	source *kueue.ClusterSource, access *access) error {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	read := time.Now()
	for {
		select {
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		case <-w.changed:
			return errChanged
		case <-ticker.C:
		}
		if err := probe(s.ctx, asker); err != nil && s.ctx.Err() == nil {
			return because(connectionFailed, "%w", err)
		}
		if time.Since(read) < accessLook {
			continue
		}
		read = time.Now()
		// A Secret that cannot be read just now ends nothing that works.
		now, err := w.manager.access(s.ctx, source)
		if err == nil && now.sum != access.sum {
			return errChanged
		}
	}
}

// probe asks for what everybody may know.
func probe(ctx context.Context, asker discovery.DiscoveryInterface) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return asker.RESTClient().Get().AbsPath("/version").Do(ctx).Error()
}

// copy is the copy as it was last seen; nil: there is none.
func (s *session) copy(key types.NamespacedName) *unstructured.Unstructured {
	return get(s.copies, key)
}

// get is the object as it was last seen; nil: there is none.
func get(lister cache.GenericLister, key types.NamespacedName) *unstructured.Unstructured {
	object, err := lister.ByNamespace(key.Namespace).Get(key.Name)
	if err != nil {
		return nil
	}
	return object.(*unstructured.Unstructured)
}

// jobOf is the worker's Job that was made with this workload; nil: there is none.
func (s *session) jobOf(key types.NamespacedName) *unstructured.Unstructured {
	list, err := s.byName.ByIndex(workloadIndex, key.String())
	if err != nil || len(list) == 0 {
		return nil
	}
	return list[0].(*unstructured.Unstructured)
}

// workloadIndex finds a worker's Jobs by the workload that they were made with.
const workloadIndex = "workload"

func workloadsOfJob(object any) ([]string, error) {
	job, is := object.(*unstructured.Unstructured)
	if !is || workloadOf(job) == "" {
		return nil, nil
	}
	return []string{types.NamespacedName{Namespace: job.GetNamespace(),
		Name: workloadOf(job)}.String()}, nil
}

// workerJobSeen looks after the workload of a worker's Job.
func (w *worker) workerJobSeen(object *unstructured.Unstructured) {
	if name := workloadOf(object); name != "" {
		key := types.NamespacedName{Namespace: object.GetNamespace(), Name: name}
		w.manager.chores.Add(chore{ofWorkload, key})
	}
}
