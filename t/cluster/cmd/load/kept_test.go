// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"sluice/cluster/plane"
)

func TestKept(t *testing.T) {
	p, err := plane.Start(context.Background(), plane.Options{Name: "kept"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}()
	k, err := keep(func() (*plane.Process, error) {
		return p.Run("sleeper", "/bin/sh", []string{"-c", "echo at work; exec sleep 600"}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	first := k.Pid()
	for end := time.Now().Add(time.Minute); k.Tail(1) == "" && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if err := k.look(); err != nil || k.ends != 0 || k.Pid() != first {
		t.Errorf("while it runs: %v, %d ends, another process: %t", err, k.ends, k.Pid() != first)
	}
	before, err := k.used()
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := k.look(); err == nil || !strings.Contains(err.Error(), "at work") {
		t.Errorf("of a process that has hardly begun: %v", err)
	}
	k.began = k.began.Add(-time.Minute)
	if err := k.look(); err != nil || k.ends != 1 || k.Pid() == first || !k.Running() {
		t.Errorf("after a minute: %v, %d ends, the same process: %t", err, k.ends, k.Pid() == first)
	}
	if cpu := k.ended.cpu; cpu <= 0 || k.ended.peak <= 0 {
		t.Errorf("what has ended has used %v, and %d bytes", cpu, k.ended.peak)
	}
	if now, err := k.used(); err != nil || now.cpu < k.ended.cpu || now.cpu < before.cpu ||
		now.peak < k.ended.peak {
		t.Errorf("all of them have used %+v (%v), the first %+v", now, err, k.ended)
	}
}
