// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/plane"
)

// mayWrite is what the scheduler may write about a gated pod, once each: the patch that takes the
// gate off, the binding, and its own event about it.
var mayWrite = []string{"create events", "create pods/binding", "patch pods"}

// audit counts what gated pods cost in writes, pod by pod.
func audit(ctx context.Context, o *options) error {
	m, err := find(ctx)
	if err != nil {
		return err
	}
	wrong := 0
	for round := range o.rounds {
		for _, v := range o.chosen() {
			say("round %d of %d: %s", round+1, o.rounds, v.name)
			strange, err := auditOne(ctx, m, o, &v)
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			wrong += strange
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d pods cost other writes than one patch, one binding and one event", wrong)
	}
	return nil
}

func auditOne(ctx context.Context, m measured, o *options, v *variant) (strange int, err error) {
	l, err := newLab(ctx, m, o, o.policies)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Stop()) }()
	if err := l.start(ctx, v); err != nil {
		return 0, err
	}
	p, err := l.measure(ctx, v, fmt.Sprint("audit-", v.key))
	if err != nil {
		return 0, err
	}
	events, err := l.Audit()
	if err != nil {
		return 0, err
	}
	fmt.Printf("%s: %d gated pods through a queue of %d cpu, at most %d of them held at once\n\n",
		v.name, o.pods, o.queue, p.most)
	t := table{{"write", "by", "number", "for each pod"}}
	for _, w := range byWriter(p.writes) {
		t.row(kind(w), who(w.User), fmt.Sprint(p.writes[w]),
			fmt.Sprintf("%.3f", float64(p.writes[w])/float64(o.pods)))
	}
	fmt.Println(t)
	return o.pods - reportPods(podWrites(inLoad(events))), nil
}

// podWrites are the scheduler's writes about each pod: those that were done, and those that were
// refused, which cost as much.
func podWrites(events []auditv1.Event) map[string][]string {
	writes := map[string][]string{}
	for i := range events {
		event := &events[i]
		if who(event.User.Username) != "scheduler" {
			continue
		}
		ref := event.ObjectRef
		what := kind(plane.Write{Verb: event.Verb, Resource: ref.Resource,
			Subresource: ref.Subresource})
		if status := event.ResponseStatus; status != nil && status.Code >= 300 {
			what = fmt.Sprintf("%s (answered %d)", what, status.Code)
		}
		// An event is named after its pod, with a number behind the dot.
		pod, _, _ := strings.Cut(ref.Name, ".")
		writes[pod] = append(writes[pod], what)
	}
	return writes
}

// reportPods prints how many pods cost what, and returns how many cost what they may.
func reportPods(writes map[string][]string) (right int) {
	alike := map[string]int{}
	for _, what := range writes {
		slices.Sort(what)
		alike[strings.Join(what, ", ")]++
		if slices.Equal(what, mayWrite) {
			right++
		}
	}
	for _, what := range slices.Sorted(maps.Keys(alike)) {
		fmt.Printf("%6d pods: %s\n", alike[what], what)
	}
	fmt.Println()
	return right
}
