// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A story says what it is about. What an API server asks for beyond that is filled in here, and
// nowhere else: an image, the limits of extended resources, and objects that a pod must name so
// that admission gives it the priority or the overhead that the story wants.

type object = map[string]any

func child(of object, key string) object {
	if found, ok := of[key].(object); ok {
		return found
	}
	made := object{}
	of[key] = made
	return made
}

func list(of object, key string) []any {
	found, _ := of[key].([]any)
	return found
}

// texts makes the values of a map text: in YAML `touched: 1` is a number.
func texts(of object, key string) {
	values, ok := of[key].(object)
	if !ok {
		return
	}
	for name, value := range values {
		if _, isText := value.(string); value != nil && !isText {
			values[name] = fmt.Sprint(value)
		}
	}
}

func plainObject(doc *Tree) object {
	plain, _ := doc.Plain().(object)
	metadata := child(plain, "metadata")
	texts(metadata, "annotations")
	texts(metadata, "labels")
	return plain
}

// objectOf is a document as the API server takes it, under the name that the reference has.
func objectOf(doc *Tree, ref string) *unstructured.Unstructured {
	word, namespace, name := SplitRef(ref)
	plain := plainObject(doc)
	metadata := child(plain, "metadata")
	metadata["name"] = name
	if kinds[word].namespaced {
		metadata["namespace"] = namespace
	}
	plain["kind"] = kinds[word].name
	plain["apiVersion"] = kinds[word].resource.GroupVersion().String()
	switch word {
	case "node":
		fillNode(plain, name)
	case "pod":
		fillPodSpec(child(plain, "spec"))
	case "command":
		fillTarget(child(plain, "target"))
	case "job", "replicaset", "statefulset", "deployment":
		fillOwner(plain, word, name)
	case "workload":
		fillWorkload(plain, name)
	case "admissioncheck":
		fillCheck(plain)
	case "priorityclass":
		if _, said := plain["preemptionPolicy"]; !said {
			plain["preemptionPolicy"] = "Never"
		}
	}
	return &unstructured.Unstructured{Object: plain}
}

// fillTarget writes what every owner reference must have. The engine reads kind and name, and a uid
// that is not empty: then no other queue of that name is meant.
func fillTarget(target object) {
	must := object{"apiVersion": volcano + "/v1beta1", "uid": ""}
	for key, value := range must {
		if target[key] == nil {
			target[key] = value
		}
	}
}

const mostPods = 110

func fillNode(plain object, name string) {
	child(child(plain, "metadata"), "labels")["kubernetes.io/hostname"] = name
	status := child(plain, "status")
	allocatable := status["allocatable"]
	if allocatable == nil {
		allocatable = status["capacity"]
	}
	amounts, _ := allocatable.(object)
	if amounts == nil {
		amounts = object{}
	}
	if amounts["pods"] == nil {
		amounts["pods"] = int64(mostPods)
	}
	for resource, amount := range amounts {
		amounts[resource] = fmt.Sprint(amount)
	}
	status["allocatable"], status["capacity"] = amounts, amounts
	status["conditions"] = []any{object{"type": "Ready", "status": "True", "reason": "Story"}}
}

func fillPodSpec(spec object) {
	texts(spec, "nodeSelector")
	for _, key := range []string{"containers", "initContainers"} {
		for i, each := range list(spec, key) {
			container, ok := each.(object)
			if !ok {
				continue
			}
			if container["name"] == nil {
				container["name"] = fmt.Sprintf("c%d", i)
			}
			if container["image"] == nil {
				container["image"] = "story"
			}
			fillLimits(container)
		}
	}
}

// fillLimits gives extended resources the limits that the API server wants beside requests.
func fillLimits(container object) {
	resources, ok := container["resources"].(object)
	if !ok {
		return
	}
	requests, _ := resources["requests"].(object)
	for resource, amount := range requests {
		if strings.Contains(resource, "/") {
			child(resources, "limits")[resource] = amount
		}
	}
}

// classFor is the PriorityClass that gives a pod its priority, and whether it takes others' room.
func classFor(priority int64, policy string) *unstructured.Unstructured {
	name := strings.ReplaceAll(fmt.Sprintf("story-%d", priority), "--", "-minus-")
	name += "-" + strings.ToLower(policy)
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
		"metadata": object{"name": name}, "value": priority, "preemptionPolicy": policy,
	}}
}

// runtimeFor is the RuntimeClass that gives a pod its overhead.
func runtimeFor(overhead object) *unstructured.Unstructured {
	text, _ := json.Marshal(overhead)
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "story",
		"metadata": object{"name": fmt.Sprintf("story-%x", sha256.Sum256(text))[:20]},
		"overhead": object{"podFixed": overhead},
	}}
}

// split takes what a pod names only indirectly out of its spec, and tells which objects must be
// there for it. Where nobody is evicted for a queue's sake, only queues decide who runs: no pod
// takes others' room, so that the scheduler preempts nobody either.
func split(pod *unstructured.Unstructured, evicts bool) (needs []*unstructured.Unstructured) {
	spec := child(pod.Object, "spec")
	priority, ranked := spec["priority"].(int64)
	policy, said := spec["preemptionPolicy"].(string)
	if !said && evicts {
		policy = string(corev1.PreemptLowerPriority)
	} else if !said {
		policy = string(corev1.PreemptNever)
	}
	if ranked || said {
		delete(spec, "priority")
		delete(spec, "preemptionPolicy")
		class := classFor(priority, policy)
		spec["priorityClassName"] = class.GetName()
		needs = append(needs, class)
	}
	if overhead, ok := spec["overhead"].(object); ok {
		class := runtimeFor(overhead)
		spec["runtimeClassName"] = class.GetName()
		needs = append(needs, class)
	}
	return needs
}

// podOfTemplate is one of the pods that a Job and the like make. edits: how often its template was
// edited.
func podOfTemplate(template object, edits int, ownerRef, ref string) *unstructured.Unstructured {
	_, namespace, name := SplitRef(ref)
	word, _, ownerName := SplitRef(ownerRef)
	if between := ownerKinds[word].make; between != "" {
		word, ownerName = between, inBetween(ownerName, edits)
	}
	metadata := child(template, "metadata")
	metadata["name"], metadata["namespace"] = name, namespace
	metadata["ownerReferences"] = controlledBy(word, ownerName)
	fillPodSpec(child(template, "spec"))
	template["apiVersion"], template["kind"] = "v1", "Pod"
	return &unstructured.Unstructured{Object: template}
}
