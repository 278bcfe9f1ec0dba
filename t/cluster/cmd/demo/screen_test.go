// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func testScreen(terminal bool, columns int) (*screen, *bytes.Buffer) {
	var out bytes.Buffer
	return &screen{out: &out, terminal: terminal, columns: columns, rows: map[string]row{}}, &out
}

var clock = regexp.MustCompile(`(?m)^ +[0-9.]+ s  `)

func TestPipeGetsALineForEachChange(t *testing.T) {
	s, out := testScreen(false, 60)
	s.act("begin")
	s.table([]row{gated.of("a")}, "one waits")
	s.table([]row{gated.of("a"), runs("b", "n")}, "one waits")
	s.table([]row{gated.of("a"), runs("b", "n")}, "one waits")
	s.say("so")
	s.table([]row{unschedulably.of("a"), runs("b", "n")}, "one asks")
	s.note("that is it")
	want := `
=== begin

           NAME    PHASE      CONDITION        NODE   GATES
a       Pending    SchedulingGated         volcano.sh/queue-allocation-gate
b       Running                     n
           (one waits)

so

           NAME    PHASE      CONDITION        NODE   GATES
a       Pending    Unschedulable
           (one asks)
  - that is it
`
	if got := clock.ReplaceAllString(out.String(), ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// display is a terminal that knows what the screen uses: lines, up, and clear to the end.
func display(t *testing.T, text string) []string {
	t.Helper()
	var lines []string
	at := 0
	up := regexp.MustCompile(`^\x1b\[(\d+)A\x1b\[J`)
	for _, line := range strings.SplitAfter(text, "\n") {
		if part := up.FindStringSubmatch(line); part != nil {
			var by int
			if _, err := fmt.Sscan(part[1], &by); err != nil || by > at {
				t.Fatalf("up by %q from line %d", part[1], at)
			}
			at -= by
			lines, line = lines[:at], line[len(part[0]):]
		}
		if strings.Contains(line, "\x1b") {
			t.Fatalf("an unknown sequence in %q", line)
		}
		if strings.HasSuffix(line, "\n") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
			at = len(lines)
		}
	}
	return lines
}

func TestTerminalIsRedrawnInPlace(t *testing.T) {
	s, out := testScreen(true, 60)
	s.table([]row{gated.of("a"), gated.of("b")}, "two wait")
	s.table([]row{gated.of("a"), runs("b", "n"), runs("c", "n")}, "one waits")
	drawn := out.Len()
	s.table([]row{gated.of("a"), runs("b", "n"), runs("c", "n")}, "one waits")
	if out.Len() != drawn {
		t.Error("a table that had not changed was drawn again")
	}
	s.table([]row{runs("b", "n")}, "none waits")
	s.say("so")
	s.table([]row{runs("c", "n")}, "none waits")
	s.table(nil, "none waits")
	want := []string{
		"", "  NAME    PHASE      CONDITION        NODE   GATES",
		"  b       Running                     n", "  (none waits)", "", "so",
		"", "  NAME    PHASE      CONDITION        NODE   GATES", "  (none waits)",
	}
	if got := display(t, out.String()); !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestNothingIsWiderThanTheTerminal(t *testing.T) {
	for _, columns := range []int{1, 20, 60, 79} {
		s, out := testScreen(true, columns)
		s.table([]row{gated.of("a"), runs("ü", "n")}, "one waits")
		for _, line := range display(t, out.String()) {
			if letters := len([]rune(line)); letters > columns {
				t.Errorf("%d columns: a line of %d: %q", columns, letters, line)
			}
		}
	}
}

func TestEmptyTableBeginsNothing(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		s, out := testScreen(terminal, 60)
		s.table(nil, "none waits")
		s.plain("end")
		if out.String() != "end\n" {
			t.Errorf("terminal %t: got %q", terminal, out)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, one := range []struct{ text, want string }{
		{"", "- "},
		{"one two  three", "- one two\n  three"},
		{"a-word-that-is-too-long b", "- a-word-that-is-too-long\n  b"},
		{"12345678 90", "- 12345678\n  90"},
		{"123456 89", "- 123456\n  89"},
		{"12345 78", "- 12345 78"},
	} {
		if got := wrap(one.text, "- ", "  ", 10); got != one.want {
			t.Errorf("%q: got %q, want %q", one.text, got, one.want)
		}
	}
}
