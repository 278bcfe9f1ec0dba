// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
)

var (
	clusterQueues   = kueue.SchemeGroupVersion.WithResource("clusterqueues")
	localQueues     = kueue.SchemeGroupVersion.WithResource("localqueues")
	admissionChecks = kueue.SchemeGroupVersion.WithResource("admissionchecks")
	flavorResource  = kueue.SchemeGroupVersion.WithResource("resourceflavors")
	workloadClasses = kueue.SchemeGroupVersion.WithResource("workloadpriorityclasses")
)

// kueueQueues are Kueue's ClusterQueues, with the flavors and checks that they name, and its
// LocalQueues.
type kueueQueues struct {
	engine    *engine
	custom    *customResources
	statuses  *kueueStatuses
	pods      *pods
	spaces    corelisters.NamespaceLister
	workloads bool // Workloads get their quota here

	// tellWorkloads tells again of those of a LocalQueue.
	tellWorkloads func(types.NamespacedName)

	flavored  atomic.Bool // nodes may matter to somebody
	selectors selectors
	local     localClusters

	// Held while the engine is told of a LocalQueue, so that what it hears last was seen last.
	telling sync.Mutex
}

func (q *kueueQueues) flavorSeen(object *unstructured.Unstructured) {
	var typed kueue.ResourceFlavor
	var seen sluice.Flavor
	var tail sluice.Tail
	err := facts.Read(object, &typed)
	if q.workloads && err == nil && wl.UnsupportedFlavor(&typed) != "" {
		q.flavorGone(object) // nobody gets it, and the queues that have it say so
		return
	}
	if err == nil {
		facts.Flavor(&typed, &seen)
		q.flavored.Store(true)
		tail, err = q.engine.ObserveFlavor(&seen)
	}
	q.engine.told(object, tail, err)
	q.statuses.changed()
}

func (q *kueueQueues) flavorGone(object *unstructured.Unstructured) {
	tail, err := q.engine.ForgetFlavor(object.GetName())
	q.engine.told(object, tail, err)
	q.statuses.changed()
}

func (q *kueueQueues) checkSeen(object *unstructured.Unstructured) {
	var check kueue.AdmissionCheck
	var tail sluice.Tail
	err := facts.Read(object, &check)
	if err == nil {
		tail, err = q.engine.ObserveCheck(check.Name, apimeta.IsStatusConditionTrue(
			check.Status.Conditions, kueue.AdmissionCheckActive))
	}
	q.engine.told(object, tail, err)
	q.statuses.changed()
}

func (q *kueueQueues) checkGone(object *unstructured.Unstructured) {
	tail, err := q.engine.ForgetCheck(object.GetName())
	q.engine.told(object, tail, err)
	q.statuses.changed()
}

func (q *kueueQueues) cohortSeen(object *unstructured.Unstructured) {
	queueSeen(q.engine, facts.Cohort)(object)
	q.statuses.changed()
}

func (q *kueueQueues) cohortGone(object *unstructured.Unstructured) {
	queueGone(q.engine, sluice.KindCohort)(object)
	q.statuses.changed()
}

func (q *kueueQueues) clusterQueueSeen(object *unstructured.Unstructured) {
	var cluster kueue.ClusterQueue
	name := object.GetName()
	defer q.statuses.changedBehind(name)
	tellEngine := func() { queueSeen(q.engine, q.clusterQueue)(object) }
	if facts.Read(object, &cluster) != nil {
		tellEngine() // which says what is wrong with it
		return
	}
	terms := queueTerms{namespaces: cluster.Spec.NamespaceSelector,
		systemPriorities: cluster.Annotations[facts.SystemPriorities] == "true"}
	q.selectors.seen(name, terms, tellEngine, func() { q.tellBehind(name) })
}

func (q *kueueQueues) clusterQueueGone(object *unstructured.Unstructured) {
	queueGone(q.engine, sluice.KindClusterQueue)(object)
	q.selectors.forget(object.GetName())
	q.statuses.changed()
}

// tellBehind tells again of the LocalQueues of a ClusterQueue that may take others now, or them
// otherwise, and of their pods and workloads.
func (q *kueueQueues) tellBehind(clusterQueue string) {
	q.tellLocalQueues(func(q *kueue.LocalQueue) bool {
		return string(q.Spec.ClusterQueue) == clusterQueue
	})
	for _, local := range q.local.behind(clusterQueue) {
		q.pods.tellAgainIn(local.Namespace, func(pod *v1.Pod) bool {
			return facts.LocalQueue(pod) == local.Name
		})
		q.tellWorkloads(local)
	}
}

// clusterQueue of which something is out of scope, or that goes, grants nothing; its status says
// why.
func (q *kueueQueues) clusterQueue(queue *kueue.ClusterQueue, into *sluice.Queue) error {
	err := facts.ClusterQueue(queue, into)
	stays := queue.DeletionTimestamp == nil && wl.UnsupportedQueue(queue) == ""
	if q.workloads && !stays && into.StopPolicy != string(kueue.HoldAndDrain) {
		into.StopPolicy = string(kueue.Hold)
	}
	return err
}

// selects tells whether a ClusterQueue takes what is in a namespace. One that is not known yet is
// not selected: there will be news of it.
func (q *kueueQueues) selects(clusterQueue, namespace string) bool {
	space, err := q.spaces.Get(namespace)
	return err == nil && q.selectors.selects(clusterQueue, space.Labels)
}

// hasLocalQueue tells whether there is such a LocalQueue.
func (q *kueueQueues) hasLocalQueue(namespace, name string) bool {
	return q.workloads && q.local.clusterQueue(namespace, name) != ""
}

// dispatched tells whether the workloads of a LocalQueue go to other clusters: an admission check
// of its ClusterQueue is the manager's.
func (q *kueueQueues) dispatched(namespace, queue string) bool {
	if !q.workloads {
		return false
	}
	var cluster kueue.ClusterQueue
	object := q.custom.object(clusterQueues, "", q.local.clusterQueue(namespace, queue))
	if object == nil || facts.Read(object, &cluster) != nil ||
		cluster.Spec.AdmissionChecksStrategy == nil {
		return false
	}
	for _, rule := range cluster.Spec.AdmissionChecksStrategy.AdmissionChecks {
		var check kueue.AdmissionCheck
		object := q.custom.object(admissionChecks, "", string(rule.Name))
		if object != nil && facts.Read(object, &check) == nil &&
			check.Spec.ControllerName == kueue.MultiKueueControllerName {
			return true
		}
	}
	return false
}
