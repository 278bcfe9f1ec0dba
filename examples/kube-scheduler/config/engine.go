// SPDX-License-Identifier: Apache-2.0

package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"sluice/kube-scheduler/sluice"
)

// Engine is what the arguments mean to an engine whose pods are those of these schedulers. Which
// effects it may ask for is its host's to say.
func (a *Args) Engine(schedulers []string) sluice.Config {
	cfg := sluice.Config{
		Schedulers:              schedulers,
		Removal:                 a.Removal,
		Manage:                  a.Manage,
		Ceiling:                 a.RootCeiling.Mode,
		Undeclared:              a.Undeclared,
		ReservationTimeout:      a.ReservationTimeout.Duration,
		HeadGuard:               a.HeadGuard.Duration,
		ObserveOnly:             a.ObserveOnly,
		Record:                  a.Record.Value(),
		PreemptionGates:         a.PreemptionGates,
		WaitingReasons:          a.Workloads,
		WaitingReasonsAfter:     ptr.Deref(a.WaitingReasons.After, metav1.Duration{}).Duration,
		WaitingReasonsPerSecond: ptr.Deref(a.WaitingReasons.PerSecond, 0),
		QueueStatusesPerSecond:  ptr.Deref(a.QueueStatusesPerSecond, 0),
		Limits: sluice.Limits{
			Message:   a.Limits.Message.Value(),
			Pods:      a.Limits.Pods,
			Queues:    a.Limits.Queues,
			Nodes:     a.Limits.Nodes,
			Workloads: a.Limits.Workloads,
		},
	}
	if a.RootCeiling.Amounts != nil {
		cfg.RootCeiling = map[string]string{}
		for name, amount := range a.RootCeiling.Amounts {
			cfg.RootCeiling[name] = amount.String()
		}
	}
	return cfg
}
