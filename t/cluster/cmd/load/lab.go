// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"sluice/cluster/plane"
)

const (
	account          = "sluice-scheduler"
	accountNamespace = "kube-system"
	stockUser        = "system:kube-scheduler" // who the API server itself gives the rights
	stockLease       = "kube-scheduler"
	bareUser         = "bare"
	protobuf         = runtime.ContentTypeProtobuf

	nodeCPU = 8
	warmCPU = 8 // beside the queue that is measured

	loadSpace = "load" // what is measured
	warmSpace = "warm" // what only shows that everything runs
	loadQueue = "load"
	warmQueue = "warm"
)

// lab is a control plane with nodes and two queues, and one scheduler at a time.
type lab struct {
	*plane.Plane
	client    kubernetes.Interface // of this program: no limit, protobuf
	measured  measured
	options   *options
	policies  bool
	scheduler *plane.Process
	debug     int // the scheduler's port
	bare      *plane.Process
	tracer    *plane.Process
	warmed    int
}

// newLab starts a control plane. With policies, the shipped admission policies are in force.
func newLab(ctx context.Context, m measured, o *options, policies bool) (*lab, error) {
	p, err := plane.Start(ctx, plane.Options{
		Name: "load", Keep: o.keep, Audit: auditv1.LevelMetadata,
		Users: []plane.User{{Name: stockUser}, {Name: bareUser, Groups: []string{"system:masters"}}},
	})
	if err != nil {
		return nil, err
	}
	l := &lab{Plane: p, measured: m, options: o, policies: policies}
	if err := l.furnish(ctx); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	return l, nil
}

func (l *lab) furnish(ctx context.Context) error {
	var err error
	if l.client, err = kubernetes.NewForConfig(quick(l.REST(plane.Admin))); err != nil {
		return err
	}
	deploy := filepath.Join(l.measured.root, "examples/deploy")
	if err := l.ApplyCRDDir(ctx, filepath.Join(deploy, "crds")); err != nil {
		return err
	}
	manifests := []string{"apply", "-f", filepath.Join(deploy, "base/account.yaml"),
		"-f", filepath.Join(deploy, "base/rights.yaml")}
	if l.policies {
		overlay := l.options.overlay
		if overlay == "" {
			overlay = filepath.Join(deploy, "overlays/instead")
		}
		manifests = []string{"apply", "-k", overlay}
	}
	if _, err := l.Kubectl(ctx, manifests...); err != nil {
		return err
	}
	for i := range l.options.nodes {
		if err := createNode(ctx, l.Plane, fmt.Sprintf("node-%03d", i)); err != nil {
			return err
		}
	}
	if err := createSpaces(ctx, l.Plane); err != nil {
		return err
	}
	m, err := newMaker(l.Plane)
	if err != nil {
		return err
	}
	for name, cpu := range map[string]int{loadQueue: l.options.queue, warmQueue: warmCPU} {
		if err := m.queue(ctx, name, cpu); err != nil {
			return err
		}
	}
	if l.policies {
		return l.awaitPolicies(ctx)
	}
	return nil
}

// quick is a client's configuration that costs this program, which shares the processors with what
// it measures, as little as may be.
func quick(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType = protobuf
	config.AcceptContentTypes = protobuf + "," + runtime.ContentTypeJSON
	return config
}

// bringsGate tells whether pods that opt in have their gate from the start.
func (l *lab) bringsGate(v *variant) bool { return !l.policies || v.brings }

// awaitPolicies waits until opted-in pods get their gate.
func (l *lab) awaitPolicies(ctx context.Context) error {
	try := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		pod := newPod(warmSpace, "try", warmQueue, true, false)
		made, err := l.client.CoreV1().Pods(warmSpace).Create(ctx, pod, try)
		if err != nil {
			return err
		}
		if hasGate(made) {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the shipped policies add no gate to an opted-in pod after 30 s")
}

// start starts the variant's scheduler, and returns when a pod has gone through all of it.
func (l *lab) start(ctx context.Context, v *variant) (err error) {
	if l.scheduler, err = l.launch(ctx, v, v.key); err != nil {
		return err
	}
	l.bare = nil
	if v.bare {
		if err := l.startBare(); err != nil {
			return err
		}
	}
	if err := l.warmUp(ctx, v); err != nil {
		return err
	}
	l.tracer = nil
	if v.traced {
		return l.startTracer()
	}
	return nil
}

// launch starts the variant's scheduler under a name of its own.
func (l *lab) launch(ctx context.Context, v *variant, name string) (*plane.Process, error) {
	kubeconfig, err := l.kubeconfig(ctx, v)
	if err != nil {
		return nil, err
	}
	text, err := v.config(kubeconfig, l.measured.library)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(l.Dir, "scheduler-"+name+".yaml")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return nil, err
	}
	program := l.measured.scheduler
	if !v.sluice {
		if program, err = l.Program(ctx, "kube-scheduler"); err != nil {
			return nil, err
		}
	}
	if l.debug, err = plane.FreePort(); err != nil {
		return nil, err
	}
	return l.Run("scheduler-"+name, program, []string{
		"--config=" + config, "-v=2", "--bind-address=127.0.0.1",
		fmt.Sprint("--secure-port=", l.debug), "--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
	}, nil)
}

func (l *lab) startBare() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	kubeconfig, err := l.Kubeconfig(bareUser)
	if err != nil {
		return err
	}
	l.bare, err = l.Run("bare", self, []string{ungateCommand, kubeconfig}, nil)
	return err
}

// startTracer attaches the tracer that was built beside the library, and returns when it has shown
// something.
func (l *lab) startTracer() (err error) {
	program := filepath.Join(filepath.Dir(l.measured.library), "sluice-trace")
	l.tracer, err = l.Run("tracer", program, []string{
		"--pid", fmt.Sprint(l.scheduler.Pid()), "--output", "json", "top",
	}, nil)
	if err != nil {
		return err
	}
	const patience = 30 * time.Second
	for end := time.Now().Add(patience); l.tracer.Tail(1) == ""; {
		if !l.tracer.Running() || time.Now().After(end) {
			return fmt.Errorf("%s shows nothing after %s: %s", program, patience,
				l.tracer.Tail(5))
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// stopScheduler ends the scheduler, so that another one may follow.
func (l *lab) stopScheduler() error {
	return l.scheduler.Stop(10 * time.Second)
}

func (l *lab) kubeconfig(ctx context.Context, v *variant) (string, error) {
	if v.sluice {
		return l.ServiceAccountKubeconfig(ctx, accountNamespace, account)
	}
	return l.Kubeconfig(stockUser)
}

// warmUp sends one pod through. What follows it meets a scheduler that leads, knows the queues, and
// has its connections.
func (l *lab) warmUp(ctx context.Context, v *variant) error {
	l.warmed++
	pods := l.client.CoreV1().Pods(warmSpace)
	pod := newPod(warmSpace, fmt.Sprint("warm-", l.warmed), warmQueue, v.gated, l.bringsGate(v))
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create a first pod: %w", err)
	}
	if err := l.awaitBound(ctx, pod.Name, time.Minute); err != nil {
		return err
	}
	if err := finish(ctx, l.client, warmSpace, pod.Name); err != nil {
		return fmt.Errorf("finish the first pod: %w", err)
	}
	return l.settle(ctx, 20*time.Second)
}

// awaitBound waits until a pod of the queue that only warms up has a node.
func (l *lab) awaitBound(ctx context.Context, name string, patience time.Duration) error {
	const look = 20 * time.Millisecond
	for end := time.Now().Add(patience); ; time.Sleep(look) {
		seen, err := l.client.CoreV1().Pods(warmSpace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("look at pod %s: %w", name, err)
		}
		if seen.Spec.NodeName != "" {
			return nil
		}
		if !l.scheduler.Running() || time.Now().After(end) {
			return fmt.Errorf("pod %s is not bound after %s; the end of %s:\n%s", name, patience,
				l.scheduler.Log, l.scheduler.Tail(15))
		}
	}
}

// settle waits until the control plane and the scheduler have nothing more to do.
func (l *lab) settle(ctx context.Context, atMost time.Duration) error {
	const look, little = 500 * time.Millisecond, 20 * time.Millisecond
	for quiet, end := 0, time.Now().Add(atMost); quiet < 2 && time.Now().Before(end); {
		before, err := l.cost()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		after, err := l.cost()
		if err != nil {
			return err
		}
		quiet++
		if spent := after.minus(before); spent.api.cpu+spent.scheduler.cpu > little {
			quiet = 0
		}
	}
	return nil
}
