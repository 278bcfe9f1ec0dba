// SPDX-License-Identifier: Apache-2.0

// Package plane starts and stops real control planes: etcd, kube-apiserver and, where Jobs and
// Deployments must make pods, kube-controller-manager, as plain processes of this machine.
//
//	p, err := plane.Start(ctx, plane.Options{})
//	defer p.Stop()
//	p.Client...                 the admin's client; p.REST(user), p.Kubeconfig(user) for others
//	p.Run("scheduler", ...)     a program that is stopped with the plane, before the API server
//	p.StopEtcd(), p.PauseAPI()  faults
//
// A plane has its own ports, directory and tokens; any number run side by side. What it started
// dies with the process that called Start, and its directories go, even if that one is killed.
package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/kubernetes"
)

// Options of a plane; the zero value is a good one.
type Options struct {
	Name     string // in paths, logs and kubeconfigs; "plane" if unsaid
	Dir      string // where the plane's own directory is made; the system's temporary one if unsaid
	Binaries string // the directory of the programs; see the function Binaries if unsaid
	Keep     bool   // leave the directories, for their logs, when the plane stops

	Users         []User          // beside Admin
	FeatureGates  map[string]bool // of the API server and the controller manager
	RuntimeConfig map[string]bool // API versions that are off by default
	APIFlags      []string        // further flags of the API server
	Audit         auditv1.Level   // of writes, for Audit; none if unsaid

	ControllerManager bool
	Controllers       []string // DefaultControllers if unsaid

	Ready time.Duration // how long the start may take; 90 s if unsaid
}

// Plane is a running control plane.
type Plane struct {
	Name   string
	Dir    string // kubeconfigs, keys, logs; gone after Stop
	Client kubernetes.Interface
	Took   time.Duration // the start, without building programs

	options  Options
	binaries string
	etcdDir  string
	tokens   map[string]string
	sweeper  *sweeper

	etcdPort, peerPort, apiPort *port

	mu        sync.Mutex
	etcd, api *Process
	others    []*Process // in the order of their start
	stopped   bool
}

const (
	stopGrace    = 5 * time.Second
	defaultReady = 90 * time.Second
)

var goodName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$`)

// Start returns when the API server is ready and has made its own namespaces and roles. The context
// bounds the start only; the plane lives until Stop.
func Start(ctx context.Context, options Options) (*Plane, error) {
	if options.Name == "" {
		options.Name = "plane"
	}
	if !goodName.MatchString(options.Name) {
		return nil, fmt.Errorf("plane name %q: up to 42 of a-z, 0-9 and - are allowed, "+
			"and no - at either end", options.Name)
	}
	if options.Ready == 0 {
		options.Ready = defaultReady
	}
	p := &Plane{Name: options.Name, options: options, binaries: options.Binaries}
	if p.binaries == "" {
		needed := []string{"etcd", "kube-apiserver"}
		if options.ControllerManager {
			needed = append(needed, "kube-controller-manager")
		}
		var err error
		if p.binaries, err = Binaries(ctx, needed...); err != nil {
			return nil, fmt.Errorf("the programs of plane %s: %w", p.Name, err)
		}
	}
	began := time.Now()
	ready, cancel := context.WithTimeout(ctx, options.Ready)
	defer cancel()
	if err := p.start(ready); err != nil {
		return nil, errors.Join(fmt.Errorf("start plane %s: %w", p.Name, err), p.Stop())
	}
	p.Took = time.Since(began)
	return p, nil
}

func (p *Plane) start(ctx context.Context) error {
	if err := p.makeDirs(); err != nil {
		return err
	}
	if err := p.writeFiles(); err != nil {
		return err
	}
	for _, held := range []**port{&p.etcdPort, &p.peerPort, &p.apiPort} {
		var err error
		if *held, err = holdPort(); err != nil {
			return err
		}
	}
	var err error
	if err := p.startEtcd(); err != nil {
		return err
	}
	// The API server waits for etcd itself.
	if err := p.startAPI(); err != nil {
		return err
	}
	if err := p.awaitCertificate(ctx); err != nil {
		return err
	}
	if p.Client, err = p.ClientFor(Admin); err != nil {
		return fmt.Errorf("the admin's client: %w", err)
	}
	if err := p.AwaitReady(ctx); err != nil {
		return err
	}
	if p.options.ControllerManager {
		return p.startControllerManager()
	}
	return nil
}

func (p *Plane) makeDirs() error {
	pattern := "sluice-plane-" + p.Name + "-"
	var err error
	if p.Dir, err = os.MkdirTemp(p.options.Dir, pattern); err != nil {
		return fmt.Errorf("the plane's directory: %w", err)
	}
	if p.Dir, err = filepath.Abs(p.Dir); err != nil {
		return fmt.Errorf("the plane's directory: %w", err)
	}
	p.etcdDir = p.file("etcd")
	dirs := []string{p.Dir}
	if hasRoom(memoryDir) {
		if p.etcdDir, err = os.MkdirTemp(memoryDir, pattern); err != nil {
			return fmt.Errorf("etcd's directory: %w", err)
		}
		dirs = append(dirs, p.etcdDir)
	}
	p.sweeper, err = startSweeper(dirs)
	return err
}

func (p *Plane) writeFiles() error {
	if err := writeServiceAccountKey(p.file("accounts.key")); err != nil {
		return err
	}
	if _, err := writeCA(p.file("clients.crt"), "the authority for clients"); err != nil {
		return err
	}
	aggregators, err := writeCA(p.file("aggregators.crt"),
		"the authority for aggregated API servers")
	if err != nil {
		return err
	}
	if err := aggregators.writeClient(p.file("aggregator"), aggregator); err != nil {
		return err
	}
	if p.options.Audit != "" {
		if err := writeAuditPolicy(p.file("audit-policy.yaml"), p.options.Audit); err != nil {
			return err
		}
	}
	masters := []string{"system:masters"}
	users := append([]User{{Name: Admin, Groups: masters}}, p.options.Users...)
	if p.options.ControllerManager {
		users = append(users, User{Name: ControllerManager, Groups: masters})
	}
	p.tokens, err = writeTokens(p.file("tokens.csv"), users)
	return err
}

func (p *Plane) file(name string) string { return filepath.Join(p.Dir, name) }

func (p *Plane) caFile() string { return p.file("certs/apiserver.crt") }

// URL is where the API server listens.
func (p *Plane) URL() string { return p.apiPort.url("https") }

// EtcdURL is where etcd listens to its clients.
func (p *Plane) EtcdURL() string { return p.etcdPort.url("http") }

// Program is the path of a program of t/cluster/cmd, which Start may not have needed.
func (p *Plane) Program(ctx context.Context, name string) (string, error) {
	dir := p.binaries
	if lacks(dir, []string{name}) != "" {
		var err error
		if dir, err = Binaries(ctx, name); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, name), nil
}

// Stop ends everything, the API server before etcd, and removes the directories unless they are
// kept. A second Stop does nothing.
func (p *Plane) Stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil
	}
	p.stopped = true
	var problems []error
	for i := len(p.others) - 1; i >= 0; i-- {
		problems = append(problems, p.others[i].Stop(stopGrace))
	}
	if p.api != nil {
		problems = append(problems, p.api.Stop(p.apiGrace()))
	}
	if p.etcd != nil {
		problems = append(problems, p.etcd.Stop(stopGrace))
	}
	for _, held := range []*port{p.apiPort, p.peerPort, p.etcdPort} {
		if held != nil {
			problems = append(problems, held.release())
		}
	}
	if p.sweeper != nil {
		if p.options.Keep {
			problems = append(problems, p.sweeper.tell("keep"))
		}
		problems = append(problems, p.sweeper.sweep())
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("stop plane %s: %w", p.Name, err)
	}
	return nil
}

// apiGrace is none for an API server whose etcd is gone: it would not heed a signal for a minute.
func (p *Plane) apiGrace() time.Duration {
	if p.etcd.Running() {
		return stopGrace
	}
	return 0
}
