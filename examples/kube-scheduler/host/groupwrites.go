// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

// errNoPodGroups is what keeps pods with a minimum waiting in a cluster without the CRD.
var errNoPodGroups = errors.New("the API server serves no podgroups.scheduling.volcano.sh: " +
	"apply the CRDs (examples/deploy/crds)")

// errNoGroupStatus comes of Volcano's own CRD.
var errNoGroupStatus = errors.New("podgroups.scheduling.volcano.sh has no subresource status: " +
	"apply the CRDs (examples/deploy/crds)")

// create makes the PodGroup of a workload. Of an owner that is gone, or about to go, it makes
// none: nobody would take it away again.
func (g *groups) create(ctx context.Context, effect *sluice.Effect) error {
	if g.native.shouldAnswer(&effect.NewGroup.Owner) {
		return errMinimumsUnserved
	}
	if !g.served.Load() {
		return errNoPodGroups
	}
	return g.make(ctx, podGroups, newGroup(effect), &effect.NewGroup.Owner)
}

// make creates a PodGroup, unless its owner is gone, or about to go.
func (g *groups) make(ctx context.Context, resource schema.GroupVersionResource,
	group *unstructured.Unstructured, owner *sluice.Controller) error {
	if owner.UID != "" {
		own(group, owner)
		there, err := g.owners.reader.read(ctx, group.GetNamespace(), &group.GetOwnerReferences()[0])
		switch {
		case err == nil && there.GetDeletionTimestamp() != nil:
			return apierrors.NewNotFound(v1.Resource(owner.Kind), owner.Name)
		case err != nil && !isFinal(err):
			return err
		}
	}
	_, err := g.clients.objects.Resource(resource).Namespace(group.GetNamespace()).Create(ctx, group,
		metav1.CreateOptions{})
	switch {
	case apierrors.IsAlreadyExists(err):
		return nil // it will be observed
	case apierrors.HasStatusCause(err, v1.NamespaceTerminatingCause):
		return apierrors.NewNotFound(v1.Resource("namespaces"), group.GetNamespace())
	}
	return err
}

// own has the group go with its owner.
func own(group *unstructured.Unstructured, owner *sluice.Controller) {
	controls := true
	group.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner.APIVersion, Kind: owner.Kind,
		Name: owner.Name, UID: types.UID(owner.UID), Controller: &controls}})
}

func newGroup(effect *sluice.Effect) *unstructured.Unstructured {
	wanted := effect.NewGroup
	group := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	putSpec(group, wanted)
	group.SetAPIVersion(podGroups.GroupVersion().String())
	group.SetKind(facts.KindGroup)
	group.SetNamespace(effect.Namespace)
	group.SetName(effect.Name)
	group.SetLabels(map[string]string{facts.ManagedBy: facts.ManagedByUs})
	return group
}

// putSpec writes what the library wants a PodGroup to say, and leaves the rest. That it names no
// queue is written, too: the API server would fill in a default.
func putSpec(group *unstructured.Unstructured, wanted *sluice.NewGroup) {
	spec, _, _ := unstructured.NestedMap(group.Object, "spec")
	if spec == nil {
		spec = map[string]any{}
	}
	spec["minMember"], spec["queue"] = int64(wanted.MinMember), wanted.Queue
	delete(spec, "priorityClassName")
	if wanted.PriorityClass != "" {
		spec["priorityClassName"] = wanted.PriorityClass
	}
	delete(spec, "minResources")
	if len(wanted.MinResources) > 0 {
		spec["minResources"] = quantitiesOf(wanted.MinResources)
	}
	group.Object["spec"] = spec
}

// change writes over the very version of a PodGroup of ours that was decided about.
func (g *groups) change(ctx context.Context, effect *sluice.Effect) error {
	if effect.NewGroup.Native {
		return g.native.change(ctx, effect)
	}
	group, err := g.over(effect)
	if err != nil {
		return err
	}
	putSpec(group, effect.NewGroup)
	client := g.clients.objects.Resource(podGroups).Namespace(effect.Namespace)
	updated, err := client.Update(ctx, group, metav1.UpdateOptions{})
	if err == nil {
		g.written.wrote(updated, g.find)
	}
	return err
}

// over is a copy of the PodGroup in the version that the effect is about.
func (g *groups) over(effect *sluice.Effect) (*unstructured.Unstructured, error) {
	group := g.find(effect.Namespace, effect.Name)
	if group == nil || string(group.GetUID()) != effect.UID {
		return nil, apierrors.NewNotFound(podGroups.GroupResource(), effect.Name)
	}
	if g.written.moved(group, effect.ResourceVersion) {
		return nil, outbox.ErrMoved
	}
	return group.DeepCopy(), nil
}

// setGroup writes the name of its group into a pod that carries none, and returns the version of
// the pod that has it. So what is heard later of earlier versions is no reason to write it again.
// Who asks for a group no more, or for another minimum, is named after none: the name would bring
// a pod back that its owner has just taken out of the queues.
func (g *groups) setGroup(ctx context.Context, pod *v1.Pod, effect *sluice.Effect) (int64, error) {
	if now := pod.Annotations[facts.GroupName]; now != "" {
		if now == effect.Group {
			return facts.Version(pod.ResourceVersion), nil
		}
		return 0, outbox.ErrMoved
	}
	ops := []operation{{"test", "/metadata/uid", pod.UID}}
	if minimum, says := pod.Annotations[facts.GroupMinMember]; says {
		ops = append(ops, operation{"test",
			"/metadata/annotations/" + escape(facts.GroupMinMember), minimum})
	}
	ops = addPairs(ops, "/metadata/annotations", pod.Annotations,
		[][2]string{{facts.GroupName, effect.Group}})
	text, err := json.Marshal(ops)
	if err != nil {
		return 0, err
	}
	named, err := g.clients.effects.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name,
		types.JSONPatchType, text, metav1.PatchOptions{})
	if err != nil {
		return 0, err
	}
	return facts.Version(named.ResourceVersion), nil
}

// setStatus writes the status of the very version of the PodGroup that was decided about.
func (g *groups) setStatus(ctx context.Context, effect *sluice.Effect) error {
	group, err := g.over(effect)
	if err != nil {
		return err
	}
	if err := putStatus(group, effect.GroupStatus, metav1.Now()); err != nil {
		return fmt.Errorf("the status of PodGroup %s/%s: %w", effect.Namespace, effect.Name, err)
	}
	client := g.clients.objects.Resource(podGroups).Namespace(effect.Namespace)
	updated, err := client.UpdateStatus(ctx, group, metav1.UpdateOptions{})
	if err == nil {
		g.written.wrote(updated, g.find)
	}
	if apierrors.IsNotFound(err) {
		now, gone := client.Get(ctx, effect.Name, metav1.GetOptions{})
		if gone == nil && now.GetUID() == group.GetUID() {
			return errNoGroupStatus
		}
	}
	return err
}

func putStatus(group *unstructured.Unstructured, wanted *sluice.GroupStatus,
	now metav1.Time) error {
	var typed volcano.PodGroup
	if err := facts.Read(group, &typed); err != nil {
		return err
	}
	conditions := typed.Status.Conditions
	for _, one := range wanted.Conditions {
		conditions = withCondition(withoutOpposite(conditions, one, now), one, now)
	}
	written := []any{}
	for _, one := range conditions {
		written = append(written, plainCondition(&one))
	}
	// What else somebody has written into the status stays.
	for key, value := range map[string]any{
		"phase": wanted.Phase, "running": int64(wanted.Running),
		"succeeded": int64(wanted.Succeeded), "failed": int64(wanted.Failed),
		"conditions": written,
	} {
		if err := unstructured.SetNestedField(group.Object, value, "status", key); err != nil {
			return err
		}
	}
	return nil
}

// withoutOpposite makes False of the condition that cannot be True beside this one. What is neither
// of the two has no opposite.
func withoutOpposite(conditions []volcano.PodGroupCondition, one sluice.Condition,
	now metav1.Time) []volcano.PodGroupCondition {
	if !facts.SaysIfScheduled(volcano.PodGroupConditionType(one.Type)) {
		return conditions
	}
	changed := slices.Clone(conditions)
	for i := range changed {
		if other := &changed[i]; facts.SaysIfScheduled(other.Type) &&
			string(other.Type) != one.Type && other.Status != v1.ConditionFalse {
			other.Status, other.Reason, other.Message = v1.ConditionFalse, one.Reason, one.Message
			other.LastTransitionTime = now
		}
	}
	return changed
}

// withCondition puts a condition in the place of the one of its type. It is the newest then, and
// the last: so it is the one that the engine is told of. Only if it was all of that, and says
// nothing new, its time stays.
func withCondition(conditions []volcano.PodGroupCondition, one sluice.Condition,
	now metav1.Time) []volcano.PodGroupCondition {
	fresh := volcano.PodGroupCondition{
		Type: volcano.PodGroupConditionType(one.Type), Status: v1.ConditionStatus(one.Status),
		Reason: one.Reason, Message: one.Message, LastTransitionTime: now,
	}
	if last := len(conditions) - 1; last >= 0 {
		same := conditions[last]
		fresh.TransitionID, fresh.LastTransitionTime = same.TransitionID, same.LastTransitionTime
		if fresh == same {
			return conditions
		}
		fresh.TransitionID, fresh.LastTransitionTime = "", now
	}
	others := slices.DeleteFunc(slices.Clone(conditions),
		func(c volcano.PodGroupCondition) bool { return c.Type == fresh.Type })
	return append(others, fresh)
}

func plainCondition(c *volcano.PodGroupCondition) map[string]any {
	plain := map[string]any{"type": string(c.Type)}
	for key, value := range map[string]string{
		"status": string(c.Status), "transitionID": c.TransitionID, "reason": c.Reason,
		"message": c.Message,
	} {
		if value != "" {
			plain[key] = value
		}
	}
	if !c.LastTransitionTime.IsZero() {
		plain["lastTransitionTime"] = c.LastTransitionTime.UTC().Format(time.RFC3339)
	}
	return plain
}
