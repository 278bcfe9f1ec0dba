// SPDX-License-Identifier: Apache-2.0

package facts

import (
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"

	"sluice/kube-scheduler/sluice"
)

// Command is what the engine wants to know of Volcano's Command. Whether it can be used is the
// engine's to say.
func Command(command *bus.Command) *sluice.Command {
	into := &sluice.Command{
		UID:       string(command.UID),
		Namespace: command.Namespace,
		Name:      command.Name,
		Created:   nanoseconds(command.CreationTimestamp),
		Action:    command.Action,
	}
	if target := command.TargetObject; target != nil {
		into.TargetKind, into.TargetName = target.Kind, target.Name
		into.TargetUID = string(target.UID)
	}
	return into
}
