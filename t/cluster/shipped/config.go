// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"context"
	"errors"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
)

// Config is the configuration that the Deployment mounts.
func Config(ctx context.Context, p *plane.Plane) ([]byte, error) {
	deployment, err := p.Client.AppsV1().Deployments(Namespace).Get(ctx, Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("the shipped Deployment: %w", err)
	}
	for _, volume := range deployment.Spec.Template.Spec.Volumes {
		if volume.Name != "config" || volume.ConfigMap == nil {
			continue
		}
		found, err := p.Client.CoreV1().ConfigMaps(Namespace).Get(ctx, volume.ConfigMap.Name,
			metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("the shipped configuration: %w", err)
		}
		return []byte(found.Data["config.yaml"]), nil
	}
	return nil, errors.New("the Deployment has no ConfigMap as its volume `config`")
}

// WithPaths changes the paths in a shipped configuration, and nothing else.
func WithPaths(shipped []byte, library, kubeconfig string) ([]byte, error) {
	config, _, err := withPaths(shipped, library, kubeconfig)
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(config)
}

// withPaths returns the plugin's arguments, too: of each profile that has it.
func withPaths(shipped []byte, library, kubeconfig string) (config map[string]any,
	ours []map[string]any, err error) {
	if err := yaml.UnmarshalStrict(shipped, &config); err != nil {
		return nil, nil, fmt.Errorf("the shipped configuration: %w", err)
	}
	profiles, _ := config["profiles"].([]any)
	for _, each := range profiles {
		profile, _ := each.(map[string]any)
		plugins, _ := profile["pluginConfig"].([]any)
		for _, each := range plugins {
			plugin, _ := each.(map[string]any)
			if plugin["name"] == "Sluice" {
				args := child(plugin, "args")
				args["library"] = library
				ours = append(ours, args)
			}
		}
	}
	if len(ours) == 0 {
		return nil, nil, fmt.Errorf("the shipped configuration has no pluginConfig for Sluice:\n%s",
			shipped)
	}
	child(config, "clientConnection")["kubeconfig"] = kubeconfig
	return config, ours, nil
}

// adapt changes the paths in the shipped configuration, the webhook's port where there is one, the
// lease's times, which are long for a test, and what Args say.
func (s *Sluice) adapt(library, kubeconfig string, webhook int) ([]byte, error) {
	config, ours, err := withPaths(s.config, library, kubeconfig)
	if err != nil {
		return nil, err
	}
	for _, args := range ours {
		maps.Copy(args, s.Args)
		if _, asked := args["webhook"]; asked {
			child(args, "webhook")["port"] = webhook
		}
	}
	if s.First {
		profiles, _ := config["profiles"].([]any)
		for _, each := range profiles {
			profile, _ := each.(map[string]any)
			preEnqueue := child(child(profile, "plugins"), "preEnqueue")
			preEnqueue["enabled"] = []any{map[string]any{"name": "Sluice"}}
		}
	}
	election := child(config, "leaderElection")
	if s.Lease != "" {
		election["resourceName"] = s.Lease
	}
	election["leaseDuration"], election["renewDeadline"], election["retryPeriod"] = "10s", "8s", "1s"
	if s.Patient {
		election["leaseDuration"], election["renewDeadline"] = "70s", "60s"
	}
	return yaml.Marshal(config)
}

// ReasonsAtOnce are Args with which a Workload says at once why it waits: for tests of what it
// says.
func ReasonsAtOnce() map[string]any {
	return map[string]any{"waitingReasons": map[string]any{"after": "0s", "perSecond": 0}}
}

func child(of map[string]any, key string) map[string]any {
	if found, ok := of[key].(map[string]any); ok {
		return found
	}
	made := map[string]any{}
	of[key] = made
	return made
}
