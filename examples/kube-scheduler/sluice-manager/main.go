// SPDX-License-Identifier: Apache-2.0

// Sluice-manager dispatches workloads to worker clusters.
//
//	sluice-manager --config FILE --kubeconfig FILE
package main

import (
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/klog/v2"

	"sluice/kube-scheduler/manager"
	"sluice/plain"
	"sluice/plain/version"
)

func main() { os.Exit(cli.Run(command())) }

// flags of the command line.
type flags struct {
	config, kubeconfig string

	serving        *options.SecureServingOptions
	authentication *options.DelegatingAuthenticationOptions
	authorization  *options.DelegatingAuthorizationOptions
	logs           *logs.Options
}

func command() *cobra.Command {
	f := &flags{
		serving:        options.NewSecureServingOptions(),
		authentication: options.NewDelegatingAuthenticationOptions(),
		authorization:  options.NewDelegatingAuthorizationOptions(),
		logs:           logs.NewOptions(),
	}
	f.serving.BindPort = 10270
	f.serving.ServerCert.CertDirectory, f.serving.ServerCert.PairName = "", "sluice-manager"
	f.authentication.TolerateInClusterLookupFailure = true
	f.authentication.RemoteKubeConfigFileOptional = true
	f.authorization.RemoteKubeConfigFileOptional = true
	f.authorization.AlwaysAllowPaths = []string{"/healthz", "/readyz", "/livez"}
	cmd := &cobra.Command{
		Use:   "sluice-manager",
		Short: "Dispatches Kueue's workloads to worker clusters, and says who may preempt",
		Long: `Dispatches workloads of this cluster to worker clusters, as Kueue's MultiKueue does, and
decides in which of them, one after the other, a workload may preempt others.`,
		Version:      version.Line("sluice-manager"),
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE:         func(*cobra.Command, []string) error { return f.run() },
	}
	cmd.SetVersionTemplate("{{.Version}}")
	var sets cliflag.NamedFlagSets
	own := sets.FlagSet("manager")
	own.StringVar(&f.config, "config", "", "file of a ManagerConfiguration; none: its defaults")
	own.StringVar(&f.kubeconfig, "kubeconfig", "", "of the manager's cluster; none: the one it is in")
	f.serving.AddFlags(sets.FlagSet("serving"))
	f.authentication.AddFlags(sets.FlagSet("authentication"))
	f.authorization.AddFlags(sets.FlagSet("authorization"))
	logsapi.AddFlags(f.logs, sets.FlagSet("logs"))
	sets.FlagSet("global").Bool("version", false, "say of which version this is, and end")
	globalflag.AddGlobalFlags(sets.FlagSet("global"), cmd.Name(), logs.SkipLoggingConfigurationFlags())
	for _, set := range sets.FlagSets {
		cmd.Flags().AddFlagSet(set)
	}
	return cmd
}

func (f *flags) run() error {
	if err := logsapi.ValidateAndApply(f.logs, nil); err != nil {
		return err
	}
	klog.SetLogFilter(plain.Log{})
	config, err := manager.ReadConfig(f.config)
	if err != nil {
		return fmt.Errorf("the configuration: %w", err)
	}
	cluster, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return err
	}
	cluster.UserAgent = "sluice-manager"
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	m, err := manager.New(config, cluster, name+"_"+string(uuid.NewUUID()))
	if err != nil {
		return err
	}
	endpoints, err := f.endpoints()
	if err != nil {
		return err
	}
	asked := server.SetupSignalContext()
	stop := func() {}
	if endpoints.Serving != nil {
		if stop, err = m.Serve(asked, endpoints); err != nil {
			return err
		}
	}
	defer stop()
	return m.Run(asked)
}

// endpoints are served as those of Kubernetes' own components are: whoever asks is asked for.
func (f *flags) endpoints() (*manager.Endpoints, error) {
	for _, set := range []func() []error{f.serving.Validate, f.authentication.Validate,
		f.authorization.Validate} {
		for _, err := range set() {
			return nil, err
		}
	}
	if f.kubeconfig != "" {
		orDefault(&f.authentication.RemoteKubeConfigFile, f.kubeconfig)
		orDefault(&f.authorization.RemoteKubeConfigFile, f.kubeconfig)
	}
	err := f.serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{
		net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("a certificate: %w", err)
	}
	at := &manager.Endpoints{}
	if err := f.serving.ApplyTo(&at.Serving); err != nil || at.Serving == nil {
		return at, err
	}
	if err := f.authentication.ApplyTo(&at.Authentication, at.Serving, nil); err != nil {
		return nil, err
	}
	return at, f.authorization.ApplyTo(&at.Authorization)
}

func orDefault(value *string, standard string) {
	if *value == "" {
		*value = standard
	}
}
