// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
)

var (
	errNativeUnserved = errors.New("the API server serves no podgroups." + facts.NativeGroups +
		" now")
	errNoNativeCondition = errors.New("the library says no condition of a native group: use a " +
		"newer one")
)

// setStatus writes our condition of the very version of the group that was decided about, and of a
// composite one in each group below it first: who sees it in the topmost one sees it in all. All
// else of their status is the scheduler's.
func (n *nativeGroups) setStatus(ctx context.Context, effect *sluice.Effect) error {
	if len(effect.GroupStatus.Conditions) != 1 {
		return errNoNativeCondition
	}
	condition := &effect.GroupStatus.Conditions[0]
	followed := n.followed.Load()
	if followed == nil || !followed.groups.listed.Load() {
		return errNativeUnserved
	}
	kind := followed.kindOf(effect.GroupStatus.Composite)
	if kind == nil {
		return errNativeUnserved
	}
	group := kind.object(effect.Namespace, effect.Name)
	if group == nil || string(group.GetUID()) != effect.UID {
		return apierrors.NewNotFound(kind.resource.GroupResource(), effect.Name)
	}
	if n.written.moved(group, effect.ResourceVersion) {
		return outbox.ErrMoved
	}
	if effect.GroupStatus.Composite {
		if err := n.setBelow(ctx, followed, group, condition); err != nil {
			return err
		}
	}
	return n.setCondition(ctx, kind, group, condition)
}

// setBelow writes the condition of a composite group into the groups below it. One that has gone
// needs none.
func (n *nativeGroups) setBelow(ctx context.Context, followed *nativeVersion,
	top *unstructured.Unstructured, condition *sluice.Condition) (failed error) {
	n.allBelow(top.GetNamespace(), top.GetName(), 1, func(group *unstructured.Unstructured, _ int) {
		if failed != nil {
			return
		}
		kind := followed.kindOf(group.GetKind() == facts.KindCompositeGroup)
		err := n.setCondition(ctx, kind, group, condition)
		if !apierrors.IsNotFound(err) {
			failed = err
		}
	})
	return failed
}

// setCondition writes the condition into a group that does not say so.
func (n *nativeGroups) setCondition(ctx context.Context, kind *nativeKind,
	group *unstructured.Unstructured, condition *sluice.Condition) error {
	if says := n.says(group); says != nil && *says == *condition {
		return nil
	}
	if n.written.moved(group, facts.Version(group.GetResourceVersion())) {
		return outbox.ErrMoved // it is not seen yet as it was written last
	}
	patch, err := conditionPatch(group, condition, time.Now())
	if err != nil || patch == nil {
		return err
	}
	updated, err := n.clients.objects.Resource(kind.resource).Namespace(group.GetNamespace()).Patch(
		ctx, group.GetName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return fmt.Errorf("%w: %v", errNativeUnserved, err) // it is the kind that is not found
	}
	if err != nil {
		return err
	}
	n.said.Store(group.GetUID(), said{facts.Version(updated.GetResourceVersion()), *condition})
	n.written.wrote(updated, kind.object)
	if kind.object(group.GetNamespace(), group.GetName()) == nil {
		n.forget(group.GetUID())
	}
	return nil
}

// said is the condition that we wrote last into a group, and the version that this made.
type said struct {
	version   int64
	condition sluice.Condition
}

// says is our condition of a group: as it is seen, or as it was written, where that is not seen
// yet.
func (n *nativeGroups) says(group *unstructured.Unstructured) *sluice.Condition {
	last, _ := n.said.Load(group.GetUID())
	if own, is := last.(said); is && own.version > facts.Version(group.GetResourceVersion()) {
		return &own.condition
	}
	return facts.NativeCondition(group)
}

// forget forgets what was written into a group.
func (n *nativeGroups) forget(uid types.UID) {
	n.written.forget(uid)
	n.said.Delete(uid)
}

// conditionPatch is what makes one condition of a group say so, if the group is still as it is now;
// nil: it does already. A status that stays is as old as it was.
func conditionPatch(group *unstructured.Unstructured, wanted *sluice.Condition,
	now time.Time) ([]byte, error) {
	since := now.UTC().Format(time.RFC3339)
	if before := facts.NativeCondition(group); before != nil {
		if *before == *wanted {
			return nil, nil
		}
		if at := conditionTime(group, wanted.Type); at != "" && before.Status == wanted.Status {
			since = at
		}
	}
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": group.GetUID(),
			"resourceVersion": group.GetResourceVersion()},
		"status": map[string]any{"conditions": []any{map[string]any{
			"type": wanted.Type, "status": wanted.Status, "reason": wanted.Reason,
			"message": wanted.Message, "lastTransitionTime": since}}},
	})
}

// conditionTime is when a condition changed its status, as the group says it.
func conditionTime(group *unstructured.Unstructured, of string) string {
	conditions, _, _ := unstructured.NestedSlice(group.Object, "status", "conditions")
	for _, each := range conditions {
		if one, _ := each.(map[string]any); one["type"] == of {
			at, _ := one["lastTransitionTime"].(string)
			return at
		}
	}
	return ""
}
