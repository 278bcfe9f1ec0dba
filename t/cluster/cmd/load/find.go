// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// shipped is what is measured, and the tree that it comes from.
type shipped struct {
	root, scheduler, library string
}

func find(ctx context.Context) (s shipped, err error) {
	if s.root, err = findRoot(); err != nil {
		return s, err
	}
	s.scheduler, s.library = os.Getenv("SLUICE_SCHEDULER"), os.Getenv("SLUICE_LIB")
	if s.library == "" {
		s.library = filepath.Join(s.root, "build/sluice.so")
	}
	if _, err := os.Stat(s.library); err != nil {
		return s, fmt.Errorf("%w: build it (meson setup build && meson compile -C build), "+
			"or say where it is in SLUICE_LIB", err)
	}
	if s.scheduler == "" {
		s.scheduler = filepath.Join(s.root, "build/sluice-scheduler")
		build := exec.CommandContext(ctx, filepath.Join(s.root, "examples/kube-scheduler/build"),
			s.scheduler)
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		say("building sluice-scheduler")
		if err := build.Run(); err != nil {
			return s, fmt.Errorf("%s: %w", build, err)
		}
	}
	var wrong, wrongToo error
	s.library, wrong = filepath.Abs(s.library)
	s.scheduler, wrongToo = filepath.Abs(s.scheduler)
	return s, errors.Join(wrong, wrongToo)
}

func findRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "examples/deploy/base/rights.yaml")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no examples/deploy in or above %s: run inside of sluice's tree", start)
		}
	}
}
