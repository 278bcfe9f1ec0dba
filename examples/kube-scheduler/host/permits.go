// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"

	"sluice/kube-scheduler/sluice"
)

// PluginName is who the framework knows to have asked a pod to wait.
const PluginName = "Sluice"

// permits are the pods that wait in Permit for their group, of all profiles.
type permits struct {
	framework waitingPods
	pods      corelisters.PodLister
	asked     sync.Map // uid of a pod that was told to wait -> since when
}

// waitingPods are what the framework knows of them.
type waitingPods interface {
	GetWaitingPod(uid types.UID) fwk.WaitingPod
}

// ask notes that a pod is being told to wait.
func (p *permits) ask(uid types.UID) { p.asked.Store(uid, time.Now()) }

// forget notes that a pod does not wait.
func (p *permits) forget(uid types.UID) { p.asked.Delete(uid) }

// permitLag is how long after Permit said so a pod may be on its way to those who wait.
const permitLag = 5 * time.Second

// answer ends the wait of a pod in Permit.
func (p *permits) answer(effect *sluice.Effect) string {
	waiting := p.framework.GetWaitingPod(types.UID(effect.UID))
	if waiting == nil {
		// The answer to a sibling may be quicker than the framework.
		since, told := p.asked.Load(types.UID(effect.UID))
		if told && time.Since(since.(time.Time)) < permitLag {
			return sluice.Retry
		}
		return sluice.Done
	}
	p.forget(types.UID(effect.UID))
	if effect.Allow {
		waiting.Allow(PluginName)
		return sluice.Done
	}
	for waited := time.Duration(0); waited < nominationWait && !p.isNominated(effect); {
		time.Sleep(cacheLook)
		waited += cacheLook
	}
	waiting.Reject(PluginName, effect.Message)
	return sluice.Done
}

// nominationWait is how long the news that a pod is nominated may take.
const nominationWait = 2 * time.Second

// isNominated tells whether the pod's nomination has been seen. Before the scheduler lets a pod
// wait it writes status.nominatedNodeName, and when the wait ends in vain it takes back only what
// its informer shows: a rejection that is quicker than the informer would leave a nomination
// behind, and no autoscaler looks at a pod with one.
func (p *permits) isNominated(effect *sluice.Effect) bool {
	if !utilfeature.DefaultFeatureGate.Enabled(features.NominatedNodeNameForExpectation) {
		return true
	}
	pod := podOf(p.pods, effect)
	return pod == nil || pod.Status.NominatedNodeName != ""
}
