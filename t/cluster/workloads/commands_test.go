// SPDX-License-Identifier: Apache-2.0

package workloads

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// A thousand commands at once, and a thousand more while the leader dies:
//
//	400 suspend (then resume) a queue each, 200 of these come twice
//	200 close (then open) a queue each
//	100 are for a queue that does not exist, 100 ask for something that nobody knows
//
// Each is deleted only when its change is written, or its refusal is told, which the revisions
// of the API server tell: they are one sequence for all objects.
const (
	toSuspend, twice, toClose = 400, 200, 200
	noQueue, noAction         = 100, 100
	allCommands               = toSuspend + twice + toClose + noQueue + noAction

	commandsTake = 3 * time.Minute // on the busiest machine
)

func TestCommands(t *testing.T) {
	c := start(t, "on-bind")
	names := map[string]string{} // of a queue: its state in the end
	for i := range toSuspend {
		names[fmt.Sprintf("s%03d", i)] = "Suspended"
	}
	for i := range toClose {
		names[fmt.Sprintf("c%03d", i)] = "Closed"
	}
	all := slices.Sorted(maps.Keys(names))
	c.parallel(len(all), func(i int) error {
		return c.put(queues, "", object{"apiVersion": queues.GroupVersion().String(),
			"kind": "Queue", "metadata": object{"name": all[i]}})
	})
	history := c.follow()
	c.Logf("%s", c.send(history, "first", "SuspendQueue", "CloseQueue", nil))
	history.judge(c, "first", 1, names)

	c.run("b")
	for name := range names {
		names[name] = "Open"
	}
	c.Logf("%s", c.send(history, "next", "ResumeQueue", "OpenQueue", func() {
		if err := c.first.Kill(); err != nil {
			c.Error(err)
		}
	}))
	history.judge(c, "next", 2, names)
}

// send sends them all, and waits until all are gone. In the middle something happens.
func (c *cluster) send(h *history, batch, one, other string, middle func()) string {
	c.Helper()
	before, began := h.gone(), time.Now()
	sent := make(chan time.Duration)
	go func() {
		c.parallel(allCommands, func(i int) error { return c.command(batch, i, one, other) })
		sent <- time.Since(began)
	}()
	var killed, all time.Duration
	for now := 0; now < allCommands; time.Sleep(lookTurn) {
		now = h.gone() - before
		if middle != nil && now > allCommands/3 {
			middle()
			middle, killed = nil, time.Since(began)
		}
		if all = time.Since(began); all > commandsTake || c.Failed() {
			c.Fatalf("after %s %d of %d commands are carried out", all, now, allCommands)
		}
	}
	text := fmt.Sprintf("%d commands: sent in %.1f s, all carried out after %.1f s", allCommands,
		(<-sent).Seconds(), all.Seconds())
	if killed > 0 {
		text += fmt.Sprintf("; the leader was killed after %.1f s", killed.Seconds())
	}
	return text
}

func (c *cluster) command(batch string, i int, one, other string) error {
	action, target := one, fmt.Sprintf("s%03d", i%toSuspend)
	switch {
	case i < toSuspend+twice:
	case i < toSuspend+twice+toClose:
		action, target = other, fmt.Sprintf("c%03d", i-toSuspend-twice)
	case i < allCommands-noAction:
		target = fmt.Sprintf("nobody%03d", i)
	default:
		action = "DanceQueue"
	}
	return c.put(commands, space, object{
		"apiVersion": commands.GroupVersion().String(), "kind": "Command",
		"metadata": object{"name": fmt.Sprintf("%s-%04d", batch, i)}, "action": action,
		"target": object{"apiVersion": queues.GroupVersion().String(), "kind": "Queue",
			"name": target, "uid": ""},
	})
}

// history is what became of commands and queues, by the revisions of the API server.
type history struct {
	mu      sync.Mutex
	deleted map[string]deletion // of a command, by its name
	states  map[string][]state  // of a queue
}

type deletion struct {
	action, queue string
	at            int64
}

type state struct {
	is string
	at int64
}

func (c *cluster) follow() *history {
	c.Helper()
	h := &history{deleted: map[string]deletion{}, states: map[string][]state{}}
	c.watch(commands, func(event watch.EventType, of *unstructured.Unstructured, at int64) {
		if event == watch.Deleted {
			action, _, _ := unstructured.NestedString(of.Object, "action")
			queue, _, _ := unstructured.NestedString(of.Object, "target", "name")
			h.deleted[of.GetName()] = deletion{action, queue, at}
		}
	}, &h.mu)
	c.watch(queues, func(_ watch.EventType, of *unstructured.Unstructured, at int64) {
		is, _, _ := unstructured.NestedString(of.Object, "status", "state")
		if all := h.states[of.GetName()]; len(all) == 0 || all[len(all)-1].is != is {
			h.states[of.GetName()] = append(all, state{is, at})
		}
	}, &h.mu)
	return h
}

func (c *cluster) watch(of schema.GroupVersionResource,
	hear func(watch.EventType, *unstructured.Unstructured, int64), mu *sync.Mutex) {
	c.Helper()
	tell := func(event watch.EventType, object *unstructured.Unstructured) {
		at, err := strconv.ParseInt(object.GetResourceVersion(), 10, 64)
		if err == nil {
			mu.Lock()
			hear(event, object, at)
			mu.Unlock()
		}
	}
	resource := c.custom.Resource(of)
	there := must(c, func(ctx context.Context) (*unstructured.UnstructuredList, error) {
		return resource.List(ctx, metav1.ListOptions{})
	})
	for i := range there.Items {
		tell(watch.Added, &there.Items[i])
	}
	// An API server that is busy ends watches that do not keep up: it goes on where it was.
	seen, err := watchtools.NewRetryWatcherWithContext(c.Context(), there.GetResourceVersion(),
		&cache.ListWatch{WatchFuncWithContext: resource.Watch})
	if err != nil {
		c.Fatal(err)
	}
	go func() {
		for event := range seen.ResultChan() {
			if object, is := event.Object.(*unstructured.Unstructured); is {
				tell(event.Type, object)
			}
		}
	}()
}

func (h *history) gone() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.deleted)
}

// goneFor are the commands for this queue that were deleted.
func (h *history) goneFor(queue string) (gone []deletion) {
	for _, one := range h.deleted {
		if one.queue == queue {
			gone = append(gone, one)
		}
	}
	return gone
}

// stateAt is what was written of a queue at a revision.
func (h *history) stateAt(queue string, at int64) (is string) {
	for _, one := range h.states[queue] {
		if one.at < at {
			is = one.is
		}
	}
	return is
}

// wanted is the state that an action makes of a queue without groups.
var wanted = map[string]string{"SuspendQueue": "Suspended", "CloseQueue": "Closed",
	"ResumeQueue": "Open", "OpenQueue": "Open"}

// judge waits for the states that were asked for, and looks whether each command of a batch went
// only when its change was written, or its refusal told.
func (h *history) judge(c *cluster, batch string, batches int, states map[string]string) {
	c.Helper()
	c.until("the queues are as they were told", func() error {
		h.mu.Lock()
		defer h.mu.Unlock()
		for name, want := range states {
			if is := h.stateAt(name, math.MaxInt64); is != want {
				return fmt.Errorf("queue %s is %q, want %q; it was %v, and of its commands went %v",
					name, is, want, h.states[name], h.goneFor(name))
			}
		}
		return nil
	})
	told := c.told()
	h.mu.Lock()
	defer h.mu.Unlock()
	var wrong []string
	blame := func(format string, values ...any) {
		wrong = append(wrong, fmt.Sprintf(format, values...))
	}
	count := 0
	for name, one := range h.deleted {
		if !strings.HasPrefix(name, batch) {
			continue
		}
		count++
		state, known := wanted[one.action]
		if known && states[one.queue] != "" {
			if is := h.stateAt(one.queue, one.at); is != state {
				blame("command %s (%s %s) went when the queue was %q", name, one.action, one.queue,
					is)
			}
			continue
		}
		// Of a queue that is there the events are about the queue, one for each command.
		about, want := "Command/"+name, 1
		if states[one.queue] != "" {
			about, want = "Queue/"+one.queue, batches
		}
		before := 0
		for _, at := range told[about] {
			if at < one.at {
				before++
			}
		}
		if before != want || len(told[about]) != want {
			blame("when command %s (%s %s) went %d of %d events about %s were there, want %d of %d",
				name, one.action, one.queue, before, len(told[about]), about, want, want)
		}
	}
	if count != allCommands {
		blame("%d commands went, want %d", count, allCommands)
	}
	slices.Sort(wrong)
	for _, one := range wrong[:min(len(wrong), 20)] {
		c.Error(one)
	}
}

// told are the refusals that events tell, by what they are about: their revisions.
func (c *cluster) told() map[string][]int64 {
	c.Helper()
	list := must(c, func(ctx context.Context) (*corev1.EventList, error) {
		return c.Client.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	})
	about := map[string][]int64{}
	for _, event := range list.Items {
		if event.Reason == "CommandRefused" {
			of := event.InvolvedObject.Kind + "/" + event.InvolvedObject.Name
			at, err := strconv.ParseInt(event.ResourceVersion, 10, 64)
			if err != nil {
				c.Fatal(err)
			}
			about[of] = append(about[of], at)
		}
	}
	return about
}
