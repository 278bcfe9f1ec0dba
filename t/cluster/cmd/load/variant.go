// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// variant is a scheduler, and pods for it.
type variant struct {
	key, name string
	sluice    bool
	removal   string
	manage    string
	gated     bool // its pods have our gate
	bare      bool // a bare program removes every gate
	traced    bool // sluice-trace is attached to the scheduler
	policies  bool // the shipped admission policies are in force
	brings    bool // its pods bring their gate all the same
}

const (
	stock, stockBare, onBind, onAdmission, ungated = "stock", "bare", "bind", "admission", "all"

	onBindTraced, onBindPolicies, onBindBrought = "traced", "policies", "brought"
)

// The two controls come first: what no queue costs, and the least that any gate costs.
var variants = []variant{
	{key: stock, name: "stock, no gate"},
	{key: stockBare, name: "stock, gates removed at once", gated: true, bare: true},
	{key: onBind, name: "sluice, onBind", sluice: true, removal: "onBind", manage: "optedIn",
		gated: true},
	{key: onAdmission, name: "sluice, onAdmission", sluice: true, removal: "onAdmission",
		manage: "optedIn", gated: true},
	{key: ungated, name: "sluice, no gate, manage: all", sluice: true, removal: "onBind",
		manage: "all"},
	{key: onBindTraced, name: "sluice, onBind, traced", sluice: true, removal: "onBind",
		manage: "optedIn", gated: true, traced: true},
	{key: onBindPolicies, name: "sluice, onBind, policies", sluice: true, removal: "onBind",
		manage: "optedIn", gated: true, policies: true},
	{key: onBindBrought, name: "sluice, onBind, policies, gate brought", sluice: true,
		removal: "onBind", manage: "optedIn", gated: true, policies: true, brings: true},
}

func named(key string) variant {
	return variants[slices.IndexFunc(variants, func(v variant) bool { return v.key == key })]
}

type object = map[string]any

// config is the KubeSchedulerConfiguration. Nobody's requests are limited.
func (v *variant) config(kubeconfig, library string) ([]byte, error) {
	const unlimited = 100000
	profile := object{"schedulerName": "default-scheduler"}
	lease := stockLease
	if v.sluice {
		lease = account
		profile["plugins"] = v.plugins()
		profile["pluginConfig"] = []object{{"name": "Sluice", "args": object{
			"library": library, "removal": v.removal, "manage": v.manage,
			"effects": object{"qps": unlimited, "burst": unlimited},
		}}}
	}
	text, err := yaml.Marshal(object{
		"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind":       "KubeSchedulerConfiguration",
		"clientConnection": object{
			"kubeconfig": kubeconfig, "qps": unlimited, "burst": unlimited,
			"contentType": protobuf,
		},
		"leaderElection": object{"leaderElect": true, "resourceName": lease,
			"resourceNamespace": accountNamespace},
		"profiles": []object{profile},
	})
	if err != nil {
		return nil, fmt.Errorf("the configuration of %s: %w", v.name, err)
	}
	return text, nil
}

func (v *variant) plugins() object {
	ours := object{"enabled": []object{{"name": "Sluice"}}}
	plugins := object{"multiPoint": ours, "preFilter": ours, "bind": ours}
	if v.removal == "onBind" {
		plugins["preEnqueue"] = object{"disabled": []object{{"name": "SchedulingGates"}}}
	}
	return plugins
}
