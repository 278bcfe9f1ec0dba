// SPDX-License-Identifier: Apache-2.0

// Package alike compares what sluice and Kueue itself write for the same manifests, field by field:
// each on a control plane of its own, where the same is done in the same order.
package alike

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/shipped"
	"sluice/cluster/upstream"
)

const (
	patience = 90 * time.Second
	lookTurn = 100 * time.Millisecond
	quiet    = time.Second     // without a change, before what is alike is believed to stay so
	settled  = 8 * time.Second // without a change, before what differs is believed to stay so
)

// only is a regular expression of the names of stories: of those alone the two are compared, and
// what is written about the others is not missed.
const only = "SLUICE_ALIKE"

// TestAlike tells the stories at the same time, each in a namespace and with queues of its own.
func TestAlike(t *testing.T) {
	program, err := upstream.Program(t.Context())
	if errors.Is(err, upstream.ErrUnobtainable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shipped.OwnAddress(); errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	var kueue, sluice *side
	var kueueErr, sluiceErr error
	var up sync.WaitGroup
	up.Go(func() { kueue, kueueErr = raiseKueue(t, program) })
	up.Go(func() { sluice, sluiceErr = raiseSluice(t) })
	up.Wait()
	if err := errors.Join(kueueErr, sluiceErr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, s := range []*side{kueue, sluice} {
				t.Logf("the end of the log of %s:\n%s", s.name, s.tail(10))
			}
		}
	})
	began := time.Now()
	common := &both{T: t, story: "all", began: began, sides: []*side{kueue, sluice}}
	common.create(shared)

	wanted := regexp.MustCompile(os.Getenv(only))
	var told sync.WaitGroup
	for name, tell := range stories {
		if !wanted.MatchString(name) {
			continue
		}
		told.Go(func() {
			t.Run(name, func(t *testing.T) {
				b := &both{T: t, story: name, began: began, sides: common.sides}
				for _, s := range b.sides {
					s.makeSpace(t, name)
				}
				tell(b)
			})
		})
	}
	told.Wait()
	if os.Getenv(only) == "" && !t.Failed() {
		reportUnused(t)
	}
}

// shared is what all stories use.
const shared = `apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec: {nodeLabels: {kind: spot}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: reserved}
spec: {nodeLabels: {kind: reserved}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: low}
value: 10
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 100
`

// alike waits until nothing changes any more on either side, and compares all fields. What differs
// is believed to when Kueue has counted once more.
func (b *both) alike(moment string) {
	b.Helper()
	kueue, sluice := b.sides[0], b.sides[1]
	for begun, counted := time.Now(), false; ; time.Sleep(lookTurn) {
		theirs, theirsSince := kueue.fields(b.story)
		ours, oursSince := sluice.fields(b.story)
		since := begun
		for _, at := range []time.Time{theirsSince, oursSince} {
			if at.After(since) {
				since = at
			}
		}
		calm := time.Since(since) // of what is looked at: what explains it counts if this does
		unmeant := unmeant(b.story, apart(theirs, ours), calm >= quiet)
		switch {
		case len(unmeant) == 0 && calm >= quiet:
			b.Logf("%7.2fs alike: %s", time.Since(b.began).Seconds(), moment)
			return
		case calm >= settled && !counted:
			counted = true
			b.countAnew()
		case calm >= settled || time.Since(begun) > patience:
			b.Errorf("%7.2fs not alike: %s%s", time.Since(b.began).Seconds(), moment, told(unmeant))
			return
		}
	}
}

// countAnew has Kueue count who waits in the story's LocalQueue, where there is one: it leaves out
// whoever it decides about while it counts, and counts anew only when an object changes. So that
// changes, and changes back. Ours has to count by itself.
func (b *both) countAnew() {
	b.Helper()
	kueue := b.sides[0]
	for _, value := range []string{`"yes"`, "null"} {
		_, err := kueue.in("LocalQueue", b.story).Patch(b.Context(),
			kueue.real(b.story, "LocalQueue", b.story), types.MergePatchType,
			[]byte(`{"metadata": {"annotations": {"counted": `+value+`}}}`), metav1.PatchOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			b.Fatalf("%s: %v", kueue.name, err)
		}
	}
}

// says waits until a field is as wanted on both sides; "": there is none.
func (b *both) says(object, field, want string) {
	b.Helper()
	path := strings.ReplaceAll(object+"."+field, "$", b.story)
	want = strings.ReplaceAll(want, "$", b.story)
	for _, s := range b.sides {
		var fields map[string]string
		for end := time.Now().Add(patience); ; time.Sleep(lookTurn) {
			if fields, _ = s.fields(b.story); fields[path] == want {
				break
			}
			if time.Now().After(end) {
				b.Fatalf("%s: %s is %q, want %q; it is:\n%s", s.name, path, fields[path], want,
					all(fields, strings.ReplaceAll(object, "$", b.story)))
			}
		}
	}
}

// counts waits until this many wait in the story's LocalQueue.
func (b *both) counts(want string) {
	b.Helper()
	object := "LocalQueue/" + b.story
	for begun := time.Now(); ; b.countAnew() {
		counted := true
		for _, s := range b.sides {
			fields, _ := s.fields(b.story)
			counted = counted && fields[object+".status.pendingWorkloads"] == want
			if !counted && time.Since(begun) > patience {
				b.Fatalf("%s: not %s wait; it is:\n%s", s.name, want, all(fields, object))
			}
		}
		if counted {
			return
		}
		time.Sleep(quiet)
	}
}
