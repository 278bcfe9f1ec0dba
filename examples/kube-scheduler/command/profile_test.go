// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	kubeconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"sluice/kube-scheduler/config"
)

func set(names ...string) (s kubeconfig.PluginSet) {
	for _, name := range names {
		s.Enabled = append(s.Enabled, kubeconfig.Plugin{Name: name})
	}
	return s
}

func TestProfiles(t *testing.T) {
	good := func() *kubeconfig.Plugins {
		return &kubeconfig.Plugins{PreEnqueue: set("Sluice", "DefaultPreemption"),
			PreFilter: set("Sluice", "NodeResourcesFit"), Bind: set("Sluice", "DefaultBinder")}
	}
	for name, test := range map[string]struct {
		removal string
		change  func(*kubeconfig.Plugins)
		want    string
	}{
		"on bind": {config.OnBind, func(*kubeconfig.Plugins) {}, ""},
		"on admission": {config.OnAdmission, func(p *kubeconfig.Plugins) {
			p.PreEnqueue = set("SchedulingGates", "Sluice")
		}, ""},
		"not ours": {config.OnBind, func(p *kubeconfig.Plugins) {
			*p = kubeconfig.Plugins{PreEnqueue: set("SchedulingGates")}
		}, ""},
		"on bind with the stock plugin": {config.OnBind, func(p *kubeconfig.Plugins) {
			p.PreEnqueue = set("Sluice", "SchedulingGates")
		}, "preEnqueue: {disabled: [{name: SchedulingGates}]}"},
		"on admission without it": {config.OnAdmission, func(*kubeconfig.Plugins) {},
			"the plugin SchedulingGates is disabled"},
		"after the binder": {config.OnBind, func(p *kubeconfig.Plugins) {
			p.Bind = set("DefaultBinder", "Sluice")
		}, "does not come before [DefaultBinder Sluice]"},
		"not in bind": {config.OnBind, func(p *kubeconfig.Plugins) {
			p.Bind = set("DefaultBinder")
		}, "does not come before [DefaultBinder]"},
		"late in preFilter": {config.OnBind, func(p *kubeconfig.Plugins) {
			p.PreFilter = set("NodeResourcesFit", "Sluice")
		}, "not the first in preFilter"},
	} {
		plugins := good()
		test.change(plugins)
		err := checkProfile("p", plugins, test.removal)
		if test.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}
