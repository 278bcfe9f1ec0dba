// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"maps"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// cloneWorkload is the copy of a workload for a worker: its spec with exactly these gates, its
// labels and annotations but those that are our own, and the origin that says whose copy it is.
func cloneWorkload(from *unstructured.Unstructured, origin string, gates []string,
	annotations [][2]string) (*unstructured.Unstructured, error) {
	clone := emptyLike(from)
	labels := maps.Clone(from.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	delete(labels, jobUIDLabel)
	labels[kueue.MultiKueueOriginLabel] = origin
	clone.SetLabels(labels)
	kept := map[string]string{}
	for key, value := range from.GetAnnotations() {
		if !strings.HasPrefix(key, ours) && key != "kubectl.kubernetes.io/last-applied-configuration" {
			kept[key] = value
		}
	}
	for _, pair := range annotations {
		kept[pair[0]] = pair[1]
	}
	clone.SetAnnotations(kept)

	spec, _, err := unstructured.NestedMap(from.Object, "spec")
	if err != nil {
		return nil, err
	}
	delete(spec, "preemptionGates")
	if len(gates) > 0 {
		var list []any
		for _, name := range gates {
			list = append(list, map[string]any{"name": name})
		}
		spec["preemptionGates"] = list
	}
	return clone, unstructured.SetNestedMap(clone.Object, spec, "spec")
}

func emptyLike(from *unstructured.Unstructured) *unstructured.Unstructured {
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(from.GroupVersionKind())
	empty.SetNamespace(from.GetNamespace())
	empty.SetName(from.GetName())
	return empty
}

// Labels that the Job controller puts into a template, which another one's would refuse.
var controllerLabels = []string{"controller-uid", batchv1.ControllerUidLabel}

// cloneJob is the Job for the worker that has admitted the copy of its workload: suspended until
// the worker's own queue starts it, and run by the worker's own controller.
func cloneJob(from *unstructured.Unstructured, origin,
	workload string) (*unstructured.Unstructured, error) {
	clone := emptyLike(from)
	labels := maps.Clone(from.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[kueue.MultiKueueOriginLabel] = origin
	annotations := maps.Clone(from.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	// Which of the two a worker reads depends on its version.
	annotations[prebuiltWorkload] = workload
	if len(workload) <= 63 {
		labels[prebuiltWorkload] = workload
	}
	clone.SetLabels(labels)
	clone.SetAnnotations(annotations)

	spec, _, err := unstructured.NestedMap(from.Object, "spec")
	if err != nil {
		return nil, err
	}
	for _, field := range []string{"selector", "manualSelector", "managedBy"} {
		delete(spec, field)
	}
	spec["suspend"] = true
	for _, label := range controllerLabels {
		unstructured.RemoveNestedField(spec, "template", "metadata", "labels", label)
	}
	return clone, unstructured.SetNestedMap(clone.Object, spec, "spec")
}

// workloadOf is the name of the workload that a worker's Job was made with.
func workloadOf(job metav1.Object) string {
	if name := job.GetAnnotations()[prebuiltWorkload]; name != "" {
		return name
	}
	return job.GetLabels()[prebuiltWorkload]
}
