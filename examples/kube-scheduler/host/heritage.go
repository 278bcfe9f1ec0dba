// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"maps"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"sluice/kube-scheduler/facts"
)

// heritage knows what pods inherit from the metadata of their controllers:
//
//	Deployment ──▶ ReplicaSet ──▶ pod    what the Deployment says: its ReplicaSets carry copies of
//	                                     that, and keep what it says no more
//	DaemonSet  ───────────────▶ pod      that no queue is asked, if it is there and selects the pod
//	any other  ───────────────▶ pod      what the pod's own controller says
//
// The controllers are followed, so that a pod costs no request, and an edit reaches it. The engine
// hears of no pod whose controller is not known. Watches tell of a pod and of its controller in any
// order: the controller is waited for, and read if it does not come.
//
// Pods outlive their controller by a while. What it said last goes on to count for them.
type heritage struct {
	reader *objectReader
	own    informers.SharedInformerFactory // of what the scheduler itself does not follow
	kinds  map[schema.GroupKind]cache.SharedIndexInformer
	synced []cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[ownerKey] // of those that are missing
	pods   cache.Indexer
	news   func(pods []*v1.Pod) // of whom something else may be true now

	mutex   sync.Mutex
	missing map[types.UID]ownerKey // whose pods wait
	left    map[types.UID]will     // of controllers that are gone, or were read
}

// will is what a controller said last.
type will struct {
	bequest map[string]string
	above   *metav1.OwnerReference // the Deployment of a ReplicaSet, which says it instead
	selects labels.Selector        // of a DaemonSet that is there
}

// byController is the index of pods and ReplicaSets by the uid of what controls them.
const byController = "controller"

// The watch of a controller may be behind that of its pods.
const heritageWait = time.Second

// controllerUID indexes an object by what controls it.
func controllerUID(object any) ([]string, error) {
	if meta, is := object.(metav1.Object); is {
		if owner := metav1.GetControllerOfNoCopy(meta); owner != nil {
			return []string{string(owner.UID)}, nil
		}
	}
	return nil, nil
}

// onlyBequests leaves of a controller what its pods inherit.
func onlyBequests(object any) (any, error) {
	keep := func(meta *metav1.ObjectMeta) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: meta.Namespace, Name: meta.Name, UID: meta.UID,
			ResourceVersion: meta.ResourceVersion, OwnerReferences: meta.OwnerReferences,
			Annotations: facts.Bequest(meta)}
	}
	switch one := object.(type) {
	case *appsv1.DaemonSet:
		meta := keep(&one.ObjectMeta)
		meta.DeletionTimestamp = one.DeletionTimestamp
		return &appsv1.DaemonSet{ObjectMeta: meta,
			Spec: appsv1.DaemonSetSpec{Selector: one.Spec.Selector}}, nil
	case *appsv1.Deployment:
		return &appsv1.Deployment{ObjectMeta: keep(&one.ObjectMeta)}, nil
	case *batchv1.Job:
		return &batchv1.Job{ObjectMeta: keep(&one.ObjectMeta)}, nil
	}
	return object, nil
}

// newHeritage follows ReplicaSets, StatefulSets and ReplicationControllers through the scheduler's
// own informers, which it has for the spreading of pods.
func newHeritage(client kubernetes.Interface, stock informers.SharedInformerFactory,
	reader *objectReader, news func([]*v1.Pod)) (*heritage, error) {
	own := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTransform(onlyBequests))
	h := &heritage{
		reader: reader,
		own:    own,
		kinds: map[schema.GroupKind]cache.SharedIndexInformer{
			facts.DaemonSets:   own.Apps().V1().DaemonSets().Informer(),
			facts.Deployments:  own.Apps().V1().Deployments().Informer(),
			facts.Jobs:         own.Batch().V1().Jobs().Informer(),
			facts.ReplicaSets:  stock.Apps().V1().ReplicaSets().Informer(),
			facts.StatefulSets: stock.Apps().V1().StatefulSets().Informer(),
			facts.Controllers:  stock.Core().V1().ReplicationControllers().Informer(),
		},
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[ownerKey](ownerSoon, ownerLate)),
		pods:    stock.Core().V1().Pods().Informer().GetIndexer(),
		news:    news,
		missing: map[types.UID]ownerKey{},
		left:    map[types.UID]will{},
	}
	indexed := cache.Indexers{byController: controllerUID}
	if err := stock.Core().V1().Pods().Informer().AddIndexers(indexed); err != nil {
		return nil, err
	}
	if err := h.kinds[facts.ReplicaSets].AddIndexers(indexed); err != nil {
		return nil, err
	}
	for _, informer := range h.kinds {
		registration, err := informer.AddEventHandler(handle(h.seen, h.gone))
		if err != nil {
			return nil, err
		}
		h.synced = append(h.synced, registration.HasSynced)
	}
	return h, nil
}

// of is what a pod inherits from the controller that is referred to. False: that is not known yet,
// and there will be news of it, if that is awaited.
func (h *heritage) of(namespace string, to *metav1.OwnerReference, await bool) (
	bequest map[string]string, known bool) {
	said, known := h.find(namespace, to)
	if !known && await {
		h.await(keyTo(namespace, to))
		// Whoever tells of it from now on finds it among the missing.
		if said, known = h.find(namespace, to); known {
			h.found(to.UID)
		}
	}
	if !known || said.above == nil {
		return said.bequest, known
	}
	return h.of(namespace, said.above, await)
}

func (h *heritage) await(key ownerKey) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if _, already := h.missing[key.uid]; already {
		return
	}
	h.missing[key.uid] = key
	h.queue.AddAfter(key, heritageWait)
}

// find is what the controller says, if it is known.
func (h *heritage) find(namespace string, to *metav1.OwnerReference) (will, bool) {
	informer := h.kinds[facts.KindOf(to)]
	if informer == nil {
		return will{}, true // of a kind from which nothing is inherited
	}
	object, there, err := informer.GetStore().GetByKey(namespace + "/" + to.Name)
	if err == nil && there && object.(metav1.Object).GetUID() == to.UID {
		return willOf(object.(metav1.Object)), true
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	left, known := h.left[to.UID]
	return left, known
}

func willOf(object metav1.Object) will {
	if selects := selects(object); selects != nil {
		return will{selects: selects}
	}
	above := metav1.GetControllerOfNoCopy(object)
	if above != nil && facts.KindOf(above) == facts.Deployments {
		return will{above: above}
	}
	return will{bequest: facts.Bequest(object)}
}

// found tells whether somebody waited for the controller. Nobody does any more.
func (h *heritage) found(uid types.UID) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	_, was := h.missing[uid]
	delete(h.missing, uid)
	return was
}

// settled tells whether nothing is waited for.
func (h *heritage) settled() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return len(h.missing) == 0
}

func (h *heritage) seen(old, now metav1.Object) {
	waited := h.found(now.GetUID()) || h.comesLate(now)
	if !waited && (old == nil || sameWill(willOf(old), willOf(now))) {
		return
	}
	h.news(h.heirs(now.GetUID()))
}

// comesLate tells whether a controller says something else than was read before it came.
func (h *heritage) comesLate(now metav1.Object) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	read, asked := h.left[now.GetUID()]
	delete(h.left, now.GetUID())
	return asked && !sameWill(read, willOf(now))
}

func sameWill(a, b will) bool {
	if (a.selects == nil) != (b.selects == nil) ||
		a.selects != nil && a.selects.String() != b.selects.String() {
		return false
	}
	return maps.Equal(a.bequest, b.bequest) && (a.above == nil) == (b.above == nil) &&
		(a.above == nil || a.above.UID == b.above.UID)
}

// gone keeps what the controller said as long as somebody may ask for it.
func (h *heritage) gone(last metav1.Object) {
	uid, said := last.GetUID(), willOf(last)
	h.found(uid)
	if heirs := h.heirs(uid); len(heirs) > 0 {
		left := will{bequest: said.bequest, above: said.above}
		if said.above != nil {
			if bequest, known := h.of(last.GetNamespace(), said.above, false); known {
				left = will{bequest: bequest}
			}
		}
		h.leave(uid, left)
		if said.selects != nil {
			h.news(heirs)
		}
	}
	if said.above != nil {
		h.drop(said.above.UID)
	}
}

func (h *heritage) leave(uid types.UID, said will) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.left[uid] = said
}

// podGone forgets what nobody asks for without this pod.
func (h *heritage) podGone(pod *v1.Pod) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		h.drop(owner.UID)
	}
}

// drop forgets a controller that is gone, or did not come, once it has no pods.
func (h *heritage) drop(uid types.UID) {
	h.mutex.Lock()
	_, missed := h.missing[uid]
	said, kept := h.left[uid]
	h.mutex.Unlock()
	if !missed && !kept || len(h.heirs(uid)) > 0 {
		return
	}
	h.found(uid)
	h.mutex.Lock()
	delete(h.left, uid)
	h.mutex.Unlock()
	if said.above != nil {
		h.drop(said.above.UID)
	}
}

// heirs are the pods that a controller has, or its ReplicaSets have.
func (h *heritage) heirs(uid types.UID) (pods []*v1.Pod) {
	collect := func(of types.UID) {
		objects, _ := h.pods.ByIndex(byController, string(of))
		for _, object := range objects {
			pods = append(pods, object.(*v1.Pod))
		}
	}
	collect(uid)
	sets, _ := h.kinds[facts.ReplicaSets].GetIndexer().ByIndex(byController, string(uid))
	for _, set := range sets {
		collect(set.(metav1.Object).GetUID())
	}
	return pods
}

func (h *heritage) run(ctx context.Context) {
	h.own.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), h.synced...) {
		h.queue.ShutDown()
		return
	}
	readOwners(ctx, h.queue, h.look)
}

// read is what the controller of a pod says, of which only the API server knows yet.
func (h *heritage) read(ctx context.Context, namespace string, to *metav1.OwnerReference) (will,
	error) {
	said, known := h.find(namespace, to)
	if !known {
		var err error
		if said, err = h.ask(ctx, namespace, to); err != nil {
			return will{}, err
		}
	}
	if said.above == nil {
		return said, nil
	}
	return h.read(ctx, namespace, said.above)
}

// ask is what a controller says, by the API server. One that is gone, or may not be read, says
// nothing.
func (h *heritage) ask(ctx context.Context, namespace string, to *metav1.OwnerReference) (will,
	error) {
	object, err := h.reader.read(ctx, namespace, to)
	switch {
	case err == nil:
		return willOf(object), nil
	case apierrors.IsNotFound(err) || isFinal(err):
		return will{}, nil
	}
	return will{}, err
}

// look reads a controller that did not come.
func (h *heritage) look(ctx context.Context, key ownerKey) {
	h.mutex.Lock()
	_, waits := h.missing[key.uid]
	h.mutex.Unlock()
	to := key.reference()
	if _, known := h.find(key.namespace, to); waits && !known {
		said, err := h.ask(ctx, key.namespace, to)
		if err != nil {
			h.queue.AddRateLimited(key)
			return
		}
		h.leave(key.uid, said)
	}
	h.queue.Forget(key)
	if h.found(key.uid) {
		h.news(h.heirs(key.uid))
	}
}
