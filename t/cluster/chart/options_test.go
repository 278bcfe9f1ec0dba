// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
	"time"

	"sluice/cluster/shipped"
)

// What the Prometheus Operator would bring, as far as an API server looks at it.
const monitors = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]ss.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {kind: %[2]s, plural: %[1]ss, singular: %[1]s}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const lookTurn = 100 * time.Millisecond

const podGate = "scheduling.volcano.sh/queue-allocation-gate"

// option is some values, and what an API server has of the chart with them.
type option struct {
	values string
	there  []string // objects
	gone   []string
	args   string // of the plugin, a part of its configuration
	wants  string // replicas and ports of the Deployment
}

// Each is an upgrade of the one before, so that what is switched off goes, too.
var options = []option{
	{values: "", args: "removal: onBind", wants: "2 https",
		there: []string{"poddisruptionbudget/sluice-scheduler"},
		gone: []string{"networkpolicy/sluice-scheduler", "servicemonitor/sluice-scheduler",
			"validatingwebhookconfiguration/sluice"}},
	{values: "removal=onAdmission,replicas=3", args: "removal: onAdmission", wants: "3 https"},
	{values: "manage=all,preempt=true,networkPolicy.enabled=true," +
		"podDisruptionBudget.enabled=false", args: "manage: all\npreempt: true", wants: "2 https",
		there: []string{"networkpolicy/sluice-scheduler"},
		gone:  []string{"poddisruptionbudget/sluice-scheduler"}},
	{values: "webhook.enabled=true,monitoring.enabled=true", wants: "2 https webhook",
		there: []string{"validatingwebhookconfiguration/sluice", "service/sluice-webhook",
			"servicemonitor/sluice-scheduler", "prometheusrule/sluice"},
		gone: []string{"networkpolicy/sluice-scheduler", "mutatingwebhookconfiguration/sluice"}},
	{values: "webhook.enabled=true,webhook.gate=true", wants: "2 https webhook",
		there: []string{"mutatingwebhookconfiguration/sluice"},
		gone: []string{"mutatingadmissionpolicy/sluice-gate", "servicemonitor/sluice-scheduler",
			"prometheusrule/sluice"}},
	{values: "workloads=true", args: "workloads: true", wants: "2 https",
		there: []string{"mutatingadmissionpolicy/sluice-gate",
			"mutatingadmissionpolicy/sluice-suspend"},
		gone: []string{"validatingwebhookconfiguration/sluice", "mutatingwebhookconfiguration/sluice",
			"service/sluice-webhook"}},
	{values: "schedulerName=volcano,volcanoQueues=true", wants: "2 https",
		there: []string{"queue/root", "queue/default"},
		gone:  []string{"mutatingadmissionpolicy/sluice-suspend"}},
}

// prepare makes the definitions that some of the options are about.
func (c *cluster) prepare() {
	c.Helper()
	err := shipped.ApplyKueueCRDs(c.Context(), c.Plane)
	if err == nil {
		err = c.ApplyCRDs(c.Context(),
			fmt.Appendf(nil, monitors, "servicemonitor", "ServiceMonitor"),
			fmt.Appendf(nil, monitors, "prometheusrule", "PrometheusRule"))
	}
	if err != nil {
		c.Fatal(err)
	}
}

// try gives the chart these values: objects are there or gone, a replica of its Deployment leads
// with what was configured, and `helm test` sends a pod through a queue.
func (c *cluster) try(replica string, one option) {
	c.Helper()
	words := []string{"upgrade", "sluice", c.chart, "--reset-values"}
	if one.values != "" {
		words = append(words, "--set", one.values)
	}
	c.helm(words...)
	for _, name := range one.there {
		c.kubectl("-n", shipped.Namespace, "get", name)
	}
	for _, name := range one.gone {
		if said, err := c.Kubectl(c.Context(), "-n", shipped.Namespace, "get", name); err == nil {
			c.Errorf("%s is there: %s", name, said)
		}
	}
	if said := c.kubectl("-n", shipped.Namespace, "get", "deployment", shipped.Name, "-o",
		"jsonpath={.spec.replicas} {.spec.template.spec.containers[0].ports[*].name}"); said !=
		one.wants {
		c.Errorf("the Deployment has %q, want %q", said, one.wants)
	}
	config, err := shipped.Config(c.Context(), c.Plane)
	if err != nil {
		c.Fatal(err)
	}
	for line := range strings.Lines(one.args) {
		if !strings.Contains(string(config), strings.TrimSpace(line)) {
			c.Errorf("its configuration does not say %s:\n%s", line, config)
		}
	}
	s, process := c.run(replica)
	c.awaitGate()
	c.testPod()
	err = process.Stop(10 * time.Second)
	if err == nil {
		err = s.Refresh(c.Context())
	}
	if err != nil {
		c.Fatal(err)
	}
}

// awaitGate waits until a pod like that of `helm test` gets its gate: of policies and webhooks an
// API server learns by a watch.
func (c *cluster) awaitGate() {
	c.Helper()
	name := shipped.Name
	values := c.helm("get", "values", "sluice", "--all", "--output", "json")
	if strings.Contains(values, `"schedulerName":"volcano"`) {
		name = "volcano"
	}
	overrides := fmt.Sprintf(`{"metadata": {"annotations": {%q: "true"}},
		"spec": {"schedulerName": %q}}`, podGate, name)
	var said string
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(lookTurn) {
		said, err = c.Kubectl(c.Context(), "-n", "default", "run", "try", "--image=none",
			"--dry-run=server", "--overrides="+overrides, "-o",
			"jsonpath={.spec.schedulingGates[*].name}")
		if err == nil && said == podGate {
			return
		}
	}
	c.Fatalf("a pod of %s that opts in has the gates %q after a minute: %v", name, said, err)
}
