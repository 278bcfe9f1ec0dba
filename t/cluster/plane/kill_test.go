// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const holdEnv = "SLUICE_TEST_HOLD_A_PLANE_IN"

// TestHoldAPlane is no test by itself: the next one runs it as a process of its own.
func TestHoldAPlane(t *testing.T) {
	dir := os.Getenv(holdEnv)
	if dir == "" {
		t.Skip("only as the child of TestKilledOwnerLeavesNothing")
	}
	p := startPlane(t, Options{Dir: dir})
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run("sleep", sleep, []string{"3600"}, []string{"HELD_IN=" + p.Dir}); err != nil {
		t.Fatal(err)
	}
	// A program that is stopped in mid-air must go as well.
	if err := p.PauseAPI(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("holding %s %s\n", p.Dir, p.etcdDir)
	time.Sleep(time.Hour)
}

func TestKilledOwnerLeavesNothing(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^TestHoldAPlane$", "-test.v")
	child.Env = append(os.Environ(), holdEnv+"="+t.TempDir())
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	var said strings.Builder
	for lines := bufio.NewScanner(out); len(dirs) == 0 && lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if words, ok := strings.CutPrefix(lines.Text(), "holding "); ok {
			dirs = strings.Fields(words)
		}
	}
	sleepers := 0
	if len(dirs) > 0 {
		sleepers = len(heldIn(t, dirs[0]))
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended well; it should have been killed")
	}
	if len(dirs) != 2 {
		t.Fatalf("the child did not get so far as to hold a plane:\n%s", said.String())
	}
	if sleepers != 1 {
		t.Errorf("%d programs were seen to run beside the plane, want 1", sleepers)
	}
	eventually(t, "nothing is left of the plane of a killed process", func() error {
		if left := append(remains(t, dirs...), heldIn(t, dirs[0])...); len(left) > 0 {
			return fmt.Errorf("%q", left)
		}
		return nil
	})
}

// heldIn lists the processes whose environment says that they belong to the plane.
func heldIn(t *testing.T, dir string) []string {
	t.Helper()
	return processesWith(t, "environ", "HELD_IN="+dir)
}
