// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

const (
	ownerReaders = 4
	// Owners of owners beyond this many are a mistake.
	mostOwners = 8
	// An owner whose server keeps failing is not waited for longer than so many attempts.
	ownerAttempts = 6
	// A crowd of pods of one owner that come or go together cost one look at it.
	ownerLook = 50 * time.Millisecond

	ownerSoon, ownerLate = 50 * time.Millisecond, 5 * time.Second
)

// owners knows the topmost controller of each pod that wants a group. The engine is not told of
// such a pod before that is known, for the name of its group depends on it:
//
//	pod ──seen──▶ its own controller ──read, and read what controls that──▶ the topmost
//	                                                                          │
//	engine ◀───────────────────────── the pod, with it ◀─────────────────────┘
//
// Who controls whom does not change while the pods of a controller live; how many pods the topmost
// wants does, so it is read again whenever a pod of it comes or goes. Nothing is kept of a
// controller without pods.
//
// Of pods that name a group of Kubernetes' own their own controller counts as the topmost one: who
// wrote the name when they were created saw nothing else.
type owners struct {
	reader *objectReader
	queue  workqueue.TypedRateLimitingInterface[ownerKey]
	found  func(pods map[types.UID]types.NamespacedName)
	warn   func(pod types.NamespacedName, uid types.UID, controller *metav1.OwnerReference,
		err error)

	mutex       sync.Mutex
	controllers map[ownerKey]*controlledPods
	pods        map[types.UID]ownerKey
}

// ownerKey is the pods' own controller.
type ownerKey struct {
	namespace             string
	uid                   types.UID
	version, kind, called string
	direct                bool // it counts as the topmost one
}

func (k *ownerKey) reference() *metav1.OwnerReference {
	return &metav1.OwnerReference{UID: k.uid, APIVersion: k.version, Kind: k.kind, Name: k.called}
}

// controlledPods are the pods of one controller.
type controlledPods struct {
	top  *sluice.Controller // nil: not known yet
	pods map[types.UID]types.NamespacedName
}

func newOwners(reader *objectReader) *owners {
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[ownerKey](ownerSoon, ownerLate)
	return &owners{
		reader:      reader,
		queue:       workqueue.NewTypedRateLimitingQueue(limit),
		controllers: map[ownerKey]*controlledPods{},
		pods:        map[types.UID]ownerKey{},
	}
}

func keyOf(pod *v1.Pod) (key ownerKey, controlled bool) {
	owner := facts.Above(pod)
	if owner == nil {
		return ownerKey{}, false
	}
	key = keyTo(pod.Namespace, owner)
	key.direct = facts.SchedulingGroup(pod) != ""
	return key, true
}

func keyTo(namespace string, owner *metav1.OwnerReference) ownerKey {
	return ownerKey{namespace: namespace, uid: owner.UID, version: owner.APIVersion,
		kind: owner.Kind, called: owner.Name}
}

// seen notes a pod that wants a group.
func (o *owners) seen(pod *v1.Pod) {
	key, controlled := keyOf(pod)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	before, known := o.pods[pod.UID]
	if known && before == key {
		return
	}
	if known {
		o.forget(pod.UID)
	}
	if !controlled {
		return
	}
	o.pods[pod.UID] = key
	under := o.controllers[key]
	if under == nil {
		under = &controlledPods{pods: map[types.UID]types.NamespacedName{}}
		o.controllers[key] = under
		o.queue.Add(key)
	}
	under.pods[pod.UID] = types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	if under.top != nil {
		o.queue.AddAfter(key, ownerLook)
	}
}

// below are the pods of a topmost controller.
func (o *owners) below(top types.UID) map[types.UID]types.NamespacedName {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	pods := map[types.UID]types.NamespacedName{}
	for _, under := range o.controllers {
		if under.top != nil && under.top.UID == string(top) {
			maps.Copy(pods, under.pods)
		}
	}
	return pods
}

// gone forgets a pod.
func (o *owners) gone(pod *v1.Pod) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.forget(pod.UID)
}

// forget takes a pod from its controller. [mutex is held]
func (o *owners) forget(pod types.UID) {
	key, known := o.pods[pod]
	if !known {
		return
	}
	delete(o.pods, pod)
	under := o.controllers[key]
	delete(under.pods, pod)
	if len(under.pods) == 0 {
		delete(o.controllers, key)
	} else {
		o.queue.AddAfter(key, ownerLook)
	}
}

// of is the topmost controller of a pod; nil: it has none. False: that is not known yet.
func (o *owners) of(pod *v1.Pod) (*sluice.Controller, bool) {
	key, controlled := keyOf(pod)
	if !controlled {
		return nil, true
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	under := o.controllers[key]
	if under == nil || under.top == nil {
		return nil, false
	}
	return under.top, true
}

// settled tells whether all are known.
func (o *owners) settled() bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, under := range o.controllers {
		if under.top == nil {
			return false
		}
	}
	return true
}

func (o *owners) run(ctx context.Context) { readOwners(ctx, o.queue, o.look) }

// readOwners has a few readers look at what is in the queue, until the context ends.
func readOwners(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ownerKey],
	look func(context.Context, ownerKey)) {
	var readers sync.WaitGroup
	for range ownerReaders {
		readers.Go(func() {
			for {
				key, over := queue.Get()
				if over {
					return
				}
				look(ctx, key)
				queue.Done(key)
			}
		})
	}
	<-ctx.Done()
	queue.ShutDown()
	readers.Wait()
}

// look reads the topmost controller, and tells of the pods for whom it is news.
func (o *owners) look(ctx context.Context, key ownerKey) {
	if !o.concerns(key) {
		o.queue.Forget(key)
		return
	}
	top, at, err := o.topmost(ctx, key)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return
	case !isFinal(err) && (!isBroken(err) || o.queue.NumRequeues(key) < ownerAttempts):
		o.queue.AddRateLimited(key)
		return
	}
	o.queue.Forget(key)
	o.mutex.Lock()
	under := o.controllers[key]
	if under == nil || under.top != nil && reflect.DeepEqual(*under.top, top) {
		o.mutex.Unlock()
		return
	}
	first := under.top == nil
	under.top = &top
	pods := maps.Clone(under.pods)
	o.mutex.Unlock()
	for uid, name := range pods {
		if err != nil && first {
			o.warn(name, uid, at, err)
		}
		break
	}
	o.found(pods)
}

// concerns tells whether the controller has pods.
func (o *owners) concerns(key ownerKey) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.controllers[key] != nil
}

// topmost follows the controllers of a pod. With an error it is the highest that is known of, and
// `at` is the one that could not be read.
func (o *owners) topmost(ctx context.Context, key ownerKey) (top sluice.Controller,
	at *metav1.OwnerReference, err error) {
	at = key.reference()
	for range mostOwners {
		top = facts.Reference(at)
		object, err := o.reader.read(ctx, key.namespace, at)
		if apierrors.IsNotFound(err) {
			return top, at, nil // it is about to take its pods with it
		}
		if err != nil {
			return top, at, err
		}
		above := facts.Above(object)
		if above == nil || key.direct {
			return facts.Controller(object), at, nil
		}
		at = above
	}
	return top, at, errTooManyOwners
}

var errTooManyOwners = fmt.Errorf("more than %d controllers, one above the other", mostOwners)

// isFinal tells whether another attempt would fail, too.
func isFinal(err error) bool {
	return err == errTooManyOwners || isUnserved(err) || apierrors.IsForbidden(err) ||
		apierrors.IsMethodNotSupported(err)
}

// isBroken is a server that answers, and cannot.
func isBroken(err error) bool {
	return apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err)
}
