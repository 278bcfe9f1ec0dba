// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"sluice/cluster/faults"
	"sluice/cluster/plane"
)

const (
	leaseDuration = 4 * time.Second
	renewDeadline = 3 * time.Second
	retryPeriod   = time.Second

	readyTakes = 60 * time.Second
)

// replica is one process of the scheduler, and the proxy through which alone it reaches the API
// server.
//
//	scheduler ──▶ proxy ──▶ wire ──▶ API server        debug ──▶ scheduler
type replica struct {
	name    string
	bench   *bench
	wire    *wire
	proxy   *faults.Proxy
	debug   *debug
	args    []string
	env     []string
	process *plane.Process

	mu       sync.Mutex
	mayEnd   bool     // the process that runs now: the fault ends it
	endings  []string // of processes that should have gone on
	writes   []*faults.Request
	answered []time.Time           // each write
	heard    func(*faults.Request) // of a write, before its answer goes to the scheduler
}

func newReplica(b *bench, name, dir string, election bool, asked, note func(*faults.Request)) (
	*replica, error) {
	bare := rest.AnonymousClientConfig(b.cluster.Scheduler)
	bare.NextProtos = []string{"http/1.1"}
	transport, err := rest.TransportFor(bare)
	if err != nil {
		return nil, err
	}
	r := &replica{name: name, bench: b, wire: newWire(transport)}
	r.proxy, err = faults.Start(faults.Config{
		Target: b.cluster.Scheduler.Host, Transport: r.wire,
		Asked: asked,
		Note: func(request *faults.Request) {
			note(request)
			r.note(request)
		},
	})
	if err != nil {
		return nil, err
	}
	if err := r.furnish(dir, election); err != nil {
		return nil, errors.Join(err, r.proxy.Close())
	}
	return r, nil
}

func (r *replica) furnish(dir string, election bool) error {
	path := func(end string) string { return filepath.Join(dir, r.name+end) }
	kubeconfig := path(".kubeconfig")
	if err := r.proxy.WriteKubeconfig(kubeconfig, r.bench.cluster.Scheduler.BearerToken); err != nil {
		return err
	}
	b := r.bench
	config, err := schedulerConfig(b.shipped.Root, b.shipped.Library, kubeconfig,
		b.options.removal, election)
	if err != nil {
		return err
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		return err
	}
	certificate, key, err := faults.SelfSigned(r.name)
	if err != nil {
		return err
	}
	for end, bytes := range map[string][]byte{
		".yaml": text, ".crt": certificate, ".key": key, ".clock": make([]byte, 8),
	} {
		if err := os.WriteFile(path(end), bytes, 0o600); err != nil {
			return err
		}
	}
	port, err := plane.FreePort()
	if err != nil {
		return err
	}
	r.debug = newDebug(fmt.Sprint("https://127.0.0.1:", port), b.cluster.Admin.BearerToken,
		certificate)
	r.args = []string{
		"--config=" + path(".yaml"), "-v=2", "--bind-address=127.0.0.1",
		fmt.Sprint("--secure-port=", port),
		"--tls-cert-file=" + path(".crt"), "--tls-private-key-file=" + path(".key"),
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
	}
	r.env = []string{"SLUICE_CLOCK_FILE=" + path(".clock")}
	return nil
}

func (r *replica) clockFile() string { return r.env[0][len("SLUICE_CLOCK_FILE="):] }

// launch starts the process.
func (r *replica) launch() error {
	b := r.bench
	process, err := b.plane.Run("scheduler-"+r.name, b.shipped.Scheduler, r.args, r.env)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.process, r.mayEnd = process, false
	r.mu.Unlock()
	go func() {
		<-process.Done()
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.process == process && !r.mayEnd {
			r.endings = append(r.endings, fmt.Sprintf("scheduler %s ended with %d:\n%s", r.name,
				process.ExitCode(), process.Tail(12)))
		}
	}()
	return nil
}

// tail is the end of the log, without what it says again and again of this control plane, which has
// no front proxy.
func (r *replica) tail(lines int) string {
	all := strings.Split(r.process.Tail(40*lines), "\n")
	all = slices.DeleteFunc(all, func(line string) bool {
		return strings.Contains(line, "requestheader-client-ca-file") ||
			strings.Contains(line, "configmap_cafile_content")
	})
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// start launches the process and returns when it is ready, and leads if it is to.
func (r *replica) start(ctx context.Context, leads bool) error {
	if err := r.launch(); err != nil {
		return err
	}
	err := awaitTrue(ctx, readyTakes, func(ctx context.Context) error {
		if !r.process.Running() {
			return nil // said below
		}
		if _, err := r.debug.get(ctx, "/readyz"); err != nil || !leads {
			return err
		}
		if does, err := r.debug.leads(ctx); err != nil || does {
			return err
		}
		return errors.New("it does not lead")
	})
	if !r.process.Running() {
		return fmt.Errorf("scheduler %s has ended before it was ready:\n%s", r.name,
			r.tail(15))
	}
	if err != nil {
		return fmt.Errorf("scheduler %s does not become ready: %w:\n%s", r.name, err,
			r.tail(15))
	}
	return nil
}

// ending says that the process that runs now may end.
func (r *replica) ending() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mayEnd = true
}

// kill ends the process as a crash would.
func (r *replica) kill() error {
	r.ending()
	if r.process == nil {
		return nil
	}
	return r.process.Kill()
}

func (r *replica) close() error { return errors.Join(r.kill(), r.proxy.Close()) }

// unexpected are the ends of processes that the fault did not end.
func (r *replica) unexpected() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endings
}

func (r *replica) note(request *faults.Request) {
	if !request.Writes() {
		return
	}
	r.mu.Lock()
	if request.Resource == "pods" {
		r.writes, r.answered = append(r.writes, request), append(r.answered, time.Now())
	}
	heard := r.heard
	r.mu.Unlock()
	if heard != nil {
		heard(request)
	}
}

// hear calls the function for every write, before the scheduler hears of it.
func (r *replica) hear(heard func(*faults.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = heard
}

// writesSince are the writes to pods that were asked for from then on, and done.
func (r *replica) writesSince(at time.Time) (done []*faults.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, request := range r.writes {
		if request.At.After(at) && request.Done() {
			done = append(done, request)
		}
	}
	return done
}

// lateAnswers are the API server's to writes that were asked for before then, and came to it so
// much later.
func (r *replica) lateAnswers(then time.Time, late time.Duration) (answers []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, request := range r.writes {
		if request.At.Before(then) && r.answered[i].Sub(request.At) > late {
			answers = append(answers, request.Status)
		}
	}
	return answers
}
