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
	"k8s.io/client-go/dynamic"
)

func (t *telling) clientFor(k kind, namespace string) dynamic.ResourceInterface {
	if k.namespaced {
		return t.world.dynamic.Resource(k.resource).Namespace(namespace)
	}
	return t.world.dynamic.Resource(k.resource)
}

// apply creates what a document describes, or changes it to that.
func (t *telling) apply(where *Tree, doc *Tree, ref string) error {
	word, _, _ := SplitRef(ref)
	if isOwner(word) {
		return t.applyOwner(where, doc, ref)
	}
	k, err := kindOf(where, ref)
	if err != nil {
		return err
	}
	of := objectOf(doc, ref)
	if word == "pod" {
		if t.podNow(ref) != nil {
			return where.Say("%s cannot be created: it exists at that time", ref)
		}
		return t.createPod(where, of, doc.Get("status"))
	}
	if word == "workload" {
		if err := t.fillPriority(of); err != nil {
			return err
		}
	}
	if word == "workload" && !t.objects[ref] {
		err = t.createWorkload(of, doc.Get("status"))
	} else {
		err = t.applyObject(k, of)
		for apierrors.IsConflict(err) { // the scheduler wrote it meanwhile
			err = t.applyObject(k, of)
		}
	}
	t.wrote = time.Now()
	if err == nil {
		t.objects[ref] = true
		return nil
	}
	if t.refusals[ref] != nil {
		return t.refused(ref, err.Error())
	}
	return where.Say("%s is refused: %v", ref, err)
}

// applyObject writes all of an object, its status too, as the story's document has both.
func (t *telling) applyObject(k kind, of *unstructured.Unstructured) error {
	if k.namespaced {
		if err := t.ensureNamespace(of.GetNamespace()); err != nil {
			return err
		}
	}
	client := t.clientFor(k, of.GetNamespace())
	old, err := client.Get(t.ctx, of.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		if status, ok := of.Object["status"].(object); ok && k.name != "Node" {
			how := born{at: t.clock.Wall(), status: func(now object) {
				for key, value := range status {
					now[key] = value
				}
			}}
			return t.store.create(t.ctx, k, of, how)
		}
		_, err = client.Create(t.ctx, of, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	of.SetResourceVersion(old.GetResourceVersion())
	of.SetFinalizers(old.GetFinalizers()) // those are who uses it's
	if k.name == "Namespace" {
		child(of.Object, "spec")["finalizers"] = child(old.Object, "spec")["finalizers"]
	}
	written, err := client.Update(t.ctx, of, metav1.UpdateOptions{})
	if err != nil || of.Object["status"] == nil {
		return err
	}
	of.SetResourceVersion(written.GetResourceVersion())
	_, err = client.UpdateStatus(t.ctx, of, metav1.UpdateOptions{})
	return err
}

// ensure creates an object unless it is there.
func (t *telling) ensure(of *unstructured.Unstructured) error {
	if t.objects[of.GetKind()+"/"+of.GetName()] {
		return nil
	}
	for _, k := range kinds {
		if k.name != of.GetKind() {
			continue
		}
		_, err := t.clientFor(k, "").Create(t.ctx, of, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		t.objects[of.GetKind()+"/"+of.GetName()] = true
		return nil
	}
	return fmt.Errorf("no kind %s", of.GetKind())
}

func (t *telling) ensureNamespace(name string) error {
	if name == "default" || name == "kube-system" || name == "" {
		return nil
	}
	namespace := &unstructured.Unstructured{Object: object{
		"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name},
	}}
	return t.ensure(namespace)
}

func (t *telling) delete(where *Tree, ref string) error {
	word, namespace, name := SplitRef(ref)
	if isOwner(word) && t.objects[ref] {
		return t.deleteOwner(ref)
	}
	missing := where.Say("%s cannot be deleted: it does not exist at that time", ref)
	switch word {
	case "pod":
		if pod := t.podNow(ref); pod != nil {
			return t.deletePod(pod)
		}
		return missing
	case "node":
		if err := t.loseNode(name); err != nil {
			return err
		}
	}
	k, err := kindOf(where, ref)
	if err != nil {
		return err
	}
	delete(t.objects, ref)
	err = t.clientFor(k, namespace).Delete(t.ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return missing
	}
	return err
}

// loseNode takes the pods of a node away with it.
func (t *telling) loseNode(name string) error {
	for _, pod := range t.world.sortedPods() {
		if pod.Spec.NodeName != name {
			continue
		}
		if err := t.vanish(pod); err != nil {
			return err
		}
	}
	return nil
}

func (t *telling) eachChild(ref string, visit func(*corev1.Pod) error) error {
	for _, child := range t.children[ref] {
		if pod := t.podNow(child); pod != nil && !isOver(pod) {
			if err := visit(pod); err != nil {
				return err
			}
		}
	}
	return nil
}

// end lets a pod, or all pods of a Job and the like, be over.
func (t *telling) end(where *Tree, ref string, phase corev1.PodPhase) error {
	word, _, _ := SplitRef(ref)
	if word == "workload" {
		return t.endWorkload(where, ref, string(phase))
	}
	set := func(pod *corev1.Pod) error { return t.setPhase(pod, phase) }
	pod := t.podNow(ref)
	switch {
	case pod != nil && !isOver(pod):
		return set(pod)
	case isOwner(word) && t.objects[ref]:
		return t.eachChild(ref, set)
	}
	return where.Say("%s cannot end: it does not run at that time", ref)
}

func (t *telling) patch(where *Tree, ref string) error {
	word, namespace, name := SplitRef(ref)
	if word == "pod" {
		if pod := t.podNow(ref); pod != nil {
			return t.patchPod(where, pod)
		}
		return where.Say("%s cannot be patched: it does not exist at that time", ref)
	}
	k, err := kindOf(where, ref)
	if err != nil {
		return err
	}
	patch, _ := where.plainMap()
	status, hasStatus := patch["status"]
	if word == "admissioncheck" && hasStatus {
		made := object{"status": status}
		fillCheck(made)
		status = made["status"]
	}
	delete(patch, "status")
	client := t.clientFor(k, namespace)
	for _, part := range []struct {
		is    bool
		patch object
		sub   []string
	}{{len(patch) > 0, patch, nil}, {hasStatus, object{"status": status}, []string{"status"}}} {
		if !part.is {
			continue
		}
		body, err := json.Marshal(part.patch)
		if err != nil {
			return err
		}
		_, err = client.Patch(t.ctx, name, types.MergePatchType, body, metav1.PatchOptions{},
			part.sub...)
		if apierrors.IsNotFound(err) {
			return where.Say("%s cannot be patched: it does not exist at that time", ref)
		}
		if err != nil {
			return where.Say("%s: %v", ref, err)
		}
	}
	if isOwner(word) {
		return t.patchOwner(where, ref)
	}
	return nil
}
