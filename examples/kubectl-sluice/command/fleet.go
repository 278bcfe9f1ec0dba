// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

// fleet asks sluice-manager, which is another program than the others ask.
func (o *options) fleet() *cobra.Command {
	manager := ask.ShippedManager
	cmd := &cobra.Command{
		Use:   "fleet [WORKLOAD]",
		Short: "Workloads over the clusters that sluice-manager dispatches them to",
		Long: `All workloads that are dispatched to worker clusters; or one of them: its copies, who
asks to preempt since when, which gate is open, and what is decided next.`,
		Example: `  kubectl sluice fleet
  kubectl sluice fleet -n science job-train-1a2b3`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := *o
			asked.scheduler = manager
			c, err := asked.cluster()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				all, err := c.Fleet(cmd.Context())
				if err != nil {
					return err
				}
				return o.print(map[string]any{"workloads": show.ViewFleet(all)}, func() string {
					return show.Fleet(all, time.Now())
				})
			}
			namespace, err := o.namespace()
			if err != nil {
				return err
			}
			one, err := c.Dispatched(cmd.Context(), namespace, strings.TrimPrefix(args[0], "workload/"))
			if err != nil {
				return err
			}
			return o.print(show.ViewDispatch(one), func() string {
				return show.Dispatch(one, time.Now())
			})
		},
	}
	cmd.Flags().StringVar(&manager.Namespace, "manager-namespace", manager.Namespace,
		"where sluice-manager is")
	cmd.Flags().StringVar(&manager.Service, "manager-service", manager.Service,
		"the Service of sluice-manager")
	return cmd
}
