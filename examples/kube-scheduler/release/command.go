// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"io"
	"math"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"sluice/plain/version"
)

// options are the flags.
type options struct {
	dryRun     bool
	namespace  string
	scheduler  string
	kubeconfig string
	qps        float32
}

// Command is `sluice-scheduler release-gates`.
func Command() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "release-gates",
		Short: "Take the gate of the queue layer off every pod, for an uninstall",
		Long: `Takes the gate of the queue layer off every pod that carries it, for an uninstall:
without the queue layer nobody else would. Other gates stay, and other pods are not
touched.

First remove what adds the gate to new pods (the MutatingAdmissionPolicy, the
webhook), then look with --dry-run at which pods would become schedulable at once:
an autoscaler may buy nodes for all of them. The exit code is 1 if a pod could not
be released; it is safe to run this again.`,
		Example: `  sluice-scheduler release-gates --dry-run
  sluice-scheduler release-gates --namespace science --qps 20`,
		Version:      version.Line("sluice-scheduler"),
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		// Else the scheduler's own preparation would run, for flags that are not here.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT,
				syscall.SIGTERM)
			defer stop()
			return o.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.SetVersionTemplate("{{.Version}}")
	flags := cmd.Flags()
	// Else it would be that of the stock scheduler, which nobody looks at here.
	flags.Bool("version", false, "say of which version this is, and end")
	flags.BoolVar(&o.dryRun, "dry-run", false, "only show what would be done")
	flags.StringVarP(&o.namespace, "namespace", "n", "", "only pods of this namespace")
	flags.StringVar(&o.scheduler, "scheduler", "",
		"only pods of this schedulerName, if others than this scheduler's carry the same gate")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "",
		"how to reach the cluster (default: $KUBECONFIG, ~/.kube/config, or the pod's own account)")
	flags.Float32Var(&o.qps, "qps", 50, "requests per second at most")
	// A command shows its parent's help if it has none of its own, with the scheduler's flags.
	standard := &cobra.Command{}
	cmd.SetUsageFunc(standard.UsageFunc())
	cmd.SetHelpFunc(standard.HelpFunc())
	return cmd
}

func (o *options) run(ctx context.Context, out, progress io.Writer) error {
	if !(o.qps > 0) || math.IsInf(float64(o.qps), 0) {
		return fmt.Errorf("--qps is %g: want more than 0", o.qps)
	}
	client, err := o.client()
	if err != nil {
		return err
	}
	r := &releaser{client: client, namespace: o.namespace, scheduler: o.scheduler,
		backoff: 100 * time.Millisecond, report: newReport(out, progress)}
	if o.dryRun {
		return r.preview(ctx)
	}
	return r.run(ctx)
}

func (r *releaser) preview(ctx context.Context) error {
	p := &preview{report: r.report, requests: v1.ResourceList{}}
	if err := r.list(ctx, p.pod); err != nil {
		return err
	}
	p.finish()
	return nil
}

func (o *options) client() (kubernetes.Interface, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("how to reach the cluster (--kubeconfig or $KUBECONFIG says): %w", err)
	}
	cfg.QPS, cfg.Burst = o.qps, max(1, int(o.qps))
	cfg.UserAgent = "sluice-scheduler/release-gates"
	return kubernetes.NewForConfig(cfg)
}
