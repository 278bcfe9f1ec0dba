// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// market is an autoscaler with its provider, of whose pools nodes are bought.
type market interface {
	title() string // of its table
	// begin starts it beside the cluster. These are the pools that will ever be asked for.
	begin(c *cluster, pools []string)
	process() *plane.Process
	// pool makes one whose nodes are for pods with this label only, and which may buy so many cpus.
	pool(c *cluster, name string, cpus int)
	// mayBuy edits how many cpus a pool may have.
	mayBuy(c *cluster, pool string, cpus int)
	// mayEmpty says whether nodes of this pool go soon that nobody uses.
	mayEmpty(c *cluster, pool string, may bool)
}

// opener opens a market, or says that it is upstream.ErrUnobtainable.
type opener func(context.Context) (market, error)

var openers = map[string]opener{
	"karpenter": openKarpenter, "cluster-autoscaler": openClusterAutoscaler}

// everywhere tells the same with each autoscaler, one after the other.
func everywhere(t *testing.T, tell func(t *testing.T, open opener)) {
	for _, name := range slices.Sorted(maps.Keys(openers)) {
		t.Run(name, func(t *testing.T) { tell(t, openers[name]) })
	}
}

const (
	autoscalerUser = "autoscaler"
	nodeCPUs       = 2 // of each node that is bought
)

// purchases are all that were there at any time, by their pools.
type purchases struct {
	mutex sync.Mutex
	of    map[types.UID]string
}

func (p *purchases) see(bought metav1.Object, pool string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.of[bought.GetUID()] = pool
}

func (p *purchases) count(pool string) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	count := 0
	for _, its := range p.of {
		if its == pool {
			count++
		}
	}
	return count
}

// playKubelets lets each bound pod run.
func (c *cluster) playKubelets() {
	c.Helper()
	kubelets := plane.Kubelets{Client: c.Client, Phase: func(pod *corev1.Pod) corev1.PodPhase {
		if pod.Namespace == shipped.Namespace {
			return "" // a replica, which runs beside the cluster
		}
		return corev1.PodRunning
	}}
	if err := kubelets.Start(c.Context()); err != nil {
		c.Fatal(err)
	}
}

const (
	canaries        = "canaries" // the namespace of the pods that show that an autoscaler is alive
	canariesOfStory = 2          // the most that one has
)

func canaryOf(story string, number int) string { return fmt.Sprint(story, "-canary-", number) }

// canary makes a pod that the autoscaler must buy a node for, and waits until it has.
func (s *tale) canary() {
	s.Helper()
	s.canaries++
	name := canaryOf(s.name, s.canaries)
	s.market.pool(s.cluster, name, nodeCPUs+1)
	pod := s.pod(canaries, name, 0)
	pod.Name = name
	pod.Spec.SchedulerName, pod.Spec.NodeSelector[story] = "nobody", name
	if _, err := s.Client.CoreV1().Pods(canaries).Create(s.Context(), pod,
		metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
	_, err := s.Client.CoreV1().Pods(canaries).Patch(s.Context(), name,
		types.StrategicMergePatchType, []byte(`{"status": {"conditions": [{"type": "PodScheduled",
			"status": "False", "reason": "Unschedulable"}]}}`), metav1.PatchOptions{}, "status")
	if err != nil {
		s.Fatal(err)
	}
	s.until(s.market.title()+" buys a node for a pod of which it is said that it is Unschedulable",
		func() error {
			if count := s.purchases.count(name); count != 1 {
				return fmt.Errorf("it has bought %d", count)
			}
			return nil
		})
	if err := s.Client.CoreV1().Pods(canaries).Delete(s.Context(), name,
		metav1.DeleteOptions{}); err != nil {
		s.Fatal(err)
	}
}
