// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is how the API server calls what a story calls a queue.
type kind struct {
	resource   schema.GroupVersionResource
	name       string
	namespaced bool
	group      string // the part of the key in etcd
}

const (
	volcano = "scheduling.volcano.sh"
	bus     = "bus.volcano.sh"
	kueue   = "kueue.x-k8s.io"
	now     = "v1beta2" // Kueue's version

	scheduling = "scheduling.k8s.io"
)

func gvr(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

var kinds = map[string]kind{
	"pod":            {gvr("", "v1", "pods"), "Pod", true, ""},
	"node":           {gvr("", "v1", "nodes"), "Node", false, ""},
	"namespace":      {gvr("", "v1", "namespaces"), "Namespace", false, ""},
	"priorityclass":  {gvr(scheduling, "v1", "priorityclasses"), "PriorityClass", false, ""},
	"runtimeclass":   {gvr("node.k8s.io", "v1", "runtimeclasses"), "RuntimeClass", false, ""},
	"queue":          {gvr(volcano, "v1beta1", "queues"), "Queue", false, volcano + "/"},
	"clusterqueue":   {gvr(kueue, now, "clusterqueues"), "ClusterQueue", false, kueue + "/"},
	"cohort":         {gvr(kueue, now, "cohorts"), "Cohort", false, kueue + "/"},
	"resourceflavor": {gvr(kueue, now, "resourceflavors"), "ResourceFlavor", false, kueue + "/"},
	"command":        {gvr(bus, "v1alpha1", "commands"), "Command", true, bus + "/"},
	"localqueue":     {gvr(kueue, now, "localqueues"), "LocalQueue", true, kueue + "/"},
	"workload":       {gvr(kueue, now, "workloads"), "Workload", true, kueue + "/"},
	"admissioncheck": {gvr(kueue, now, "admissionchecks"), "AdmissionCheck", false, kueue + "/"},
	"podgroup":       {gvr(volcano, "v1beta1", "podgroups"), "PodGroup", true, volcano + "/"},
	"job":            {gvr("batch", "v1", "jobs"), "Job", true, ""},
	"replicaset":     {gvr("apps", "v1", "replicasets"), "ReplicaSet", true, ""},
	"statefulset":    {gvr("apps", "v1", "statefulsets"), "StatefulSet", true, ""},
	"deployment":     {gvr("apps", "v1", "deployments"), "Deployment", true, ""},
	"daemonset":      {gvr("apps", "v1", "daemonsets"), "DaemonSet", true, ""},

	"workloadpriorityclass": {gvr(kueue, now, "workloadpriorityclasses"), "WorkloadPriorityClass",
		false, kueue + "/"},
}

func kindOf(where *Tree, ref string) (kind, error) {
	name, _, _ := SplitRef(ref)
	found, ok := kinds[name]
	if !ok {
		return kind{}, where.Say("%s: this executor knows no %s, want pod, node, namespace, "+
			"priorityclass, queue, command, clusterqueue, cohort, resourceflavor, localqueue, "+
			"workload, admissioncheck, workloadpriorityclass, podgroup, job, replicaset, "+
			"statefulset or deployment", ref, name)
	}
	return found, nil
}

// key is where etcd keeps an object.
func (k kind) key(namespace, name string) string {
	resource := k.resource.Resource
	if k.resource.Group == "" && resource == "nodes" {
		resource = "minions"
	}
	if k.namespaced {
		return fmt.Sprintf("/registry/%s%s/%s/%s", k.group, resource, namespace, name)
	}
	return fmt.Sprintf("/registry/%s%s/%s", k.group, resource, name)
}
