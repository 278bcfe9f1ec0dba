// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"

	kubeconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/schedulerplugin"
)

// checkProfile refuses a profile in which gates could never be removed as the configuration says,
// and one in which the plugin comes too late. It says what to write.
func checkProfile(name string, plugins *kubeconfig.Plugins, removal string) error {
	order := func(set kubeconfig.PluginSet) (all []string) {
		for _, one := range set.Enabled {
			all = append(all, one.Name)
		}
		return all
	}
	preEnqueue, bind := order(plugins.PreEnqueue), order(plugins.Bind)
	if !slices.Contains(preEnqueue, schedulerplugin.Name) {
		return nil // a profile of its own
	}
	wrong := func(format string, words ...any) error {
		return fmt.Errorf("profile %q: %s; what works, in its plugins:\n%s", name,
			fmt.Sprintf(format, words...), advice[removal])
	}
	stock := slices.Contains(preEnqueue, names.SchedulingGates)
	if removal == config.OnBind && stock {
		return wrong("removal is onBind, but the plugin SchedulingGates would keep gated pods " +
			"away from every node")
	}
	if removal == config.OnAdmission && !stock {
		return wrong("removal is onAdmission, but the plugin SchedulingGates is disabled")
	}
	ours, binder := slices.Index(bind, schedulerplugin.Name), slices.Index(bind, names.DefaultBinder)
	if ours < 0 || binder >= 0 && binder < ours {
		return wrong("in bind, Sluice does not come before %v, so gates would never be removed",
			bind)
	}
	if first := order(plugins.PreFilter); len(first) == 0 || first[0] != schedulerplugin.Name {
		return wrong("Sluice is not the first in preFilter (%v), and others may find a pod "+
			"unschedulable that its queue has taken back", first)
	}
	return nil
}

// comesFirst tells whether the plugin is the first that each profile asks about a pod, and which
// profile asks another.
func comesFirst(profiles profile.Map) (first bool, otherwise string) {
	for name, one := range profiles {
		asked := one.ListPlugins().PreEnqueue.Enabled
		if len(asked) == 0 || asked[0].Name != schedulerplugin.Name {
			return false, name
		}
	}
	return true, ""
}

// advice is the plugins of a profile, for each way of removal.
var advice = map[string]string{
	config.OnBind: `  multiPoint: {enabled: [{name: Sluice}]}
  preEnqueue: {disabled: [{name: SchedulingGates}]}
  preFilter: {enabled: [{name: Sluice}]}
  bind: {enabled: [{name: Sluice}]}`,
	config.OnAdmission: `  multiPoint: {enabled: [{name: Sluice}]}
  preFilter: {enabled: [{name: Sluice}]}
  bind: {enabled: [{name: Sluice}]}`,
}
