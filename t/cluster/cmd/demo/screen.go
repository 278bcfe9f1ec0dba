// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// screen prints what is told, and between it a table that changes. A terminal gets the table
// redrawn in its place until something else is said; anything else gets a line for each change.
type screen struct {
	mu       sync.Mutex
	out      io.Writer
	columns  int  // of text
	terminal bool // can go up, and knows colours
	colours  bool

	began  time.Time // of the act
	height int       // of the table that may be redrawn; 0: none
	drawn  string    // that table
	// Where there is no going up:
	rows   map[string]row // as they were printed last
	foot   string         // to be printed when the table is left
	titled bool           // the titles of the columns stand above
}

const textColumns = 96

func newScreen(file *os.File) *screen {
	s := &screen{out: file, columns: textColumns, rows: map[string]row{}, began: time.Now()}
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil || os.Getenv("TERM") == "dumb" {
		return s
	}
	s.terminal, s.colours = true, os.Getenv("NO_COLOR") == ""
	if size.Col > 0 {
		s.columns = min(s.columns, int(size.Col)-1)
	}
	return s
}

// act begins a part of the story, with its own clock.
func (s *screen) act(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	fmt.Fprintf(s.out, "\n%s\n", s.paint("1", "=== "+title))
	s.began, s.rows = time.Now(), map[string]row{}
}

// say prints a paragraph.
func (s *screen) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	fmt.Fprintf(s.out, "\n%s\n", wrap(fmt.Sprintf(format, args...), "", "", s.columns))
}

// note prints one thing that was done or found.
func (s *screen) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	fmt.Fprintf(s.out, "%s\n", wrap(fmt.Sprintf(format, args...), "  - ", "    ", s.columns))
}

// plain prints lines as they are.
func (s *screen) plain(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	fmt.Fprintln(s.out, text)
}

// settle leaves the table as it is: what comes next is printed below it.
func (s *screen) settle() {
	if !s.terminal && s.titled && s.foot != "" {
		fmt.Fprintf(s.out, "           (%s)\n", s.foot)
	}
	s.height, s.foot, s.titled = 0, "", false
}

// table shows the rows as they are now.
func (s *screen) table(rows []row, foot string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal {
		s.draw(rows, foot)
		return
	}
	for _, r := range rows {
		if s.rows[r.name] != r {
			s.title()
			fmt.Fprintf(s.out, "  %5.1f s  %s\n", time.Since(s.began).Seconds(), line(r))
			s.rows[r.name] = r
		}
	}
	s.foot = foot
}

var titles = row{"NAME", "PHASE", "CONDITION", "NODE", "GATES"}

func (s *screen) title() {
	if !s.titled {
		fmt.Fprintf(s.out, "\n           %s\n", line(titles))
	}
	s.titled = true
}

func (s *screen) draw(rows []row, foot string) {
	if len(rows) == 0 && s.height == 0 {
		return
	}
	lines := []string{"", s.fit(line(titles))}
	for _, r := range rows {
		lines = append(lines, s.paint(colour(r), s.fit(line(r))))
	}
	lines = append(lines, s.fit("("+foot+")"))
	text := strings.Join(lines, "\n") + "\n"
	switch {
	case s.height == 0:
		io.WriteString(s.out, text)
	case text != s.drawn:
		fmt.Fprintf(s.out, "\x1b[%dA\x1b[J%s", s.height, text)
	}
	s.height, s.drawn = len(lines), text
}

func line(r row) string {
	return strings.TrimRight(fmt.Sprintf("%-7s %-10s %-16s %-6s %s", r.name, r.phase, r.condition,
		r.node, r.gates), " ")
}

// fit cuts what the terminal would wrap: it would spoil the count of lines.
func (s *screen) fit(text string) string {
	text = "  " + text
	if letters := []rune(text); len(letters) > s.columns {
		return string(letters[:max(0, s.columns-1)]) + "…"
	}
	return text
}

// colour is an attribute as terminals number them; none: plain.
func colour(r row) string {
	switch {
	case r.condition == "Unschedulable":
		return "31"
	case r.condition != "":
		return "33"
	case r.phase == "Running":
		return "32"
	case r.phase == "Succeeded":
		return "2"
	}
	return ""
}

func (s *screen) paint(colour, text string) string {
	if !s.colours || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func wrap(text, first, other string, columns int) string {
	var lines []string
	now, empty := first, true
	for _, word := range strings.Fields(text) {
		if !empty && len([]rune(now))+1+len([]rune(word)) > columns {
			lines = append(lines, now)
			now, empty = other, true
		}
		if !empty {
			now += " "
		}
		now, empty = now+word, false
	}
	return strings.Join(append(lines, now), "\n")
}
