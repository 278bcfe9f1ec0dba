// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

var (
	nodePools = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1",
		Resource: "nodepools"}
	nodeClaims  = nodePools.GroupVersion().WithResource("nodeclaims")
	nodeClasses = schema.GroupVersionResource{Group: "karpenter.kwok.sh", Version: "v1alpha1",
		Resource: "kwoknodeclasses"}
)

const (
	karpenterModule = "sigs.k8s.io/karpenter"
	karpenterUser   = "karpenter"
	poolLabel       = "karpenter.sh/nodepool" // of a NodeClaim and of its Node
	nodeClass       = "default"
	onDemand        = "on-demand"
	nodeCPUs        = 2 // of each node that is bought
)

// The provider keeps 100m of each node for itself.
const instanceTypes = `[{
	"name": "two-cpus", "architecture": "amd64", "operatingSystems": ["linux"],
	"resources": {"cpu": "2100m", "memory": "8Gi"},
	"offerings": [{"Price": 1, "Available": true, "Requirements": [
		{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
		{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-a"]}]}]}]`

var errUnobtainable = errors.New("no Karpenter can be run here")

// karpenter is its program, which is built, minutes the first time, and the folder of its module.
func karpenter(ctx context.Context) (program, module string, err error) {
	root, err := shipped.Root()
	if err != nil {
		return "", "", err
	}
	its := filepath.Join(root, "t/cluster/karpenter")
	compiler, err := exec.LookPath("go")
	if err != nil {
		compiler = "/usr/local/go/bin/go"
	}
	list := exec.CommandContext(ctx, compiler, "list", "-deps", karpenterModule+"/kwok")
	list.Dir = its
	if out, err := list.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", "", fmt.Errorf("%w: its modules are not here and cannot be had: %s",
			errUnobtainable, lines[len(lines)-1])
	}
	if module, err = shipped.Module(ctx, its, karpenterModule); err != nil {
		return "", "", err
	}
	dir, err := plane.Binaries(ctx, "karpenter")
	return filepath.Join(dir, "karpenter"), module, err
}

// runKarpenter starts it beside the cluster, with the kubelets that its nodes need.
func (c *cluster) runKarpenter(program, module string) {
	c.Helper()
	for _, crds := range []string{"kwok/charts/crds", "kwok/apis/crds"} {
		if err := c.ApplyCRDDir(c.Context(), filepath.Join(module, crds)); err != nil {
			c.Fatal(err)
		}
	}
	c.create(nodeClasses, "", object{"kind": "KWOKNodeClass", "metadata": object{"name": nodeClass}})
	offers := filepath.Join(c.Dir, "instance-types.json")
	if err := os.WriteFile(offers, []byte(instanceTypes), 0o600); err != nil {
		c.Fatal(err)
	}
	kubeconfig, err := c.Kubeconfig(karpenterUser)
	if err != nil {
		c.Fatal(err)
	}
	env := []string{"KUBECONFIG=" + kubeconfig, "INSTANCE_TYPES_FILE_PATH=" + offers,
		"DISABLE_LEADER_ELECTION=true"}
	for _, name := range []string{"METRICS_PORT", "HEALTH_PROBE_PORT"} {
		port, err := plane.FreePort()
		if err != nil {
			c.Fatal(err)
		}
		env = append(env, fmt.Sprint(name, "=", port))
	}
	c.purchases = &purchases{of: map[types.UID]string{}}
	c.watchPurchases()
	c.playKubelets()
	process, err := c.Plane.Run("karpenter", program, nil, env)
	if err != nil {
		c.Fatal(err)
	}
	c.runs = append(c.runs, process)
}

// purchases are all NodeClaims that were there at any time, by their pools.
type purchases struct {
	mutex sync.Mutex
	of    map[types.UID]string
}

func (p *purchases) see(claim *unstructured.Unstructured) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.of[claim.GetUID()] = claim.GetLabels()[poolLabel]
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

func (c *cluster) watchPurchases() {
	c.Helper()
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c.custom, 0)
	_, err := factory.ForResource(nodeClaims).Informer().AddEventHandler(
		cache.ResourceEventHandlerFuncs{
			AddFunc: func(claim any) { c.purchases.see(claim.(*unstructured.Unstructured)) },
		})
	if err != nil {
		c.Fatal(err)
	}
	factory.Start(c.Context().Done())
}

const ready = `{"status": {"conditions": [{"type": "Ready", "status": "True",
	"reason": "KubeletReady", "message": "", "lastHeartbeatTime": %[1]q,
	"lastTransitionTime": %[1]q}]}}`

// playKubelets lets each node that Karpenter makes be Ready, and each bound pod run.
func (c *cluster) playKubelets() {
	c.Helper()
	ctx := c.Context()
	register := func(object any) {
		node := object.(*corev1.Node)
		if node.Labels[poolLabel] == "" {
			return
		}
		now := node.CreationTimestamp.UTC().Format("2006-01-02T15:04:05Z")
		_, err := c.Client.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType,
			fmt.Appendf(nil, ready, now), metav1.PatchOptions{}, "status")
		if err != nil && ctx.Err() == nil {
			c.Logf("the kubelet of %s: %v", node.Name, err)
		}
	}
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	_, err := factory.Core().V1().Nodes().Informer().AddEventHandler(
		cache.ResourceEventHandlerFuncs{AddFunc: register})
	if err != nil {
		c.Fatal(err)
	}
	factory.Start(ctx.Done())
	kubelets := plane.Kubelets{Client: c.Client, Phase: func(pod *corev1.Pod) corev1.PodPhase {
		if pod.Namespace == shipped.Namespace {
			return "" // a replica, which runs beside the cluster
		}
		return corev1.PodRunning
	}}
	if err := kubelets.Start(ctx); err != nil {
		c.Fatal(err)
	}
}

// pool makes a NodePool whose nodes are for pods with this label only, and which may buy so many
// cpus.
func (c *cluster) pool(name string, cpus int) {
	c.Helper()
	c.create(nodePools, "", object{"kind": "NodePool", "metadata": object{"name": name},
		"spec": object{
			"limits":     object{"cpu": fmt.Sprint(cpus)},
			"disruption": object{"consolidateAfter": "Never"},
			"template": object{
				"metadata": object{"labels": object{story: name}},
				"spec": object{
					"nodeClassRef": object{"group": nodeClasses.Group, "kind": "KWOKNodeClass",
						"name": nodeClass},
					"requirements": []any{object{"key": "karpenter.sh/capacity-type",
						"operator": "In", "values": []any{onDemand}}},
				}}}})
	c.until("the NodePool "+name+" is Ready", func() error {
		is, err := c.custom.Resource(nodePools).Get(c.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(is.Object, "status", "conditions")
		for _, each := range conditions {
			if one := each.(map[string]any); one["type"] == "Ready" && one["status"] == "True" {
				return nil
			}
		}
		return fmt.Errorf("its conditions are %v", conditions)
	})
}

// mayBuy edits how many cpus a pool may have.
func (c *cluster) mayBuy(pool string, cpus int) {
	c.Helper()
	c.patch(nodePools, pool, object{"spec": object{"limits": object{"cpu": fmt.Sprint(cpus)}}})
}

func (c *cluster) patch(resource schema.GroupVersionResource, name string, what object) {
	c.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		c.Fatal(err)
	}
	_, err = c.custom.Resource(resource).Patch(c.Context(), name, types.MergePatchType, body,
		metav1.PatchOptions{})
	if err != nil {
		c.Fatal(err)
	}
}

const canaries = "canaries" // the namespace of the pods that show that Karpenter is alive

// canary makes a pod that Karpenter must buy a node for, and waits until it has.
func (s *tale) canary() {
	s.Helper()
	s.canaries++
	name := fmt.Sprintf("%s-canary-%d", s.name, s.canaries)
	s.pool(name, nodeCPUs+1)
	pod := s.pod(canaries, name, "")
	pod.Annotations = nil
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
	s.until("Karpenter buys a node for a pod of which it is said that it is Unschedulable",
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
