// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFailureNamesWhatWasWantedAndSeen(t *testing.T) {
	err := notAsTold("no", []row{gated.of("a")}, nil)
	for _, part := range []string{"no:", "wanted   a", gate, "seen     no pods"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in\n%v", part, err)
		}
	}
	if err := holds("what", 1, "2"); err == nil || err.Error() != "what: wanted 2, seen 1" {
		t.Errorf("got %v", err)
	}
	if err := holds("what", int64(2), "2"); err != nil {
		t.Error(err)
	}
}

func TestExplanation(t *testing.T) {
	view := podView{
		Queue: "q", State: "waiting", Reason: "R", Message: "m", Position: 1, Estimate: -1,
	}
	if got := view.String(); got != "waiting in queue q: R: m; the next of its queue" {
		t.Error(got)
	}
	view.Position, view.Estimate = 2, int64(1260*time.Millisecond)
	want := "waiting in queue q: R: m; number 2 of its queue; estimate: another 1.3s"
	if got := view.String(); got != want {
		t.Error(got)
	}
	if got := (podView{Queue: "q", State: "reserved"}).String(); got != "reserved in queue q" {
		t.Error(got)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--no"}, {"x"}, {"--pause", "long"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
	t.Setenv("SLUICE_LIB", "/nowhere/sluice.so")
	t.Setenv("SLUICE_SCHEDULER", os.Args[0])
	_, err := parse(nil)
	if err == nil || !strings.Contains(err.Error(), "SLUICE_LIB") ||
		!strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("a library that is not there: %v", err)
	}
}

// The whole story, where the scheduler and the library have been built.
func TestStory(t *testing.T) {
	set, err := parse([]string{"--pause", "0s"})
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s, out := testScreen(false, textColumns)
	if err := run(ctx, set, s); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	end := fmt.Sprintf(summaryLine, "nodes bought for pods that may not run yet", "1", "0")
	if !strings.Contains(out.String(), end) {
		t.Errorf("the story has no such end:\n%s", out)
	}
}

func TestStoryWithoutALibraryFails(t *testing.T) {
	set, err := parse([]string{"--pause", "0s"})
	if err != nil {
		t.Skip(err)
	}
	set.library = filepath.Join(t.TempDir(), "none.so")
	s, out := testScreen(false, textColumns)
	err = run(t.Context(), set, s)
	if err == nil || !strings.Contains(err.Error(), "none.so") {
		t.Errorf("got %v, want the scheduler's own complaint\n%s", err, out)
	}
}
