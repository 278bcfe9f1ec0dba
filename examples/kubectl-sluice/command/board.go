// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os/exec"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/web"
	"sluice/plain"
)

func (o *options) board() *cobra.Command {
	var manager ask.Scheduler
	var port int
	var open bool
	cmd := &cobra.Command{
		Use:   "board",
		Short: "The queues as a page in the browser, live",
		Long: `Serves a page on the loopback of this machine until Ctrl-C: the tree of queues, a queue
over time, who waits and why, gangs and workloads, what sluice-manager dispatches. It follows
the cluster with your own rights, which do not leave this program. Whoever has the address can
use them as far as the page does: keep it to yourself.`,
		Example: `  kubectl sluice board
  kubectl sluice board --open`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.output != "" {
				return usage(fmt.Errorf("--output %s: board is a page; queues -o %s has the figures",
					o.output, o.output))
			}
			if port < 0 || port > 65535 {
				return usage(fmt.Errorf("--port is %d, want 1 to 65535; 0: any", port))
			}
			c, err := o.cluster()
			if err != nil {
				return err
			}
			other := *o
			other.scheduler = manager
			m, err := other.cluster()
			if err != nil {
				return err
			}
			server, err := web.New(c, m, o.title(), port)
			if err != nil {
				return err
			}
			fmt.Fprintf(o.out, "%s\n", server.Address())
			if open {
				browser := exec.CommandContext(cmd.Context(), "xdg-open", server.Address())
				if err := browser.Start(); err != nil {
					fmt.Fprint(o.err, plain.Lines("no browser: "+err.Error()+"\n"))
				}
			}
			return server.Run(cmd.Context())
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "where it listens; 0: any port that is free")
	cmd.Flags().BoolVar(&open, "open", false, "open it in the browser (xdg-open)")
	managerFlags(cmd, &manager)
	return cmd
}

// title is the context's name: which cluster one looks at.
func (o *options) title() string {
	if name := o.flags.Context; name != nil && *name != "" {
		return *name
	}
	config, err := o.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil || config.CurrentContext == "" {
		return "queues"
	}
	return config.CurrentContext
}
