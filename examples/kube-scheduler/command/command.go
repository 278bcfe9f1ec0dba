// SPDX-License-Identifier: Apache-2.0

// Package command is sluice-scheduler's command line: that of the stock kube-scheduler. Between the
// stock one's Setup and its Run it checks that the profiles fit the removal of gates, follows the
// lease, and serves the endpoints itself, since the stock ones cannot be added to.
package command

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/term"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedulerconfig "k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler"

	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/release"
	"sluice/kube-scheduler/schedulerplugin"
	"sluice/kube-scheduler/serve"
	"sluice/plain"
	"sluice/plain/version"
)

// New is the command.
func New() *cobra.Command {
	opts := options.NewOptions()
	cmd := &cobra.Command{
		Use:   "sluice-scheduler",
		Short: "The stock kube-scheduler with the plugin Sluice",
		Long: `The stock kube-scheduler with the plugin Sluice in it: pods wait behind a scheduling
gate until their queue has room for them. The plugin is enabled and configured in
the profiles of the file that --config names.

release-gates takes the gates off all pods, for an uninstall.`,
		Version: version.Line("sluice-scheduler"),
		Args:    cobra.NoArgs,
		// What is wrong is in the error; a page of flags after it would hide it.
		SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return opts.ComponentGlobalsRegistry.Set()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd, opts) },
	}
	cmd.SetVersionTemplate("{{.Version}}")
	flags := opts.Flags
	flags.FlagSet("global").Bool("version", false, "say of which version this is, and end")
	globalflag.AddGlobalFlags(flags.FlagSet("global"), cmd.Name(),
		logs.SkipLoggingConfigurationFlags())
	for _, set := range flags.FlagSets {
		cmd.Flags().AddFlagSet(set)
	}
	columns, _, _ := term.TerminalSize(cmd.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(cmd, *flags, columns)
	cmd.AddCommand(release.Command())
	return cmd
}

func run(cmd *cobra.Command, opts *options.Options) error {
	gates := opts.ComponentGlobalsRegistry.FeatureGateFor(basecompatibility.DefaultKubeComponent)
	if err := logsapi.ValidateAndApply(opts.Logs, gates); err != nil {
		return err
	}
	klog.SetLogFilter(plain.Log{})
	cliflag.PrintFlags(cmd.Flags())

	asked := server.SetupSignalContext()
	ctx, cancel := context.WithCancel(context.WithoutCancel(asked))
	defer cancel()
	plugins := &schedulerplugin.Factory{}
	cc, sched, err := app.Setup(ctx, opts, app.WithPlugin(schedulerplugin.Name, plugins.New))
	if err != nil {
		return err
	}
	gates.(featuregate.MutableFeatureGate).AddMetrics()
	opts.ComponentGlobalsRegistry.AddMetrics()

	leave := func() {}
	if h := plugins.Host(); h != nil {
		if leave, err = join(ctx, asked, h, cc, sched); err != nil {
			return err
		}
		if schedulerplugin.PreHints() {
			narrow(plugins, sched)
		}
	} else {
		klog.Background().Info("No profile enables the plugin Sluice: this is a stock scheduler")
	}
	// What is under way ends before the lease is given back.
	go func() {
		<-asked.Done()
		leave()
		cancel()
	}()
	return app.Run(ctx, cc, sched)
}

// narrow has the scheduler look at events without those that wait in their queues, if no pod is
// there that the plugin did not see first.
func narrow(plugins *schedulerplugin.Factory, sched *scheduler.Scheduler) {
	if first, otherwise := comesFirst(sched.Profiles); !first {
		klog.Background().Info("Each event is held against all pods that wait, as Sluice is not "+
			"the first in preEnqueue of each profile", "profile", otherwise)
		return
	}
	plugins.ComesFirst()
}

// join puts the host into the scheduler that Setup has made. From the end of asked on it is not
// ready any more, but works until it is left.
func join(ctx, asked context.Context, h *host.Host, cc *schedulerconfig.CompletedConfig,
	sched *scheduler.Scheduler) (leave func(), err error) {
	for name, profile := range sched.Profiles {
		if err := checkProfile(name, profile.ListPlugins(), h.Args().Removal); err != nil {
			return nil, err
		}
	}
	h.AwaitCache(cache{sched})
	if election := cc.LeaderElection; election != nil {
		election.Lock = h.Lock(election.Lock, election.RenewDeadline)
	}
	if err := h.Start(ctx); err != nil {
		return nil, err
	}
	var checks []healthz.HealthChecker
	webhook, err := newWebhook(h, cc.Client)
	if err != nil {
		return nil, err
	}
	if webhook != nil {
		checks = append(checks, webhook)
		go runWebhook(ctx, webhook)
	}
	endpoints, err := serve.Take(asked, cc, sched, h, checks...)
	if err != nil {
		return nil, err
	}
	return func() {
		h.Stop()
		endpoints.Stop()
	}, nil
}
