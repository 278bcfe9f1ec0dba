// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

// fleet asks sluice-manager, which is another program than the others ask.
func (o *options) fleet() *cobra.Command {
	var manager ask.Scheduler
	cmd := &cobra.Command{
		Use:   "fleet [WORKLOAD]",
		Short: "Workloads over the clusters that sluice-manager dispatches them to",
		Long: `All workloads that are dispatched to worker clusters; or one of them: its copies, who
asks to preempt since when, which gate is open, and what is decided next.`,
		Example: `  kubectl sluice fleet
  kubectl sluice fleet -n science job-train-1a2b3`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneObject("WORKLOAD")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				c, err := o.asking(manager).cluster()
				if err != nil {
					return err
				}
				all, err := c.Fleet(cmd.Context())
				if err != nil {
					return err
				}
				var names []string
				for i := range all {
					names = append(names, workloads.object(all[i].Name))
				}
				return o.print(answer{
					view:  map[string]any{"workloads": show.ViewFleet(all)},
					names: names,
					text:  func() string { return show.Fleet(all, time.Now()) },
				})
			}
			one, err := refer(args, workloads)
			if err != nil {
				return err
			}
			if err := called("workload", one.name); err != nil {
				return err
			}
			return o.dispatched(cmd.Context(), manager, one.name, show.Dispatch)
		},
	}
	managerFlags(cmd, &manager)
	return o.watched(cmd)
}

// managerFlags say where sluice-manager is.
func managerFlags(cmd *cobra.Command, manager *ask.Scheduler) {
	*manager = ask.ShippedManager
	cmd.Flags().StringVar(&manager.Namespace, "manager-namespace", manager.Namespace,
		"where sluice-manager is")
	cmd.Flags().StringVar(&manager.Service, "manager-service", manager.Service,
		"the Service of sluice-manager")
}

// asking are the same options, with a manager to ask instead of a scheduler.
func (o *options) asking(manager ask.Scheduler) *options {
	asking := *o
	asking.scheduler = manager
	return &asking
}

// dispatched prints one workload that sluice-manager dispatches, by the function of show.
func (o *options) dispatched(ctx context.Context, manager ask.Scheduler, name string,
	text func(*ask.Dispatch, time.Time) string) error {
	c, namespace, err := o.asking(manager).within()
	if err != nil {
		return err
	}
	one, err := c.Dispatched(ctx, namespace, name)
	if err != nil {
		return err
	}
	return o.print(answer{
		view:  show.ViewDispatch(one),
		names: []string{workloads.object(one.Name)},
		text:  func() string { return text(one, time.Now()) },
	})
}
