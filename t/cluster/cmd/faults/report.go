// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// report prints TAP, and a table in the end.
type report struct {
	out    io.Writer
	points int
	failed int
	rows   [][]string
}

func newReport(out io.Writer, points int) *report {
	r := &report{out: out}
	fmt.Fprintf(out, "1..%d\n", points)
	r.rows = append(r.rows, []string{"fault", "times", "pods", "lost", "at most held", "checker",
		"longest stall", "next binding after", "what was done"})
	return r
}

func (r *report) point(f *fault, o *outcome) {
	r.points++
	word := "ok"
	if len(o.problems) > 0 {
		word = "not ok"
		r.failed++
	}
	fmt.Fprintf(r.out, "%s %d - %s: %s (%.0f s)\n", word, r.points, f.name, f.does,
		o.took.Seconds())
	for _, text := range append(o.problems, o.notes...) {
		r.comment(text)
	}
	row := []string{f.name, fmt.Sprint(o.times)}
	if f.alone != nil && o.pods == 0 {
		row = append(row, "", "", "", "", "", "")
	} else {
		checker := "silent"
		if o.violations > 0 {
			checker = fmt.Sprint(o.violations, " violations")
		}
		row = append(row, fmt.Sprint(o.pods), fmt.Sprint(o.lost),
			fmt.Sprintf("%d of %d", o.most, limit), checker, seconds(o.stall), seconds(o.recovery))
	}
	r.rows = append(r.rows, append(row, f.does))
}

func seconds(length time.Duration) string { return fmt.Sprintf("%.1f s", length.Seconds()) }

func (r *report) comment(text string) {
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintln(r.out, "# "+line)
	}
}

func (r *report) table(o *options) {
	widths := make([]int, len(r.rows[0]))
	for _, row := range r.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	r.comment("")
	r.comment(fmt.Sprintf("removal %s, %d rounds, %d of %d faults did no harm", o.removal, o.rounds,
		r.points-r.failed, r.points))
	for _, row := range r.rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
		}
		r.comment(strings.TrimRight(line.String(), " "))
	}
}
