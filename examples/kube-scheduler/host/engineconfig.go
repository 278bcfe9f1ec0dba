// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

// engineConfig is what the plugin's arguments mean to the engine.
func engineConfig(args *config.Args, schedulers []string, clock sluice.Clock) sluice.Config {
	cfg := sluice.Config{
		Schedulers:         schedulers,
		Removal:            args.Removal,
		Manage:             args.Manage,
		Ceiling:            args.RootCeiling.Mode,
		Undeclared:         args.Undeclared,
		ReservationTimeout: args.ReservationTimeout.Duration,
		HeadGuard:          args.HeadGuard.Duration,
		ObserveOnly:        args.ObserveOnly,
		Record:             args.Record.Value(),
		Effects:            slices.Concat(ruling, grouping, optional(args)),
		PreemptionGates:    args.PreemptionGates,
		PodEvents:          true,
		WaitingReasons:     args.Workloads,
		Limits: sluice.Limits{
			Message: args.Limits.Message.Value(),
			Pods:    args.Limits.Pods,
			Queues:  args.Limits.Queues,
			Nodes:   args.Limits.Nodes,
		},
		Clock: clock,
	}
	if args.RootCeiling.Amounts != nil {
		cfg.RootCeiling = map[string]string{}
		for name, amount := range args.RootCeiling.Amounts {
			cfg.RootCeiling[name] = amount.String()
		}
	}
	return cfg
}
