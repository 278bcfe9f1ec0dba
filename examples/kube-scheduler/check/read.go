// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Kind is a kind of objects that a check looks at, as the API server has it.
type Kind struct {
	schema.GroupVersionResource
	Kind string
}

// Kinds are those that are read of a cluster; one that is not served has no objects.
var Kinds = []Kind{
	kind("", "v1", "nodes", "Node"),
	kind("", "v1", "namespaces", "Namespace"),
	kind("", "v1", "limitranges", "LimitRange"),
	kind("", "v1", "pods", "Pod"),
	kind("apps", "v1", "deployments", "Deployment"),
	kind("apps", "v1", "statefulsets", "StatefulSet"),
	kind("batch", "v1", "jobs", "Job"),
	kind("batch", "v1", "cronjobs", "CronJob"),
	kind("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass"),
	kind("resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate"),
	kind(volcanoGroup, "v1beta1", "queues", "Queue"),
	kind(volcanoGroup, "v1beta1", "podgroups", "PodGroup"),
	kind("bus.volcano.sh", "v1alpha1", "commands", "Command"),
	kind("batch.volcano.sh", "v1alpha1", "jobs", "Job"),
	kind("topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode"),
	kind("nodeinfo.volcano.sh", "v1alpha1", "numatopologies", "Numatopology"),
	kind(kueueGroup, "v1beta2", "resourceflavors", "ResourceFlavor"),
	kind(kueueGroup, "v1beta2", "admissionchecks", "AdmissionCheck"),
	kind(kueueGroup, "v1beta2", "cohorts", "Cohort"),
	kind(kueueGroup, "v1beta2", "clusterqueues", "ClusterQueue"),
	kind(kueueGroup, "v1beta2", "localqueues", "LocalQueue"),
	kind(kueueGroup, "v1beta2", "workloads", "Workload"),
	kind(kueueGroup, "v1beta2", "workloadpriorityclasses", "WorkloadPriorityClass"),
	kind(kueueGroup, "v1beta2", "topologies", "Topology"),
}

// ConfigMaps are where Volcano's scheduler and Kueue have their configuration: these two names, in
// any namespace.
var ConfigMaps = struct {
	Kind
	Names []string
}{kind("", "v1", "configmaps", "ConfigMap"),
	[]string{"volcano-scheduler-configmap", "kueue-manager-config"}}

func kind(group, version, resource, name string) Kind {
	return Kind{schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, name}
}

// ReadFiles reads the objects of files, and of all files below folders that end in .yaml, .yml or
// .json; "-" is the standard input.
func ReadFiles(paths []string, stdin io.Reader) (all []*unstructured.Unstructured, err error) {
	for _, path := range paths {
		if path == "-" {
			text, err := io.ReadAll(stdin)
			if err != nil {
				return nil, err
			}
			if all, err = readText(all, "the standard input", text); err != nil {
				return nil, err
			}
			continue
		}
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			named := slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file))
			if err != nil || entry.IsDir() || file != path && !named {
				return err
			}
			text, err := os.ReadFile(file)
			if err == nil {
				all, err = readText(all, file, text)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// namespaced are the kinds of which an object in a file that names no namespace is in the default
// one.
var namespaced = []string{"Command", "ConfigMap", "LimitRange", "LocalQueue", "Pod", "PodGroup",
	"ResourceClaimTemplate", "Workload"}

func inNamespace(object *unstructured.Unstructured) *unstructured.Unstructured {
	kind := object.GroupVersionKind().GroupKind()
	if object.GetNamespace() == "" &&
		(slices.Contains(namespaced, kind.Kind) || templated[kind.String()] != "") {
		object.SetNamespace(metav1.NamespaceDefault)
	}
	return object
}

// readText reads the documents of one file, and what is in lists. What has no kind is no object.
func readText(all []*unstructured.Unstructured, name string, text []byte) (
	[]*unstructured.Unstructured, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		raw, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", name, number, err)
		}
		object := &unstructured.Unstructured{}
		if object.UnmarshalJSON(raw) != nil {
			continue
		}
		if !object.IsList() {
			all = append(all, inNamespace(object))
			continue
		}
		err = object.EachListItem(func(item runtime.Object) error {
			if one, is := item.(*unstructured.Unstructured); is {
				all = append(all, inNamespace(one))
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", name, number, err)
		}
	}
}
