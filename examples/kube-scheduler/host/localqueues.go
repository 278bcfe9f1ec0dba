// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// localClusters knows the ClusterQueue behind each LocalQueue.
type localClusters struct {
	mutex sync.RWMutex
	name  map[[2]string]string
}

func (l *localClusters) clusterQueue(namespace, name string) string {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return l.name[[2]string{namespace, name}]
}

// behind are the LocalQueues of a ClusterQueue.
func (l *localClusters) behind(clusterQueue string) (all []types.NamespacedName) {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	for local, name := range l.name {
		if name == clusterQueue {
			all = append(all, types.NamespacedName{Namespace: local[0], Name: local[1]})
		}
	}
	return all
}

// set returns whether that is another one than before.
func (l *localClusters) set(namespace, name, clusterQueue string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	key := [2]string{namespace, name}
	if l.name[key] == clusterQueue {
		return false
	}
	if l.name == nil {
		l.name = map[[2]string]string{}
	}
	if clusterQueue == "" {
		delete(l.name, key)
	} else {
		l.name[key] = clusterQueue
	}
	return true
}

func (q *kueueQueues) localQueueSeen(object *unstructured.Unstructured) {
	name, _, _ := unstructured.NestedString(object.Object, "spec", "clusterQueue")
	q.localQueueIs(object, name)
	q.tellLocalQueue(object)
}

func (q *kueueQueues) localQueueGone(object *unstructured.Unstructured) {
	q.localQueueIs(object, "")
	q.forgetLocalQueue(object)
}

func (q *kueueQueues) localQueueIs(object *unstructured.Unstructured, clusterQueue string) {
	q.statuses.changedIn(nameOf(object)) // and where it was before
	if q.local.set(object.GetNamespace(), object.GetName(), clusterQueue) {
		q.pods.tellAgainIn(object.GetNamespace(), func(pod *v1.Pod) bool {
			return facts.LocalQueue(pod) == object.GetName()
		})
	}
}

// tellLocalQueue tells of a LocalQueue, and whether its ClusterQueue wants its namespace. Those who
// have news of either tell one after the other, so that what the engine hears last was so last.
func (q *kueueQueues) tellLocalQueue(object *unstructured.Unstructured) {
	if !q.workloads {
		return
	}
	q.telling.Lock()
	defer q.telling.Unlock()
	if object = q.custom.object(localQueues, object.GetNamespace(), object.GetName()); object == nil {
		return
	}
	var queue kueue.LocalQueue
	var tail sluice.Tail
	err := facts.Read(object, &queue)
	if err == nil {
		selected := q.selects(string(queue.Spec.ClusterQueue), queue.Namespace)
		tail, err = q.engine.ObserveLocalQueue(facts.WorkloadQueue(&queue, selected))
	}
	q.engine.told(object, tail, err)
	q.statuses.changedIn(nameOf(object))
}

func (q *kueueQueues) forgetLocalQueue(object *unstructured.Unstructured) {
	if !q.workloads {
		return
	}
	q.telling.Lock()
	defer q.telling.Unlock()
	tail, err := q.engine.ForgetLocalQueue(object.GetNamespace(), object.GetName())
	q.engine.told(object, tail, err)
}

// tellLocalQueues tells again of those of which something else may be true now.
func (q *kueueQueues) tellLocalQueues(concerned func(*kueue.LocalQueue) bool) {
	if !q.workloads {
		return
	}
	for _, object := range q.custom.all(localQueues) {
		var queue kueue.LocalQueue
		if facts.Read(object, &queue) == nil && concerned(&queue) {
			q.tellLocalQueue(object)
		}
	}
}
