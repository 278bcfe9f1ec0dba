// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
	"testing"
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

const podGate = "scheduling.volcano.sh/queue-allocation-gate"

// TestOptions: with each of its options the chart is installed on a real API server, its scheduler
// leads with what was configured, and `helm test` sends a pod through a queue. Each is an upgrade of
// the one before, so that what is switched off goes, too.
func TestOptions(t *testing.T) {
	c := start(t)
	root, err := shipped.Root()
	if err != nil {
		t.Fatal(err)
	}
	crds, err := shipped.KueueCRDs(t.Context(), root)
	if err == nil {
		err = c.ApplyCRDDir(t.Context(), crds)
	}
	if err == nil {
		err = c.ApplyCRDs(t.Context(), fmt.Appendf(nil, monitors, "servicemonitor", "ServiceMonitor"),
			fmt.Appendf(nil, monitors, "prometheusrule", "PrometheusRule"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for number, one := range []struct {
		values string
		there  []string // objects
		gone   []string
		args   string // of the plugin, a part of its configuration
	}{
		{values: "", there: []string{"poddisruptionbudget/sluice-scheduler"},
			gone: []string{"networkpolicy/sluice-scheduler", "servicemonitor/sluice-scheduler"},
			args: "removal: onBind"},
		{values: "removal=onAdmission,replicas=3", args: "removal: onAdmission"},
		{values: "manage=all,preempt=true", args: "preempt: true"},
		{values: "networkPolicy.enabled=true,podDisruptionBudget.enabled=false",
			there: []string{"networkpolicy/sluice-scheduler"},
			gone:  []string{"poddisruptionbudget/sluice-scheduler"}},
		{values: "monitoring.enabled=true",
			there: []string{"servicemonitor/sluice-scheduler", "prometheusrule/sluice-scheduler"},
			gone:  []string{"networkpolicy/sluice-scheduler"}},
		{values: "webhook.enabled=true",
			there: []string{"validatingwebhookconfiguration/sluice", "service/sluice-webhook"},
			gone:  []string{"servicemonitor/sluice-scheduler", "mutatingwebhookconfiguration/sluice"}},
		{values: "webhook.enabled=true,webhook.gate=true",
			there: []string{"mutatingwebhookconfiguration/sluice"},
			gone:  []string{"mutatingadmissionpolicy/sluice-gate"}},
		{values: "workloads=true", there: []string{"mutatingadmissionpolicy/sluice-gate"},
			gone: []string{"validatingwebhookconfiguration/sluice"}, args: "workloads: true"},
		{values: "workloads=true,webhook.enabled=true,monitoring.enabled=true," +
			"networkPolicy.enabled=true,replicas=1",
			there: []string{"validatingwebhookconfiguration/sluice", "networkpolicy/sluice-scheduler",
				"prometheusrule/sluice-scheduler"}},
		{values: "schedulerName=volcano,volcanoQueues=true",
			there: []string{"queue/root", "queue/default"}},
	} {
		if !t.Run(strings.ReplaceAll(one.values, ",", " "), func(t *testing.T) {
			its := *c
			its.T = t
			words := []string{"upgrade", "--install", "sluice", c.chart, "--reset-values"}
			if one.values != "" {
				words = append(words, "--set", one.values)
			}
			its.helm(words...)
			for _, name := range one.there {
				its.kubectl("-n", shipped.Namespace, "get", name)
			}
			for _, name := range one.gone {
				if said, err := its.Kubectl(t.Context(), "-n", shipped.Namespace, "get",
					name); err == nil {
					t.Errorf("%s is there: %s", name, said)
				}
			}
			config, err := shipped.Config(t.Context(), c.Plane)
			if err != nil || !strings.Contains(string(config), one.args) {
				t.Errorf("its configuration does not say %s: %v\n%s", one.args, err, config)
			}
			s, replica := its.run(fmt.Sprint("with-", number))
			its.awaitGate()
			its.testPod("queue/default")
			err = replica.Stop(10 * time.Second)
			if err == nil {
				err = s.Refresh(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}) {
			return
		}
	}
	c.helm("uninstall", "sluice")
}

// awaitGate waits until a pod like that of `helm test` gets its gate: of policies and webhooks an API
// server learns by a watch.
func (c *cluster) awaitGate() {
	c.Helper()
	said, err := c.Kubectl(c.Context(), "-n", shipped.Namespace, "get", "deployment", shipped.Name,
		"-o", "jsonpath={.spec.template.metadata.labels}")
	if err != nil {
		c.Fatal(err)
	}
	scheduler := c.helm("get", "values", "sluice", "--all", "--output", "json")
	name := "sluice-scheduler"
	if strings.Contains(scheduler, `"schedulerName":"volcano"`) {
		name = "volcano"
	}
	overrides := fmt.Sprintf(`{"metadata": {"annotations": {%q: "true"}}, "spec": {"schedulerName": %q}}`,
		podGate, name)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		said, err = c.Kubectl(c.Context(), "-n", "default", "run", "try", "--image=none",
			"--dry-run=server", "--overrides="+overrides, "-o", "jsonpath={.spec.schedulingGates[*].name}")
		if err == nil && said == podGate {
			return
		}
	}
	c.Fatalf("a pod of %s that opts in has the gates %q after a minute: %v", name, said, err)
}
