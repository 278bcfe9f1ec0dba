// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
	wl "sluice/kube-scheduler/workload"
)

// servedLook is how often the API server is asked whether a custom resource has come.
const servedLook = 5 * time.Second

// custom is a kind of object that need not exist in a cluster.
type custom struct {
	resource   schema.GroupVersionResource
	seen, gone func(*unstructured.Unstructured)

	// begin, if it is set, is called before the first of them.
	begin func(context.Context, cache.SharedIndexInformer) ([]cache.InformerSynced, error)
}

func (h *Host) customs() []custom {
	kueueResource := func(name string) schema.GroupVersionResource {
		return kueue.SchemeGroupVersion.WithResource(name)
	}
	all := []custom{
		{kueueResource("resourceflavors"), h.flavorSeen, h.flavorGone, nil},
		{kueueResource("cohorts"), queueSeen(h, facts.Cohort), queueGone(h, sluice.KindCohort),
			nil},
		{clusterQueues, h.clusterQueueSeen, h.clusterQueueGone, nil},
		{localQueues, h.localQueueSeen, h.localQueueGone, nil},
		{volcanoQueues, h.volcanoQueueSeen(), queueGone(h, sluice.KindQueue), nil},
		{volcanoCommands, h.commandSeen, h.commandGone, nil},
		{podGroups, h.groupSeen, h.groupGone, h.followGroups},
	}
	if h.args.Workloads {
		// Workloads come last: what they stand on is told before them.
		all = append(all,
			custom{admissionChecks, h.checkSeen, h.checkGone, nil},
			custom{workloadClasses, h.workloadClassSeen, nothing, nil},
			custom{wl.Resource, h.workloadUnreadable, nothing, h.followWorkloads})
	}
	return all
}

func nothing(*unstructured.Unstructured) {}

// watchCustom follows the custom resources that are served, now and later. The engine hears that
// the first listing is complete when all that was there in the beginning has been listed.
func (h *Host) watchCustom(ctx context.Context) {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(h.clients.custom, 0)
	absent := h.customs()
	for first := true; ; first = false {
		absent = h.follow(ctx, factory, absent, first)
		if first && !h.declareSynced(ctx) {
			return
		}
		if len(absent) == 0 || !wait(ctx, servedLook) {
			<-ctx.Done()
			return
		}
	}
}

// follow starts the informers of what is served, and returns what is not.
func (h *Host) follow(ctx context.Context, factory dynamicinformer.DynamicSharedInformerFactory,
	wanted []custom, insist bool) (absent []custom) {
	served := map[schema.GroupVersion]map[string]bool{}
	for _, one := range wanted {
		version := one.resource.GroupVersion()
		if served[version] == nil {
			served[version] = h.served(ctx, version, insist)
		}
		if !served[version][one.resource.Resource] {
			absent = append(absent, one)
			continue
		}
		source := factory.ForResource(one.resource)
		informer := source.Informer()
		h.listers.Store(one.resource, source.Lister())
		registration, err := informer.AddEventHandler(handle(
			func(_, object *unstructured.Unstructured) { one.seen(object) }, one.gone))
		if err != nil {
			h.log.Error(err, "Cannot follow", "resource", one.resource)
			continue
		}
		synced := []cache.InformerSynced{registration.HasSynced}
		h.listed.Store(one.resource, cache.InformerSynced(registration.HasSynced))
		if one.begin != nil {
			more, err := one.begin(ctx, informer)
			if err != nil {
				h.log.Error(err, "Cannot follow what belongs to", "resource", one.resource)
			}
			synced = append(synced, more...)
		}
		if insist {
			h.waitFor = append(h.waitFor, synced...)
		}
		h.log.Info("Following", "resource", one.resource)
	}
	factory.Start(ctx.Done())
	return absent
}

// served tells which resources of a group the API server has. With insist, an API server that does
// not answer is asked again: its silence must not pass for an empty cluster.
func (h *Host) served(ctx context.Context, version schema.GroupVersion,
	insist bool) map[string]bool {
	names := map[string]bool{}
	for {
		list, err := h.discoverer.ServerResourcesForGroupVersion(version.String())
		if err == nil {
			for i := range list.APIResources {
				names[list.APIResources[i].Name] = true
			}
			return names
		}
		if apierrors.IsNotFound(err) || !insist {
			return names
		}
		h.log.Error(err, "Cannot ask what is served", "version", version)
		if !wait(ctx, time.Second) {
			return names
		}
	}
}

func (h *Host) declareSynced(ctx context.Context) bool {
	// What has been listed is known in full when its controllers are.
	if !cache.WaitForCacheSync(ctx.Done(), h.waitFor...) ||
		!cache.WaitForCacheSync(ctx.Done(), h.heritage.settled, h.groups.owners.settled) {
		return false
	}
	tail, err := h.eng.Synced()
	h.told(nil, tail, err)
	h.synced.Store(err == nil)
	h.log.Info("The first listing is complete")
	return err == nil
}

func wait(ctx context.Context, length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func queueSeen[T any](h *Host, translate func(*T, *sluice.Queue) error) func(
	*unstructured.Unstructured) {
	return func(object *unstructured.Unstructured) {
		var typed T
		var seen sluice.Queue
		var tail sluice.Tail
		err := facts.Read(object, &typed)
		if err == nil {
			err = translate(&typed, &seen)
		}
		if err == nil {
			tail, err = h.eng.ObserveQueue(&seen)
		}
		h.told(object, tail, err)
	}
}

func (h *Host) volcanoQueueSeen() func(*unstructured.Unstructured) {
	seen := queueSeen(h, facts.Queue)
	return func(object *unstructured.Unstructured) {
		h.warnOfRivals(object)
		seen(object)
		h.warnOfDevices(object)
	}
}

// warnOfDevices says of a queue that some of its amounts count for nothing, once for each edit: who
// writes it past the webhook hears of it nowhere else.
func (h *Host) warnOfDevices(object *unstructured.Unstructured) {
	var queue volcano.Queue
	if facts.Read(object, &queue) != nil {
		return
	}
	ignored := facts.DeviceQuota(&queue)
	if ignored == "" {
		h.devices.Delete(queue.UID)
		return
	}
	if before, told := h.devices.Swap(queue.UID, ignored); !told || before != ignored {
		h.recorder.Eventf(object, nil, v1.EventTypeWarning, "SluiceUnsupported", "Observing", "%s",
			ignored)
	}
}

func queueGone(h *Host, kind string) func(*unstructured.Unstructured) {
	return func(object *unstructured.Unstructured) {
		h.devices.Delete(object.GetUID())
		tail, err := h.eng.ForgetQueue(kind, object.GetName())
		h.told(object, tail, err)
	}
}

func (h *Host) flavorSeen(object *unstructured.Unstructured) {
	var typed kueue.ResourceFlavor
	var seen sluice.Flavor
	var tail sluice.Tail
	err := facts.Read(object, &typed)
	if h.args.Workloads && err == nil && wl.UnsupportedFlavor(&typed) != "" {
		h.flavorGone(object) // nobody gets it, and the queues that have it say so
		return
	}
	if err == nil {
		facts.Flavor(&typed, &seen)
		h.flavored.Store(true)
		tail, err = h.eng.ObserveFlavor(&seen)
	}
	h.told(object, tail, err)
	h.queued.changed()
}

func (h *Host) flavorGone(object *unstructured.Unstructured) {
	tail, err := h.eng.ForgetFlavor(object.GetName())
	h.told(object, tail, err)
	h.queued.changed()
}

func (h *Host) clusterQueueSeen(object *unstructured.Unstructured) {
	var cluster kueue.ClusterQueue
	name := object.GetName()
	readable := facts.Read(object, &cluster) == nil
	if readable && h.spaceSelectors.narrow(name, cluster.Spec.NamespaceSelector) {
		h.tellBehind(name)
	}
	queueSeen(h, h.clusterQueue)(object)
	if readable && h.spaceSelectors.widen(name) {
		h.tellBehind(name)
	}
}

func (h *Host) clusterQueueGone(object *unstructured.Unstructured) {
	queueGone(h, sluice.KindClusterQueue)(object)
	h.spaceSelectors.forget(object.GetName())
	h.queued.changed()
}

// tellBehind tells again of the LocalQueues of a ClusterQueue that may select other namespaces now,
// and of their pods.
func (h *Host) tellBehind(clusterQueue string) {
	h.tellLocalQueues(func(q *kueue.LocalQueue) bool {
		return string(q.Spec.ClusterQueue) == clusterQueue
	})
	for _, local := range h.local.behind(clusterQueue) {
		h.observeAgain(local.Namespace, func(pod *v1.Pod) bool {
			return facts.LocalQueue(pod) == local.Name
		})
	}
}

// clusterQueue of which something is out of scope, or that goes, grants nothing; its status says
// why.
func (h *Host) clusterQueue(queue *kueue.ClusterQueue, into *sluice.Queue) error {
	err := facts.ClusterQueue(queue, into)
	stays := queue.DeletionTimestamp == nil && wl.UnsupportedQueue(queue) == ""
	if h.args.Workloads && !stays && into.StopPolicy != string(kueue.HoldAndDrain) {
		into.StopPolicy = string(kueue.Hold)
	}
	return err
}

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

func (h *Host) localQueueSeen(object *unstructured.Unstructured) {
	name, _, _ := unstructured.NestedString(object.Object, "spec", "clusterQueue")
	h.localQueueIs(object, name)
	h.tellLocalQueue(object)
}

func (h *Host) localQueueGone(object *unstructured.Unstructured) {
	h.localQueueIs(object, "")
	h.forgetLocalQueue(object)
}

func (h *Host) localQueueIs(object *unstructured.Unstructured, clusterQueue string) {
	if h.local.set(object.GetNamespace(), object.GetName(), clusterQueue) {
		h.observeAgain(object.GetNamespace(), func(pod *v1.Pod) bool {
			return facts.LocalQueue(pod) == object.GetName()
		})
	}
}
