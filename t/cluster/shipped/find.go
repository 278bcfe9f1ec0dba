// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sluice/cluster/plane"
)

// Root is the top of the source tree, from anywhere within.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "examples/deploy/crds")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no examples/deploy/crds in or above %s: run inside of sluice's tree",
				start)
		}
	}
}

// Library is $SLUICE_LIB, else build/sluice.so.
func Library(root string) (string, error) {
	name := os.Getenv("SLUICE_LIB")
	if name == "" {
		name = filepath.Join(root, "build/sluice.so")
	}
	if _, err := os.Stat(name); err != nil {
		return "", fmt.Errorf("%w: build it (meson setup build && meson compile -C build), or say "+
			"where it is in SLUICE_LIB", err)
	}
	return filepath.Abs(name)
}

// Scheduler is $SLUICE_SCHEDULER, else build/sluice-scheduler, which is built: minutes the first
// time, and how long already is said on the standard error.
func Scheduler(ctx context.Context, root string) (string, error) {
	if name := os.Getenv("SLUICE_SCHEDULER"); name != "" {
		return filepath.Abs(name)
	}
	name := filepath.Join(root, "build/sluice-scheduler")
	if minor := os.Getenv("SLUICE_KUBERNETES"); minor != "" {
		name += "-" + minor
	}
	build := exec.CommandContext(ctx, filepath.Join(root, "examples/kube-scheduler/build"), name)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("%s: %w", build, err)
	}
	return name, nil
}

// KueueCRDs is the folder $SLUICE_KUEUE_CRDS, else that in Kueue's module.
func KueueCRDs(ctx context.Context, root string) (string, error) {
	if name := os.Getenv("SLUICE_KUEUE_CRDS"); name != "" {
		return name, nil
	}
	module, err := KueueModule(ctx, root)
	if err != nil {
		return "", err
	}
	return filepath.Join(module, "config/components/crd/bases"), nil
}

// ApplyKueueCRDs makes Kueue's kinds known to an API server. A busy machine takes longer for these
// than a plane waits, so it is tried again.
func ApplyKueueCRDs(ctx context.Context, p *plane.Plane) error {
	const patience = 90 * time.Second
	root, err := Root()
	if err != nil {
		return err
	}
	folder, err := KueueCRDs(ctx, root)
	if err != nil {
		return err
	}
	for end := time.Now().Add(patience); ; {
		err = p.ApplyCRDDir(ctx, folder)
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
	}
}

// KueueModule is the folder of the module that the scheduler is built with.
func KueueModule(ctx context.Context, root string) (string, error) {
	return Module(ctx, filepath.Join(root, "examples/kube-scheduler"), "sigs.k8s.io/kueue")
}

// Module is the folder of a module, at the version that the go.mod in a folder pins.
func Module(ctx context.Context, pinned, name string) (string, error) {
	program, err := exec.LookPath("go")
	if err != nil {
		program = "/usr/local/go/bin/go"
	}
	// Unlike "go list -m" it fetches a module that this machine does not have.
	download := exec.CommandContext(ctx, program, "mod", "download", "-json", name)
	download.Dir = pinned
	download.Stderr = os.Stderr
	var module struct{ Dir string }
	out, err := download.Output()
	if err == nil {
		err = json.Unmarshal(out, &module)
	}
	if err != nil {
		return "", fmt.Errorf("where the module %s is: %s: %w", name, download, err)
	}
	return module.Dir, nil
}

// KubectlSluice is $KUBECTL_SLUICE, or kubectl sluice as it is built, into this folder.
func KubectlSluice(ctx context.Context, root, folder string) (string, error) {
	if program := os.Getenv("KUBECTL_SLUICE"); program != "" {
		return program, nil
	}
	program := filepath.Join(folder, "kubectl-sluice")
	build := exec.CommandContext(ctx, filepath.Join(root, "examples/kubectl-sluice/build"), program)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	return program, nil
}
