// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// A story says of a pod that it is a DaemonSet's, or stands for one of a kubelet. The scheduler
// looks whether that is so: here it is.

func isMirror(of *unstructured.Unstructured) bool {
	_, mirror := of.GetAnnotations()[corev1.MirrorPodAnnotationKey]
	return mirror
}

// asKubelet is a client that may create what only kubelets may.
func asKubelet(admin *rest.Config) (dynamic.Interface, error) {
	config := rest.CopyConfig(admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:node:of-the-story",
		Groups: []string{user.NodesGroup, user.SystemPrivilegedGroup}}
	return dynamic.NewForConfig(config)
}

// vouch makes true what a pod says of who made it.
func (t *telling) vouch(pod *unstructured.Unstructured) error {
	if isMirror(pod) {
		return t.vouchForKubelet(pod)
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != kinds["daemonset"].name {
		return nil
	}
	labels := pod.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[storyLabel] = owner.Name
	pod.SetLabels(labels)
	ref := RefOf("daemonset", pod.GetNamespace(), owner.Name)
	if t.objects[ref] {
		return nil
	}
	of := object{
		"apiVersion": owner.APIVersion, "kind": owner.Kind,
		"metadata": object{"namespace": pod.GetNamespace(), "name": owner.Name},
		"spec": object{"template": object{"spec": object{"containers": []any{object{
			"name": "c0", "image": "story"}}}}},
	}
	spec := child(of, "spec")
	child(child(child(spec, "template"), "metadata"), "labels")[storyLabel] = owner.Name
	child(child(spec, "selector"), "matchLabels")[storyLabel] = owner.Name
	t.objects[ref] = true
	return t.store.create(t.ctx, kinds["daemonset"], &unstructured.Unstructured{Object: of},
		born{at: t.clock.Wall(), uid: string(owner.UID)})
}

// vouchForKubelet lets the pod's node own it, as kubelets do.
func (t *telling) vouchForKubelet(pod *unstructured.Unstructured) error {
	name, _, err := unstructured.NestedString(pod.Object, "spec", "nodeName")
	if err != nil {
		return err
	}
	node, err := t.clientFor(kinds["node"], "").Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	controls := true
	pod.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name,
		UID: types.UID(node.GetUID()), Controller: &controls}})
	return nil
}
