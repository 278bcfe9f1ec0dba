// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
)

// customResources are the objects of kinds that need not exist in a cluster: each kind is followed
// once the API server serves it.
type customResources struct {
	client     dynamic.Interface
	discoverer discovery.DiscoveryInterface
	log        klog.Logger
	kinds      []customKind // in the order in which they are followed

	listers sync.Map               // schema.GroupVersionResource -> cache.GenericLister
	listed  sync.Map               // schema.GroupVersionResource -> cache.InformerSynced: all is told
	synced  []cache.InformerSynced // of what was there in the beginning
}

// customKind is a kind of object that need not exist in a cluster.
type customKind struct {
	resource   schema.GroupVersionResource
	seen, gone func(*unstructured.Unstructured)

	// begin, if it is set, is called before the first of them.
	begin func(context.Context, cache.SharedIndexInformer) ([]cache.InformerSynced, error)
}

func nothing(*unstructured.Unstructured) {}

// servedLook is how often the API server is asked whether a custom resource has come.
const servedLook = 5 * time.Second

// run follows the kinds that are served, now and later. It goes on once `begun` says so of those
// that were there in the beginning.
func (c *customResources) run(ctx context.Context, begun func(context.Context) bool) {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c.client, 0)
	absent := c.kinds
	for first := true; ; first = false {
		absent = c.follow(ctx, factory, absent, first)
		if first && !begun(ctx) {
			return
		}
		if len(absent) == 0 || !wait(ctx, servedLook) {
			<-ctx.Done()
			return
		}
	}
}

// follow starts the informers of what is served, and returns what is not.
func (c *customResources) follow(ctx context.Context,
	factory dynamicinformer.DynamicSharedInformerFactory, wanted []customKind,
	insist bool) (absent []customKind) {
	served := map[schema.GroupVersion]map[string]bool{}
	for _, one := range wanted {
		version := one.resource.GroupVersion()
		if served[version] == nil {
			served[version] = c.served(ctx, version, insist)
		}
		if !served[version][one.resource.Resource] {
			absent = append(absent, one)
			continue
		}
		source := factory.ForResource(one.resource)
		informer := source.Informer()
		c.listers.Store(one.resource, source.Lister())
		registration, err := informer.AddEventHandler(handle(
			func(_, object *unstructured.Unstructured) { one.seen(object) }, one.gone))
		if err != nil {
			c.log.Error(err, "Cannot follow", "resource", one.resource)
			continue
		}
		synced := []cache.InformerSynced{registration.HasSynced}
		c.listed.Store(one.resource, cache.InformerSynced(registration.HasSynced))
		if one.begin != nil {
			more, err := one.begin(ctx, informer)
			if err != nil {
				c.log.Error(err, "Cannot follow what belongs to", "resource", one.resource)
			}
			synced = append(synced, more...)
		}
		if insist {
			c.synced = append(c.synced, synced...)
		}
		c.log.Info("Following", "resource", one.resource)
	}
	factory.Start(ctx.Done())
	return absent
}

// served tells which resources of a group the API server has. With insist, an API server that does
// not answer is asked again: its silence must not pass for an empty cluster.
func (c *customResources) served(ctx context.Context, version schema.GroupVersion,
	insist bool) map[string]bool {
	names := map[string]bool{}
	for {
		list, err := c.discoverer.ServerResourcesForGroupVersion(version.String())
		if err == nil {
			for i := range list.APIResources {
				names[list.APIResources[i].Name] = true
			}
			return names
		}
		if apierrors.IsNotFound(err) || !insist {
			return names
		}
		c.log.Error(err, "Cannot ask what is served", "version", version)
		if !wait(ctx, time.Second) {
			return names
		}
	}
}

func wait(ctx context.Context, length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// object is one as it was last seen; nil: there is none.
func (c *customResources) object(of schema.GroupVersionResource, namespace,
	name string) *unstructured.Unstructured {
	lister, followed := c.listers.Load(of)
	if !followed {
		return nil
	}
	all := lister.(cache.GenericLister)
	get := all.Get
	if namespace != "" {
		get = all.ByNamespace(namespace).Get
	}
	object, err := get(name)
	if err != nil {
		return nil
	}
	custom, _ := object.(*unstructured.Unstructured)
	return custom
}

// all are those of a kind that can be read.
func (c *customResources) all(of schema.GroupVersionResource) (all []*unstructured.Unstructured) {
	lister, followed := c.listers.Load(of)
	if !followed {
		return nil
	}
	objects, err := lister.(cache.GenericLister).List(labels.Everything())
	for i := 0; err == nil && i < len(objects); i++ {
		if object, is := objects[i].(*unstructured.Unstructured); is {
			all = append(all, object)
		}
	}
	return all
}

// flavor is one that can be read; nil: there is none.
func (c *customResources) flavor(name string) *kueue.ResourceFlavor {
	object := c.object(flavorResource, "", name)
	var flavor kueue.ResourceFlavor
	if object == nil || facts.Read(object, &flavor) != nil {
		return nil
	}
	return &flavor
}

// tellAgain tells of an object as it is now.
func (c *customResources) tellAgain(object *unstructured.Unstructured, limited *limited) {
	resource, _ := apimeta.UnsafeGuessKindToResource(object.GroupVersionKind())
	if _, followed := c.listers.Load(resource); !followed {
		return
	}
	for _, one := range c.kinds {
		if one.resource != resource {
			continue
		}
		again(limited, object, func() *unstructured.Unstructured {
			now := c.object(resource, object.GetNamespace(), object.GetName())
			if now == nil || now.GetUID() != object.GetUID() {
				return nil
			}
			return now
		}, one.seen, one.gone)
	}
}
