// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"sluice/cluster/watch"
)

// lease is the name of the scheduler's own lease, in kube-system.
const lease = "sluice-scheduler"

// evicts tells whether the story has pods sent away so that others have room in their queues.
func (s *Scenario) evicts() bool {
	if s.Config == nil || s.Config.Get("effects") == nil {
		return false
	}
	effects, _ := s.Config.Get("effects").Plain().([]any)
	return slices.Contains(effects, any("evictPod"))
}

// schedulerConfig is the KubeSchedulerConfiguration of a story.
//
// The scheduler's own times are real and not the story's: they are as short as it lets them be. Of
// nodes that fit, the one whose cpu is the least allocated is taken, as in the simulator.
func schedulerConfig(s *Scenario, library, kubeconfig string, webhook int) ([]byte, error) {
	arguments := object{
		"library": library, "removal": s.Removal, "webhook": object{"port": webhook},
	}
	if s.Workloads {
		arguments["workloads"] = true
	}
	names, reasons := []any{"default-scheduler"}, object{}
	if s.Config != nil {
		for _, pair := range s.Config.Pairs {
			switch value := pair.Value.Plain(); pair.Key {
			case "schedulers":
				names, _ = value.([]any)
			case "effects": // this host carries out all of them
				arguments["preempt"] = s.evicts()
			case "waitingReasons": // it tells them always
			case "waitingReasonsAfter":
				reasons["after"] = value
			case "waitingReasonsPerSecond":
				reasons["perSecond"] = value
			default:
				arguments[pair.Key] = value
			}
		}
	}
	if len(reasons) > 0 {
		arguments["waitingReasons"] = reasons
	}
	var profiles []any
	for _, name := range names {
		profiles = append(profiles, profile(fmt.Sprint(name), s.Removal, arguments))
	}
	return yaml.Marshal(object{
		"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind":       "KubeSchedulerConfiguration",
		"clientConnection": object{
			"kubeconfig": kubeconfig, "qps": 5000, "burst": 10000,
			"contentType": "application/json", "acceptContentTypes": "application/json",
		},
		"leaderElection": object{
			"leaderElect": s.NeedsLease, "resourceName": lease, "resourceNamespace": "kube-system",
			"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "500ms",
		},
		"podInitialBackoffSeconds": 1,
		"podMaxBackoffSeconds":     1,
		"profiles":                 profiles,
	})
}

func profile(name, removal string, arguments object) object {
	ours := func() object { return object{"enabled": []any{object{"name": "Sluice"}}} }
	plugins := object{
		"multiPoint": ours(), "preFilter": ours(), "bind": ours(),
		"score": object{
			"disabled": []any{object{"name": "*"}},
			"enabled":  []any{object{"name": "NodeResourcesFit"}},
		},
	}
	if removal == "onBind" {
		plugins["preEnqueue"] = object{"disabled": []any{object{"name": "SchedulingGates"}}}
	}
	least := object{
		"type": "LeastAllocated", "resources": []any{object{"name": "cpu", "weight": 1}},
	}
	return object{
		"schedulerName": name, "plugins": plugins,
		"pluginConfig": []any{
			object{"name": "Sluice", "args": arguments},
			object{"name": "NodeResourcesFit", "args": object{"scoringStrategy": least}},
		},
	}
}

// checkerConfig is what the checker must know of it.
func checkerConfig(s *Scenario) watch.Config {
	text := func(key string) string {
		value, _ := s.Config.TextOf(key, "")
		return value
	}
	config := watch.Config{
		ManageAll: text("manage") == "all", Undeclared: text("undeclared") == "unlimited",
		ObserveOnly: text("observeOnly") == "true", RootCluster: text("rootCeiling") == "cluster",
	}
	if names := s.Config.Get("schedulers"); names != nil {
		for _, pair := range names.Pairs {
			config.Schedulers = append(config.Schedulers, pair.Value.Text)
		}
	}
	if amounts := s.Config.Get("rootCeiling"); amounts != nil && amounts.Type == Map {
		config.Root = map[string]string{}
		for _, pair := range amounts.Pairs {
			config.Root[pair.Key] = pair.Value.Text
		}
	}
	return config
}
