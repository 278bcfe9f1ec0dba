// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/facts"
)

// The groups of the kinds that are looked for.
const (
	volcanoGroup = "scheduling.volcano.sh"
	kueueGroup   = "kueue.x-k8s.io"
)

// world is what there is, by kind.group, in the order in which it was read.
type world struct {
	objects []*unstructured.Unstructured
	kinds   map[string][]*unstructured.Unstructured
	spaces  map[string]*unstructured.Unstructured // namespaces, by name
}

func newWorld(objects []*unstructured.Unstructured) *world {
	w := &world{kinds: map[string][]*unstructured.Unstructured{},
		spaces: map[string]*unstructured.Unstructured{}}
	for _, object := range objects {
		kind := object.GroupVersionKind().GroupKind().String()
		w.objects = append(w.objects, object)
		w.kinds[kind] = append(w.kinds[kind], object)
		if kind == "Namespace" {
			w.spaces[object.GetName()] = object
		}
	}
	return w
}

// queueOf is the queue that a namespace names, and its labels.
func (w *world) space(name string) (queue string, labels map[string]string) {
	space := w.spaces[name]
	if space == nil {
		return "", map[string]string{v1.LabelMetadataName: name}
	}
	return space.GetAnnotations()[facts.QueueName], space.GetLabels()
}

// template is that of the pods of an object, and where it is.
type template struct {
	at  string
	pod map[string]any
}

// Where the kinds have the templates of their pods.
var templated = map[string]string{
	"Deployment.apps": "spec.template", "StatefulSet.apps": "spec.template",
	"ReplicaSet.apps": "spec.template", "DaemonSet.apps": "spec.template",
	"Job.batch": "spec.template", "CronJob.batch": "spec.jobTemplate.spec.template",
	volcanoJobs: "spec.tasks[*].template",
}

func templatesOf(object *unstructured.Unstructured) (all []template) {
	field := templated[object.GroupVersionKind().GroupKind().String()]
	if field == "" {
		return nil
	}
	walk(object.Object, "", pathOf(field), func(at string, value any) {
		if pod, is := value.(map[string]any); is {
			all = append(all, template{at, pod})
		}
	})
	return all
}

// volcanoJobs are those whose pods Volcano's job-controller makes.
const volcanoJobs = "Job.batch.volcano.sh"

// podOf is a pod as one of a template would be created. Volcano's job-controller gives it the
// scheduler of its Job, and a group.
func (t template) podOf(object *unstructured.Unstructured) *unstructured.Unstructured {
	pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod"}}
	for _, part := range []string{"metadata", "spec"} {
		if said, is := t.pod[part].(map[string]any); is {
			pod.Object[part] = said
		}
	}
	pod = pod.DeepCopy()
	pod.SetNamespace(object.GetNamespace())
	pod.SetName(fmt.Sprintf("%s-%s", object.GetKind(), object.GetName()))
	if object.GroupVersionKind().GroupKind().String() != volcanoJobs {
		return pod
	}
	spec, _ := pod.Object["spec"].(map[string]any)
	if said, _ := spec["schedulerName"].(string); said == "" && spec != nil {
		of, _, _ := unstructured.NestedString(object.Object, "spec", "schedulerName")
		spec["schedulerName"] = cmp.Or(of, "volcano")
	}
	annotations := pod.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[facts.GroupName] = cmp.Or(object.GetName(), object.GetGenerateName())
	pod.SetAnnotations(annotations)
	return pod
}
