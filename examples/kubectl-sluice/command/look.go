// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

var kinds = []string{ask.VolcanoQueue, ask.ClusterQueue, ask.Cohort}

func (o *options) queues() *cobra.Command {
	options := show.Options{}
	var all bool
	var below, sort string
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
  kubectl sluice queues -n science --sort waiting
  kubectl sluice queues -o wide --watch
  kubectl sluice queues -o jsonpath='{.queues[?(@.name=="train")].claims.waiting}'`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Depth < 0 {
				return usage(fmt.Errorf("--depth is %d, want 1 or more; 0: all", options.Depth))
			}
			var err error
			if options.Sort, err = sortOf(sort); err != nil {
				return err
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
			return o.print(answer{
				view:  map[string]any{"queues": viewQueues(queues)},
				names: queueObjects(queues),
				text: func() string {
					options.Style, options.Most = o.style(), show.Usual
					options.Width, options.Wide = o.columns(), o.output == wide
					if all {
						options.Most = 0
					}
					return show.Forest(queues, options) + show.Legend(&options.Style) + "\n"
				},
			})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&options.Resources, "resource", nil, "only these; all if unsaid")
	flags.BoolVar(&all, "all", false, "draw all queues, however many")
	flags.IntVar(&options.Depth, "depth", 0, "how many levels are drawn; 0: all")
	flags.StringVar(&below, "below", "", "only this queue, and those below it")
	o.sorted(cmd, &sort)
	return o.watched(cmd)
}

func (o *options) sorted(cmd *cobra.Command, sort *string) {
	cmd.Flags().StringVar(sort, "sort", string(show.ByName), "queues of the same parent by "+sorts())
	o.complete(cmd, "sort", strings.Split(sorts(), ", ")...)
}

func sorts() string {
	var names []string
	for _, one := range show.Sorts {
		names = append(names, string(one))
	}
	return strings.Join(names, ", ")
}

func sortOf(name string) (show.Sort, error) {
	if by := show.Sort(name); slices.Contains(show.Sorts, by) {
		return by, nil
	}
	return "", usage(fmt.Errorf("--sort is %q, want one of %s", name, sorts()))
}

// queueObjects are the queues as -o name prints them.
func queueObjects(of []ask.Queue) []string {
	var names []string
	for i := range of {
		for _, kind := range []*resource{queues, clusterQueues, cohorts} {
			if kind.kind == of[i].Kind {
				names = append(names, kind.object(of[i].Name))
			}
		}
	}
	return names
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
	cmd.Flags().StringVar(kind, "kind", ask.VolcanoQueue, "of a NAME without one: "+
		strings.Join(kinds, ", "))
	o.complete(cmd, "kind", kinds...)
}

// referQueue reads a queue as it was typed; a name alone is of the kind that --kind says.
func referQueue(args []string, kind string) (reference, error) {
	all := []*resource{queues, clusterQueues, cohorts}
	at := slices.IndexFunc(all, func(one *resource) bool { return one.kind == kind })
	if at < 0 {
		return reference{}, usage(fmt.Errorf("--kind is %q, want one of %s", kind,
			strings.Join(kinds, ", ")))
	}
	all[0], all[at] = all[at], all[0]
	return refer(args, all...)
}

func (o *options) queue() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "queue NAME | KIND/NAME",
		Short: "One queue: its state, its claims, its quota",
		Example: `  kubectl sluice queue train
  kubectl sluice queue clusterqueue/research
  kubectl sluice queue cohort ml --watch`,
		Args:              oneObject("NAME"),
		ValidArgsFunction: o.queueNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			which, err := referQueue(args, kind)
			if err != nil {
				return err
			}
			if err := queueCalled(&which.name); err != nil {
				return err
			}
			c, err := o.cluster()
			if err != nil {
				return err
			}
			queue, err := c.Queue(cmd.Context(), which.of.kind, which.name)
			if err != nil {
				return err
			}
			said := answer{view: show.ViewQueue(queue), names: []string{which.of.object(queue.Name)}}
			if o.forPerson() {
				queues, err := c.Queues(cmd.Context())
				if err != nil {
					return err
				}
				said.text = func() string {
					style := o.style()
					return show.One(queue, show.Up(queues, queue.Kind, queue.Name),
						below(queues, queue), &style)
				}
			}
			return o.print(said)
		},
	}
	o.kind(cmd, &kind)
	return o.watched(cmd)
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
