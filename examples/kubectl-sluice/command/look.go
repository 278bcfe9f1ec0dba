// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

var kinds = []string{ask.VolcanoQueue, ask.ClusterQueue, ask.Cohort}

func (o *options) queues() *cobra.Command {
	options := show.Options{}
	var all bool
	var below string
	cmd := &cobra.Command{
		Use:   "queues",
		Short: "The tree of queues, with what is used of each limit, and what waits",
		Long: fmt.Sprintf(`Draws the tree of queues, with bars of what is allocated, reserved and
waiting against each limit. Of many queues the upper ones are drawn, and of those where
most waits first, %d in all; how many are not is said. -o json and -o yaml have all.

With -n it is the queues that something of that namespace is in, or may be, and those above them.
That takes no right but to view the namespace; who may not ask about all is told of his own.`,
			show.Usual),
		Example: `  kubectl sluice queues
  kubectl sluice queues --resource cpu,nvidia.com/gpu
  kubectl sluice queues --below research --depth 2
  kubectl sluice queues -n science
  kubectl sluice queues -o json`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Depth < 0 {
				return usage(fmt.Errorf("--depth is %d, want 1 or more; 0: all", options.Depth))
			}
			if err := meant(&below); err != nil {
				return err
			}
			c, err := o.cluster()
			if err != nil {
				return err
			}
			queues, err := o.seenQueues(cmd.Context(), c)
			if err != nil {
				return err
			}
			if below != "" {
				if queues = show.Below(queues, below); len(queues) == 0 {
					return noQueue("queue", below)
				}
			}
			return o.print(map[string]any{"queues": viewQueues(queues)}, func() string {
				options.Style, options.Most = o.style(), show.Usual
				if all {
					options.Most = 0
				}
				return show.Forest(queues, options) + show.Legend(&options.Style) + "\n"
			})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&options.Resources, "resource", nil, "only these; all if unsaid")
	flags.BoolVar(&all, "all", false, "draw all queues, however many")
	flags.IntVar(&options.Depth, "depth", 0, "how many levels are drawn; 0: all")
	flags.StringVar(&below, "below", "", "only this queue, and those below it")
	return cmd
}

func noQueue(kind, name string) error {
	return &ask.Problem{Kind: ask.NotFound,
		Err: fmt.Errorf("%s %s: the scheduler knows no such queue", kind, name)}
}

func viewQueues(queues []ask.Queue) []show.QueueView {
	views := make([]show.QueueView, 0, len(queues))
	for i := range queues {
		views = append(views, show.ViewQueue(&queues[i]))
	}
	return views
}

func (o *options) kind(cmd *cobra.Command, kind *string) {
	cmd.Flags().StringVar(kind, "kind", ask.VolcanoQueue, strings.Join(kinds, ", "))
	o.complete(cmd, "kind", kinds...)
}

func checkKind(kind string) error {
	if slices.Contains(kinds, kind) {
		return nil
	}
	return usage(fmt.Errorf("--kind is %q, want one of %s", kind, strings.Join(kinds, ", ")))
}

func (o *options) queue() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:               "queue NAME",
		Short:             "One queue: its state, its claims, its quota",
		Args:              exactly("NAME"),
		ValidArgsFunction: o.queueNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKind(kind); err != nil {
				return err
			}
			if err := queueCalled(&args[0]); err != nil {
				return err
			}
			c, err := o.cluster()
			if err != nil {
				return err
			}
			queue, err := c.Queue(cmd.Context(), kind, args[0])
			if err != nil {
				return err
			}
			if o.output != "" {
				return o.print(show.ViewQueue(queue), nil)
			}
			queues, err := c.Queues(cmd.Context())
			if err != nil {
				return err
			}
			return o.print(nil, func() string {
				style := o.style()
				return show.One(queue, show.Up(queues, kind, args[0]), below(queues, queue), &style)
			})
		},
	}
	o.kind(cmd, &kind)
	return cmd
}

// queueCalled reads the name of a queue. Pods may name one that no object can be called like, and
// the scheduler tells of it: that is meant where it stands in quotes, as it was shown.
func queueCalled(name *string) error {
	if !strings.HasPrefix(*name, `"`) {
		return called("queue", *name)
	}
	if err := meant(name); err != nil || *name != "" {
		return err
	}
	return called("queue", *name)
}

// below are the names of a queue's children.
func below(queues []ask.Queue, queue *ask.Queue) []string {
	var names []string
	for i := range queues {
		child := &queues[i]
		same := child.Kind == queue.Kind ||
			(queue.Kind == ask.Cohort && child.Kind == ask.ClusterQueue)
		if same && child.Parent == queue.Name {
			names = append(names, child.Name)
		}
	}
	return names
}

func (o *options) why() *cobra.Command {
	var manager ask.Scheduler
	cmd := &cobra.Command{
		Use:   "why POD | podgroup/NAME | workload/NAME",
		Short: "Why a pod, a gang or a workload waits, on what, and for how long",
		Long: `Why a pod or a gang waits: on which queue and resource, at which place, for how long. Of a
workload that gets its quota in this cluster: what it lacks, which gate is closed, who would go for
it, and since when it signals that; of one that sluice-manager dispatches: in which clusters it
would have to preempt, since when, whose gate is open, and which one is opened next, when.`,
		Example: `  kubectl sluice why train-7
  kubectl sluice why -n science train-7
  kubectl sluice why podgroup/train
  kubectl sluice why workload/job-train-1a2b3`,
		Args:              exactly("POD | podgroup/NAME | workload/NAME"),
		ValidArgsFunction: o.podNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, name, is := strings.Cut(args[0], "/")
			if !is {
				kind, name = "pod", args[0]
			}
			if !slices.Contains([]string{"pod", "podgroup", "workload"}, kind) {
				return usage(fmt.Errorf("%q: want POD, podgroup/NAME or workload/NAME; -n says in "+
					"which namespace", args[0]))
			}
			if err := called(kind, name); err != nil {
				return err
			}
			if kind == "workload" {
				return o.whyWorkload(cmd.Context(), manager, name)
			}
			c, namespace, err := o.within()
			if err != nil {
				return err
			}
			if kind == "podgroup" {
				return o.whyGroup(cmd.Context(), c, namespace, name)
			}
			return o.whyPod(cmd.Context(), c, namespace, name)
		},
	}
	managerFlags(cmd, &manager)
	return cmd
}

// whyWorkload asks who dispatches it, if anybody does, and else who admits it here.
func (o *options) whyWorkload(ctx context.Context, manager ask.Scheduler, name string) error {
	elsewhere := o.dispatched(ctx, manager, name, show.WhyDispatched)
	if elsewhere == nil {
		return nil
	}
	c, namespace, err := o.within()
	if err != nil {
		return err
	}
	w, err := whyWorkload(ctx, c, namespace, name)
	if err != nil {
		return fmt.Errorf("%w\nnor is it known that sluice-manager dispatches it: %v", err, elsewhere)
	}
	return o.print(w, func() string { return show.WhyWorkload(w, time.Now()) })
}

func (o *options) whyPod(ctx context.Context, c *ask.Cluster, namespace, name string) error {
	why, err := whyPod(ctx, c, namespace, name)
	if err != nil {
		return err
	}
	pod := why.Pod
	if o.output != "" {
		return o.print(show.ViewPod(pod, why.Group), nil)
	}
	return o.print(nil, func() string {
		style := o.style()
		return show.Why(pod, why.Group, show.Up(why.Queues, pod.QueueKind, pod.Queue), time.Now(),
			&style)
	})
}

func (o *options) whyGroup(ctx context.Context, c *ask.Cluster, namespace, name string) error {
	why, err := whyGroup(ctx, c, namespace, name)
	if err != nil {
		return err
	}
	group := why.Group
	if o.output != "" {
		return o.print(show.ViewGroup(group), nil)
	}
	return o.print(nil, func() string {
		style := o.style()
		return show.Gang(group, show.Up(why.Queues, group.QueueKind, group.Queue), time.Now(), &style)
	})
}

// within is the cluster, and the namespace in it, that the flags and the kubeconfig name.
func (o *options) within() (*ask.Cluster, string, error) {
	c, err := o.cluster()
	if err != nil {
		return nil, "", err
	}
	namespace, _, err := o.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("which namespace: %w", err)
	}
	return c, namespace, nil
}

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
		err = o.eachWaiting(cmd.Context(), tell, "", "")
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// eachWaiting goes through what waits in all queues, or in one, in the queues' orders.
func (o *options) eachWaiting(ctx context.Context, tell func(*ask.Queue, int, *ask.Waiting), kind,
	name string) error {
	c, err := o.cluster()
	if err != nil {
		return err
	}
	queues, err := c.Queues(ctx)
	if err != nil {
		return err
	}
	found := name == ""
	for i := range queues {
		queue := &queues[i]
		named := queue.Kind == kind && queue.Name == name
		found = found || named
		if !queue.Leaf || queue.Waiting == 0 || (name != "" && !named) {
			continue
		}
		waiting, err := c.Pending(ctx, queue.Kind, queue.Name)
		if err != nil {
			return err
		}
		for i := range waiting {
			tell(queue, i, &waiting[i])
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
	cmd := &cobra.Command{
		Use:   "pending [QUEUE]",
		Short: "What waits, in the order of its queue",
		Long: `Lists what waits for room, queue by queue, in the order in which it is looked at: the pods
of a queue, and then, in an order of their own, its workloads. What is held (for a gate of somebody
else's, a group, a backoff) is not in that order: why POD says what for.

With -n it is what waits in that namespace, each with its place among all that wait in its queue,
and what is held there, with the reason in the place of a place. That takes no right but to view the
namespace; who may not ask about all is told of his own namespace.`,
		Args:              atMostOne,
		ValidArgsFunction: o.queueNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKind(kind); err != nil {
				return err
			}
			name := strings.Join(args, "")
			if err := meant(&name); err != nil {
				return err
			}
			all, err := o.seenWaiting(cmd.Context(), kind, name)
			if err != nil {
				return err
			}
			views := map[string]any{"pods": all.pods, "workloads": all.workloads}
			return o.print(views, func() string {
				if len(all.pods)+len(all.workloads) == 0 {
					return "Nothing waits for room.\n"
				}
				return show.Rows(all.rows)
			})
		},
	}
	o.kind(cmd, &kind)
	return cmd
}
