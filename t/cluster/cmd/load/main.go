// SPDX-License-Identifier: Apache-2.0

// Load measures sluice-scheduler on real control planes, beside the stock scheduler:
//
//	load throughput    how many pods a second pass, and at what price
//	load tracing       the same with sluice-trace attached to the scheduler, and without
//	load policies      the same with the shipped admission policies in force, and without
//	load waiting       what pods cost that wait behind a full queue
//	load audit         which writes a gated pod costs
//	load sizes         what a cluster of thousands of nodes and queues costs, at several sizes
//	load kueue         Kueue's own performance test, with Kueue's scheduler and with sluice
//
// Each prints what it does as it goes, then a table of medians. It exits 1 when a run failed: a pod
// was not bound, a queue held more than its limit, or (audit) a pod cost another write than it may.
//
// The scheduler is $SLUICE_SCHEDULER, else examples/kube-scheduler/build makes it; the library is
// $SLUICE_LIB, else build/sluice.so.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

const usage = `usage: load throughput|tracing|policies|waiting|audit|sizes|kueue [flags]
       load COMMAND -h lists the flags of a command`

// options are what may be said on the command line.
type options struct {
	rounds, pods, queue, nodes int
	window                     time.Duration
	only                       []string // the keys of variants
	policies, keep             bool
	profile, overlay           string
	generator                  string    // of Kueue's performance test
	requests                   int       // a second, of its runner
	parts                      []float64 // of the whole extent
	rate                       float64   // pods a second that come and end; 0: all at once
	hints                      bool      // the scheduler asks which pods an event is about
	alone                      bool      // without the stock scheduler
}

// command is one of the measurements, and the variants that it has.
type command struct {
	run      func(context.Context, *options) error
	variants []string
	defaults options
}

var commands = map[string]command{
	"throughput": {throughput, []string{stock, stockBare, onBind, onAdmission, ungated},
		options{rounds: 3, pods: 2000, queue: 500, nodes: 100}},
	"tracing": {throughput, []string{onBind, onBindTraced},
		options{rounds: 5, pods: 2000, queue: 500, nodes: 100}},
	"policies": {throughput, []string{stockBare, onBind, onBindPolicies, onBindBrought},
		options{rounds: 5, pods: 6000, queue: 500, nodes: 100}},
	"waiting": {waiting, []string{stock, onBind, onAdmission},
		options{rounds: 3, pods: 5000, queue: 500, nodes: 100, window: time.Minute}},
	"audit": {audit, []string{onBind, onAdmission},
		options{rounds: 1, pods: 1000, queue: 100, nodes: 100}},
	"sizes": {sizes, nil,
		options{parts: []float64{0.01, 0.1, 1}, rate: 50, window: 2 * time.Minute}},
	"kueue": {kueueTest, []string{kueueUnlimited, sluiceShipped, kueueLimited},
		options{rounds: 1, generator: "baseline", requests: 1000,
			only: []string{kueueUnlimited, sluiceShipped}}},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "load:", err)
			os.Exit(1)
		}
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == ungateCommand {
		return ungate(ctx, args[1])
	}
	if len(args) == 0 || commands[args[0]].run == nil {
		return errors.New(usage)
	}
	chosen := commands[args[0]]
	o, err := chosen.parse("load "+args[0], args[1:])
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, machine())
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	return chosen.run(ctx, o)
}

func (c *command) parse(name string, args []string) (*options, error) {
	o, only, parts := c.defaults, "", ""
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.BoolVar(&o.keep, "keep", false,
		"leave the directories of the control planes, for their logs")
	switch {
	case o.generator != "":
		flags.StringVar(&o.generator, "config", o.generator,
			"Kueue's configuration of the test, baseline or large-scale, or a file like it")
		flags.IntVar(&o.requests, "requests", o.requests,
			"how many requests a second its runner may make; Kueue's Makefile says 1000")
		c.addRounds(flags, &o, &only)
	case o.parts != nil:
		flags.StringVar(&parts, "parts", join(o.parts), "parts of "+whole.String())
		flags.Float64Var(&o.rate, "rate", o.rate, "how many pods a second end, and come")
		flags.DurationVar(&o.window, "window", o.window, "for how long")
		flags.BoolVar(&o.hints, "hints", false,
			"sluice runs with the feature gate SchedulerPreQueueingHints, and first in preEnqueue")
		flags.BoolVar(&o.alone, "alone", false, "without the stock scheduler")
	default:
		c.addLoad(flags, &o)
		c.addRounds(flags, &o, &only)
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is not understood: there are flags only", flags.Arg(0))
	}
	if o.parts != nil {
		return &o, o.readParts(parts)
	}
	o.only = strings.Split(only, ",")
	return &o, c.check(&o)
}

// addRounds adds the flags of those that compare variants in turns.
func (c *command) addRounds(flags *flag.FlagSet, o *options, only *string) {
	names := o.only
	if names == nil {
		names = c.variants
	}
	flags.IntVar(&o.rounds, "rounds", o.rounds, "how often each variant runs, in turns")
	flags.StringVar(only, "only", strings.Join(names, ","), "these variants")
}

func join(parts []float64) string {
	var words []string
	for _, part := range parts {
		words = append(words, strconv.FormatFloat(part, 'g', -1, 64))
	}
	return strings.Join(words, ",")
}

func (o *options) readParts(text string) error {
	if o.rate <= 0 || o.window <= 0 {
		return fmt.Errorf("--rate is %g and --window %s, want more than 0", o.rate, o.window)
	}
	o.parts = nil
	for word := range strings.SplitSeq(text, ",") {
		part, err := strconv.ParseFloat(word, 64)
		if err != nil || part <= 0 {
			return fmt.Errorf("--parts has %q, want numbers above 0, as 0.01,0.1,1", word)
		}
		if err := whole.part(part).fits(); err != nil {
			return fmt.Errorf("--parts has %s: %w", word, err)
		}
		o.parts = append(o.parts, part)
	}
	return nil
}

// addLoad adds the flags of those that have pods of their own.
func (c *command) addLoad(flags *flag.FlagSet, o *options) {
	flags.IntVar(&o.pods, "pods", o.pods, "how many pods of one cpu")
	flags.IntVar(&o.queue, "queue", o.queue, "the queue's limit, in cpu")
	flags.IntVar(&o.nodes, "nodes", o.nodes, "how many nodes of 8 cpu")
	flags.BoolVar(&o.policies, "policies", false,
		"sluice runs with the shipped admission policies, which then add the gates")
	flags.StringVar(&o.overlay, "overlay", "",
		"a folder of manifests whose policies are those in force; otherwise the shipped ones")
	if o.window > 0 {
		flags.DurationVar(&o.window, "window", o.window, "how long to look at pods that wait")
	} else {
		flags.Float64Var(&o.rate, "rate", 0, "how many pods a second come; 0: all at once")
		flags.StringVar(&o.profile, "profile", "",
			"write cpu profiles of scheduler and API server into this directory")
	}
}

func (c *command) check(o *options) error {
	least := min(o.rounds, o.pods, o.queue, o.nodes)
	if o.generator != "" {
		least = min(o.rounds, o.requests)
	}
	switch {
	case o.generator != "" && !slices.Contains([]string{"baseline", "large-scale"}, o.generator) &&
		!strings.HasSuffix(o.generator, ".yaml"):
		return fmt.Errorf("--config is %q; Kueue has baseline and large-scale, or say a .yaml",
			o.generator)
	case least < 1:
		return fmt.Errorf("rounds, pods, queue, nodes and requests must be 1 or more, one is %d",
			least)
	case o.rate < 0:
		return fmt.Errorf("--rate is %g, want 0 or more", o.rate)
	case o.generator == "" && o.queue > nodeCPU*o.nodes-warmCPU:
		return fmt.Errorf("a queue of %d cpu can never fill: %d nodes have %d cpu, of which %d "+
			"are for warming up", o.queue, o.nodes, nodeCPU*o.nodes, warmCPU)
	}
	for _, key := range o.only {
		if !slices.Contains(c.variants, key) {
			return fmt.Errorf("--only names %q; there are %s", key, strings.Join(c.variants, ","))
		}
	}
	return nil
}

// chosen are the variants that --only leaves.
func (o *options) chosen() []variant {
	return slices.DeleteFunc(slices.Clone(variants), func(v variant) bool {
		return !slices.Contains(o.only, v.key)
	})
}

// say tells of progress.
func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", values...)
}
