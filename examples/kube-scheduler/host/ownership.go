// SPDX-License-Identifier: Apache-2.0

package host

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
)

// Anybody may write into his pods who owns them. What heritage follows tells whether it is so.

// daemon tells whether a pod is of a DaemonSet that is there, and has such pods: its controller
// makes one for each node, and ends all others that it selects.
func (h *heritage) daemon(pod *v1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || facts.KindOf(owner) != facts.DaemonSets {
		return false
	}
	said, known := h.find(pod.Namespace, owner)
	return known && said.has(pod)
}

func (w *will) has(pod *v1.Pod) bool {
	return w.selects != nil && w.selects.Matches(labels.Set(pod.Labels))
}

// selects is nil of all but a DaemonSet that is there to stay.
func selects(object metav1.Object) labels.Selector {
	var set appsv1.DaemonSet
	switch one := object.(type) {
	case *appsv1.DaemonSet:
		set = *one
	case *unstructured.Unstructured:
		if one.GroupVersionKind().GroupKind() != facts.DaemonSets || facts.Read(one, &set) != nil {
			return nil
		}
	}
	if set.Spec.Selector == nil || set.DeletionTimestamp != nil {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil
	}
	return selector
}

// below tells whether a pod is controlled by what has this uid, or by what that controls.
func (h *heritage) below(pod *v1.Pod, uid types.UID) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	for range mostOwners {
		if owner == nil || owner.UID == uid {
			return owner != nil
		}
		informer := h.kinds[facts.KindOf(owner)]
		if informer == nil {
			return false
		}
		object, there, err := informer.GetStore().GetByKey(pod.Namespace + "/" + owner.Name)
		if err != nil || !there || object.(metav1.Object).GetUID() != owner.UID {
			return false
		}
		owner = metav1.GetControllerOfNoCopy(object.(metav1.Object))
	}
	return false
}
