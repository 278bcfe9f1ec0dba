// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

var queueResource = volcano.SchemeGroupVersion.WithResource("queues")

// about is the one that the effect is about, as it was last seen; nil: there is none.
func (q *volcanoQueues) about(effect *sluice.Effect) *unstructured.Unstructured {
	queue := q.custom.object(queueResource, "", effect.Name)
	if queue == nil || string(queue.GetUID()) != effect.UID {
		return nil
	}
	return queue
}

// write writes what the queue is to say, and returns the version that says it. A mark is there
// before the state that it explains, and goes after it: whoever reads the queue in between takes
// what the parent did for the parent's doing. Every write is under the version that was seen, or
// that the write before made: what somebody else wrote meanwhile is looked at first.
func (q *volcanoQueues) write(ctx context.Context, effect *sluice.Effect) (int64, error) {
	queue := q.about(effect)
	if queue == nil {
		return 0, apierrors.NewNotFound(queueResource.GroupResource(), effect.Name)
	}
	set, unset := map[string]any{}, map[string]any{}
	there := queue.GetAnnotations()
	for _, pair := range effect.Status.Set {
		if value, has := there[pair[0]]; !has || value != pair[1] {
			set[pair[0]] = pair[1]
		}
	}
	for _, name := range effect.Status.Unset {
		if _, has := there[name]; has {
			unset[name] = nil
		}
	}
	queue, err := q.annotate(ctx, queue, set)
	if err == nil {
		queue, err = q.writeStatus(ctx, queue, effect.Status)
	}
	if err == nil {
		queue, err = q.annotate(ctx, queue, unset)
	}
	if err != nil {
		return 0, err
	}
	return facts.Version(queue.GetResourceVersion()), nil
}

// annotate sets annotations, and takes away those that are nil.
func (q *volcanoQueues) annotate(ctx context.Context, queue *unstructured.Unstructured,
	annotations map[string]any) (*unstructured.Unstructured, error) {
	if len(annotations) == 0 {
		return queue, nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": queue.GetUID(), "resourceVersion": queue.GetResourceVersion(),
		"annotations": annotations}})
	if err != nil {
		return nil, err
	}
	return q.clients.objects.Resource(queueResource).Patch(ctx, queue.GetName(),
		types.MergePatchType, patch, metav1.PatchOptions{})
}

func (q *volcanoQueues) writeStatus(ctx context.Context, queue *unstructured.Unstructured,
	status *sluice.Status) (*unstructured.Unstructured, error) {
	wanted := queue.DeepCopy()
	fields, _, _ := unstructured.NestedMap(wanted.Object, "status")
	if fields == nil {
		fields = map[string]any{}
	}
	before, _, _ := unstructured.NestedSlice(queue.Object, "status", "conditions")
	fields["state"] = status.State
	fields["allocated"] = quantitiesOf(status.Allocated)
	fields["reserved"] = quantitiesOf(status.Reserved)
	fields["conditions"] = conditionsOf(status.Conditions, before, time.Now())
	for name, count := range map[string]int64{"pending": status.Pending, "inqueue": status.Inqueue,
		"running": status.Running, "unknown": status.Unknown, "completed": status.Completed} {
		if _, has := fields[name]; has || count != 0 {
			fields[name] = count
		}
	}
	wanted.Object["status"] = fields
	if apiequality.Semantic.DeepEqual(wanted.Object["status"], queue.Object["status"]) {
		return queue, nil
	}
	return q.clients.objects.Resource(queueResource).UpdateStatus(ctx, wanted,
		metav1.UpdateOptions{})
}

// quantitiesOf are the amounts as the API server would write them.
func quantitiesOf(amounts []sluice.Amount) map[string]any {
	list := map[string]any{}
	for _, amount := range amounts {
		list[amount.Name] = quantityOf(amount)
	}
	return list
}

func quantityOf(amount sluice.Amount) string {
	switch name := v1.ResourceName(amount.Name); {
	case name == v1.ResourceCPU:
		return resource.NewMilliQuantity(amount.Value, resource.DecimalSI).String()
	case name == v1.ResourceMemory, name == v1.ResourceEphemeralStorage,
		strings.HasPrefix(amount.Name, v1.ResourceHugePagesPrefix):
		return resource.NewQuantity(amount.Value, resource.BinarySI).String()
	}
	return resource.NewQuantity(amount.Value, resource.DecimalSI).String()
}

// conditionsOf keep the time of a condition whose status stays.
func conditionsOf(conditions []sluice.Condition, before []any, now time.Time) []any {
	list := []any{}
	for _, condition := range conditions {
		since := now.UTC().Format(time.RFC3339)
		for _, each := range before {
			old, _ := each.(map[string]any)
			at, timed := old["lastTransitionTime"].(string)
			if timed && old["type"] == condition.Type && old["status"] == condition.Status {
				since = at
			}
		}
		list = append(list, map[string]any{"type": condition.Type, "status": condition.Status,
			"reason": condition.Reason, "message": condition.Message, "lastTransitionTime": since})
	}
	return list
}
