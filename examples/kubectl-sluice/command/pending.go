// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

// podNames completes the names of pods that wait.
func (o *options) podNames(cmd *cobra.Command, args []string, _ string) ([]string,
	cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	tell := func(_ *ask.Queue, _ int, w *ask.Waiting) {
		switch {
		case w.Workload:
			names = append(names, "workload/"+w.Name)
		case w.Members > 0:
			names = append(names, "podgroup/"+w.Name)
		default:
			names = append(names, w.Name)
		}
	}
	c, namespace, err := o.within()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	rows, err := c.PendingWithin(cmd.Context(), namespace)
	for i := range rows {
		tell(nil, 0, asWaiting(&rows[i]))
	}
	if ask.Whole(err) {
		err = o.eachWaiting(cmd.Context(), tell, "", "", 0)
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// eachWaiting goes through what waits in all queues, or in one, in the queues' orders, and tells so
// much of it; 0: all.
func (o *options) eachWaiting(ctx context.Context, tell func(*ask.Queue, int, *ask.Waiting), kind,
	name string, most int) error {
	c, err := o.cluster()
	if err != nil {
		return err
	}
	queues, err := c.Queues(ctx)
	if err != nil {
		return err
	}
	found, told := name == "", 0
	enough := func() bool { return most > 0 && told >= most }
	for i := range queues {
		queue := &queues[i]
		named := queue.Kind == kind && queue.Name == name
		found = found || named
		if !queue.Leaf || queue.Waiting == 0 || (name != "" && !named) || enough() {
			continue
		}
		waiting, err := c.Pending(ctx, queue.Kind, queue.Name)
		if err != nil {
			return err
		}
		for i := range waiting {
			if !enough() {
				tell(queue, i, &waiting[i])
				told++
			}
		}
		if queue.Kind != ask.ClusterQueue {
			continue
		}
		workloads, err := c.WaitingWorkloads(ctx, queue.Name)
		if err != nil {
			return err
		}
		for i := range workloads {
			w := &workloads[i]
			if enough() {
				break
			}
			told++
			tell(queue, i, &ask.Waiting{Workload: true, UID: w.UID, Namespace: w.Namespace,
				Name: w.Name, Priority: w.Priority, Created: w.Created})
		}
	}
	if !found {
		return noQueue(kind, name)
	}
	return nil
}

func (o *options) pending() *cobra.Command {
	var kind string
	var most int
	cmd := &cobra.Command{
		Use:   "pending [QUEUE | KIND/QUEUE]",
		Short: "What waits, in the order of its queue",
		Long: `Lists what waits for room, queue by queue, in the order in which it is looked at: the pods
of a queue, and then, in an order of their own, its workloads. What is held (for a gate of somebody
else's, a group, a backoff) is not in that order: why POD says what for.

With -n it is what waits in that namespace, each with its place among all that wait in its queue,
and what is held there, with the reason in the place of a place. That takes no right but to view the
namespace; who may not ask about all is told of his own namespace.`,
		Example: `  kubectl sluice pending
  kubectl sluice pending train --limit 20
  kubectl sluice pending clusterqueue/research -o wide
  kubectl sluice pending -n science --watch`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneObject("QUEUE")(cmd, args)
		},
		ValidArgsFunction: o.queueNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 0 {
				return usage(fmt.Errorf("--limit is %d, want 1 or more; 0: no limit", most))
			}
			if len(args) == 0 {
				args = []string{""}
			}
			which, err := referQueue(args, kind)
			if err != nil {
				return err
			}
			if err := meant(&which.name); err != nil {
				return err
			}
			all, err := o.seenWaiting(cmd.Context(), which.of.kind, which.name, most)
			if err != nil {
				return err
			}
			return o.print(answer{
				view:  map[string]any{"pods": all.pods, "workloads": all.workloads},
				names: all.names(),
				text: func() string {
					if len(all.rows) == 0 {
						return "Nothing waits for room.\n"
					}
					return show.Waits(all.rows, o.output == wide, o.columns())
				},
			})
		},
	}
	o.kind(cmd, &kind)
	cmd.Flags().IntVar(&most, "limit", 0, "how many at most, from the head of the first queue; 0: all")
	return o.watched(cmd)
}
