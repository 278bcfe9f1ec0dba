// SPDX-License-Identifier: Apache-2.0

// Faults breaks things under sluice-scheduler while pods go through a queue, on a real control
// plane:
//
//	faults [--rounds N] [--only NAME,...] [--removal onBind|onAdmission] [--verbose] [--keep]
//
// For each fault the scheduler runs behind the proxy of ../../faults, with the rights and the
// profile of examples/deploy. In each round 40 gated pods of one cpu go through a queue of 10, each
// is finished a moment after it is bound, and the fault happens once on the way. Then all must be
// well:
//
//   - every pod has lost its gate by one patch, was bound once, and is finished;
//   - the queue never held more than its limit, at no revision of the API server, and holds nothing
//     in the end; the engine's invariants hold, its outbox is empty;
//   - no process of the scheduler ended but those that the fault ends;
//   - the checker of ../../watch saw nothing that it does not allow.
//
// It prints TAP, one point for each fault, and a table. It exits 1 when a fault did harm, 2 when it
// could not be tried. The scheduler is $SLUICE_SCHEDULER, else examples/kube-scheduler/build makes
// it; the library is $SLUICE_LIB, else build/sluice.so; Kueue's CRDs lie in $SLUICE_KUEUE_CRDS,
// else in its module.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"sluice/cluster/scenario"
)

const (
	exitFailed = 1
	exitInput  = 2
)

type options struct {
	rounds        int
	only, removal string
	verbose, keep bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed, err := run(ctx, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(exitInput)
	case failed > 0:
		os.Exit(exitFailed)
	}
}

func run(ctx context.Context, args []string) (failed int, err error) {
	o, chosen, err := parse(args)
	if err != nil {
		return 0, err
	}
	shipped, err := scenario.Find(ctx)
	if err != nil {
		return 0, err
	}
	b := &bench{options: o, shipped: shipped}
	defer func() { err = errors.Join(err, b.close()) }()
	r := newReport(os.Stdout, len(chosen))
	for _, f := range chosen {
		began := time.Now()
		result, err := b.try(ctx, f)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f.name, err)
		}
		result.took = time.Since(began)
		r.point(f, result)
		if len(result.problems) > 0 {
			// What it has left behind is not the next one's to bear.
			if err := b.close(); err != nil {
				return 0, err
			}
		}
	}
	r.table(o)
	return r.failed, nil
}

func parse(args []string) (*options, []*fault, error) {
	o := &options{}
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 3, "how often each fault happens")
	flags.StringVar(&o.only, "only", "", "these faults: "+strings.Join(names(), ","))
	flags.StringVar(&o.removal, "removal", onBind, "when gates are removed: onBind or onAdmission")
	flags.BoolVar(&o.verbose, "verbose", false, "say what happens")
	flags.BoolVar(&o.keep, "keep", false, "leave the control planes' directories, for their logs")
	if err := flags.Parse(args); err != nil {
		return nil, nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, nil, fmt.Errorf("%q is not understood: there are flags only", flags.Arg(0))
	case o.rounds < 1:
		return nil, nil, fmt.Errorf("--rounds %d: 1 or more", o.rounds)
	case o.removal != onBind && o.removal != onAdmission:
		return nil, nil, fmt.Errorf("--removal %q: onBind or onAdmission", o.removal)
	case o.only == "":
		return o, all, nil
	}
	var chosen []*fault
	for _, name := range strings.Split(o.only, ",") {
		at := slices.Index(names(), name)
		if at < 0 {
			return nil, nil, fmt.Errorf("--only %q: there are %s", name, strings.Join(names(), ","))
		}
		chosen = append(chosen, all[at])
	}
	return o, chosen, nil
}

func names() []string {
	var words []string
	for _, f := range all {
		words = append(words, f.name)
	}
	return words
}
