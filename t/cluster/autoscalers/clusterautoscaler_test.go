// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/plane"
	"sluice/cluster/upstream"
)

const (
	// programVariable names a Cluster Autoscaler that has its kwok provider.
	programVariable = "SLUICE_CLUSTER_AUTOSCALER"

	providerSpace     = metav1.NamespaceSystem
	providerConfig    = "kwok-provider-config"
	providerTemplates = "kwok-provider-templates"
	groupLabel        = "group"                                  // of a template
	groupAnnotation   = "cluster-autoscaler.kwok.nodegroup/name" // of a node that was bought
	mostAnnotation    = "cluster-autoscaler.kwok.nodegroup/max-count"
)

const providerSays = `apiVersion: v1alpha1
readNodesFrom: configmap
nodegroups: {fromNodeLabelKey: ` + groupLabel + `}
nodes: {skipTaint: true}
configmap: {name: ` + providerTemplates + `}
`

// soon removes nodes that nobody uses: ten minutes is the default.
var soon = []string{"--scale-down-unneeded-time=5s", "--scale-down-delay-after-add=5s"}

// clusterAutoscaler is the Cluster Autoscaler itself. Its provider reads its node groups once, when
// it starts: it is started anew where one is edited.
type clusterAutoscaler struct {
	program string
	flags   []string // beside those that every one has

	mutex  sync.Mutex
	groups map[string]int // the most nodes that each may have
	empty  bool           // nodes go soon
	runs   *plane.Process
}

func openClusterAutoscaler(context.Context) (market, error) { return newClusterAutoscaler() }

// newClusterAutoscaler is one with these flags.
func newClusterAutoscaler(flags ...string) (*clusterAutoscaler, error) {
	program := os.Getenv(programVariable)
	if program == "" {
		return nil, fmt.Errorf("%w: the Cluster Autoscaler is no Go module, so nothing here builds it; "+
			"name one that has its kwok provider in %s", upstream.ErrUnobtainable, programVariable)
	}
	if is, err := os.Stat(program); err != nil || is.IsDir() || is.Mode()&0o111 == 0 {
		return nil, fmt.Errorf("%s=%s is no program: %v", programVariable, program, err)
	}
	return &clusterAutoscaler{program: program, flags: flags, groups: map[string]int{}}, nil
}

func (a *clusterAutoscaler) title() string { return "Cluster Autoscaler" }

func (a *clusterAutoscaler) process() *plane.Process {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.runs
}

func (a *clusterAutoscaler) begin(c *cluster, pools []string) {
	c.Helper()
	for _, pool := range pools {
		a.groups[pool] = plenty / nodeCPUs
	}
	a.watchPurchases(c)
	a.change(c, func() {})
}

// watchPurchases counts the Nodes that the provider makes: it has nothing else to show.
func (a *clusterAutoscaler) watchPurchases(c *cluster) {
	c.Helper()
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	_, err := factory.Core().V1().Nodes().Informer().AddEventHandler(
		cache.ResourceEventHandlerFuncs{
			AddFunc: func(object any) {
				node := object.(*corev1.Node)
				if group := node.Annotations[groupAnnotation]; group != "" {
					c.purchases.see(node, group)
				}
			},
		})
	if err != nil {
		c.Fatal(err)
	}
	factory.Start(c.Context().Done())
}

// pool is there from the beginning.
func (a *clusterAutoscaler) pool(c *cluster, name string, _ int) {
	c.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if _, is := a.groups[name]; !is {
		c.Fatalf("nobody said at the beginning that there would be a pool %s", name)
	}
}

func (a *clusterAutoscaler) mayBuy(c *cluster, pool string, cpus int) {
	c.Helper()
	a.change(c, func() { a.groups[pool] = cpus / nodeCPUs })
}

// mayEmpty is about the nodes of all pools.
func (a *clusterAutoscaler) mayEmpty(c *cluster, _ string, may bool) {
	c.Helper()
	a.change(c, func() { a.empty = may })
}

// change starts it anew, other than it was. Its provider deletes all nodes when it is asked to end,
// so it is killed.
func (a *clusterAutoscaler) change(c *cluster, how func()) {
	c.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	how()
	if a.runs != nil {
		if err := a.runs.Kill(); err != nil {
			c.Fatal(err)
		}
	}
	a.configure(c)
	kubeconfig, err := c.Kubeconfig(autoscalerUser)
	if err != nil {
		c.Fatal(err)
	}
	port, err := plane.FreePort()
	if err != nil {
		c.Fatal(err)
	}
	flags := append([]string{"--cloud-provider=kwok", "--kubeconfig=" + kubeconfig,
		"--namespace=" + providerSpace, "--leader-elect=false",
		fmt.Sprint("--address=127.0.0.1:", port)}, a.flags...)
	if a.empty {
		flags = append(flags, soon...)
	}
	a.runs, err = c.Plane.Run("cluster-autoscaler", a.program, flags, []string{
		"KUBECONFIG=" + kubeconfig, "KWOK_PROVIDER_MODE=local", "POD_NAMESPACE=" + providerSpace})
	if err != nil {
		c.Fatal(err)
	}
}

// configure writes what its provider reads.
func (a *clusterAutoscaler) configure(c *cluster) {
	c.Helper()
	templates := corev1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
	for name, most := range a.groups {
		templates.Items = append(templates.Items, template(name, most))
	}
	text, err := json.Marshal(templates)
	if err != nil {
		c.Fatal(err)
	}
	for name, data := range map[string]map[string]string{
		providerConfig: {"config": providerSays}, providerTemplates: {"templates": string(text)}} {
		maps := c.Client.CoreV1().ConfigMaps(providerSpace)
		what := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
		_, err := maps.Update(c.Context(), what, metav1.UpdateOptions{})
		if apierrors.IsNotFound(err) {
			_, err = maps.Create(c.Context(), what, metav1.CreateOptions{})
		}
		if err != nil {
			c.Fatal(err)
		}
	}
}

// template is what the nodes of a group are like, from the moment on when they are made. The
// autoscaler takes 100m of each for a kube-proxy.
func template(group string, most int) corev1.Node {
	amounts := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2100m"),
		corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110")}
	return corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: group,
			Labels:      map[string]string{groupLabel: group, story: group},
			Annotations: map[string]string{mostAnnotation: fmt.Sprint(most)}},
		Status: corev1.NodeStatus{Capacity: amounts, Allocatable: amounts,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue,
				Reason: "KubeletReady", LastTransitionTime: metav1.Now()}}},
	}
}
