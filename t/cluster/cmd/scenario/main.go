// SPDX-License-Identifier: Apache-2.0

// Scenario tells stories on real control planes: etcd, kube-apiserver and sluice-scheduler.
//
//	scenario [--removal onBind|onAdmission] [--planes N] [--verbose] FILE...
//
// It prints TAP, one point for each story and way of removing gates, and exits 1 when one of them
// went other than it should, 2 when it could not be told.
//
// The scheduler is $SLUICE_SCHEDULER, else it is built from examples/kube-scheduler; the library is
// $SLUICE_LIB, else build/sluice.so; Kueue's CRDs lie in $SLUICE_KUEUE_CRDS, else in its module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"sluice/cluster/scenario"
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

// find looks for what the stories need beside a control plane.
func find(ctx context.Context) (scenario.Shipped, error) {
	s := scenario.Shipped{
		Library: os.Getenv("SLUICE_LIB"), Scheduler: os.Getenv("SLUICE_SCHEDULER"),
		Kueue: os.Getenv("SLUICE_KUEUE_CRDS"),
	}
	var err error
	if s.Root, err = findRoot(); err != nil {
		return s, err
	}
	host := filepath.Join(s.Root, "examples/kube-scheduler")
	if s.Library == "" {
		s.Library = filepath.Join(s.Root, "build/sluice.so")
	}
	if s.Library, err = filepath.Abs(s.Library); err != nil {
		return s, err
	}
	if _, err := os.Stat(s.Library); err != nil {
		return s, fmt.Errorf("%w: build it (meson setup build && meson compile -C build), "+
			"or say where it is in SLUICE_LIB", err)
	}
	if s.Kueue == "" {
		module, err := command(ctx, host, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kueue")
		if err != nil {
			return s, err
		}
		s.Kueue = filepath.Join(module, "config/components/crd/bases")
	}
	if s.Scheduler == "" {
		s.Scheduler = filepath.Join(os.TempDir(), fmt.Sprintf("sluice-scheduler-%d", os.Getuid()))
		fmt.Fprintln(os.Stderr, "scenario: building sluice-scheduler (2 min the first time)")
		_, err := command(ctx, host, "go", "build", "-o", s.Scheduler, ".")
		if err != nil {
			return s, err
		}
	}
	s.Scheduler, err = filepath.Abs(s.Scheduler)
	return s, err
}

// findRoot looks upward for sluice's tree.
func findRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "examples/deploy/base/kustomization.yaml"))
		if err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no examples/deploy in or above %s: run inside of sluice's tree",
				start)
		}
	}
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
