// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// A kubelet of few words: what is bound runs a second later, completes when its time is over, and
// goes when its grace period has passed. It is told by the story's clock.
const startsAfter = time.Second

const runsFor = "sim.sluice.sh/runs-for"

// createPod creates a pod as the story's documents say, through the API server's admission.
func (t *telling) createPod(where *Tree, pod *unstructured.Unstructured, status *Tree) error {
	ref := RefOf("pod", pod.GetNamespace(), pod.GetName())
	if err := t.ensureNamespace(pod.GetNamespace()); err != nil {
		return err
	}
	for _, needed := range split(pod, t.s.evicts()) {
		if err := t.ensure(needed); err != nil {
			return where.Say("%s needs %s, which cannot be made: %v", ref, needed.GetName(), err)
		}
	}
	if err := t.vouch(pod); err != nil {
		return where.Say("%s cannot be what it says: %v", ref, err)
	}
	t.letBeSeen()
	how := born{
		at:  t.clock.Wall().Truncate(time.Second),
		uid: t.nextUID(),
		status: func(now object) {
			if node, _ := child(pod.Object, "spec")["nodeName"].(string); node != "" {
				now["phase"] = string(corev1.PodRunning)
				now["startTime"] = t.clock.Wall().UTC().Format(time.RFC3339)
			}
			takeStatus(now, status)
		},
	}
	err := t.store.create(t.ctx, kinds["pod"], pod, how)
	switch {
	case err == nil:
		t.touch(ref)
		return nil
	case t.refusals[ref] != nil:
		return t.refused(ref, err.Error())
	}
	return where.Say("%s is refused: %v", ref, err)
}

// nextUID is above all that were given in this story.
func (t *telling) nextUID() string {
	t.uids++
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", t.cluster.stories, t.uids)
}

// letBeSeen waits until what was written before a pod has been seen by all. Queues, nodes and pods
// come through watches of their own, but the story names them in an order, and means it.
func (t *telling) letBeSeen() {
	if since := time.Since(t.wrote); since < quiet {
		time.Sleep(quiet - since)
	}
}

// takeStatus puts what a document says about a pod's status into the one that it has.
func takeStatus(now object, status *Tree) {
	said, _ := status.plainMap()
	for key, value := range said {
		if key != "conditions" {
			now[key] = value
			continue
		}
		for _, each := range list(said, "conditions") {
			now["conditions"] = withCondition(list(now, "conditions"), each)
		}
	}
}

func (t *Tree) plainMap() (object, bool) {
	if t == nil {
		return nil, false
	}
	plain, ok := t.Plain().(object)
	return plain, ok
}

func withCondition(conditions []any, added any) []any {
	condition, ok := added.(object)
	if !ok {
		return conditions
	}
	if condition["status"] == nil {
		condition["status"] = "False"
	}
	if condition["lastTransitionTime"] == nil {
		condition["lastTransitionTime"] = metav1.Now().UTC().Format(time.RFC3339)
	}
	kept := []any{condition}
	for _, each := range conditions {
		if other, ok := each.(object); ok && other["type"] != condition["type"] {
			kept = append(kept, other)
		}
	}
	return kept
}

// setPhase is a kubelet's word.
func (t *telling) setPhase(pod *corev1.Pod, phase corev1.PodPhase) error {
	patch, err := json.Marshal(object{
		"metadata": object{"uid": pod.UID}, "status": object{"phase": phase},
	})
	if err != nil {
		return err
	}
	_, err = t.world.client.CoreV1().Pods(pod.Namespace).Patch(t.ctx, pod.Name,
		types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if err == nil {
		t.touch(podRef(pod))
	}
	return err
}

// sawPod is the kubelet's look at a change.
func (t *telling) sawPod(pod *corev1.Pod, gone bool) {
	if gone || pod.Spec.NodeName == "" || isOver(pod) {
		return
	}
	life := t.lifeOf(pod)
	now := t.clock.Now()
	if seconds := pod.DeletionGracePeriodSeconds; pod.DeletionTimestamp != nil && seconds != nil {
		t.leaveAfter(pod, time.Duration(*seconds)*time.Second)
	}
	if pod.Status.Phase == corev1.PodPending && !life.starts {
		life.starts = true
		t.timers.at(now+startsAfter, func() error {
			if now := t.current(pod); now != nil && now.Status.Phase == corev1.PodPending &&
				now.DeletionTimestamp == nil {
				return t.setPhase(now, corev1.PodRunning)
			}
			return nil
		})
	}
	if pod.Status.Phase == corev1.PodRunning && !life.ends && pod.Annotations[runsFor] != "" {
		life.ends = true
		text := &Tree{Type: Text, Key: runsFor, Text: pod.Annotations[runsFor]}
		length, err := text.AsDuration()
		if err != nil {
			t.fail(err)
			return
		}
		t.timers.at(now+length, func() error {
			if now := t.current(pod); now != nil && !isOver(now) && now.DeletionTimestamp == nil {
				return t.setPhase(now, corev1.PodSucceeded)
			}
			return nil
		})
	}
}

// podlife is what the kubelet has in mind for a pod.
type podlife struct{ starts, ends, leaves bool }

func (t *telling) lifeOf(pod *corev1.Pod) *podlife {
	life := t.lives[pod.UID]
	if life == nil {
		life = &podlife{}
		t.lives[pod.UID] = life
	}
	return life
}

// leaveAfter lets a pod go when its grace period has passed, whoever deleted it.
func (t *telling) leaveAfter(pod *corev1.Pod, grace time.Duration) {
	if life := t.lifeOf(pod); !life.leaves {
		life.leaves = true
		t.timers.at(t.clock.Now()+grace, func() error { return t.vanish(pod) })
	}
}

// current is the pod as it is now; nil: it is gone.
func (t *telling) current(pod *corev1.Pod) *corev1.Pod {
	now := t.world.pods[podRef(pod)]
	if now == nil || now.UID != pod.UID {
		return nil
	}
	return now
}

const usualGrace = 30 * time.Second

// deletePod lets a bound pod end in its time; any other goes at once.
func (t *telling) deletePod(pod *corev1.Pod) error {
	grace := usualGrace
	if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		grace = time.Duration(*seconds) * time.Second
	}
	if pod.Spec.NodeName == "" || isOver(pod) || grace == 0 {
		return t.vanish(pod)
	}
	seconds := int64(grace / time.Second)
	if err := t.removePod(pod, seconds); err != nil {
		return err
	}
	t.leaveAfter(pod, grace)
	return nil
}

func (t *telling) vanish(pod *corev1.Pod) error { return t.removePod(pod, 0) }

func (t *telling) removePod(pod *corev1.Pod, seconds int64) error {
	err := t.world.client.CoreV1().Pods(pod.Namespace).Delete(t.ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &seconds, Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
	t.touch(podRef(pod))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// patchPod changes what may be changed of a pod, each part where the API server takes it.
func (t *telling) patchPod(where *Tree, pod *corev1.Pod) error {
	patch, _ := where.plainMap()
	texts(child(patch, "metadata"), "annotations")
	texts(child(patch, "metadata"), "labels")
	spec := child(patch, "spec")
	resize, main := object{}, object{}
	for key, value := range spec {
		if key == "containers" || key == "resources" {
			resize[key] = value
		} else {
			main[key] = value
		}
	}
	metadata := child(patch, "metadata")
	if len(metadata) > 0 || len(main) > 0 {
		err := t.patchPart(pod, types.MergePatchType, object{"metadata": metadata, "spec": main})
		if err != nil {
			return where.Say("%s: %v", podRef(pod), err)
		}
	}
	if len(resize) > 0 {
		err := t.patchPart(pod, types.StrategicMergePatchType, object{"spec": resize}, "resize")
		if err != nil {
			return where.Say("%s cannot be resized: %v", podRef(pod), err)
		}
	}
	if status := child(patch, "status"); len(status) > 0 {
		for _, each := range list(status, "conditions") {
			if condition, ok := each.(object); ok && condition["status"] == nil {
				condition["status"] = "False"
			}
		}
		err := t.patchPart(pod, types.StrategicMergePatchType, object{"status": status}, "status")
		if err != nil {
			return where.Say("%s: %v", podRef(pod), err)
		}
	}
	return nil
}

func (t *telling) patchPart(pod *corev1.Pod, how types.PatchType, patch object,
	sub ...string) error {
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = t.world.client.CoreV1().Pods(pod.Namespace).Patch(t.ctx, pod.Name, how, body,
		metav1.PatchOptions{}, sub...)
	t.touch(podRef(pod))
	return err
}
