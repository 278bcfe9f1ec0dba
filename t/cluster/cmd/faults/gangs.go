// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Two gangs of four in a queue of six, on nodes for six: only one has room at a time. Their
// PodGroups and pods come in a random order, so that both begin to assemble; whoever is bound runs
// for a moment. In the end both have run, and the checker has seen no half of a gang.
const (
	gangQueue  = "gangs"
	gangLimit  = 6
	gangSize   = 4
	gangTakes  = 30 * time.Second // at most, where there is room: a turn on nodes is 60 s
	gangRounds = 50               // interleavings for each 3 rounds of the other faults
	groupName  = "scheduling.k8s.io/group-name"
)

var podGroups = schema.GroupVersionResource{
	Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups",
}

func interleave(t *trial, round int) error {
	if round == 0 {
		if err := t.bench.furnishGangs(t.ctx); err != nil {
			return err
		}
	}
	times := max(1, gangRounds*(round+1)/t.bench.options.rounds-
		gangRounds*round/t.bench.options.rounds)
	for i := range times {
		if err := t.twoGangs(fmt.Sprintf("g%d-%02d", round+1, i)); err != nil {
			return err
		}
	}
	t.say("%d interleavings", times)
	return nil
}

// twoGangs lets two gangs through, and returns when both are over.
func (t *trial) twoGangs(name string) error {
	var steps []func() error
	names := []string{name + "-red", name + "-blue"}
	for _, gang := range names {
		steps = append(steps, func() error { return t.createGang(gang) })
		for i := range gangSize {
			steps = append(steps, func() error {
				return t.crowd.create(t.ctx, gangPod(gang, i))
			})
		}
	}
	rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		pause(t.ctx, time.Duration(rand.Int64N(int64(20*time.Millisecond))))
	}
	return t.bothRun(names)
}

func (t *trial) createGang(name string) error {
	group := &unstructured.Unstructured{Object: object{
		"apiVersion": podGroups.GroupVersion().String(), "kind": "PodGroup",
		"metadata": object{"name": name, "namespace": space},
		"spec":     object{"minMember": int64(gangSize), "queue": gangQueue},
	}}
	_, err := t.bench.custom.Resource(podGroups).Namespace(space).Create(t.ctx, group,
		metav1.CreateOptions{})
	return err
}

func gangPod(gang string, i int) *corev1.Pod {
	pod := newPod(fmt.Sprintf("%s-%d", gang, i), gangQueue)
	pod.Annotations[groupName] = gang
	pod.Labels = map[string]string{"gang": gang}
	// One node of their own has room for six.
	pod.Spec.NodeSelector = map[string]string{gangLabel: "true"}
	pod.Spec.Tolerations = []corev1.Toleration{{Key: gangLabel, Operator: corev1.TolerationOpExists}}
	return pod
}

// bothRun plays the kubelet of two gangs: a gang that is bound as a whole ends a moment later. It
// ends the round when both have, and fails when neither gets on.
func (t *trial) bothRun(names []string) error {
	over := map[string]bool{}
	for end := time.Now().Add(gangTakes); len(over) < len(names); {
		if time.Now().After(end) {
			return &stuck{t.gangsNow(names)}
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
		for _, gang := range names {
			bound, pods, err := t.boundOf(gang)
			if err != nil {
				return err
			}
			if over[gang] || bound < gangSize {
				continue
			}
			for _, pod := range pods {
				t.crowd.finish(pod.Name, pod.UID)
			}
			over[gang] = true
			end = time.Now().Add(gangTakes)
		}
		pause(t.ctx, lookTurn)
	}
	return t.removeGangs(names)
}

func (t *trial) boundOf(gang string) (bound int, pods []corev1.Pod, err error) {
	list, err := t.bench.client.CoreV1().Pods(space).List(t.ctx,
		metav1.ListOptions{LabelSelector: "gang=" + gang, ResourceVersion: "0"})
	if err != nil {
		return 0, nil, err
	}
	for i := range list.Items {
		if list.Items[i].Spec.NodeName != "" {
			bound++
		}
	}
	return bound, list.Items, nil
}

func (t *trial) gangsNow(names []string) string {
	var words []string
	for _, gang := range names {
		bound, pods, err := t.boundOf(gang)
		words = append(words, fmt.Sprintf("of %s %d of %d pods are bound (%v)", gang, bound,
			len(pods), err))
		for i := range pods {
			words = append(words, fmt.Sprintf("%s: %s", pods[i].Name, reasonOf(&pods[i])))
		}
	}
	return "two gangs do not get on: " + strings.Join(words, "; ")
}

// removeGangs leaves the namespace to the next two.
func (t *trial) removeGangs(names []string) error {
	for _, gang := range names {
		err := t.bench.client.CoreV1().Pods(space).DeleteCollection(t.ctx,
			*metav1.NewDeleteOptions(0), metav1.ListOptions{LabelSelector: "gang=" + gang})
		if err != nil {
			return err
		}
		err = t.bench.custom.Resource(podGroups).Namespace(space).Delete(t.ctx, gang,
			metav1.DeleteOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

const gangLabel = "faults.sluice.sh/gangs"

func (b *bench) furnishGangs(ctx context.Context) error {
	if err := b.createGangNode(ctx); err != nil {
		return err
	}
	capability := object{"cpu": fmt.Sprint(gangLimit)}
	return b.createQueue(ctx, gangQueue, object{"capability": capability})
}

// createGangNode makes a node with room for six, where nobody else goes.
func (b *bench) createGangNode(ctx context.Context) error {
	node, err := b.client.CoreV1().Nodes().Get(ctx, "node-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	apart := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "gangs", Labels: map[string]string{gangLabel: "true"}},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: gangLabel, Value: "true",
			Effect: corev1.TaintEffectNoSchedule}}},
	}
	status := *node.Status.DeepCopy()
	made, err := b.client.CoreV1().Nodes().Create(ctx, apart, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	status.Allocatable[corev1.ResourceCPU] = *resource.NewQuantity(gangLimit, resource.DecimalSI)
	status.Capacity[corev1.ResourceCPU] = status.Allocatable[corev1.ResourceCPU]
	made.Status = status
	_, err = b.client.CoreV1().Nodes().UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}
