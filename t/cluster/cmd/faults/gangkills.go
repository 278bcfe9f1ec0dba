// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/faults"
)

// Two Deployments of four with a minimum of four, in a queue of six and on a node for six. The real
// controller manager makes their pods, and takes away what they leave. The scheduler dies at one
// step of the gang's way:
//
//	make the PodGroup ▸ name it on the pods ▸ grant ▸ nodes, Permit ▸ gates ▸ bindings ▸ status
//
// In the end both gangs have been bound as a whole, one after the other, each with the one
// PodGroup that its Deployment owns, and soon: a gang that somebody has forgotten is only woken
// when its turn on nodes is over. Nothing is left when the Deployments are deleted.
var (
	makings     = kind{"create", "podgroups", "-", ""}
	namings     = kind{"patch", "pods", "-", "group-name"}
	nominations = kind{"patch", "pods", "status", "nominatedNodeName"}
	statuses    = kind{"update", "podgroups", "status", `"phase":"Running"`}
)

// ofGang matches writes of this kind that are about gangs, behind the first so many.
func (k kind) ofGang(prefix string, behind int) *faults.Rule {
	rule, seen := k.rule(), 0 // guarded by the proxy, which asks one request after the other
	rule.If = func(request *faults.Request) bool {
		about := request.Resource == podGroups.Resource || strings.HasPrefix(request.Name, prefix)
		if !about || !k.is(request) {
			return false
		}
		seen++
		return seen > behind
	}
	return rule
}

// killGangHeld lets so many writes of a kind go, and kills the scheduler while the others wait.
func killGangHeld(k kind, behind int) func(*trial, int) error {
	return func(t *trial, round int) error {
		return t.killGang(round, func(prefix string) error {
			held, err := t.hold(k.ofGang(prefix, behind), t.only(), forEver)
			t.say("%d writes are held, behind %d", held, behind)
			return err
		})
	}
}

// killGangUnheard kills the scheduler when a write is done, before it hears of it.
func killGangUnheard(k kind) func(*trial, int) error {
	return func(t *trial, round int) error {
		return t.killGang(round, func(prefix string) error {
			return t.killAt(k.ofGang(prefix, 0))
		})
	}
}

func (t *trial) killGang(round int, catch func(prefix string) error) error {
	if round == 0 {
		if err := t.bench.furnishGangs(t.ctx); err != nil {
			return err
		}
	}
	prefix := fmt.Sprintf("gang%d-", round+1)
	names := []string{prefix + "red", prefix + "blue"}
	caught := make(chan error, 1)
	go func() { caught <- catch(prefix) }()
	for _, name := range names {
		if err := t.createDeployment(name); err != nil {
			return err
		}
	}
	if err := <-caught; err != nil {
		return errors.Join(err, &stuck{t.gangsNow(names)})
	}
	if err := t.killAndStart(); err != nil {
		return err
	}
	if err := t.deploymentsRun(names); err != nil {
		return err
	}
	if err := awaitTrue(t.ctx, settleTakes, func(ctx context.Context) error {
		return t.only().debug.isIdle(ctx, gangQueue)
	}); err != nil {
		return &stuck{err.Error()}
	}
	return nil
}

// deployment has four pods, which run together or not at all.
func deployment(name string) *appsv1.Deployment {
	pod := gangPod(name, 0)
	delete(pod.Annotations, groupName)
	pod.Annotations[minMember] = fmt.Sprint(gangSize)
	pod.Spec.TerminationGracePeriodSeconds = new(int64) // there is no kubelet
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: space},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(gangSize)),
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations},
				Spec:       pod.Spec,
			},
		},
	}
}

func (t *trial) createDeployment(name string) error {
	_, err := t.bench.client.AppsV1().Deployments(space).Create(t.ctx, deployment(name),
		metav1.CreateOptions{})
	return err
}

// deploymentsRun waits until each of the gangs was bound as a whole. Who is, makes room.
func (t *trial) deploymentsRun(names []string) error {
	over := map[string]bool{}
	for end := time.Now().Add(gangTakes); len(over) < len(names); {
		if time.Now().After(end) {
			return &stuck{t.gangsNow(names)}
		}
		for _, name := range names {
			bound, _, err := t.boundOf(name)
			if err != nil {
				return err
			}
			if over[name] || bound < gangSize {
				continue
			}
			t.say("%s is whole %s after the kill", name, since(t.over))
			if err := t.removeDeployment(name); err != nil {
				return err
			}
			over[name] = true
			end = time.Now().Add(gangTakes)
		}
		pause(t.ctx, lookTurn)
	}
	return nil
}

// removeDeployment looks at the PodGroup of a gang that is bound, and deletes the Deployment. It
// returns when nothing is left of it.
func (t *trial) removeDeployment(name string) error {
	deployments := t.bench.client.AppsV1().Deployments(space)
	owner, err := deployments.Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	owned, err := t.groupsOf(t.ctx, owner.UID)
	if err != nil {
		return err
	}
	if len(owned) != 1 {
		t.result.blame("Deployment %s owns the PodGroups %q, want one", name, owned)
	}
	background := metav1.DeletePropagationBackground
	err = deployments.Delete(t.ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil {
		return err
	}
	return awaitTrue(t.ctx, gangTakes, func(ctx context.Context) error {
		_, pods, err := t.boundOf(name)
		if err != nil {
			return err
		}
		groups, err := t.groupsOf(ctx, owner.UID)
		if err != nil {
			return err
		}
		if len(pods)+len(groups) > 0 {
			return &stuck{fmt.Sprintf("Deployment %s is deleted, and it has left %d pods and the "+
				"PodGroups %q", name, len(pods), groups)}
		}
		return nil
	})
}

func (t *trial) groupsOf(ctx context.Context, owner types.UID) (names []string, err error) {
	list, err := t.bench.custom.Resource(podGroups).Namespace(space).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		if by := metav1.GetControllerOf(&list.Items[i]); by != nil && by.UID == owner {
			names = append(names, list.Items[i].GetName())
		}
	}
	return names, nil
}
