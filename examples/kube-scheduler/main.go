// SPDX-License-Identifier: Apache-2.0

// Sluice-scheduler is the stock kube-scheduler with the plugin `Sluice` in it.
//
//	sluice-scheduler --config FILE        schedules
//	sluice-scheduler release-gates        takes our gate off every pod, for an uninstall
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"sluice/kube-scheduler/command"
)

func main() {
	os.Exit(cli.Run(command.New()))
}
