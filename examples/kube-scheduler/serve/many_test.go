// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

// manyQueues is a tree of 10,000 queues: 9 departments of 10 groups of teams, and 110 teams in each
// but the last ones. In every hundredth team three pods wait for room that one bound pod uses.
func manyQueues(tb testing.TB, h *host.Host, count int) {
	tb.Helper()
	queue := func(name, parent string, cpu int64) {
		ok(tb)(h.Engine().ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: name,
			Parent: parent, Capability: []sluice.Amount{{Name: "cpu", Value: cpu}}}))
	}
	for d := range 9 {
		queue(fmt.Sprintf("department-%d", d), "root", 2_000_000)
		for g := range 10 {
			queue(fmt.Sprintf("group-%d%d", d, g), fmt.Sprintf("department-%d", d), 200_000)
		}
	}
	for i := range count - 2 - 9 - 90 { // root and default are there
		team := fmt.Sprintf("team-%05d", i)
		queue(team, fmt.Sprintf("group-%02d", i%90), 1_000)
		if i%100 != 0 {
			continue
		}
		bound := waiting(team+"-bound", team)
		bound.Gates, bound.Node = nil, "node-1"
		ok(tb)(h.Engine().ObservePod(bound))
		for k := range 3 {
			ok(tb)(h.Engine().ObservePod(waiting(fmt.Sprintf("%s-%d", team, k), team)))
		}
	}
}

// apiServer is as much of one as kubectl-sluice needs: a token for whoever asks, and the proxy to
// the scheduler's endpoints.
func apiServer(tb testing.TB, h *host.Host) *httptest.Server {
	const proxied = "/api/v1/namespaces/kube-system/services/https:sluice-scheduler:https/proxy"
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/namespaces/kube-system/serviceaccounts/sluice-viewer/token",
		func(w http.ResponseWriter, _ *http.Request) {
			_ = write(w, map[string]any{"kind": "TokenRequest",
				"apiVersion": "authentication.k8s.io/v1", "status": map[string]string{"token": "t"}})
		})
	mux.Handle("GET "+proxied+debugPath, http.StripPrefix(proxied, debug{h}))
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	return server
}

// kubectlSluice is the program, built from the checkout that this file is in.
func kubectlSluice(tb testing.TB) string {
	tb.Helper()
	if program := os.Getenv("KUBECTL_SLUICE"); program != "" {
		return program
	}
	program := filepath.Join(tb.TempDir(), "kubectl-sluice")
	build := exec.Command(filepath.Join("..", "..", "kubectl-sluice", "build"), program)
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", build, err, out)
	}
	return program
}

// watchMemory tells the peak of a process in KiB when it has ended. What the kernel tells of one
// that has ended would count this process, too, which it was before.
func watchMemory(pid int, told chan<- int) {
	peak := 0
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, after, found := strings.Cut(string(status), "VmHWM:")
		if err != nil || !found {
			told <- peak
			return
		}
		fmt.Sscan(after, &peak)
		time.Sleep(time.Millisecond)
	}
}

// timePages asks the engine for all queues as the host does, and tells how long that takes.
func timePages(tb testing.TB, h *host.Host) {
	tb.Helper()
	var pages int
	var longest time.Duration
	began := time.Now()
	for from := int64(0); ; pages++ {
		asked := time.Now()
		answer, err := h.Inspect(sluice.Query{What: "queues", From: from})
		if err != nil {
			tb.Fatal(err)
		}
		longest = max(longest, time.Since(asked))
		if from, _ = answer["from"].(int64); from == 0 {
			break
		}
	}
	tb.Logf("%d pages in %s, the longest in %s", pages+1, time.Since(began), longest)
}

// A person with 10,000 queues sees those that matter, and soon.
func TestManyQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds kubectl-sluice")
	}
	const count = 10_000
	program := kubectlSluice(t)
	h := running(t, "0")
	manyQueues(t, h, count)
	if queues := getJSON(t, h, "queues?max=100000")["queues"].([]any); len(queues) != count {
		t.Fatalf("there are %d queues, want %d", len(queues), count)
	}
	for range 3 {
		timePages(t, h)
	}
	server := apiServer(t, h)
	run := func(args ...string) string {
		t.Helper()
		var out, problems bytes.Buffer
		cmd := exec.Command(program, append([]string{"--server", server.URL}, args...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG=/dev/null")
		cmd.Stdout, cmd.Stderr = &out, &problems
		began := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		memory := make(chan int)
		go watchMemory(cmd.Process.Pid, memory)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, &problems)
		}
		t.Logf("%q: %s, %s of CPU, %d MiB at most, %d lines, %d bytes", args,
			time.Since(began).Round(time.Millisecond),
			(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Millisecond),
			<-memory>>10, strings.Count(out.String(), "\n"), out.Len())
		return out.String()
	}
	usual := run("queues", "--ascii")
	t.Logf("\n%s", usual)
	for _, part := range []string{"root ", "`- department-8", "- group-00", "... 999 more",
		"team-00000", "9900 of 10000 queues are not shown"} {
		if !strings.Contains(usual, part) {
			t.Errorf("no %q in what is drawn", part)
		}
	}
	if lines := strings.Count(usual, "\n"); lines > 250 {
		t.Errorf("%d lines are drawn", lines)
	}
	if all := run("queues", "--ascii", "--all"); strings.Count(all, "\n") < count {
		t.Errorf("all are %d lines", strings.Count(all, "\n"))
	}
	if two := run("queues", "--ascii", "--depth", "2"); strings.Count(two, "\n") > 30 {
		t.Errorf("two levels are %d lines", strings.Count(two, "\n"))
	}
	below := run("queues", "--ascii", "--below", "group-00")
	if !strings.Contains(below, "- team-00000 ") || strings.Contains(below, "department") {
		t.Errorf("what is below group-00:\n%s", below)
	}
	var list struct {
		Queues []struct{ Waiting map[string]string }
	}
	if err := json.Unmarshal([]byte(run("queues", "-o", "json")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Queues) != count {
		t.Errorf("programs are told of %d queues", len(list.Queues))
	}
	run("why", "team-00000-2")
}
