// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/tools/cache"
)

// revisionOfSet is the annotation by which the controller of Deployments counts the templates; who
// goes back to an older one makes it the latest again.
const revisionOfSet = "deployment.kubernetes.io/revision"

// templates knows whose controller has a newer template by now and replaces the pods of the older
// ones: Deployments, by their ReplicaSets, and StatefulSets. The stock scheduler watches both.
type templates struct {
	engine   *engine
	groups   *groups
	sets     cache.Indexer // of ReplicaSets, byController
	stateful appslisters.StatefulSetLister
}

func (t *templates) follow(factory informers.SharedInformerFactory) (synced []cache.InformerSynced,
	err error) {
	sets, stateful := factory.Apps().V1().ReplicaSets(), factory.Apps().V1().StatefulSets()
	t.sets, t.stateful = sets.Informer().GetIndexer(), stateful.Lister()
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		sets.Informer(): handle(t.replicaSetSeen, func(set *appsv1.ReplicaSet) {
			t.replicaSetSeen(nil, set)
		}),
		stateful.Informer(): handle(t.statefulSetSeen, func(*appsv1.StatefulSet) {}),
	} {
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			return nil, fmt.Errorf("to follow ReplicaSets and StatefulSets: %w", err)
		}
		synced = append(synced, registration.HasSynced)
	}
	return synced, nil
}

// revision is the number of a ReplicaSet's template; 0: nobody counts them.
func revision(set *appsv1.ReplicaSet) int64 {
	number, err := strconv.ParseInt(set.Annotations[revisionOfSet], 10, 64)
	if err != nil {
		return 0
	}
	return number
}

// replicaSetSeen tells the engine again of the pods of a Deployment that has another template.
func (t *templates) replicaSetSeen(old, set *appsv1.ReplicaSet) {
	owner := metav1.GetControllerOfNoCopy(set)
	if owner == nil || revision(set) <= 1 || old != nil && revision(old) == revision(set) {
		return
	}
	t.engine.opened()
	t.groups.ownerFound(t.groups.owners.below(owner.UID))
}

func (t *templates) statefulSetSeen(old, set *appsv1.StatefulSet) {
	if old == nil || old.Status.UpdateRevision == set.Status.UpdateRevision &&
		old.Generation == set.Generation {
		return
	}
	t.engine.opened()
	t.groups.ownerFound(t.groups.owners.below(set.UID))
}

// supersedes tells whether a pod is one of an older template, which its controller replaces.
func (t *templates) supersedes(pod *v1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return false
	}
	switch owner.Kind {
	case "ReplicaSet":
		return t.setIsOlder(pod.Namespace, owner.Name, owner.UID)
	case "StatefulSet":
		set, err := t.stateful.StatefulSets(pod.Namespace).Get(owner.Name)
		return err == nil && set.UID == owner.UID && replacedInOrder(set, pod)
	}
	return false
}

func (t *templates) setIsOlder(namespace, name string, uid types.UID) bool {
	object, there, err := t.sets.GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return false
	}
	set := object.(*appsv1.ReplicaSet)
	owner := metav1.GetControllerOfNoCopy(set)
	if set.UID != uid || owner == nil {
		return false
	}
	siblings, err := t.sets.ByIndex(byController, string(owner.UID))
	if err != nil {
		return false
	}
	for _, sibling := range siblings {
		if revision(sibling.(*appsv1.ReplicaSet)) > revision(set) {
			return true
		}
	}
	return false
}

// replacedInOrder tells whether a StatefulSet takes the pod's place by itself: those below its
// partition it leaves alone.
func replacedInOrder(set *appsv1.StatefulSet, pod *v1.Pod) bool {
	strategy := &set.Spec.UpdateStrategy
	is := pod.Labels[appsv1.ControllerRevisionHashLabelKey]
	if strategy.Type == appsv1.OnDeleteStatefulSetStrategyType || is == "" ||
		set.Status.UpdateRevision == "" || is == set.Status.UpdateRevision {
		return false
	}
	rolling := strategy.RollingUpdate
	if rolling == nil || rolling.Partition == nil {
		return true
	}
	ordinal, err := strconv.ParseInt(pod.Labels[appsv1.PodIndexLabel], 10, 32)
	return err != nil || ordinal >= int64(*rolling.Partition)
}
