// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/features"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
)

// The names that the engine and its users share.
const (
	GateLong       = "scheduling.volcano.sh/queue-allocation-gate"
	GateShort      = "volcano.sh/queue-allocation-gate"
	QueueName      = "scheduling.volcano.sh/queue-name" // also of a namespace
	GroupName      = "scheduling.k8s.io/group-name"
	GroupMinMember = "scheduling.volcano.sh/group-min-member"
	Granted        = "sluice.sh/granted"
	GrantedIn      = "sluice.sh/queue"
	Flavors        = "sluice.sh/flavors"
	Preemptable    = "volcano.sh/preemptable" // also a label: whether it is evicted for others

	// LocalQueueLabel names Kueue's LocalQueue of a pod.
	LocalQueueLabel = "kueue.x-k8s.io/queue-name"
)

// annotationsRead are those that the engine reads; pods often carry many more, and long ones.
var annotationsRead = [...]string{
	GateLong, GateShort, QueueName, GroupName, GroupMinMember, Granted, GrantedIn, Flavors,
	Preemptable, kueue.WorkloadAnnotation,
}

// Pod writes over `into` what the engine wants to know, as far as the pod tells it: who knows the
// objects that it names has to look whether they agree. namespaceQueue is the annotation QueueName
// of the pod's namespace. A pod with a LocalQueue needs InClusterQueue, too.
func Pod(pod *v1.Pod, namespaceQueue string, into *sluice.Pod) {
	*into = sluice.Pod{
		UID:             string(pod.UID),
		Namespace:       pod.Namespace,
		Name:            pod.Name,
		Created:         nanoseconds(pod.CreationTimestamp),
		Generation:      pod.Generation,
		ResourceVersion: Version(pod.ResourceVersion),
		Scheduler:       pod.Spec.SchedulerName,
		Gates:           gates(pod, into.Gates),
		Annotations:     annotations(pod, into.Annotations),
		Labels:          labels(pod, into.Labels),
		NamespaceQueue:  namespaceQueue,
		Requests:        requests(pod, into.Requests),
		Node:            pod.Spec.NodeName,
		Nominated:       pod.Status.NominatedNodeName,
		Phase:           string(pod.Status.Phase),
		Deleted:         pod.DeletionTimestamp != nil,
		Unschedulable:   unschedulable(pod),
		Owner:           ownerKind(pod),
	}
	if pod.Spec.Priority != nil {
		into.Priority = *pod.Spec.Priority
	}
	if policy := pod.Spec.PreemptionPolicy; policy != nil && *policy == v1.PreemptNever {
		into.PreemptionPolicy = string(*policy)
	}
	if WantsGroup(pod) {
		into.PriorityClass = pod.Spec.PriorityClassName
	}
	into.SchedulingGroup = SchedulingGroup(pod)
	into.Mirror = Mirrored(pod) != nil
}

// LocalQueue is the name of the pod's LocalQueue, in its namespace; "" if it has none.
func LocalQueue(pod *v1.Pod) string { return pod.Labels[LocalQueueLabel] }

// InClusterQueue sends a pod, after Pod has written it, to Kueue's tree: to the ClusterQueue behind
// its LocalQueue. "" means that this LocalQueue does not exist (yet): the pod waits, and its reason
// names it.
func InClusterQueue(into *sluice.Pod, localQueue, clusterQueue string) {
	if clusterQueue == "" {
		clusterQueue = missingLocalQueue(into.Namespace, localQueue)
	}
	into.QueueKind = sluice.KindClusterQueue
	into.NamespaceQueue = ""
	for i := range into.Annotations {
		if into.Annotations[i][0] == QueueName {
			into.Annotations[i][1] = clusterQueue
			return
		}
	}
	into.Annotations = append(into.Annotations, [2]string{QueueName, clusterQueue})
}

// missingLocalQueue can be no ClusterQueue's name, because of the slash.
func missingLocalQueue(namespace, name string) string {
	if namespace == metav1.NamespaceDefault {
		return "localqueue/" + name
	}
	return "localqueue/" + namespace + "/" + name
}

// Version is a resourceVersion as a number; 0 if it is none.
func Version(resourceVersion string) int64 {
	version, err := strconv.ParseInt(resourceVersion, 10, 64)
	if err != nil || version < 0 {
		return 0
	}
	return version
}

// HasForeignGate tells whether a pod has a scheduling gate that is none of ours.
func HasForeignGate(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.SchedulingGates, func(gate v1.PodSchedulingGate) bool {
		return gate.Name != GateLong && gate.Name != GateShort
	})
}

func gates(pod *v1.Pod, into []string) []string {
	into = into[:0]
	for i := range pod.Spec.SchedulingGates {
		into = append(into, pod.Spec.SchedulingGates[i].Name)
	}
	return into
}

func annotations(pod *v1.Pod, into [][2]string) [][2]string {
	into = into[:0]
	if len(pod.Annotations) == 0 {
		return into
	}
	for _, key := range annotationsRead {
		if value, has := pod.Annotations[key]; has {
			into = append(into, [2]string{key, readable(value)})
		}
	}
	return into
}

// readable is a text of an object without what no text can have: the API server looks at no
// annotation, and takes bytes that are none.
func readable(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func labels(pod *v1.Pod, into [][2]string) [][2]string {
	into = into[:0]
	if value, has := pod.Labels[Preemptable]; has {
		into = append(into, [2]string{Preemptable, value})
	}
	return into
}

func unschedulable(pod *v1.Pod) bool {
	for i := range pod.Status.Conditions {
		condition := &pod.Status.Conditions[i]
		if condition.Type == v1.PodScheduled {
			return condition.Status == v1.ConditionFalse &&
				condition.Reason == v1.PodReasonUnschedulable
		}
	}
	return false
}

func ownerKind(pod *v1.Pod) string {
	for i := range pod.OwnerReferences {
		if owner := &pod.OwnerReferences[i]; owner.Controller != nil && *owner.Controller {
			return readable(owner.Kind)
		}
	}
	return ""
}

var lists = sync.Pool{New: func() any { return v1.ResourceList{} }}

// requests is what the scheduler counts for the pod (framework.PodInfo.CalculateResource): under
// the same feature gates, from the same helper.
func requests(pod *v1.Pod, into []sluice.Amount) []sluice.Amount {
	on := utilfeature.DefaultFeatureGate.Enabled
	reuse := lists.Get().(v1.ResourceList)
	list := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{
		Reuse: reuse,
		// Without a status there is nothing to take from it, and a map less to make.
		UseStatusResources: hasStatus(pod) && on(features.InPlacePodVerticalScaling),
		InPlacePodLevelResourcesVerticalScalingEnabled: on(
			features.InPlacePodLevelResourcesVerticalScaling),
		SkipPodLevelResources:                    !on(features.PodLevelResources),
		UseDRANodeAllocatableResourceClaimStatus: on(features.DRANodeAllocatableResources),
	})
	into = amounts(list, into)
	lists.Put(reuse)
	return into
}

func hasStatus(pod *v1.Pod) bool {
	return len(pod.Status.ContainerStatuses) > 0 || len(pod.Status.InitContainerStatuses) > 0 ||
		pod.Status.Resources != nil
}
