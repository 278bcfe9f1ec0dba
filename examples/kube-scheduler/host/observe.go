// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"maps"
	"time"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// handle calls seen and gone for what an informer of T delivers.
func handle[T any](seen func(old, now T), gone func(T)) cache.ResourceEventHandler {
	var none T
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			if now, ok := object.(T); ok {
				seen(none, now)
			}
		},
		UpdateFunc: func(before, object any) {
			old, _ := before.(T)
			if now, ok := object.(T); ok {
				seen(old, now)
			}
		},
		DeleteFunc: func(object any) {
			// A deletion that the watch missed comes with the state that was last known.
			if missed, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = missed.Obj
			}
			if last, ok := object.(T); ok {
				gone(last)
			}
		},
	}
}

// observeCore follows pods, nodes and namespaces through the scheduler's own informers. Its pod
// informer leaves out pods that have ended: their end arrives as a deletion.
func (h *Host) observeCore(factory informers.SharedInformerFactory) error {
	core := factory.Core().V1()
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		core.Nodes().Informer():      handle(h.nodeSeen, h.nodeGone),
		core.Namespaces().Informer(): handle(h.namespaceSeen, h.namespaceGone),
		core.Pods().Informer():       handle(h.podSeen, h.podGone),
	} {
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			return fmt.Errorf("to follow pods, nodes and namespaces: %w", err)
		}
		h.waitFor = append(h.waitFor, registration.HasSynced)
	}
	return nil
}

// told takes what came of telling the engine about an object. An object that the engine refuses
// stays as it was seen before, and somebody has to hear of it.
func (h *Host) told(object runtime.Object, tail sluice.Tail, err error) {
	h.refusals.note(object, err)
	again := h.limited.note(object, err)
	if err == nil {
		h.Note(tail)
		return
	}
	if again && isLimit(err) {
		return // somebody has heard of it
	}
	metrics.refused.Inc()
	h.log.Error(err, "An object cannot be used", "object", fmt.Sprintf("%T", object))
	if object != nil {
		h.recorder.Eventf(object, nil, v1.EventTypeWarning, "SluiceRefused", "Observing", "%s",
			err.Error())
	}
}

func (h *Host) podSeen(_, pod *v1.Pod) {
	h.opened()
	if heir, _ := h.heir(pod, true); facts.Grouped(heir) {
		h.memberSeen(heir)
	} else {
		h.tellPod(heir)
	}
}

// heir is the pod with what it inherits. False: that is not known yet; if it is awaited, the pod is
// told of again when it is.
func (h *Host) heir(pod *v1.Pod, await bool) (*v1.Pod, bool) {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || !facts.MayInherit(pod) || !h.isOurs(pod) || facts.Exempt(pod) {
		return pod, true
	}
	bequest, known := h.heritage.of(pod.Namespace, owner, await)
	return facts.Heir(pod, bequest), known
}

// heirsSeen tells again of pods that may inherit something else now.
func (h *Host) heirsSeen(pods []*v1.Pod) {
	h.surroundings.Add(1)
	for _, pod := range pods {
		h.tellAgain(pod)
	}
}

// tellPod tells of a pod. What it depends on beside itself has other watches: where that changes
// meanwhile, whoever tells of the change may have told of the pod already, and it is told again.
func (h *Host) tellPod(pod *v1.Pod) {
	for told := false; !told; {
		before := h.surroundings.Load()
		h.tellPodOnce(pod)
		told = h.surroundings.Load() == before
	}
}

func (h *Host) tellPodOnce(pod *v1.Pod) {
	seen, complete := h.describe(pod)
	defer h.pods.Put(seen)
	if !complete {
		return
	}
	tail, err := h.eng.ObservePod(seen)
	h.told(pod, tail, err)
	if err == nil {
		h.wake(pod)
	}
}

func (h *Host) podGone(pod *v1.Pod) {
	if pod.Spec.NodeName != "" {
		h.await(func() bool { return !h.cache.Counts(pod) })
	}
	h.nodeless.forget(pod.UID)
	h.asleep.take(pod.UID)
	h.groups.permits.Delete(pod.UID)
	heir, _ := h.heir(pod, false)
	h.heritage.podGone(pod)
	if facts.Grouped(heir) {
		h.opened()
		h.memberLeft(heir)
		return
	}
	h.groups.owners.gone(pod)
	tail, err := h.opened().ForgetPod(string(pod.UID))
	h.told(pod, tail, err)
}

const (
	cacheLook = time.Millisecond
	cacheWait = 5 * time.Second
)

// await waits until the scheduler's cache has caught up.
func (h *Host) await(caughtUp func() bool) {
	for waited := time.Duration(0); h.cache != nil && waited < cacheWait; waited += cacheLook {
		if caughtUp() {
			return
		}
		time.Sleep(cacheLook)
	}
}

func (h *Host) nodeSeen(old, node *v1.Node) {
	if old == nil || !apiequality.Semantic.DeepEqual(old.Status.Allocatable,
		node.Status.Allocatable) {
		h.await(func() bool { return h.cache.Knows(node) })
	}
	var seen sluice.Node
	facts.Node(node, &seen)
	id, tail, err := h.opened().ObserveNode(&seen)
	if err == nil {
		h.nodeIDs.Store(node.Name, id)
	}
	h.told(node, tail, err)
	if mayFit(old, node) {
		h.tryAgain()
	}
}

func (h *Host) nodeGone(node *v1.Node) {
	h.nodeIDs.Delete(node.Name)
	tail, err := h.opened().ForgetNode(node.Name)
	h.told(node, tail, err)
}

// A namespace matters for the queue that it names to those of its pods that name none.
func (h *Host) namespaceSeen(old, now *v1.Namespace) {
	before := ""
	if old != nil {
		before = old.Annotations[facts.QueueName]
	}
	if before != now.Annotations[facts.QueueName] {
		h.observeAgain(now.Name, func(*v1.Pod) bool { return true })
	}
	if old == nil || !maps.Equal(old.Labels, now.Labels) {
		h.tellLocalQueues(func(q *kueue.LocalQueue) bool { return q.Namespace == now.Name })
		h.observeAgain(now.Name, func(pod *v1.Pod) bool { return facts.LocalQueue(pod) != "" })
	}
}

func (h *Host) namespaceGone(*v1.Namespace) {}

// indexByNamespace adds what the scheduler's own pod informer does without.
func indexByNamespace(informer cache.SharedIndexInformer) error {
	if _, has := informer.GetIndexer().GetIndexers()[cache.NamespaceIndex]; has {
		return nil
	}
	return informer.AddIndexers(cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

// observeAgain tells the engine about pods whose queue may be another one now.
func (h *Host) observeAgain(namespace string, concerned func(*v1.Pod) bool) {
	objects, err := h.podIndex.ByIndex(cache.NamespaceIndex, namespace)
	if err != nil {
		h.log.Error(err, "Pods of a namespace", "namespace", namespace)
		return
	}
	h.surroundings.Add(1)
	for _, object := range objects {
		if pod := object.(*v1.Pod); concerned(pod) {
			h.tellAgain(pod)
		}
	}
}
