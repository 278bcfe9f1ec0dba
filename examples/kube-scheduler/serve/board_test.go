// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/kube-scheduler/host"
)

// crowdOf is how many pods wait in one queue besides those of manyQueues: $SLUICE_CROWD, else what
// tests have time for.
func crowdOf(t *testing.T) int {
	t.Helper()
	said := os.Getenv("SLUICE_CROWD")
	if said == "" {
		return 5000
	}
	crowd, err := strconv.Atoi(said)
	if err != nil || crowd < 1 {
		t.Fatalf("SLUICE_CROWD is %q, want a number above 0", said)
	}
	return crowd
}

// kubectlBoard is the address of `kubectl sluice board` on an engine.
func kubectlBoard(t *testing.T, h *host.Host) string {
	t.Helper()
	cmd := exec.Command(kubectlSluice(t), "board", "--server", apiServer(t, h).URL)
	cmd.Env = append(os.Environ(), "KUBECONFIG=/dev/null")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("kubectl sluice board: %v", err)
		}
		t.Logf("kubectl sluice board: %s of CPU", cmd.ProcessState.UserTime()+
			cmd.ProcessState.SystemTime())
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

type boardFrame struct {
	Frames []struct {
		Queues []struct{ Key string }
		Lines  []struct{ Put []string }
		Claims []struct {
			Key, Message string
			Told         *bool
		}
	}
}

func askBoard(t *testing.T, address string) (frame boardFrame) {
	t.Helper()
	began := time.Now()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&frame); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %v", answer.Status, err)
	}
	t.Logf("a frame after %s", time.Since(began).Round(time.Millisecond))
	return frame
}

// The page of 10,000 queues, in one of which thousands of pods wait: what is asked for comes, and
// in a real browser, where there is one, it is what is shown.
func TestBoard(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds kubectl-sluice")
	}
	const count = 10_000
	crowd := crowdOf(t)
	h := running(t, "0")
	manyQueues(t, h, count)
	for i := range crowd {
		ok(t)(h.Engine().ObservePod(waiting(fmt.Sprintf("crowd-%06d", i), "team-00001")))
	}
	address := kubectlBoard(t, h)
	if all := askBoard(t, address+"frame").Frames[0]; len(all.Queues) != count || len(all.Lines) != 0 {
		t.Errorf("%d queues, %d lines", len(all.Queues), len(all.Lines))
	}
	one := askBoard(t, address+"frame?queue=Queue/team-00001").Frames[0]
	if len(one.Lines) != 1 || len(one.Lines[0].Put) < crowd-1 ||
		len(one.Claims) != len(one.Lines[0].Put) {
		t.Fatalf("%d lines, %d claims", len(one.Lines), len(one.Claims))
	}
	key := one.Lines[0].Put[0]
	for _, claim := range askBoard(t, address+"frame?claim="+key).Frames[0].Claims {
		if claim.Key == key && (claim.Told != nil || claim.Message == "") {
			t.Errorf("nobody says why %s waits", key)
		}
	}
	script := filepath.Join("..", "..", "..", "t", "board")
	said, err := exec.Command(script, "--live", address, "Queue/team-00001").CombinedOutput()
	t.Logf("t/board --live\n%s", said)
	if err != nil {
		t.Error(err)
	}
}
