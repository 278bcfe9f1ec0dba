// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

var errQueuesNotListed = errors.New("the queues have not been listed yet")

// Complete says what is missing before admission can be asked about; nil: nothing. A standby is
// complete, too. Of what came a moment ago the engine may yet have to hear.
//
// Queues need not exist in a cluster. Who asks about one knows that they do: as long as they are
// not followed, nothing is known of the others. A question about a pod can be answered without.
func (h *Host) Complete(aboutQueues bool) error {
	if err := h.Ready(); err != nil {
		return err
	}
	listed, followed := h.listed.Load(volcanoQueues)
	if !followed && !aboutQueues || followed && listed.(cache.InformerSynced)() {
		return nil
	}
	return errQueuesNotListed
}

// Newcomer is what the engine wants to know of a pod that is being created, as it will be told when
// the pod is observed. Controllers are read where they are not known: the one from which a pod
// inherits, and the topmost one of a pod that wants a group.
func (h *Host) Newcomer(ctx context.Context, pod *v1.Pod) (*sluice.Pod, error) {
	into := &sluice.Pod{}
	pod, err := h.newHeir(ctx, pod)
	if err != nil {
		return nil, err
	}
	if h.fill(pod, into) {
		return into, nil
	}
	key, _ := keyOf(pod)
	top, at, err := h.groups.owners.topmost(ctx, key)
	if err != nil && !isFinal(err) {
		return nil, fmt.Errorf("its controller %s %s cannot be read: %w", at.Kind, at.Name, err)
	}
	into.Controller = &top
	return into, nil
}

func (h *Host) newHeir(ctx context.Context, pod *v1.Pod) (*v1.Pod, error) {
	heir, known := h.heir(pod, false)
	if known {
		return heir, nil
	}
	owner := metav1.GetControllerOfNoCopy(pod)
	bequest, err := h.heritage.read(ctx, pod.Namespace, owner)
	if err != nil {
		return nil, fmt.Errorf("its controller %s %s cannot be read: %w", owner.Kind, owner.Name, err)
	}
	return facts.Heir(pod, bequest), nil
}

// fill writes over `into` what the engine wants to know of a pod. False: but for who controls it,
// which is not known yet.
func (h *Host) fill(pod *v1.Pod, into *sluice.Pod) bool {
	facts.Pod(pod, h.NamespaceQueue(pod.Namespace), into)
	if name := facts.LocalQueue(pod); name != "" {
		clusterQueue := h.local.clusterQueue(pod.Namespace, name)
		facts.InClusterQueue(into, name, clusterQueue)
		into.NotSelected = clusterQueue != "" && !h.selects(clusterQueue, pod.Namespace)
	}
	if !facts.WantsGroup(pod) || !h.isOurs(pod) {
		return true
	}
	top, known := h.groups.owners.of(pod)
	into.Controller = top
	if top != nil && h.templates.supersedes(pod) {
		older := *top // which it has in common with the newer ones
		older.Supersedes = true
		into.Controller = &older
	}
	return known
}
