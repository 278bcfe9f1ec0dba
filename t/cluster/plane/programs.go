// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"golang.org/x/sys/unix"
)

const (
	memoryDir = "/dev/shm"
	// What a container gets by default (64 MiB) is less than etcd's first log file.
	memoryNeeded = 1 << 30
)

func hasRoom(dir string) bool {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil || stat.Bsize <= 0 {
		return false
	}
	return stat.Bavail*uint64(stat.Bsize) >= memoryNeeded && unix.Access(dir, unix.W_OK) == nil
}

// launch starts a program under the plane's care. The caller holds the lock or is Start.
func (p *Plane) launch(name, path string, args, env []string) (*Process, error) {
	process, err := startProcess(name, p.file(name+".log"), path, args, env)
	if err != nil {
		return nil, err
	}
	if err := p.sweeper.await(process.Pid()); err != nil {
		return nil, errors.Join(err, process.Kill())
	}
	return process, nil
}

func (p *Plane) startEtcd() error {
	return p.launchInto(&p.etcd, "etcd", p.etcdFlags())
}

func (p *Plane) startAPI() error {
	return p.launchInto(&p.api, "kube-apiserver", p.apiFlags())
}

func (p *Plane) launchInto(process **Process, name string, flags []string) error {
	started, err := p.launch(name, filepath.Join(p.binaries, name), flags, nil)
	if err != nil {
		return err
	}
	*process = started
	return nil
}

func (p *Plane) startControllerManager() error {
	kubeconfig, err := p.Kubeconfig(ControllerManager)
	if err != nil {
		return err
	}
	program := filepath.Join(p.binaries, "kube-controller-manager")
	_, err = p.Run("kube-controller-manager", program, p.controllerFlags(kubeconfig), nil)
	return err
}

// Run starts a program that is stopped with the plane, before the API server. Its output goes to
// NAME.log in the plane's directory, behind what a process of that name wrote before. env is added
// to the environment.
func (p *Plane) Run(name, path string, args, env []string) (*Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil, fmt.Errorf("run %s: plane %s has been stopped", name, p.Name)
	}
	process, err := p.launch(name, path, args, env)
	if err != nil {
		return nil, err
	}
	p.others = slices.DeleteFunc(p.others, func(old *Process) bool { return !old.Running() })
	p.others = append(p.others, process)
	return process, nil
}

// Kubectl runs kubectl as the admin and returns its standard output.
func (p *Plane) Kubectl(ctx context.Context, args ...string) (string, error) {
	kubectl, err := p.Program(ctx, "kubectl")
	if err != nil {
		return "", err
	}
	kubeconfig, err := p.Kubeconfig(Admin)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, kubectl, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return string(out), fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// awaitCertificate waits until the API server has made the certificate that clients trust. It is
// whole when its key is there, which is written after it: who reads half of it trusts nobody.
func (p *Plane) awaitCertificate(ctx context.Context) error {
	return p.await(ctx, "make its certificate", func(context.Context) error {
		_, err := os.Stat(p.file("certs/apiserver.key"))
		return err
	})
}

// AwaitReady waits until the API server says that it is ready and has made its own namespaces.
func (p *Plane) AwaitReady(ctx context.Context) error {
	return p.await(ctx, "become ready", func(ctx context.Context) error {
		request := p.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Timeout(5 * time.Second)
		if body, err := request.DoRaw(ctx); err != nil {
			return fmt.Errorf("readyz: %w: %s", err, body)
		}
		for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
			_, err := p.Client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// await looks at the API server until it is as wanted; if it never is, the error has the logs.
func (p *Plane) await(ctx context.Context, what string, look func(context.Context) error) error {
	p.mu.Lock()
	etcd, api := p.etcd, p.api
	p.mu.Unlock()
	problem := errors.New("not looked at yet")
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true,
		func(ctx context.Context) (bool, error) {
			for _, process := range []*Process{etcd, api} {
				if !process.Running() {
					return false, process.ended()
				}
			}
			problem = look(ctx)
			return problem == nil, nil
		})
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil:
		return err
	}
	return fmt.Errorf("the API server did not %s in time: %w; the end of %s:\n%s\n"+
		"the end of %s:\n%s", what, problem, api.Log, api.Tail(20), etcd.Log, etcd.Tail(10))
}
