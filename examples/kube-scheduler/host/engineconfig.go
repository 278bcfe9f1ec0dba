// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

// engineConfig is what the plugin's arguments mean to the engine, and what this host does for it.
func engineConfig(args *config.Args, schedulers []string, clock sluice.Clock) sluice.Config {
	cfg := args.Engine(schedulers)
	cfg.Effects = slices.Concat(ruling, grouping, optional(args))
	cfg.PodEvents = true
	cfg.Clock = clock
	return cfg
}
