// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

// A minimum that pods carry may be answered by a PodGroup of Kubernetes' own, of their own
// controller. A policy writes its name into them when they are created, since nobody can later,
// and the library asks for it. Pods of ReplicaSets are left out, as are those that nobody controls:
// they get a group of Volcano's.

// errMinimumsUnserved is why pods with a minimum wait where the API server has no such groups. It
// drops their name from the pods without a word.
var errMinimumsUnserved = errors.New("nativeMinimums is true in the plugin's args, and the API " +
	"server serves no podgroups." + facts.NativeGroups + ": pods with " + facts.GroupMinMember +
	" wait; turn its feature gate GenericWorkload and podgroups on, or nativeMinimums off, and make " +
	"the pods anew")

// leftToVolcano are the kinds of controllers whose pods a policy cannot name a group for.
var leftToVolcano = []string{"Deployment", "ReplicaSet", "ReplicationController", "Pod"}

// shouldAnswer tells whether a group of Volcano's is asked for only since the API server does not
// know those of Kubernetes'.
func (n *nativeGroups) shouldAnswer(owner *sluice.Controller) bool {
	return n.minimums && n.followed.Load() == nil && owner.UID != "" &&
		!slices.Contains(leftToVolcano, owner.Kind)
}

// tellUnserved adds to what is told of a pod whose group is not there why it is not.
func (n *nativeGroups) tellUnserved(seen *v1.Pod, pod map[string]any) {
	owner := metav1.GetControllerOfNoCopy(seen)
	if owner == nil || !n.shouldAnswer(&sluice.Controller{UID: string(owner.UID), Kind: owner.Kind}) {
		return
	}
	pod["message"] = fmt.Sprintf("%v: %v", pod["message"], errMinimumsUnserved)
}

// resource is that of the PodGroups that are served.
func (n *nativeGroups) resource() (schema.GroupVersionResource, error) {
	followed := n.followed.Load()
	switch {
	case followed != nil && followed.groups.listed.Load():
		return followed.groups.resource, nil
	case n.minimums:
		return schema.GroupVersionResource{}, errMinimumsUnserved
	}
	return schema.GroupVersionResource{}, errNativeUnserved
}

// create makes the PodGroup that pods name, and ask for by a minimum.
func (n *nativeGroups) create(ctx context.Context, effect *sluice.Effect) error {
	resource, err := n.resource()
	if err != nil {
		return err
	}
	return n.groups.make(ctx, resource, newNative(resource, effect), &effect.NewGroup.Owner)
}

func newNative(resource schema.GroupVersionResource,
	effect *sluice.Effect) *unstructured.Unstructured {
	spec := map[string]any{"schedulingPolicy": gangOf(effect.NewGroup.MinMember)}
	if class := effect.NewGroup.PriorityClass; class != "" {
		spec["priorityClassName"] = class
	}
	group := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	group.SetAPIVersion(resource.GroupVersion().String())
	group.SetKind(facts.KindGroup)
	group.SetNamespace(effect.Namespace)
	group.SetName(effect.Name)
	group.SetLabels(map[string]string{facts.ManagedBy: facts.ManagedByUs})
	return group
}

func gangOf(minimum int32) map[string]any {
	return map[string]any{"gang": map[string]any{"minCount": int64(minimum)}}
}

// change writes the minimum over the very version of a PodGroup of ours that was decided about.
func (n *nativeGroups) change(ctx context.Context, effect *sluice.Effect) error {
	resource, err := n.resource()
	if err != nil {
		return err
	}
	group := n.find(effect.Namespace, effect.Name)
	if group == nil || string(group.GetUID()) != effect.UID {
		return apierrors.NewNotFound(resource.GroupResource(), effect.Name)
	}
	if n.written.moved(group, effect.ResourceVersion) {
		return outbox.ErrMoved
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": group.GetUID(),
			"resourceVersion": group.GetResourceVersion()},
		"spec": map[string]any{"schedulingPolicy": gangOf(effect.NewGroup.MinMember)},
	})
	if err != nil {
		return err
	}
	updated, err := n.clients.objects.Resource(resource).Namespace(effect.Namespace).Patch(ctx,
		effect.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsInvalid(err) { // that of 1.36 changes nothing of a PodGroup
		n.engine.warn(group, "SluiceMinimumStays", "its newest pod asks for a minimum of %d (%s), and "+
			"this API server changes no PodGroup: the minimum stays as it is; under another controller "+
			"it would be the new one", effect.NewGroup.MinMember, facts.GroupMinMember)
		return nil
	}
	if err == nil {
		n.written.wrote(updated, n.find)
	}
	return err
}
