// SPDX-License-Identifier: Apache-2.0

// Package perf runs upstream's scheduler_perf with the plugin and without it: see run, and
// README.md for what the cases are.
package perf

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/component-base/logs/json/register"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	benchmark "k8s.io/kubernetes/test/integration/scheduler_perf"

	"sluice/kube-scheduler/schedulerplugin"
)

var cases = flag.String("cases", "cases.yaml", "the file of the cases")

func TestMain(m *testing.M) {
	if err := benchmark.InitTests(); err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func BenchmarkPerfScheduling(b *testing.B) {
	benchmark.RunBenchmarkPerfScheduling(b, *cases, "sluice",
		frameworkruntime.Registry{schedulerplugin.Name: newPlugin})
}

// newPlugin makes a host for each scheduler that the benchmark starts, which has one profile, and
// ends it with that scheduler: the benchmark looks for what is left running.
func newPlugin(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	factory := &schedulerplugin.Factory{}
	made, err := factory.New(ctx, args, handle)
	if err != nil {
		return nil, err
	}
	return made, factory.Host().Start(ctx)
}
