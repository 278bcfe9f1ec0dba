// SPDX-License-Identifier: Apache-2.0

package host

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// limited are the objects that a limit of the configuration refused. The engine keeps nothing of
// them, and no watch tells of them again: so the host does, whenever there is news that may have
// made room. Of each kind the one that was refused first is told first, and as long as that is
// refused, the others need not be tried.
type limited struct {
	count  atomic.Int32 // how many there are
	news   chan struct{}
	mutex  sync.Mutex
	kinds  map[string]*list.List // of *refusedObject, the oldest first
	places map[objectKey]*list.Element
}

type refusedObject struct {
	key    objectKey
	object runtime.Object
}

type objectKey struct {
	kind string
	name types.NamespacedName
	uid  types.UID
}

const (
	// A crowd of news costs one look.
	limitedSoon = 50 * time.Millisecond
	// What makes room without news, as an acknowledgement does that ends a claim, is found so late.
	limitedLate = 30 * time.Second
)

func newLimited() limited {
	return limited{news: make(chan struct{}, 1), kinds: map[string]*list.List{},
		places: map[objectKey]*list.Element{}}
}

func keyOfObject(object runtime.Object) (key objectKey, is bool) {
	meta, is := object.(metav1.Object)
	if !is {
		return key, false
	}
	key = objectKey{fmt.Sprintf("%T", object), types.NamespacedName{
		Namespace: meta.GetNamespace(), Name: meta.GetName()}, meta.GetUID()}
	if custom, is := object.(*unstructured.Unstructured); is {
		key.kind = custom.GroupVersionKind().String()
	}
	return key, true
}

// note keeps an object that a limit refused, or forgets one that was not. It tells whether the
// object was refused for a limit before.
func (l *limited) note(object runtime.Object, err error) (again bool) {
	is := sluice.IsLimit(err)
	if object == nil || !is && l.count.Load() == 0 {
		return false
	}
	key, known := keyOfObject(object)
	if !known {
		return false
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	place := l.places[key]
	switch {
	case is && place != nil:
		place.Value.(*refusedObject).object = object
	case is:
		if l.kinds[key.kind] == nil {
			l.kinds[key.kind] = list.New()
		}
		l.places[key] = l.kinds[key.kind].PushBack(&refusedObject{key, object})
		l.count.Add(1)
		l.look() // there may be room by now
	case place != nil:
		l.kinds[key.kind].Remove(place)
		delete(l.places, key)
		l.count.Add(-1)
	}
	return place != nil
}

// look has the refused ones tried again, if there are any.
func (l *limited) look() {
	if l.count.Load() == 0 {
		return
	}
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// first are the oldest of each kind.
func (l *limited) first() (all []*refusedObject) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, one := range l.kinds {
		if front := one.Front(); front != nil {
			all = append(all, front.Value.(*refusedObject))
		}
	}
	return all
}

// next is the oldest of a kind; nil: it is the same, or there is none.
func (l *limited) next(last *refusedObject) *refusedObject {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	front := l.kinds[last.key.kind].Front()
	if front == nil || front.Value.(*refusedObject) == last {
		return nil
	}
	return front.Value.(*refusedObject)
}

func (h *Host) runLimited(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.engine.limited.news:
		case <-time.After(limitedLate):
		}
		for _, one := range h.engine.limited.first() {
			for one != nil && ctx.Err() == nil {
				h.tellAgain(one.object)
				one = h.engine.limited.next(one)
			}
		}
		if !wait(ctx, limitedSoon) {
			return
		}
	}
}

// tellAgain tells of an object as it is now.
func (h *Host) tellAgain(object runtime.Object) {
	switch one := object.(type) {
	case *v1.Pod:
		h.pods.tellAgain(one)
	case *v1.Node:
		h.nodes.tellAgain(one)
	case *kueue.Workload:
		h.workloads.tellAgain(one)
	case *unstructured.Unstructured:
		if one.GroupVersionKind().Group == facts.NativeGroups {
			h.native.tellAgain(one)
			return
		}
		h.custom.tellAgain(one, &h.engine.limited)
	}
}

// again tells of what is there now. The informer may tell of what comes after that meanwhile, so
// whatever it was that was told last, it is looked at whether it is so still.
func again[T interface {
	comparable
	runtime.Object
	metav1.Object
}](l *limited, last T, now func() T, seen, gone func(T)) {
	var none T
	told := now()
	for told != none {
		last = told
		seen(told)
		if told = now(); told != none && told.GetResourceVersion() == last.GetResourceVersion() {
			return
		}
		if told == none {
			gone(last)
		}
	}
	l.note(last, nil)
}
