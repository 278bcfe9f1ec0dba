// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"sluice/kube-scheduler/lease"
)

const (
	kindsKept    = 256
	kindsKeptFor = 10 * time.Minute
	// A kind that was not there may come with the next CRD.
	absentKeptFor = 10 * time.Second
)

// objectReader reads objects that others refer to, of whatever kind.
type objectReader struct {
	client     dynamic.Interface
	discoverer discovery.DiscoveryInterface
	kinds      *cache.LRUExpireCache // schema.GroupVersionKind -> served
	absent     *cache.LRUExpireCache // absentKey -> the error: objects that are not there
}

// absentKey is an object that is not there. One of its uid will not be there later: who refers to
// it came after it.
type absentKey struct {
	namespace, version, kind, name string
	uid                            types.UID
}

// served is how the API server calls a kind.
type served struct {
	resource   schema.GroupVersionResource
	namespaced bool
	absent     bool
}

// unserved is a kind that the API server does not have.
type unserved struct{ kind schema.GroupVersionKind }

func (u *unserved) Error() string {
	return fmt.Sprintf("the API server has no kind %s in %s", u.kind.Kind, u.kind.GroupVersion())
}

func isUnserved(err error) bool {
	var unserved *unserved
	return errors.As(err, &unserved)
}

func newObjectReader(client dynamic.Interface,
	discoverer discovery.DiscoveryInterface) *objectReader {
	return &objectReader{client, discoverer, cache.NewLRUExpireCache(kindsKept),
		cache.NewLRUExpireCache(absentObjectsKept)}
}

// read gets the very object that is referred to: another one of its name is not found.
func (r *objectReader) read(ctx context.Context, namespace string, to *metav1.OwnerReference) (
	*unstructured.Unstructured, error) {
	key := absentKey{namespace, to.APIVersion, to.Kind, to.Name, to.UID}
	if absent, is := r.absent.Get(key); is {
		return nil, absent.(error)
	}
	object, err := r.ask(ctx, namespace, to)
	if apierrors.IsNotFound(err) {
		r.absent.Add(key, err, absentObjectsAreKeptFor)
	}
	return object, err
}

func (r *objectReader) ask(ctx context.Context, namespace string, to *metav1.OwnerReference) (
	*unstructured.Unstructured, error) {
	version, err := schema.ParseGroupVersion(to.APIVersion)
	if err != nil {
		return nil, &unserved{schema.GroupVersionKind{Version: to.APIVersion, Kind: to.Kind}}
	}
	kind, err := r.kind(version.WithKind(to.Kind))
	if err != nil {
		return nil, err
	}
	var client dynamic.ResourceInterface = r.client.Resource(kind.resource)
	if kind.namespaced {
		client = r.client.Resource(kind.resource).Namespace(namespace)
	}
	ctx, cancel := context.WithTimeout(ctx, lease.WriteTimeout)
	defer cancel()
	object, err := client.Get(ctx, to.Name, metav1.GetOptions{})
	if err == nil && object.GetUID() != to.UID {
		return nil, apierrors.NewNotFound(kind.resource.GroupResource(), to.Name)
	}
	return object, err
}

func (r *objectReader) kind(of schema.GroupVersionKind) (served, error) {
	if known, is := r.kinds.Get(of); is {
		found := known.(served)
		if found.absent {
			return found, &unserved{of}
		}
		return found, nil
	}
	list, err := r.discoverer.ServerResourcesForGroupVersion(of.GroupVersion().String())
	if err != nil && !apierrors.IsNotFound(err) {
		return served{}, err
	}
	if err == nil {
		for i := range list.APIResources {
			// Subresources come under their kind, too.
			if one := &list.APIResources[i]; one.Kind == of.Kind && !isSubresource(one.Name) {
				found := served{of.GroupVersion().WithResource(one.Name), one.Namespaced, false}
				r.kinds.Add(of, found, kindsKeptFor)
				return found, nil
			}
		}
	}
	r.kinds.Add(of, served{absent: true}, absentKeptFor)
	return served{}, &unserved{of}
}

func isSubresource(name string) bool { return strings.Contains(name, "/") }
