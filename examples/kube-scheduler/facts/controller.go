// SPDX-License-Identifier: Apache-2.0

package facts

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"sluice/kube-scheduler/sluice"
)

// Reference is what a reference alone tells about a controller.
func Reference(owner *metav1.OwnerReference) sluice.Controller {
	return sluice.Controller{UID: readable(string(owner.UID)), APIVersion: readable(owner.APIVersion),
		Kind: readable(owner.Kind), Name: readable(owner.Name)}
}

// Controller is what is known of a controller that was read. How many pods it wants is known of
// Kubernetes' own kinds: a number of replicas elsewhere need not be one of pods.
func Controller(object *unstructured.Unstructured) sluice.Controller {
	read := sluice.Controller{UID: string(object.GetUID()), APIVersion: object.GetAPIVersion(),
		Kind: object.GetKind(), Name: object.GetName()}
	field := ""
	switch kind := object.GroupVersionKind().GroupKind(); kind {
	case schema.GroupKind{Group: batchv1.GroupName, Kind: "Job"}:
		field = "parallelism"
	case schema.GroupKind{Group: appsv1.GroupName, Kind: "StatefulSet"}:
		policy, _, _ := unstructured.NestedString(object.Object, "spec", "podManagementPolicy")
		read.Ordered = policy != string(appsv1.ParallelPodManagement)
		field = "replicas"
	case schema.GroupKind{Group: appsv1.GroupName, Kind: "Deployment"},
		schema.GroupKind{Group: appsv1.GroupName, Kind: "ReplicaSet"},
		schema.GroupKind{Kind: "ReplicationController"}:
		field = "replicas"
	default:
		return read
	}
	count, found, err := unstructured.NestedInt64(object.Object, "spec", field)
	if err == nil && found && count >= 0 {
		read.Replicas = &count
	}
	return read
}

// Above is the controller of what was read; nil: it is the topmost. A CronJob is a plan of
// workloads, each of them one of its own, and not a workload.
func Above(object metav1.Object) *metav1.OwnerReference {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil {
		return nil
	}
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	if err == nil && version.Group == batchv1.GroupName && owner.Kind == "CronJob" {
		return nil
	}
	return owner
}
