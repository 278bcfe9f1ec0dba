// SPDX-License-Identifier: Apache-2.0

// Kubectl-sluice is `kubectl sluice`: queues, and the pods that wait in them.
package main

import (
	"os"

	"sluice/kubectl-sluice/command"
)

func main() { os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr)) }
