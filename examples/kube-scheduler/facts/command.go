// SPDX-License-Identifier: Apache-2.0

package facts

import (
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"

	"sluice/kube-scheduler/engine"
)

// Command is what the engine wants to know of Volcano's Command.
func Command(command *bus.Command) (*engine.Command, error) {
	target := command.TargetObject
	if target == nil || target.Name == "" {
		return nil, &Error{Object: "Command/" + command.Name, Field: "target.name",
			Want: "the name of a queue"}
	}
	return &engine.Command{
		UID:        string(command.UID),
		Namespace:  command.Namespace,
		Name:       command.Name,
		Created:    nanoseconds(command.CreationTimestamp),
		Action:     command.Action,
		TargetKind: target.Kind,
		TargetName: target.Name,
	}, nil
}
