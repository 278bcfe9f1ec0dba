// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/job"
	"sluice/kube-scheduler/lease"
	wl "sluice/kube-scheduler/workload"
)

// workloads are Kueue's Workloads and their Jobs: what the host knows of both beside the engine.
// Without the configuration and Kueue's CRDs nothing of it runs.
type workloads struct {
	engine   *engine
	lease    *lease.Lease
	clients  *clients
	custom   *customResources
	statuses *kueueStatuses
	pods     *pods
	queues   *kueueQueues
	writer   jobWriter
	devices  facts.DeviceNames
	workers  int // how many steps may be taken at once
	// observeOnly: Workloads, Jobs and statuses are somebody else's to write.
	observeOnly bool
	done        *sync.WaitGroup

	factory informers.SharedInformerFactory
	jobs    cache.SharedIndexInformer
	ranges  cache.SharedIndexInformer // LimitRanges
	runtime cache.SharedIndexInformer // RuntimeClasses
	classes cache.SharedIndexInformer // of pods' priorities

	informer atomic.Pointer[cache.SharedIndexInformer] // of *kueue.Workload
	steps    workqueue.TypedRateLimitingInterface[step]

	// Held while the engine is told of a workload, so that what it hears last was seen last.
	telling sync.Mutex
}

// claimTemplates are what the ResourceClaims of pods are made from.
var claimTemplates = resourcev1.SchemeGroupVersion.WithResource("resourceclaimtemplates")

// Indexes of Workloads and Jobs.
const (
	byOwnerUID  = "ownerUID"
	byOwnerName = "ownerName"
	byPrebuilt  = "prebuilt"
)

// prepare makes the informers that they need, which do not run yet.
func (ws *workloads) prepare(client kubernetes.Interface) {
	ws.factory = informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTransform(withoutManagers))
	ws.jobs = ws.factory.Batch().V1().Jobs().Informer()
	ws.ranges = ws.factory.Core().V1().LimitRanges().Informer()
	ws.runtime = ws.factory.Node().V1().RuntimeClasses().Informer()
	ws.classes = ws.factory.Scheduling().V1().PriorityClasses().Informer()
	ws.steps = workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[step](100*time.Millisecond, time.Minute))
}

// withoutManagers leaves out who manages which field: nobody here asks.
func withoutManagers(object any) (any, error) {
	if one, is := object.(metav1.Object); is {
		one.SetManagedFields(nil)
	}
	return object, nil
}

func nameOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

func isJob(owner *metav1.OwnerReference) bool {
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && version.Group == batchv1.GroupName && owner.Kind == job.Kind.Kind
}

// typed makes Workloads of what a dynamic client reads; one that cannot be read stays as it came.
func typed(object any) (any, error) {
	from, is := object.(*unstructured.Unstructured)
	if !is {
		return object, nil
	}
	from.SetManagedFields(nil)
	w := &kueue.Workload{}
	if facts.Read(from, w) != nil {
		return object, nil
	}
	return w, nil
}

// begin follows what Workloads need beside themselves.
func (ws *workloads) begin(ctx context.Context, informer cache.SharedIndexInformer) (
	synced []cache.InformerSynced, err error) {
	if err := informer.SetTransform(typed); err != nil {
		return nil, err
	}
	if err := informer.AddIndexers(cache.Indexers{byOwnerUID: controllerUID,
		byOwnerName: ownerName}); err != nil {
		return nil, err
	}
	if err := ws.jobs.AddIndexers(cache.Indexers{byPrebuilt: prebuilt}); err != nil {
		return nil, err
	}
	ws.informer.Store(&informer)
	for of, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		ws.jobs: handle(ws.jobSeen, ws.jobGone),
		ws.ranges: handle(func(_, now *v1.LimitRange) { ws.tellIn(now.Namespace) },
			func(now *v1.LimitRange) { ws.tellIn(now.Namespace) }),
		ws.runtime: handle(func(_, _ *nodev1.RuntimeClass) { ws.tellAll() },
			func(*nodev1.RuntimeClass) { ws.tellAll() }),
		ws.classes: handle(func(_, _ *schedulingv1.PriorityClass) {},
			func(*schedulingv1.PriorityClass) {}),
	} {
		registration, err := of.AddEventHandler(handler)
		if err != nil {
			return nil, err
		}
		synced = append(synced, registration.HasSynced)
	}
	// What a workload stands on is listed before it is told of.
	before := slices.Clone(synced)
	ws.custom.listed.Range(func(_, listed any) bool {
		before = append(before, listed.(cache.InformerSynced))
		return true
	})
	complete := false
	wait := func() {
		if !complete {
			complete = cache.WaitForCacheSync(ctx.Done(), before...)
		}
	}
	registration, err := informer.AddEventHandler(handle(
		func(old, now *kueue.Workload) { wait(); ws.seen(old, now) },
		func(now *kueue.Workload) { wait(); ws.gone(now) }))
	if err != nil {
		return nil, err
	}
	synced = append(synced, registration.HasSynced)
	ws.factory.Start(ctx.Done())
	ws.done.Go(func() { ws.runSteps(ctx, synced) })
	return synced, nil
}

func ownerName(object any) ([]string, error) {
	if w, is := object.(*kueue.Workload); is {
		if owner := metav1.GetControllerOfNoCopy(w); owner != nil && isJob(owner) {
			return []string{w.Namespace + "/" + owner.Name}, nil
		}
	}
	return nil, nil
}

func prebuilt(object any) ([]string, error) {
	if j, is := object.(*batchv1.Job); is {
		if name := wl.PrebuiltName(j); name != "" {
			return []string{j.Namespace + "/" + name}, nil
		}
	}
	return nil, nil
}
