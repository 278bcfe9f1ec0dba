// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"net/url"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// groupsSeen is the PodGroups that the API server shows.
type groupsSeen struct {
	mu    sync.Mutex
	now   map[string]*unstructured.Unstructured // by reference
	heard func()
}

func (g *groupsSeen) follow(ctx context.Context, client dynamic.Interface, heard func()) error {
	g.now, g.heard = map[string]*unstructured.Unstructured{}, heard
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(kinds["podgroup"].resource).Informer()
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(now any) { g.hear(now, false) },
		UpdateFunc: func(_, now any) { g.hear(now, false) },
		DeleteFunc: func(last any) { g.hear(last, true) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		return fmt.Errorf("the API server does not list podgroups: %w", ctx.Err())
	}
	return nil
}

func (g *groupsSeen) hear(what any, gone bool) {
	if unknown, ok := what.(cache.DeletedFinalStateUnknown); ok {
		what = unknown.Obj
	}
	group, ok := what.(*unstructured.Unstructured)
	if !ok {
		return
	}
	g.mu.Lock()
	ref := RefOf("podgroup", group.GetNamespace(), group.GetName())
	if old := g.now[ref]; !gone {
		g.now[ref] = group
	} else if old != nil && old.GetUID() == group.GetUID() {
		delete(g.now, ref)
	}
	g.mu.Unlock()
	g.heard()
}

func (g *groupsSeen) get(ref string) *unstructured.Unstructured {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now[ref]
}

func (g *groupsSeen) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.now)
}

// The paths of what the API server shows of a PodGroup.
var groupPaths = map[string][]string{
	"phase": {"status", "phase"}, "running": {"status", "running"},
	"succeeded": {"status", "succeeded"}, "failed": {"status", "failed"},
	"queue": {"spec", "queue"}, "minMember": {"spec", "minMember"},
}

// ofGroup is what is seen of a PodGroup where an expectation names it.
func (l *sight) ofGroup(group *unstructured.Unstructured, key string) string {
	switch key {
	case "owner":
		if by := metav1.GetControllerOf(group); by != nil {
			return by.Kind + "/" + by.Name
		}
		return ""
	case "condition", "reason", "message":
		return ofCondition(group, map[string]string{"condition": "type"}[key], key)
	}
	if path := groupPaths[key]; path != nil {
		value, found, err := unstructured.NestedFieldNoCopy(group.Object, path...)
		switch {
		case err == nil && found:
			return fmt.Sprint(value)
		case path[0] == "status" && key != "phase":
			return "0" // left out by who has none
		}
		return ""
	}
	known := l.groups[RefOf("podgroup", group.GetNamespace(), group.GetName())]
	if known == nil {
		known = l.ask("group", url.Values{
			"namespace": {group.GetNamespace()}, "name": {group.GetName()},
		})
		l.groups[RefOf("podgroup", group.GetNamespace(), group.GetName())] = known
	}
	switch key {
	case "state":
		return known.text("state", "unknown")
	case "hold":
		return known.text("reason", "unknown")
	case "why":
		return known.text("message", "unknown")
	}
	return number(known.number(key))
}

// ofCondition is a field of the condition that was written last.
func ofCondition(group *unstructured.Unstructured, field, otherwise string) string {
	if field == "" {
		field = otherwise
	}
	conditions, _, _ := unstructured.NestedSlice(group.Object, "status", "conditions")
	if len(conditions) == 0 {
		return ""
	}
	last, _ := conditions[len(conditions)-1].(object)
	text, _ := last[field].(string)
	return text
}

// group compares what an expectation says of one PodGroup.
func (c *comparison) group(ref string, want *Tree) {
	group := c.sight.t.world.groups.get(ref)
	switch {
	case want.Type == Text && group != nil:
		c.add(want, ref, "", "gone", "there")
	case want.Type != Text && group == nil:
		c.add(want, ref, "", "there", "gone")
	case group != nil:
		for _, field := range want.Pairs {
			seen := c.sight.ofGroup(group, field.Key)
			if !isLike(field.Value.Text, seen) {
				c.add(field.Value, ref, field.Key, field.Value.Text, seen)
			}
		}
	}
}
