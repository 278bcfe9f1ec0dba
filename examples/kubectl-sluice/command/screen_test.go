// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

func TestKeys(t *testing.T) {
	for sent, want := range map[string][]key{
		"j":                 {"j"},
		"\x1b[A\x1b[B":      {keyUp, keyDown},
		"\x1bOA":            {keyUp},
		"\x1b[5~\x1b[6~":    {keyPageUp, keyPageDown},
		"\x1b":              {keyBack},
		"ä/\r\x7f\x03":      {"ä", "/", keyEnter, keyErase, keyQuit},
		"\x1b[15~q":         {"q"}, // a function key
		"\x1b[1;5Cq":        {"q"}, // with Ctrl
		"\x01q":             {"q"},
		"\x1b[":             nil, // cut off
		"\x1b[H\x1b[4~\x04": {keyHome, keyEnd, keyQuit},
	} {
		if got := keysOf(sent); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
	}
}

// scene is a screen of so many queues below a root.
func scene(count int) *screen {
	queues := []ask.Queue{{Kind: ask.VolcanoQueue, Name: "root", State: "Open"}}
	for i := range count {
		queues = append(queues, ask.Queue{Kind: ask.VolcanoQueue, Name: fmt.Sprintf("team-%03d", i),
			Parent: "root", State: "Open", Leaf: true, Waiting: int64(i)})
	}
	s := &screen{width: 80, height: 12, options: show.Options{Style: show.ASCII, Most: show.Usual},
		now: show.Moment{Time: time.Unix(1_700_000_000, 0), Queues: queues}}
	s.picture()
	return s
}

// under is the line under the cursor.
func (s *screen) under() string {
	lines, cursor := s.picture()
	if cursor < 0 {
		return ""
	}
	return lines[cursor]
}

func press(t *testing.T, s *screen, keys ...key) {
	t.Helper()
	for _, one := range keys {
		if !s.press(one) {
			t.Fatalf("%q ends it", one)
		}
		if lines, _ := s.picture(); len(lines) != s.height {
			t.Fatalf("after %q: %d lines, want %d:\n%s", one, len(lines), s.height,
				strings.Join(lines, "\n"))
		}
	}
}

func TestTheCursorIsSeen(t *testing.T) {
	s := scene(50)
	for _, step := range []struct {
		keys  []key
		under string
	}{
		{nil, "root"},
		{[]key{keyDown, "j"}, "team-001"},
		{[]key{keyUp}, "team-000"},
		{[]key{keyUp, keyUp, "k"}, "root"},
		{[]key{keyPageDown}, "team-008"},
		{[]key{keyEnd}, "team-049"},
		{[]key{keyDown}, "team-049"},
		{[]key{keyPageUp}, "team-040"},
		{[]key{"s", keyHome, keyDown}, "team-049"}, // by what waits
		{[]key{"s", "s"}, "team-000"},              // by name again
		{[]key{"/", "0", "4", "2", keyEnter}, "team-042"},
		{[]key{keyBack, keyHome}, "root"},
		{[]key{"/", "x", keyErase, "3", keyErase, keyBack, "G"}, "team-049"},
	} {
		press(t, s, step.keys...)
		if got := s.under(); !strings.Contains(got, step.under) {
			lines, _ := s.picture()
			t.Errorf("after %q the cursor is on %q, want %s:\n%s", step.keys, got, step.under,
				strings.Join(lines, "\n"))
		}
	}
}

func TestQueuesOpen(t *testing.T) {
	s := scene(3)
	press(t, s, keyEnd, keyEnter)
	if s.page != queuePage || s.queue.Name != "team-002" {
		t.Fatalf("page %d, queue %v", s.page, s.queue)
	}
	s.waiting = newWaiting()
	s.waiting.addTo(s.queue, 0, &ask.Waiting{Namespace: "a", Name: "first"})
	s.waiting.addTo(s.queue, 1, &ask.Waiting{Namespace: "a", Name: "gang", Members: 3})
	press(t, s, keyDown)
	if got := s.under(); !strings.Contains(got, "gang (gang of 3)") {
		t.Errorf("the cursor is on %q", got)
	}
	press(t, s, keyEnter)
	if s.page != whyPage || s.subject != (subject{podGroups, "a", "gang"}) {
		t.Fatalf("page %d, subject %v", s.page, s.subject)
	}
	s.why = "because\n" + strings.Repeat("more\n", 40)
	press(t, s, keyPageDown, keyPageUp)
	if lines, _ := s.picture(); lines[2] != "because" {
		t.Errorf("%q", lines)
	}
	press(t, s, "?", keyBack)
	if s.page != whyPage {
		t.Errorf("page %d behind the help", s.page)
	}
	press(t, s, keyBack, keyBack)
	if got := s.under(); s.page != treePage || !strings.Contains(got, "team-002") {
		t.Errorf("page %d, the cursor is on %q", s.page, got)
	}
	for _, ends := range []key{"q", keyQuit} {
		if s.press(ends) {
			t.Errorf("%q does not end it", ends)
		}
	}
}

// A queue that went while its page is open, fewer that wait, a screen of no size: none is an error.
func TestNothingIsThere(t *testing.T) {
	s := scene(3)
	press(t, s, keyEnd, keyEnter)
	s.waiting = newWaiting()
	s.now.Queues, s.cursor = nil, 7
	press(t, s, keyDown, keyEnter, keyBack, keyEnter, "/", "z", keyEnter, keyEnd, keyEnter)
	s.width, s.height = 0, 0
	s.picture()
	s.broken = fmt.Errorf("no replica leads")
	s.width, s.height = 80, 5
	if lines, _ := s.picture(); !strings.Contains(lines[0], "no replica leads") {
		t.Errorf("%q", lines)
	}
}
