// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

func (o *options) why() *cobra.Command {
	var manager ask.Scheduler
	var selector string
	var most int
	cmd := &cobra.Command{
		Use:   "why POD | podgroup/NAME | workload/NAME | job/NAME | -l SELECTOR",
		Short: "Why a pod, a gang, a workload or the pods of a Job wait, on what, and for how long",
		Long: `Why a pod or a gang waits: on which queue and resource, at which place, for how long. Of a
workload that gets its quota in this cluster: what it lacks, which gate is closed, who would go for
it, and since when it signals that; of one that sluice-manager dispatches: in which clusters it
would have to preempt, since when, whose gate is open, and which one is opened next, when.

Of several pods, those of a Job or those with some labels, it is a line for each.`,
		Example: `  kubectl sluice why train-7
  kubectl sluice why -n science pod/train-7 --watch
  kubectl sluice why podgroup/train
  kubectl sluice why workload/job-train-1a2b3
  kubectl sluice why job/train
  kubectl sluice why -l app=train`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case selector != "" && len(args) > 0:
				return usage(fmt.Errorf("%v and --selector %s: want one of the two", args, selector))
			case selector != "":
				return nil
			}
			return oneObject("POD | podgroup/NAME | workload/NAME | job/NAME")(cmd, args)
		},
		ValidArgsFunction: o.podNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 0 {
				return usage(fmt.Errorf("--limit is %d, want 1 or more; 0: no limit", most))
			}
			if selector != "" {
				return o.whySelected(cmd.Context(), selector, most)
			}
			what, err := refer(args, pods, podGroups, workloads, jobs)
			if err != nil {
				return err
			}
			if err := called(what.of.singular(), what.name); err != nil {
				return err
			}
			switch what.of {
			case workloads:
				return o.whyWorkload(cmd.Context(), manager, what.name)
			case jobs:
				return o.whySelected(cmd.Context(), "batch.kubernetes.io/job-name="+what.name, most)
			}
			c, namespace, err := o.within()
			if err != nil {
				return err
			}
			if what.of == podGroups {
				return o.whyGroup(cmd.Context(), c, namespace, what.name)
			}
			return o.whyPod(cmd.Context(), c, namespace, what.name)
		},
	}
	cmd.Flags().StringVarP(&selector, "selector", "l", "", "the pods with these labels")
	cmd.Flags().IntVar(&most, "limit", 100, "of how many pods at most; 0: no limit")
	managerFlags(cmd, &manager)
	return o.watched(cmd)
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
	return o.print(answer{
		view:  w,
		names: []string{workloads.object(w.Name)},
		text:  func() string { return show.WhyWorkload(w, time.Now()) },
	})
}

func (o *options) whyPod(ctx context.Context, c *ask.Cluster, namespace, name string) error {
	why, err := whyPod(ctx, c, namespace, name)
	if err != nil {
		return err
	}
	pod := why.Pod
	return o.print(answer{
		view:  show.ViewPod(pod, why.Group),
		names: []string{pods.object(pod.Name)},
		text: func() string {
			style := o.style()
			return show.Why(pod, why.Group, show.Up(why.Queues, pod.QueueKind, pod.Queue), time.Now(),
				&style)
		},
	})
}

func (o *options) whyGroup(ctx context.Context, c *ask.Cluster, namespace, name string) error {
	why, err := whyGroup(ctx, c, namespace, name)
	if err != nil {
		return err
	}
	group := why.Group
	return o.print(answer{
		view:  show.ViewGroup(group),
		names: []string{podGroups.object(group.Name)},
		text: func() string {
			style := o.style()
			return show.Gang(group, show.Up(why.Queues, group.QueueKind, group.Queue), time.Now(),
				&style)
		},
	})
}

// whySelected is a line for each pod with some labels. One that no queue counts is in it with why.
func (o *options) whySelected(ctx context.Context, selector string, most int) error {
	c, namespace, err := o.within()
	if err != nil {
		return err
	}
	of, left, err := c.PodNames(ctx, namespace, selector, most)
	if err != nil {
		return err
	}
	if len(of) == 0 {
		return &ask.Problem{Kind: ask.NotFound,
			Err: fmt.Errorf("namespace %s has no pod with the labels %s", namespace, selector)}
	}
	views, known := []show.PodView{}, []*ask.Pod{}
	var objects []string
	for _, name := range of {
		why, err := whyPod(ctx, c, namespace, name)
		switch {
		case ask.KindOf(err) == ask.NotFound:
			why = &ask.Why{Pod: &ask.Pod{Namespace: namespace, Name: name, State: "in no queue",
				Message: err.Error(), Outlook: ask.Outlook{Estimate: -1, Earliest: -1, Latest: -1}}}
		case err != nil:
			return err
		}
		views, known = append(views, show.ViewPod(why.Pod, nil)), append(known, why.Pod)
		objects = append(objects, pods.object(name))
	}
	return o.print(answer{
		view:  map[string]any{"pods": views, "more": left},
		names: objects,
		text:  func() string { return show.Pods(known, left, o.columns()) },
	})
}
