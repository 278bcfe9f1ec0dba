// SPDX-License-Identifier: Apache-2.0

// Plane brings a control plane up, prints how to reach it, and takes it down on Ctrl-C:
//
//	plane [flags]                      waits for Ctrl-C
//	plane [flags] -- COMMAND [ARG...]  runs a command with KUBECONFIG set, then takes it down
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"sluice/cluster/plane"
)

type settings struct {
	plane.Options
	crds   string
	nodes  int
	cpu    string
	memory string
}

func main() {
	set, command, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, set, command); err != nil {
		fmt.Fprintln(os.Stderr, "plane:", err)
		os.Exit(exitCode(err))
	}
}

// exitCode is the command's own where it had one.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1)
	}
	return 1
}

func parse(args []string, help io.Writer) (settings, []string, error) {
	var set settings
	flags := flag.NewFlagSet("plane", flag.ContinueOnError)
	flags.SetOutput(help)
	flags.StringVar(&set.Name, "name", "plane", "in paths and in the kubeconfig")
	flags.StringVar(&set.Dir, "dir", "", "where to make its directory (default: "+os.TempDir()+")")
	flags.BoolVar(&set.Keep, "keep", false, "leave the directory, for its logs")
	flags.BoolVar(&set.ControllerManager, "controllers", false,
		"kube-controller-manager too: Jobs and Deployments make pods")
	flags.StringVar(&set.crds, "crds", "", "a directory of CustomResourceDefinitions to apply")
	flags.IntVar(&set.nodes, "nodes", 0, "how many nodes to create")
	flags.StringVar(&set.cpu, "cpu", "8", "of each node")
	flags.StringVar(&set.memory, "memory", "32Gi", "of each node")
	flags.Func("api-flag", "one more of the API server's; may be said again", func(one string) error {
		set.APIFlags = append(set.APIFlags, one)
		return nil
	})
	err := flags.Parse(args)
	return set, flags.Args(), err
}

func run(ctx context.Context, set settings, command []string) (err error) {
	fmt.Fprintln(os.Stderr, "starting etcd and kube-apiserver ...")
	p, err := plane.Start(ctx, set.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	fmt.Fprintf(os.Stderr, "ready after %.1f s at %s, logs in %s\n", p.Took.Seconds(), p.URL(), p.Dir)
	if err := furnish(ctx, p, set); err != nil {
		return err
	}
	kubeconfig, err := p.Kubeconfig(plane.Admin)
	if err != nil {
		return err
	}
	if len(command) > 0 {
		return runCommand(ctx, command, kubeconfig)
	}
	kubectl, err := p.Program(ctx, "kubectl")
	if err != nil {
		return err
	}
	fmt.Printf("export KUBECONFIG=%s\nexport PATH=%s:$PATH\n", kubeconfig, filepath.Dir(kubectl))
	fmt.Fprintln(os.Stderr, "paste these lines into another shell; Ctrl-C here ends the plane")
	select {
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr, "stopping ...")
		return nil
	case <-p.API().Done():
		return fmt.Errorf("kube-apiserver ended by itself; the end of its log:\n%s", p.API().Tail(20))
	case <-p.Etcd().Done():
		return fmt.Errorf("etcd ended by itself; the end of its log:\n%s", p.Etcd().Tail(20))
	}
}

func furnish(ctx context.Context, p *plane.Plane, set settings) error {
	if set.crds != "" {
		if err := p.ApplyCRDDir(ctx, set.crds); err != nil {
			return err
		}
	}
	for i := range set.nodes {
		node := plane.Node{
			Name:        fmt.Sprintf("node-%d", i+1),
			Allocatable: map[string]string{"cpu": set.cpu, "memory": set.memory},
		}
		if _, err := p.CreateNode(ctx, node); err != nil {
			return err
		}
	}
	return nil
}

func runCommand(ctx context.Context, command []string, kubeconfig string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}
