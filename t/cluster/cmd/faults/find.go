// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sluice/cluster/scenario"
)

// find looks for what is needed beside a control plane.
func find(ctx context.Context) (s scenario.Shipped, err error) {
	if s.Root, err = findRoot(); err != nil {
		return s, err
	}
	host := filepath.Join(s.Root, "examples/kube-scheduler")
	s.Library = orElse(os.Getenv("SLUICE_LIB"), filepath.Join(s.Root, "build/sluice.so"))
	if s.Library, err = filepath.Abs(s.Library); err != nil {
		return s, err
	}
	if _, err := os.Stat(s.Library); err != nil {
		return s, fmt.Errorf("%w: build it (meson setup build && meson compile -C build), "+
			"or say where it is in SLUICE_LIB", err)
	}
	if s.Kueue = os.Getenv("SLUICE_KUEUE_CRDS"); s.Kueue == "" {
		list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kueue")
		list.Dir, list.Stderr = host, os.Stderr
		module, err := list.Output()
		if err != nil {
			return s, fmt.Errorf("where the CRDs of Kueue are: %s: %w", list, err)
		}
		s.Kueue = filepath.Join(strings.TrimSpace(string(module)), "config/components/crd/bases")
	}
	if s.Scheduler = os.Getenv("SLUICE_SCHEDULER"); s.Scheduler == "" {
		s.Scheduler = filepath.Join(s.Root, "build/sluice-scheduler")
		build := exec.CommandContext(ctx, filepath.Join(host, "build"), s.Scheduler)
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			return s, fmt.Errorf("%s: %w", build, err)
		}
	}
	s.Scheduler, err = filepath.Abs(s.Scheduler)
	return s, err
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func findRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, shippedConfig)); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no %s in or above %s: run inside of sluice's tree",
				shippedConfig, start)
		}
	}
}
