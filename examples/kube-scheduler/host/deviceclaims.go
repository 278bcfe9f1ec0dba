// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/features"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// deviceClaims know which devices pods ask for: by ResourceClaims (dynamic resource allocation).
// They are followed by the informer that the scheduler itself has for them. A pod without claims
// costs nothing.
//
// A pod whose claim is not there is held until it is: nobody may count for nothing because its
// claim comes later. The scheduler itself would not take it either. Claims that are made from a
// template are there as soon as the pod is: a controller makes them, whatever gates the pod has.
type deviceClaims struct {
	names  facts.DeviceNames
	claims cache.SharedIndexInformer // nil: this scheduler knows nothing of devices
	pods   cache.Indexer
	shared sharedClaims
	news   func([]*v1.Pod)
}

// byClaim is the index of pods by the claims that they need.
const byClaim = "claim"

// claimKeys indexes a pod by the claims that it needs.
func claimKeys(object any) (keys []string, err error) {
	pod, is := object.(*v1.Pod)
	if !is || len(pod.Spec.ResourceClaims) == 0 {
		return nil, nil
	}
	facts.ClaimNames(pod, func(claim facts.ClaimName) {
		if claim.Name != "" {
			keys = append(keys, pod.Namespace+"/"+claim.Name)
		}
	})
	return keys, nil
}

// follow registers the handlers. Where the scheduler does not follow claims, nobody does: it would
// wait for what may not be served.
func (d *deviceClaims) follow(factory informers.SharedInformerFactory) ([]cache.InformerSynced,
	error) {
	if !utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation) {
		return nil, nil
	}
	d.claims = factory.Resource().V1().ResourceClaims().Informer()
	pods := factory.Core().V1().Pods().Informer()
	if err := pods.AddIndexers(cache.Indexers{byClaim: claimKeys}); err != nil {
		return nil, err
	}
	d.pods = pods.GetIndexer()
	registration, err := d.claims.AddEventHandler(handle(d.seen, d.gone))
	if err != nil {
		return nil, err
	}
	return []cache.InformerSynced{registration.HasSynced}, nil
}

// seen tells again of the pods of a claim that comes, or has other devices than it was to have.
func (d *deviceClaims) seen(old, now *resourcev1.ResourceClaim) {
	if old == nil || old.UID != now.UID || !slices.Equal(devicesOf(old), devicesOf(now)) {
		d.news(d.podsOf(now))
	}
}

func (d *deviceClaims) gone(claim *resourcev1.ResourceClaim) { d.news(d.podsOf(claim)) }

func devicesOf(claim *resourcev1.ResourceClaim) facts.Devices {
	return facts.ClaimDevices(&claim.Spec, claim.Status.Allocation)
}

func (d *deviceClaims) podsOf(claim *resourcev1.ResourceClaim) (pods []*v1.Pod) {
	objects, _ := d.pods.ByIndex(byClaim, claim.Namespace+"/"+claim.Name)
	for _, object := range objects {
		pods = append(pods, object.(*v1.Pod))
	}
	return pods
}

// find is a claim as it was last seen; nil: there is none.
func (d *deviceClaims) find(name types.NamespacedName) *resourcev1.ResourceClaim {
	object, there, err := d.claims.GetStore().GetByKey(name.String())
	if err != nil || !there {
		return nil
	}
	return object.(*resourcev1.ResourceClaim)
}

// describe adds to what is told of a pod the devices that it asks for, or what of it is missing.
func (d *deviceClaims) describe(pod *v1.Pod, into *sluice.Pod) {
	if len(pod.Spec.ResourceClaims) == 0 || d.claims == nil {
		return
	}
	names := d.names
	if into.QueueKind != sluice.KindClusterQueue {
		names = nil // Volcano's queues have names of their own for devices
	}
	var counted []types.NamespacedName
	facts.ClaimNames(pod, func(said facts.ClaimName) {
		name := types.NamespacedName{Namespace: pod.Namespace, Name: said.Name}
		claim := d.find(name)
		switch {
		case claim == nil:
			if into.ClaimMissing == "" && into.Node == "" {
				into.ClaimMissing = said.Missing
			}
		case !slices.Contains(counted, name) && d.shared.asks(pod.UID, name):
			counted = append(counted, name)
			into.Requests = facts.CountDevices(into.Requests, devicesOf(claim), names)
		}
	})
}
