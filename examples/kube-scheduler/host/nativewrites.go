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

// setStatus writes our condition of the very version of the group that was decided about. All else
// of its status is the scheduler's.
func (n *nativeGroups) setStatus(ctx context.Context, effect *sluice.Effect) error {
	if len(effect.GroupStatus.Conditions) != 1 {
		return errNoNativeCondition
	}
	followed := n.followed.Load()
	if followed == nil || !followed.groups.HasSynced() {
		return errNativeUnserved
	}
	kind, find := followed.groups, n.find
	if effect.GroupStatus.Composite {
		kind, find = followed.composites, n.composite
	}
	if kind == nil {
		return errNativeUnserved
	}
	resource := kind.resource
	group := kind.object(effect.Namespace, effect.Name)
	if group == nil || string(group.GetUID()) != effect.UID {
		return apierrors.NewNotFound(resource.GroupResource(), effect.Name)
	}
	if n.written.moved(group, effect.ResourceVersion) {
		return outbox.ErrMoved
	}
	patch, err := conditionPatch(group, &effect.GroupStatus.Conditions[0], time.Now())
	if err != nil || patch == nil {
		return err
	}
	updated, err := n.clients.objects.Resource(resource).Namespace(effect.Namespace).Patch(ctx,
		effect.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return fmt.Errorf("%w: %v", errNativeUnserved, err) // it is the kind that is not found
	}
	if err != nil {
		return err
	}
	n.written.wrote(updated, find)
	return nil
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
