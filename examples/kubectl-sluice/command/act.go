// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
)

// deed is what a subcommand does to a queue.
type deed struct {
	verb, done  string
	wanted      string // the state that it is to have then
	short, long string
}

var deeds = map[ask.Action]deed{
	ask.Suspend: {
		verb: "suspend", done: "suspended", wanted: "Suspended",
		short: "Grant nothing in a queue and below, for now",
		long: `Everything may be submitted to a suspended queue, nothing is granted, nothing is lost:
pods that run go on, granted ones that are not bound yet keep their place and wait. A
closed queue cannot be suspended.`,
	},
	ask.Resume: {
		verb: "resume", done: "resumed", wanted: "Open",
		short: "Let a suspended queue and those below grant again",
		long: `Undoes suspend, with the quota, parent and policy that the queue has by now. A queue
whose parent is not open cannot be resumed.`,
	},
	ask.Open: {
		verb: "open", done: "opened", wanted: "Open",
		short: "Open a queue and those below",
		long:  `Undoes close, and also suspend. A queue whose parent is not open cannot be opened.`,
	},
	ask.Close: {
		verb: "close", done: "closed", wanted: "Closed",
		short: "Take nothing new into a queue and those below",
		long: `Nothing new is admitted; what is there runs to its end (Closing), then the queue is
Closed. --wait waits for that.`,
	},
}

const stopPolicies = `

One of Kueue's queues has a stopPolicy in the place of Commands, which is written: who may patch the
object may do that. A LocalQueue is looked for in the namespace of -n.`

func (o *options) act(action ask.Action) *cobra.Command {
	var wait, drain bool
	var timeout time.Duration
	deed := deeds[action]
	policy, stops := policies[action]
	use, kinds := deed.verb+" QUEUE", []*resource{queues}
	if stops {
		use, kinds = use+" | clusterqueue/NAME | localqueue/NAME", append(kinds, clusterQueues,
			localQueues)
		deed.long += stopPolicies
	}
	cmd := &cobra.Command{
		Use:   use,
		Short: deed.short,
		Long:  deed.long,
		Example: fmt.Sprintf("  kubectl sluice %s team\n  kubectl sluice %s team --wait --timeout 5m",
			deed.verb, deed.verb),
		Args:              oneObject("QUEUE"),
		ValidArgsFunction: o.queueNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			which, err := refer(args, kinds...)
			if err != nil {
				return err
			}
			if err := called(which.of.singular(), which.name); err != nil {
				return err
			}
			if which.of != queues {
				if drain {
					policy = drains
				}
				return o.setStopPolicy(cmd.Context(), which, deed, policy, wait, timeout)
			}
			if drain {
				return usage(fmt.Errorf("--drain is for Kueue's queues, and %q is one of Volcano's: "+
					"close takes nothing new into it, and lets what runs end", which.name))
			}
			c, err := o.cluster()
			if err != nil {
				return err
			}
			a := &actor{options: o, cluster: c, deed: deed}
			return a.run(cmd.Context(), which.name, action, wait, timeout)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "until the queue is "+deed.wanted)
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long --wait waits; 0: for ever")
	if action == ask.Suspend {
		cmd.Flags().BoolVar(&drain, "drain", false,
			"of one of Kueue's queues: evict what runs in it, too (HoldAndDrain)")
	}
	return cmd
}

// actor carries one Command to its end.
type actor struct {
	*options
	cluster *ask.Cluster
	deed    deed
}

// deedView is what -o json prints.
type deedView struct {
	Queue   string `json:"queue"`
	Action  string `json:"action"`
	Command string `json:"command"`
	State   string `json:"state,omitempty"` // only with --wait
}

const look = 200 * time.Millisecond

func (a *actor) run(ctx context.Context, name string, action ask.Action, wait bool,
	timeout time.Duration) error {
	queue, err := a.cluster.Object(ctx, name)
	if err != nil {
		return fmt.Errorf("queue %s: %w", name, err)
	}
	command, err := a.cluster.Command(ctx, queue, action)
	if err != nil {
		return fmt.Errorf("%s queue %s: %w", a.deed.verb, queue.Name, err)
	}
	view := deedView{Queue: queue.Name, Action: string(action), Command: command.Name}
	if !wait {
		return a.say(view, fmt.Sprintf("queue/%s will be %s (command %s/%s)\n", queue.Name,
			a.deed.done, ask.CommandSpace, command.Name))
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if view.State, err = a.await(ctx, queue, command.Name, timeout); err != nil {
		return err
	}
	if view.State != a.deed.wanted {
		why := a.cluster.Refusal(ctx, queue, command)
		if why == "" {
			why = "see kubectl get events"
		}
		return &ask.Problem{Kind: ask.Refused,
			Err: fmt.Errorf("queue %s is %s and was not %s: %s", queue.Name, view.State, a.deed.done,
				why)}
	}
	return a.say(view, fmt.Sprintf("queue/%s %s\n", queue.Name, a.deed.done))
}

func (a *actor) say(view deedView, text string) error {
	return a.print(answer{view: view, names: []string{queues.object(view.Queue)},
		text: func() string { return text }})
}

// await returns the state that the queue has when the Command is done and all is written; a queue
// that is Closing is waited for.
func (a *actor) await(ctx context.Context, queue *ask.Object, command string,
	timeout time.Duration) (string, error) {
	carriedOut, told := false, false
	for {
		var err error
		state, written := "", false
		if !carriedOut {
			carriedOut, err = a.cluster.CarriedOut(ctx, command)
		}
		if err == nil && carriedOut {
			state, written, err = a.state(ctx, queue)
		}
		switch {
		case ctx.Err() != nil:
			return "", a.late(ctx, queue, carriedOut, timeout)
		case err != nil:
			return "", err
		case written && (state != "Closing" || a.deed.wanted != "Closed"):
			return state, nil
		case written && !told:
			told = true
			fmt.Fprintf(a.err, "queue/%s is %s: what is in it runs to its end\n", queue.Name, state)
		}
		select {
		case <-ctx.Done():
		case <-time.After(look):
		}
	}
}

// state is what the scheduler says, for the object may lag behind what the queue's parent did; the
// object's own for who may not ask the scheduler.
func (a *actor) state(ctx context.Context, queue *ask.Object) (string, bool, error) {
	now, err := a.cluster.Object(ctx, queue.Name)
	if ask.KindOf(err) == ask.NotFound || err == nil && now.UID != queue.UID {
		return "", false, &ask.Problem{Kind: ask.NotFound,
			Err: fmt.Errorf("queue %s was deleted meanwhile", queue.Name)}
	}
	if err != nil {
		return "", false, err
	}
	said, err := a.cluster.Queue(ctx, ask.VolcanoQueue, queue.Name)
	switch {
	case err == nil:
		return said.State, said.Written == nil || *said.Written, nil
	case ask.KindOf(err) == ask.Forbidden:
		return now.Status.State, true, nil
	}
	return "", false, err
}

func (a *actor) late(ctx context.Context, queue *ask.Object, carriedOut bool,
	timeout time.Duration) error {
	if interrupted(ctx, ctx.Err()) {
		return ctx.Err()
	}
	what := "the command was not carried out: does a sluice-scheduler lead?"
	if carriedOut {
		what = "it is still Closing"
	}
	return &ask.Problem{Kind: ask.TimedOut,
		Err: fmt.Errorf("queue %s is not %s after %s: %s", queue.Name, a.deed.wanted, timeout, what)}
}
