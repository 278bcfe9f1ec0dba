// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// shippedConfig is the scheduler's configuration where it stands in the place of the stock one.
const shippedConfig = "examples/deploy/overlays/instead/config.yaml"

const (
	onBind      = "onBind"
	onAdmission = "onAdmission"
)

type object = map[string]any

// schedulerConfig is the shipped configuration with what the test must have otherwise: the paths,
// how the lease is held, and answers that the proxy can read.
func schedulerConfig(root, library, kubeconfig, removal string, election bool) (object, error) {
	text, err := os.ReadFile(filepath.Join(root, shippedConfig))
	if err != nil {
		return nil, err
	}
	var config object
	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("%s: %w", shippedConfig, err)
	}
	set := func(value any, path ...string) {
		if err == nil {
			err = unstructured.SetNestedField(config, value, path...)
		}
	}
	set(kubeconfig, "clientConnection", "kubeconfig")
	set("application/json", "clientConnection", "contentType")
	set("application/json", "clientConnection", "acceptContentTypes")
	set(election, "leaderElection", "leaderElect")
	set(leaseDuration.String(), "leaderElection", "leaseDuration")
	set(renewDeadline.String(), "leaderElection", "renewDeadline")
	set(retryPeriod.String(), "leaderElection", "retryPeriod")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shippedConfig, err)
	}
	profile := profileOf(config)
	args := argsOf(profile)
	args["library"], args["removal"] = library, removal
	if removal == onAdmission {
		unstructured.RemoveNestedField(profile, "plugins", "preEnqueue")
	}
	return config, nil
}

func profileOf(config object) object {
	profiles, _ := config["profiles"].([]any)
	profile, _ := profiles[0].(object)
	return profile
}

// argsOf are those of the plugin Sluice.
func argsOf(profile object) object {
	for _, each := range profile["pluginConfig"].([]any) {
		if one := each.(object); one["name"] == "Sluice" {
			return one["args"].(object)
		}
	}
	panic("the shipped configuration has no args for the plugin Sluice")
}
