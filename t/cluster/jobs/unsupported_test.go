// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
)

// unsupported: every feature of Kueue's that is out of scope says so where it is asked for, and
// nothing of it is admitted.
func unsupported(c *cluster) {
	c.create(team("out", 9, ""))
	const container = "      containers:\n"
	template := func(more string) func(string) string {
		return func(job string) string {
			return strings.Replace(job, "  template:\n", "  template:\n    "+more+"\n", 1)
		}
	}
	annotated := func(more string) func(string) string {
		return template("metadata: {annotations: {" + more + "}}")
	}
	const topology = "topology-aware scheduling is not supported"
	jobs := map[string]struct {
		change  func(string) string
		message string
	}{
		"required":  {annotated("kueue.x-k8s.io/podset-required-topology: rack"), topology},
		"preferred": {annotated("kueue.x-k8s.io/podset-preferred-topology: rack"), topology},
		"anywhere":  {annotated(`kueue.x-k8s.io/podset-unconstrained-topology: "true"`), topology},
		"sliced": {annotated("kueue.x-k8s.io/podset-slice-required-topology: rack, " +
			`kueue.x-k8s.io/podset-slice-size: "1"`), topology},
		"elastic": {func(job string) string {
			return strings.Replace(job, "metadata:\n",
				"metadata:\n  annotations: {kueue.x-k8s.io/elastic-job: \"true\"}\n", 1)
		}, "workload slices (elastic jobs) are not supported"},
		"devices": {func(job string) string {
			return strings.Replace(job, container, "      resourceClaims: "+
				"[{name: gpu, resourceClaimName: gpu}]\n"+container, 1)
		}, "a ResourceClaim that is there before the pods (resourceClaims without"},
	}
	for name, one := range jobs {
		c.create(one.change(sample(name, "out", "", 1, "1")))
	}
	for name, one := range jobs {
		c.until(name+" says that it is not supported", func() error {
			if err := c.isWaiting(name, "Inadmissible"); err != nil {
				return err
			}
			said := fmt.Sprint(condition(c.workload(name), "QuotaReserved")["message"])
			if !strings.Contains(said, one.message) {
				return fmt.Errorf("it says %q, want %q", said, one.message)
			}
			return nil
		})
	}
	c.queuesOut()
	c.writesOut()
	for name := range jobs {
		if err := c.isWaiting(name, "Inadmissible"); err != nil {
			c.Errorf("%s: %v", name, err)
		}
		c.delete("Job", name)
	}
}

// queuesOut: a ClusterQueue of which something is out of scope is inactive.
func (c *cluster) queuesOut() {
	c.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: racks}
spec: {topologyName: rack, nodeLabels: {kind: spot}}
`)
	c.create(team("out-fair",
		3, "  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"))
	c.create(team("out-variants", 3,
		"  concurrentAdmissionPolicy: {migration: {mode: RetainFirstAdmission}}\n"))
	c.create(strings.Replace(team("out-racks", 3, ""), "name: spot", "name: racks", 1))
	for queue, message := range map[string]string{
		"out-fair":     "admission fair sharing (spec.admissionScope) is not supported",
		"out-variants": "concurrent admission (spec.concurrentAdmissionPolicy) is not supported",
		"out-racks":    "resource flavor racks: topology-aware scheduling (spec.topologyName) is not",
	} {
		c.isActive("ClusterQueue", queue, "False/Unsupported")
		q, err := c.in("ClusterQueue").Get(c.Context(), queue, metav1.GetOptions{})
		if err != nil {
			c.Fatal(err)
		}
		if said := fmt.Sprint(condition(q, "Active")["message"]); !strings.Contains(said, message) {
			c.Errorf("ClusterQueue %s says %q, want %q", queue, said, message)
		}
	}
}

// heard collects what the API server warns of.
type heard struct {
	mutex sync.Mutex
	all   []string
}

// HandleWarningHeader is called for each warning.
func (h *heard) HandleWarningHeader(_ int, _, text string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.all = append(h.all, text)
}

// writesOut: what has no status to say it is said to whoever writes it.
func (c *cluster) writesOut() {
	queue := team("out-weights", 1, "")
	queue, _, _ = strings.Cut(queue, "\n---\n")
	weights := strings.Replace(queue, "spec:\n", "spec:\n  fairSharing: {weight: \"2\"}\n", 1)
	const pod = `apiVersion: v1
kind: Pod
metadata:
  name: grouped
  labels: {kueue.x-k8s.io/pod-group-name: g, kueue.x-k8s.io/queue-name: out}
spec: {containers: [{name: c, image: none}]}
`
	for _, one := range []struct{ what, manifest, refused, warned string }{
		{"v1beta1", strings.Replace(queue, "v1beta2", "v1beta1", 1), "use kueue.x-k8s.io/v1beta2", ""},
		{"weights", weights, "", "spec.fairSharing has no effect"},
		{"a group of pods", pod, "", "pod-group-name has no effect"},
		{"what is supported", queue, "", ""},
	} {
		c.until(one.what+" is said", func() error {
			warnings, err := c.tries(one.manifest)
			if one.refused == "" && err != nil ||
				one.refused != "" && (err == nil || !strings.Contains(err.Error(), one.refused)) {
				return fmt.Errorf("the API server says %v, want %q", err, one.refused)
			}
			if one.refused == "" && one.warned == "" && len(warnings) > 0 || one.warned != "" &&
				!slices.ContainsFunc(warnings, func(text string) bool {
					return strings.Contains(text, one.warned)
				}) {
				return fmt.Errorf("it warns %q, want %q", warnings, one.warned)
			}
			return nil
		})
	}
}

// tries would create an object, and returns what the API server warned of.
func (c *cluster) tries(manifest string) ([]string, error) {
	c.Helper()
	object, said := &unstructured.Unstructured{}, &heard{}
	if err := yaml.Unmarshal([]byte(manifest), &object.Object); err != nil {
		c.Fatal(err)
	}
	config := rest.CopyConfig(c.REST(plane.Admin))
	config.WarningHandler = said
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		c.Fatal(err)
	}
	resource := resources[object.GetKind()]
	resource.Version = object.GroupVersionKind().Version
	in := dynamic.ResourceInterface(client.Resource(resource))
	if namespaced[object.GetKind()] {
		in = client.Resource(resource).Namespace(c.space)
	}
	_, err = in.Create(c.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return said.all, err
}
