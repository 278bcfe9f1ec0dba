// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"sluice/cluster/plane"
)

func TestCommandRunsOnAFurnishedPlane(t *testing.T) {
	dir := t.TempDir()
	bin, err := plane.Binaries(t.Context(), "etcd", "kube-apiserver", "kubectl")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	line := bin + "/kubectl get nodes -o name > " + out + "; exit 7"
	args := []string{"-dir", dir, "-nodes", "2", "--", "sh", "-c", line}
	set, command, err := parse(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), set, command); err == nil || exitCode(err) != 7 {
		t.Errorf("the command's exit code is lost: %v", err)
	}
	nodes, err := os.ReadFile(out)
	if got := strings.Fields(string(nodes)); !reflect.DeepEqual(got, []string{
		"node/node-1", "node/node-2",
	}) {
		t.Errorf("the command saw nodes %v (%v), want two", got, err)
	}
	wantEmpty(t, dir)
}

func TestInterruptEndsThePlane(t *testing.T) {
	dir := t.TempDir()
	set, command, err := parse([]string{"-dir", dir}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx, set, command) }()
	end := time.Now().Add(time.Minute)
	for {
		written, err := filepath.Glob(filepath.Join(dir, "*", "admin.kubeconfig"))
		if err != nil {
			t.Fatal(err)
		}
		if len(written) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no kubeconfig within a minute")
		}
		time.Sleep(20 * time.Millisecond)
	}
	// It may still be on its way to the wait; an interrupt is heeded there too.
	interrupt()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt is no failure: %v", err)
	}
	wantEmpty(t, dir)
}

func TestUnknownFlagIsRefused(t *testing.T) {
	var help strings.Builder
	if _, _, err := parse([]string{"-nods", "2"}, &help); err == nil {
		t.Error("-nods was taken")
	}
	if !strings.Contains(help.String(), "-nods") || !strings.Contains(help.String(), "-nodes") {
		t.Errorf("the help names neither the wrong flag nor the right one:\n%s", help.String())
	}
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("left in %s: %v (%v)", dir, entries, err)
	}
}
