// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

// Setup is how sluice is to be configured.
type Setup struct {
	Args       *config.Args
	Schedulers []string // names of the profiles with the plugin
}

// Shipped is what overlays/volcano and overlays/workloads say, together.
func Shipped() *Setup {
	args, err := config.Decode(&runtime.Unknown{Raw: []byte("workloads: true")})
	if err != nil {
		panic(err) // the defaults are wrong
	}
	return &Setup{args, []string{"sluice-scheduler", "volcano"}}
}

// ReadSetup reads a KubeSchedulerConfiguration.
func ReadSetup(text []byte) (*Setup, error) {
	var read struct {
		Profiles []struct {
			SchedulerName string `json:"schedulerName"`
			PluginConfig  []struct {
				Name string         `json:"name"`
				Args map[string]any `json:"args"`
			} `json:"pluginConfig"`
		} `json:"profiles"`
	}
	if err := yaml.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	setup := &Setup{}
	for _, profile := range read.Profiles {
		for _, plugin := range profile.PluginConfig {
			if plugin.Name != "Sluice" {
				continue
			}
			raw, err := yaml.Marshal(plugin.Args)
			if err != nil {
				return nil, err
			}
			if setup.Args, err = config.Decode(&runtime.Unknown{Raw: raw}); err != nil {
				return nil, fmt.Errorf("profile %s: %w", profile.SchedulerName, err)
			}
			setup.Schedulers = append(setup.Schedulers, profile.SchedulerName)
		}
	}
	if setup.Args == nil {
		return nil, fmt.Errorf("it has no profile with a pluginConfig of the name Sluice: want a " +
			"KubeSchedulerConfiguration such as examples/deploy/overlays/volcano/config.yaml")
	}
	return setup, nil
}

// has tells whether an argument of this name is on.
func (s *Setup) has(name string) bool {
	switch name {
	case "preempt":
		return s.Args.Preempt
	case "workloads":
		return s.Args.Workloads
	}
	panic("rules.yaml: lacks: no argument " + name)
}

func (s *Setup) schedules(name string) bool { return slices.Contains(s.Schedulers, name) }

// Configure is the engine of a check: it observes all that a host of this setup would, also those
// that only ask for room.
func Configure(s *Setup) sluice.Config {
	cfg := s.Args.Engine(s.Schedulers)
	cfg.ObserveOnly = false // an observer refuses nothing
	cfg.Record = 0
	cfg.Effects = []string{sluice.QueueStatus, sluice.AnswerPermit, sluice.SetGroup,
		sluice.CreateGroup, sluice.SetGroupStatus}
	if s.Args.Workloads {
		cfg.Effects = append(cfg.Effects, sluice.WriteWorkload)
	}
	return cfg
}
