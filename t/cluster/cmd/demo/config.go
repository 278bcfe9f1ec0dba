// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// adapt changes the paths in a shipped configuration, and nothing else.
func adapt(shipped []byte, library, kubeconfig string) ([]byte, error) {
	var config map[string]any
	if err := yaml.UnmarshalStrict(shipped, &config); err != nil {
		return nil, fmt.Errorf("the shipped configuration: %w", err)
	}
	found := false
	profiles, _ := config["profiles"].([]any)
	for _, each := range profiles {
		profile, _ := each.(map[string]any)
		plugins, _ := profile["pluginConfig"].([]any)
		for _, each := range plugins {
			plugin, _ := each.(map[string]any)
			if plugin["name"] == "Sluice" {
				child(plugin, "args")["library"] = library
				found = true
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("the shipped configuration has no pluginConfig for Sluice:\n%s", shipped)
	}
	child(config, "clientConnection")["kubeconfig"] = kubeconfig
	return yaml.Marshal(config)
}

func child(of map[string]any, key string) map[string]any {
	if found, ok := of[key].(map[string]any); ok {
		return found
	}
	made := map[string]any{}
	of[key] = made
	return made
}
