// SPDX-License-Identifier: Apache-2.0

// Package cast makes the files of sluice-sim plan (examples/sim/PLAN.md) from a cluster's objects:
// a scene, which is the cluster as it is, and what arrived in it. Pure.
package cast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/check"
)

// Kinds are those of which a scene is made, Claims those that arrived.
var (
	Kinds = only("nodes", "queues", "resourceflavors", "cohorts", "clusterqueues", "localqueues",
		"workloadpriorityclasses")
	Claims = only("pods", "workloads")
)

// only are the kinds that check knows with these resources.
func only(resources ...string) (kinds []check.Kind) {
	for _, kind := range check.Kinds {
		if slices.Contains(resources, kind.Resource) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Scene is a cluster as it is.
type Scene struct {
	Objects []*unstructured.Unstructured
	Config  map[string]any // the args of the plugin
	Pool    string         // NODE=MOST: an autoscaler's; "": there is none
}

// Write is a file of objects, and a Scenario that says how the scheduler is configured.
func (s *Scene) Write() ([]byte, error) {
	var b bytes.Buffer
	for _, object := range s.Objects {
		if err := document(&b, slim(object)); err != nil {
			return nil, err
		}
	}
	spec, err := s.spec()
	if err != nil {
		return nil, err
	}
	scenario := map[string]any{"apiVersion": "sluice/v1", "kind": "Scenario",
		"metadata": map[string]any{"name": "now"}, "spec": spec}
	var names []string
	for _, object := range s.Objects {
		names = append(names, reference(object))
	}
	spec["steps"] = []any{map[string]any{"apply": names}}
	if len(names) == 0 {
		return nil, fmt.Errorf("the cluster has no queues and no nodes")
	}
	err = document(&b, scenario)
	return b.Bytes(), err
}

// Notes are sentences on what the scene takes otherwise than it is.
func (s *Scene) Notes() (notes []string) {
	var checked, shut []string
	for _, object := range s.Objects {
		spec, _, _ := unstructured.NestedMap(object.Object, "spec")
		state, _, _ := unstructured.NestedString(object.Object, "status", "state")
		switch {
		case object.GetKind() == "ClusterQueue" && (spec["admissionChecks"] != nil ||
			spec["admissionChecksStrategy"] != nil):
			checked = append(checked, object.GetName())
		case object.GetKind() == "Queue" && state != "" && state != "Open":
			shut = append(shut, object.GetName())
		}
	}
	if len(checked) > 0 {
		notes = append(notes, "Admission checks are taken as ready at once, in "+some(checked)+".")
	}
	if len(shut) > 0 {
		notes = append(notes, "Queues are taken as open that are not: "+some(shut)+".")
	}
	return notes
}

// some are the first of many names.
func some(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// document is one of a YAML file: JSON is YAML.
func document(b *bytes.Buffer, object any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	b.WriteString("---\n")
	b.Write(text)
	b.WriteString("\n")
	return nil
}

func reference(object *unstructured.Unstructured) string {
	kind := strings.ToLower(object.GetKind())
	if space := object.GetNamespace(); space != "" && space != "default" {
		return kind + "/" + space + "/" + object.GetName()
	}
	return kind + "/" + object.GetName()
}

// effects are what a scheduler is asked to write in any case, as sluice-sim has it.
var effects = []string{"queueStatus", "event", "deleteCommand", "answerPermit", "setGroup",
	"createGroup", "createNativeGroup", "setGroupStatus", "changeGroup"}

// same are the args that the library's configuration has by the same name.
var same = []string{"undeclared", "rootCeiling", "reservationTimeout", "headGuard"}

func (s *Scene) spec() (map[string]any, error) {
	config := map[string]any{}
	for _, key := range same {
		if value, is := s.Config[key]; is && value != "0s" {
			config[key] = value
		}
	}
	wanted := slices.Clone(effects)
	if is, _ := s.Config["preempt"].(bool); is {
		wanted = append(wanted, "evictPod")
	}
	if is, _ := s.Config["workloads"].(bool); is {
		wanted = append(wanted, "writeWorkload")
	}
	config["effects"] = wanted
	spec := map[string]any{"config": config}
	if removal, is := s.Config["removal"].(string); is {
		spec["removal"] = removal
	}
	if s.Pool == "" {
		return spec, nil
	}
	node, most, _ := strings.Cut(s.Pool, "=")
	count, err := strconv.Atoi(most)
	if err != nil || count < 0 || !slices.ContainsFunc(s.Objects,
		func(object *unstructured.Unstructured) bool {
			return object.GetKind() == "Node" && object.GetName() == node
		}) {
		return nil, fmt.Errorf("--pool is %q, want NODE=MOST with the name of a node of the cluster, "+
			"as gpu-1=20", s.Pool)
	}
	spec["autoscaler"] = map[string]any{"template": "node/" + node, "max": count, "delay": "90s"}
	return spec, nil
}

// queueFields are those of a Volcano queue's spec of which sluice-sim knows.
var queueFields = []string{"affinity", "capability", "dequeueStrategy", "deserved",
	"extendClusters", "guarantee", "parent", "priority", "reclaimable", "type", "weight"}

// slim is what a scene wants of an object. Who arrived was let in, and is so again: selectors of
// namespaces let everybody in, admission checks are ready at once.
func slim(object *unstructured.Unstructured) map[string]any {
	made := map[string]any{"apiVersion": object.GetAPIVersion(), "kind": object.GetKind()}
	metadata := map[string]any{"name": object.GetName()}
	if space := object.GetNamespace(); space != "" {
		metadata["namespace"] = space
	}
	if labels := object.GetLabels(); len(labels) > 0 {
		metadata["labels"] = labels
	}
	made["metadata"] = metadata
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	switch object.GetKind() {
	case "Node":
		spec = fields(spec, "taints", "unschedulable")
		status, _, _ := unstructured.NestedMap(object.Object, "status")
		made["status"] = fields(status, "allocatable")
	case "Queue":
		spec = fields(spec, queueFields...)
	case "ClusterQueue":
		spec["namespaceSelector"] = map[string]any{}
		delete(spec, "admissionChecks")
		delete(spec, "admissionChecksStrategy")
	case "WorkloadPriorityClass":
		made["value"] = object.Object["value"]
	}
	if len(spec) > 0 {
		made["spec"] = spec
	}
	return made
}

func fields(of map[string]any, names ...string) map[string]any {
	made := map[string]any{}
	for _, name := range names {
		if value, is := of[name]; is {
			made[name] = value
		}
	}
	return made
}

// Arrivals are the pods and Workloads that are there.
type Arrivals struct{ items []any }

// Add takes what sluice-sim trace objects reads of each.
func (a *Arrivals) Add(objects []*unstructured.Unstructured) {
	for _, object := range objects {
		spec, _, _ := unstructured.NestedMap(object.Object, "spec")
		status, _, _ := unstructured.NestedMap(object.Object, "status")
		metadata, _, _ := unstructured.NestedMap(object.Object, "metadata")
		metadata = fields(metadata, "name", "namespace", "creationTimestamp", "labels", "annotations")
		if annotations, is := metadata["annotations"].(map[string]any); is {
			metadata["annotations"] = fields(annotations, "sluice.sh/queue",
				"scheduling.volcano.sh/queue-name")
		}
		a.items = append(a.items, map[string]any{"kind": object.GetKind(), "metadata": metadata,
			"spec": fields(spec, "priority", "queueName", "podSets", "containers", "initContainers",
				"overhead"),
			"status": fields(status, "phase", "conditions", "containerStatuses")})
	}
}

// Write is a List of them.
func (a *Arrivals) Write() ([]byte, error) {
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": a.items})
}
