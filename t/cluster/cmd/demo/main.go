// SPDX-License-Identifier: Apache-2.0

// Demo tells the story of three pods and one queue on a real control plane: etcd, kube-apiserver,
// the stock kube-scheduler, and sluice-scheduler as examples/deploy ships it.
//
//	demo [--keep] [--pause 2s]
//
// Each step is looked for in the API server; one that does not come true ends the demo with what
// was wanted, what was seen, and the end of the scheduler's log. It exits 0 only if all happened.
//
// $SLUICE_SCHEDULER is the program and $SLUICE_LIB the library; examples/demo builds both.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"sluice/cluster/shipped"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

type settings struct {
	root      string // of sluice's tree
	scheduler string
	library   string
	keep      bool
	pause     time.Duration
}

func main() {
	set, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	defer stop()
	if err := run(ctx, set, newScreen(os.Stdout)); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(os.Stderr, "\ndemo: interrupted")
			os.Exit(exitInterrupted)
		}
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(exitFailed)
	}
}

func parse(args []string) (settings, error) {
	var set settings
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.BoolVar(&set.keep, "keep", false, "leave the cluster up until Ctrl-C, and say how to use it")
	flags.DurationVar(&set.pause, "pause", 2*time.Second, "how long to stop for reading")
	if err := flags.Parse(args); err != nil {
		return set, err
	}
	if flags.NArg() > 0 {
		return set, fmt.Errorf("%q: there are only options", flags.Arg(0))
	}
	var err error
	if set.root, err = shipped.Root(); err != nil {
		return set, err
	}
	for _, needed := range []struct {
		path           *string
		name, standard string
	}{
		{&set.scheduler, "SLUICE_SCHEDULER", "build/sluice-scheduler"},
		{&set.library, "SLUICE_LIB", "build/sluice.so"},
	} {
		path := os.Getenv(needed.name)
		if path == "" {
			path = filepath.Join(set.root, needed.standard)
		}
		if *needed.path, err = filepath.Abs(path); err != nil {
			return set, fmt.Errorf("%s %q: %w", needed.name, path, err)
		}
		if _, err := os.Stat(*needed.path); err != nil {
			return set, fmt.Errorf("%w: run ./examples/demo, which builds it, or say in %s where it is",
				err, needed.name)
		}
	}
	return set, nil
}

func run(ctx context.Context, set settings, out *screen) (err error) {
	c, err := start(ctx, set, out)
	if c != nil {
		defer func() {
			if stopped := c.Stop(); stopped != nil {
				fmt.Fprintln(os.Stderr, "demo:", stopped)
				err = errors.Join(err, stopped)
			}
		}()
	}
	if err != nil {
		return err
	}
	if err := tell(ctx, c, set, out); err != nil {
		return fmt.Errorf("%w\n\nThe end of the scheduler's log:\n%s", err, c.schedulerLog())
	}
	if !set.keep {
		return nil
	}
	return keep(ctx, c, out)
}
