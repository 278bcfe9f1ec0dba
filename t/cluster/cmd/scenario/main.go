// SPDX-License-Identifier: Apache-2.0

// Scenario tells stories on real control planes: etcd, kube-apiserver and sluice-scheduler.
//
//	scenario [--removal onBind|onAdmission] [--planes N] [--verbose] FILE...
//
// It prints TAP, one point for each story and way of removing gates, and exits 1 when one of them
// went other than it should, 2 when it could not be told.
//
// The scheduler is $SLUICE_SCHEDULER, else examples/kube-scheduler/build makes it; the library is
// $SLUICE_LIB, else build/sluice.so; Kueue's CRDs lie in $SLUICE_KUEUE_CRDS, else in its module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = "usage: scenario [--removal onBind|onAdmission] [--planes N] [--keep] [--verbose] " +
	"FILE..."

const (
	exitFailed = 1
	exitInput  = 2
)

type options struct {
	removal       string
	planes        int
	keep, verbose bool
	files         []string
}

func main() {
	var o options
	flag.StringVar(&o.removal, "removal", "",
		"onBind or onAdmission; unsaid: as the story says, or both")
	flag.IntVar(&o.planes, "planes", 1, "how many control planes there are, side by side")
	flag.BoolVar(&o.keep, "keep", false,
		"leave the directories of the control planes, for their logs")
	flag.BoolVar(&o.verbose, "verbose", false, "say what happens")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	o.files = flag.Args()
	if len(o.files) == 0 || o.planes < 1 || o.removal != "" && !isRemoval(o.removal) {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(exitInput)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "scenario: %v\n", err)
		code = exitInput
	}
	os.Exit(code)
}

func isRemoval(word string) bool { return word == "onBind" || word == "onAdmission" }
