// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// What is shipped, below the top of the tree.
const (
	crds    = "examples/deploy/crds"
	overlay = "examples/deploy/overlays/on-bind"
)

// Names that the manifests use.
const (
	system = shipped.Namespace
	ours   = shipped.Name // and what pods ask for
	stock  = "default-scheduler"
)

const (
	viewer    = "viewer"
	stockUser = "system:kube-scheduler"
)

// cluster is a control plane with the manifests applied, and both schedulers running.
type cluster struct {
	*plane.Plane
	root   string
	sluice *plane.Process
	why    *why
}

// start returns the cluster also when it fails, if there is one to stop.
func start(ctx context.Context, set settings, out *screen) (*cluster, error) {
	out.say("Starting etcd and kube-apiserver: real ones, as processes of this machine.")
	account := plane.ServiceAccountUser(system, ours)
	p, err := plane.Start(ctx, plane.Options{
		Name: "demo", Users: []plane.User{account, {Name: viewer}, {Name: stockUser}},
		APIFlags: []string{"--enable-aggregator-routing=true"}, // no proxy serves addresses of Services
	})
	if err != nil {
		return nil, err
	}
	c := &cluster{Plane: p, root: set.root}
	out.note("ready after %.1f s at %s", p.Took.Seconds(), p.URL())
	if err := c.startStock(set); err != nil {
		return c, err
	}
	if err := c.applyManifests(ctx, out); err != nil {
		return c, err
	}
	began := time.Now()
	if err := c.startSluice(ctx, set, account.Name); err != nil {
		return c, err
	}
	out.note("sluice-scheduler leads after %.1f s: a process beside the cluster, since no kubelet "+
		"runs its Deployment, but with the Deployment's configuration, as its service account, and "+
		"with no other rights than the manifests give it", time.Since(began).Seconds())
	return c, nil
}

func (c *cluster) applyManifests(ctx context.Context, out *screen) error {
	if err := c.ApplyCRDDir(ctx, filepath.Join(c.root, crds)); err != nil {
		return err
	}
	out.note("applied %s: what a Queue is", crds)
	args := []string{"apply", "--server-side", "-k", filepath.Join(c.root, overlay)}
	if _, err := c.Kubectl(ctx, args...); err != nil {
		return err
	}
	out.note("applied %s: account, rights, configuration, and the policies", overlay)
	_, err := c.Kubectl(ctx, "create", "clusterrolebinding", viewer, "--clusterrole=sluice-viewer",
		"--user="+viewer)
	return err
}

// startStock starts the same program without the plugin: that is the stock scheduler.
func (c *cluster) startStock(set settings) error {
	kubeconfig, err := c.Kubeconfig(stockUser)
	if err != nil {
		return err
	}
	_, err = c.Run("stock-scheduler", set.scheduler, []string{
		"--kubeconfig=" + kubeconfig, "--leader-elect=false", "--secure-port=0",
	}, nil)
	return err
}

func (c *cluster) startSluice(ctx context.Context, set settings, account string) error {
	kubeconfig, err := c.Kubeconfig(account)
	if err != nil {
		return err
	}
	config, err := shipped.Config(ctx, c.Plane)
	if err != nil {
		return err
	}
	text, err := shipped.WithPaths(config, set.library, kubeconfig)
	if err != nil {
		return err
	}
	name := filepath.Join(c.Dir, "config.yaml")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return fmt.Errorf("the scheduler's configuration: %w", err)
	}
	port, err := plane.FreePort()
	if err != nil {
		return err
	}
	certificates, address := filepath.Join(c.Dir, "scheduler"), "127.0.0.1"
	if set.keep {
		address = "0.0.0.0" // an API server sends nobody to its own machine's loopback
	}
	c.sluice, err = c.Run(ours, set.scheduler, []string{
		"--config=" + name, "-v=2", "--bind-address=" + address, "--secure-port=" + strconv.Itoa(port),
		"--cert-dir=" + certificates,
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
	}, nil)
	if err != nil {
		return err
	}
	c.why = &why{
		url:   fmt.Sprintf("https://127.0.0.1:%d", port),
		ca:    filepath.Join(certificates, "kube-scheduler.crt"),
		token: c.REST(viewer).BearerToken,
	}
	if err := c.awaitLeader(ctx); err != nil || !set.keep {
		return err
	}
	err = shipped.Reach(ctx, c.Plane, c.sluice, port)
	if errors.Is(err, shipped.ErrNoAddress) {
		return nil // kubectl sluice says that nobody answers
	}
	return err
}

const leaderTakes = time.Minute

// awaitLeader waits until the scheduler is ready and leads, and the API server adds gates.
func (c *cluster) awaitLeader(ctx context.Context) error {
	end := time.Now().Add(leaderTakes)
	for {
		problem := c.leads(ctx)
		if problem == nil {
			problem = errors.Join(c.why.ready(ctx), c.addsGates(ctx))
		}
		switch {
		case problem == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !c.sluice.Running():
			return fmt.Errorf("sluice-scheduler has ended; the end of its log:\n%s", c.schedulerLog())
		case time.Now().After(end):
			return fmt.Errorf("sluice-scheduler is not ready after %s: %w; the end of its log:\n%s",
				leaderTakes, problem, c.schedulerLog())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// schedulerLog is the end of its log, without what it says again and again in a cluster whose API
// server stands behind no proxy.
func (c *cluster) schedulerLog() string {
	lines := strings.Split(c.sluice.Tail(200), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.Contains(line, "requestheader-client-ca-file")
	})
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

func (c *cluster) leads(ctx context.Context) error {
	lease, err := c.Client.CoordinationV1().Leases(system).Get(ctx, ours, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if holder := lease.Spec.HolderIdentity; holder == nil || *holder == "" {
		return errors.New("nobody holds its lease")
	}
	return nil
}

// addsGates asks with a pod that is not kept: the API server learns of policies by a watch.
func (c *cluster) addsGates(ctx context.Context) error {
	pods, err := c.pods()
	if err != nil {
		return err
	}
	made, err := c.Client.CoreV1().Pods(metav1.NamespaceDefault).
		Create(ctx, pods[0], metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	if len(made.Spec.SchedulingGates) == 0 {
		return errors.New("the policy adds no gate yet")
	}
	return nil
}

func (c *cluster) createNode(ctx context.Context, name, kind, cpu, memory string) error {
	_, err := c.CreateNode(ctx, plane.Node{
		Name: name, Labels: map[string]string{"kind": kind},
		Allocatable: map[string]string{
			string(corev1.ResourceCPU): cpu, string(corev1.ResourceMemory): memory,
		},
	})
	return err
}
