// SPDX-License-Identifier: Apache-2.0

package schedulerplugin

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// yard is the pods of a cluster, and those of them that are onward.
type yard struct {
	onward
	store cache.Indexer
}

func newYard() *yard {
	y := &yard{store: cache.NewIndexer(cache.MetaNamespaceKeyFunc,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
	y.pods, y.first = listersv1.NewPodLister(y.store), true
	return y
}

// pod is there, with a node or without.
func (y *yard) pod(name, node string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name},
		Spec: v1.PodSpec{NodeName: node}}
	_ = y.store.Update(pod)
	return pod
}

func (y *yard) has(t *testing.T, when string, want ...string) {
	t.Helper()
	all, names := y.about()
	var got []string
	for _, name := range names {
		got = append(got, name.Name)
	}
	slices.Sort(got)
	if all || !slices.Equal(got, want) {
		t.Errorf("%s: all %v, %q, want %q", when, all, got, want)
	}
}

func TestOnward(t *testing.T) {
	y := newYard()
	y.has(t, "nobody came")
	y.put(y.pod("waits", ""), false)
	y.put(y.pod("goes", ""), true)
	y.put(y.pod("other", ""), true)
	y.has(t, "who waits in its queue is left out", "goes", "other")
	y.put(y.pod("waits", ""), true)
	y.put(y.pod("other", ""), false)
	y.has(t, "one is granted, one is taken back", "goes", "waits")
	y.pod("goes", "node")
	_ = y.store.Delete(y.pod("waits", ""))
	y.has(t, "who has a node or is gone is left out")
	if len(y.names) != 0 {
		t.Errorf("%v are kept", y.names)
	}
	y.first = false
	if all, _ := y.about(); !all {
		t.Error("pods are left out that others may have seen first")
	}
}

func TestManyOnward(t *testing.T) {
	y := newYard()
	for i := range manyOnward + 1 {
		y.put(y.pod(fmt.Sprint("p", i), ""), true)
	}
	if all, names := y.about(); !all || names != nil {
		t.Errorf("%d pods are named", len(names))
	}
	y.pod("p0", "node")
	if all, names := y.about(); all || len(names) != manyOnward {
		t.Errorf("all %v, or %d pods of %d", all, len(names), manyOnward)
	}
}

// What the scheduler of this release asks is answered in its own type.
func TestPreHint(t *testing.T) {
	y := newYard()
	y.put(y.pod("goes", ""), true)
	field, has := reflect.TypeFor[fwk.ClusterEventWithHint]().FieldByName("PreQueueingHintFn")
	events := y.events()
	if !has {
		if len(events) > 0 {
			t.Errorf("events of a release that asks nothing: %v", events)
		}
		t.Skip("this release of Kubernetes does not ask which pods an event is about")
	}
	if len(events) < 2 {
		t.Fatalf("%d events", len(events))
	}
	for _, event := range events {
		answer := reflect.ValueOf(event).FieldByIndex(field.Index).Call([]reflect.Value{
			reflect.ValueOf(klog.Background()), reflect.Zero(field.Type.In(1)),
			reflect.Zero(field.Type.In(2))})
		pods, _ := answer[0].FieldByName("Pods").Interface().([]types.NamespacedName)
		if answer[0].FieldByName("AllPods").Bool() || !answer[1].IsNil() ||
			!slices.Equal(pods, []types.NamespacedName{{Namespace: "n", Name: "goes"}}) {
			t.Errorf("%v: %v", event.Event, answer)
		}
		if hint, err := event.QueueingHintFn(klog.Background(), nil, nil, nil); err != nil ||
			hint != fwk.QueueSkip {
			t.Errorf("%v lets who waits in its queue try again", event.Event)
		}
	}
}
