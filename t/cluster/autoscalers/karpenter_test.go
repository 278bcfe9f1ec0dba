// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/plane"
	"sluice/cluster/upstream"
)

var (
	nodePools = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1",
		Resource: "nodepools"}
	nodeClaims  = nodePools.GroupVersion().WithResource("nodeclaims")
	nodeClasses = schema.GroupVersionResource{Group: "karpenter.kwok.sh", Version: "v1alpha1",
		Resource: "kwoknodeclasses"}
)

const (
	poolLabel = "karpenter.sh/nodepool" // of a NodeClaim and of its Node
	nodeClass = "default"
	onDemand  = "on-demand"
)

// karpenterModule pins Karpenter.
var karpenterModule = upstream.Pinned{Folder: "karpenter", Module: "sigs.k8s.io/karpenter",
	Main: "sigs.k8s.io/karpenter/kwok", Programs: []string{"karpenter"}}

// The provider keeps 100m of each node for itself.
const instanceTypes = `[{
	"name": "two-cpus", "architecture": "amd64", "operatingSystems": ["linux"],
	"resources": {"cpu": "2100m", "memory": "8Gi"},
	"offerings": [{"Price": 1, "Available": true, "Requirements": [
		{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
		{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-a"]}]}]}]`

// karpenter is Karpenter itself.
type karpenter struct {
	program, module string // the module's folder
	runs            *plane.Process
}

func (k *karpenter) title() string { return "Karpenter" }

func (k *karpenter) process() *plane.Process { return k.runs }

// openKarpenter builds its program, which takes minutes the first time.
func openKarpenter(ctx context.Context) (market, error) {
	dir, err := karpenterModule.Build(ctx)
	if err != nil {
		return nil, err
	}
	module, err := karpenterModule.Sources(ctx)
	return &karpenter{program: filepath.Join(dir, "karpenter"), module: module}, err
}

// begin makes no pool yet.
func (k *karpenter) begin(c *cluster, _ []string) {
	c.Helper()
	for _, crds := range []string{"kwok/charts/crds", "kwok/apis/crds"} {
		if err := c.ApplyCRDDir(c.Context(), filepath.Join(k.module, crds)); err != nil {
			c.Fatal(err)
		}
	}
	c.create(nodeClasses, "", object{"kind": "KWOKNodeClass", "metadata": object{"name": nodeClass}})
	offers := filepath.Join(c.Dir, "instance-types.json")
	if err := os.WriteFile(offers, []byte(instanceTypes), 0o600); err != nil {
		c.Fatal(err)
	}
	kubeconfig, err := c.Kubeconfig(autoscalerUser)
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
	k.watchPurchases(c)
	k.register(c)
	if k.runs, err = c.Plane.Run("karpenter", k.program, nil, env); err != nil {
		c.Fatal(err)
	}
}

// watchPurchases counts NodeClaims, which are there before their nodes are.
func (k *karpenter) watchPurchases(c *cluster) {
	c.Helper()
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c.custom, 0)
	_, err := factory.ForResource(nodeClaims).Informer().AddEventHandler(
		cache.ResourceEventHandlerFuncs{
			AddFunc: func(object any) {
				claim := object.(*unstructured.Unstructured)
				c.purchases.see(claim, claim.GetLabels()[poolLabel])
			},
		})
	if err != nil {
		c.Fatal(err)
	}
	factory.Start(c.Context().Done())
}

const ready = `{"status": {"conditions": [{"type": "Ready", "status": "True",
	"reason": "KubeletReady", "message": "", "lastHeartbeatTime": %[1]q,
	"lastTransitionTime": %[1]q}]}}`

// register lets each node that Karpenter makes be Ready.
func (k *karpenter) register(c *cluster) {
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
}

// pool makes a NodePool.
func (k *karpenter) pool(c *cluster, name string, cpus int) {
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

func (k *karpenter) mayBuy(c *cluster, pool string, cpus int) {
	c.Helper()
	c.patch(nodePools, pool, object{"spec": object{"limits": object{"cpu": fmt.Sprint(cpus)}}})
}

func (k *karpenter) mayEmpty(c *cluster, pool string, may bool) {
	c.Helper()
	after := "Never"
	if may {
		after = "0s"
	}
	c.patch(nodePools, pool, object{"spec": object{"disruption": object{
		"consolidationPolicy": "WhenEmpty", "consolidateAfter": after}}})
}
