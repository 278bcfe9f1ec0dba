// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"sluice/cluster/scenario"
)

// tap prints points in the order in which they come.
type tap struct {
	out io.Writer

	mu                      sync.Mutex
	points, failed, skipped int
}

func (t *tap) skip(name, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.points++
	t.skipped++
	fmt.Fprintf(t.out, "ok %d - %s # SKIP %s\n", t.points, name, why)
}

func (t *tap) story(name string, result *scenario.Result, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.points++
	if err == nil && len(result.Failures) == 0 {
		fmt.Fprintf(t.out, "ok %d - %s (%.1f s)\n", t.points, name, result.Took.Seconds())
		t.notes(result)
		return
	}
	t.failed++
	fmt.Fprintf(t.out, "not ok %d - %s\n", t.points, name)
	if err != nil {
		t.comment(err.Error())
		return
	}
	t.comment(fmt.Sprintf("%-28s %10s  %-30s %-32s %s", "where", "at", "what", "wanted", "seen"))
	for _, each := range result.Failures {
		t.comment(fmt.Sprintf("%-28s %10s  %-30s %-32s %s", each.Where, scenario.ShowTime(each.At),
			each.What, orNothing(each.Wanted), orNothing(each.Seen)))
		if each.WasTrue {
			t.comment("    (this was as wanted from " + scenario.ShowTime(each.Since) + " on)")
		}
	}
	t.notes(result)
}

func (t *tap) notes(result *scenario.Result) {
	for _, note := range result.Notes {
		t.comment(note)
	}
}

func orNothing(text string) string {
	if text == "" {
		return `""`
	}
	return text
}

func (t *tap) comment(text string) {
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintln(t.out, "# "+line)
	}
}

func (t *tap) done(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, "1..%d\n", t.points)
	t.comment(fmt.Sprintf("%d held, %d failed, %d skipped, in %.0f s", t.points-t.failed-t.skipped,
		t.failed, t.skipped, took.Seconds()))
}
