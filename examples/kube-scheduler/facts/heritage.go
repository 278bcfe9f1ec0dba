// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The kinds of controllers whose own metadata speaks for their pods.
var (
	Deployments  = schema.GroupKind{Group: appsv1.GroupName, Kind: "Deployment"}
	ReplicaSets  = schema.GroupKind{Group: appsv1.GroupName, Kind: "ReplicaSet"}
	StatefulSets = schema.GroupKind{Group: appsv1.GroupName, Kind: "StatefulSet"}
	Jobs         = schema.GroupKind{Group: batchv1.GroupName, Kind: "Job"}
	Controllers  = schema.GroupKind{Kind: "ReplicationController"}
)

// DaemonSets are the kind whose pods obey no queue.
var DaemonSets = schema.GroupKind{Group: appsv1.GroupName, Kind: "DaemonSet"}

// What pods inherit. The opt-in of our gate is none of it: whoever adds gates looks at pods alone.
var inherited = [...]string{QueueName, GroupMinMember, GroupName}

// KindOf is the kind that a reference names.
func KindOf(to *metav1.OwnerReference) schema.GroupKind {
	version, err := schema.ParseGroupVersion(to.APIVersion)
	if err != nil {
		return schema.GroupKind{Kind: to.Kind}
	}
	return schema.GroupKind{Group: version.Group, Kind: to.Kind}
}

// Bequest is what the metadata of a controller says of the queue and the group of its pods.
func Bequest(object metav1.Object) (all map[string]string) {
	annotations := object.GetAnnotations()
	for _, key := range inherited {
		if value, has := annotations[key]; has {
			if all == nil {
				all = map[string]string{}
			}
			all[key] = value
		}
	}
	return all
}

// MayInherit tells whether there is something that a pod does not say for itself.
func MayInherit(pod *v1.Pod) bool {
	_, queue := pod.Annotations[QueueName]
	return !queue || !WantsGroup(pod)
}

// Exempt tells whether a pod obeys no queue whatever it says.
func Exempt(pod *v1.Pod) bool { return pod.Namespace == metav1.NamespaceSystem }

// Mirrored is the node whose kubelet shows a pod of its own by this one; nil: none does. Anybody
// may write what the API server is told of a pod when it is created. But a kubelet runs no such
// pod, and writes no status for it, unless it has one of its own that it stands for; and nobody
// else may write that.
func Mirrored(pod *v1.Pod) *metav1.OwnerReference {
	node := metav1.GetControllerOfNoCopy(pod)
	_, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]
	if !mirror || node == nil || KindOf(node) != nodes || node.Name != pod.Spec.NodeName ||
		pod.Status.StartTime == nil {
		return nil
	}
	return node
}

var nodes = schema.GroupKind{Kind: "Node"}

// Heir is the pod as if it said for itself what it inherits. What it does say stays as it is, and
// one that asks for a group of its own is not put into one that its controller names.
func Heir(pod *v1.Pod, bequest map[string]string) *v1.Pod {
	own, all := pod.Annotations, map[string]string(nil)
	for key, value := range bequest {
		if _, has := own[key]; has || key == GroupName && WantsGroup(pod) {
			continue
		}
		if all == nil {
			all = make(map[string]string, len(own)+len(bequest))
			maps.Copy(all, own)
		}
		all[key] = value
	}
	if all == nil {
		return pod
	}
	heir := *pod
	heir.Annotations = all
	return &heir
}
