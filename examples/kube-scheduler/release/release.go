// SPDX-License-Identifier: Apache-2.0

// Package release takes our gate off every pod, for an uninstall: without sluice nobody else would.
//
// It touches nothing but pods that carry a gate of ours, and of those nothing but these gates: a
// foreign gate stays, and its pod is held by it still. Each write is one patch that holds only for
// the very pod, and the very list of gates, that was read.
package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"sluice/kube-scheduler/facts"
)

const (
	pagePods = 500
	workers  = 16
	attempts = 8

	// mostPasses is how often new pods with our gate are taken on, before it is given up: somebody
	// still adds the gate.
	mostPasses = 3
)

// releaser is one run.
type releaser struct {
	client    kubernetes.Interface
	namespace string        // "": all
	scheduler string        // "": all
	backoff   time.Duration // before the second attempt; doubles
	report    *report
}

// ours is a pod that carries our gate, and what is left of its gates without it.
type ours struct {
	namespace, name string
	uid             types.UID
	gates, rest     []v1.PodSchedulingGate
}

func (o *ours) String() string { return o.namespace + "/" + o.name }

// find returns the pod's gates with and without ours; nil: it carries none of ours.
func find(pod *v1.Pod) *ours {
	rest := []v1.PodSchedulingGate{} // never null: it is written
	for _, gate := range pod.Spec.SchedulingGates {
		if gate.Name != facts.GateLong && gate.Name != facts.GateShort {
			rest = append(rest, gate)
		}
	}
	if len(rest) == len(pod.Spec.SchedulingGates) {
		return nil
	}
	return &ours{namespace: pod.Namespace, name: pod.Name, uid: pod.UID,
		gates: pod.Spec.SchedulingGates, rest: rest}
}

// list calls visit for each pod that carries a gate of ours.
func (r *releaser) list(ctx context.Context, visit func(*v1.Pod, *ours) error) error {
	options := metav1.ListOptions{
		Limit: pagePods,
		// A pod with a gate has no node.
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", "").String(),
	}
	for {
		page, err := r.client.CoreV1().Pods(r.namespace).List(ctx, options)
		if apierrors.IsResourceExpired(err) && options.Continue != "" {
			// The list is older than what the API server keeps: the rest of it, as it is now.
			var status apierrors.APIStatus
			if errors.As(err, &status) && status.Status().ListMeta.Continue != "" {
				options.Continue = status.Status().ListMeta.Continue
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("the pods cannot be listed: %w", err)
		}
		for i := range page.Items {
			pod := &page.Items[i]
			if r.scheduler != "" && pod.Spec.SchedulerName != r.scheduler {
				continue
			}
			if found := find(pod); found != nil {
				if err := visit(pod, found); err != nil {
					return err
				}
			}
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return nil
		}
	}
}

// run releases until a listing finds no pod that was not there before. What was done is reported
// also when it ends early.
func (r *releaser) run(ctx context.Context) error {
	tried := map[types.UID]bool{}
	fresh, err := r.pass(ctx, tried)
	for passes := 1; err == nil && fresh > 0 && passes < mostPasses; passes++ {
		fresh, err = r.pass(ctx, tried)
	}
	left := 0
	if err == nil && fresh > 0 {
		left, err = r.left(ctx, tried)
	}
	return errors.Join(err, r.report.finish(left))
}

// pass releases the pods that were not tried before, and returns how many there were.
func (r *releaser) pass(ctx context.Context, tried map[types.UID]bool) (fresh int, err error) {
	jobs := make(chan *ours)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for one := range jobs {
				released, err := r.release(ctx, one)
				r.report.result(one, released, err)
			}
		})
	}
	err = r.list(ctx, func(_ *v1.Pod, one *ours) error {
		if tried[one.uid] {
			return nil
		}
		tried[one.uid] = true
		fresh++
		select {
		case jobs <- one:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	close(jobs)
	running.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return fresh, err
}

// left counts the pods that came with our gate, pass after pass.
func (r *releaser) left(ctx context.Context, tried map[types.UID]bool) (count int, err error) {
	err = r.list(ctx, func(_ *v1.Pod, one *ours) error {
		if !tried[one.uid] {
			count++
		}
		return nil
	})
	return count, err
}

// release takes our gates off the pod, and tells whether it did. There is nothing to do for a pod
// that is gone, or carries none any more.
func (r *releaser) release(ctx context.Context, one *ours) (bool, error) {
	pods := r.client.CoreV1().Pods(one.namespace)
	for attempt, pause := 1, r.backoff; ; attempt, pause = attempt+1, pause*2 {
		text, err := removal(one)
		if err != nil {
			return false, err
		}
		_, failed := pods.Patch(ctx, one.name, types.JSONPatchType, text, metav1.PatchOptions{})
		if failed == nil || apierrors.IsNotFound(failed) {
			return failed == nil, nil
		}
		if attempt == attempts || !again(failed) {
			return false, failed
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
		pod, err := r.readAgain(ctx, one)
		if err != nil {
			continue // with what was read before
		}
		if pod == nil {
			return false, nil
		}
		before := one.gates
		if one = find(pod); one == nil {
			return false, nil
		}
		if apierrors.IsInvalid(failed) && slices.Equal(one.gates, before) {
			return false, failed // it is not the patch's test that failed
		}
	}
}

// readAgain returns the pod as it is now; nil: it is gone. It needs no right but to list pods.
func (r *releaser) readAgain(ctx context.Context, one *ours) (*v1.Pod, error) {
	list, err := r.client.CoreV1().Pods(one.namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, one.name).String()})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		if list.Items[i].UID == one.uid {
			return &list.Items[i], nil
		}
	}
	return nil, nil
}

// again tells whether another attempt may do better: not when we may not, or make no sense.
func again(err error) bool {
	return !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) &&
		!apierrors.IsBadRequest(err) && !apierrors.IsMethodNotSupported(err) &&
		!errors.Is(err, context.Canceled)
}

func removal(one *ours) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	const gates = "/spec/schedulingGates"
	return json.Marshal([]operation{
		{"test", "/metadata/uid", one.uid},
		{"test", gates, one.gates},
		{"replace", gates, one.rest},
	})
}
