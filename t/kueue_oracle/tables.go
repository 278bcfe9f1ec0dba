// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sluice/kube-scheduler/sluice"
)

// tally is what became of one table: how many cases were the same, by which rules others were not,
// and why the rest was left out.
type tally struct {
	cases, same, unexplained int
	differ, leftOut          map[string]int
}

// runTables compares the world of each case of Kueue's own tables. An answer above 0: so many
// differ, and no rule says why.
func runTables(to io.Writer, library *sluice.Library) (unexplained int, err error) {
	read, err := readTables()
	if err != nil {
		return 0, err
	}
	for i := range read {
		of := &tally{differ: map[string]int{}, leftOut: map[string]int{}}
		for _, name := range slices.Sorted(maps.Keys(read[i].Cases)) {
			if err := of.try(to, library, &read[i], name); err != nil {
				return 0, fmt.Errorf("%s, %s: %w", read[i].Test, name, err)
			}
		}
		if _, err := fmt.Fprint(to, of.text(read[i].Test)); err != nil {
			return 0, err
		}
		unexplained += of.unexplained
	}
	return unexplained, nil
}

func (of *tally) try(to io.Writer, library *sluice.Library, t *upstreamTable, name string) error {
	of.cases++
	world, why := t.world(name)
	if why != "" {
		of.leftOut[why]++
		return nil
	}
	sum := newSum()
	difference, err := compare(library, world, nil, sum)
	switch {
	case err != nil:
		return err
	case difference != nil:
		of.unexplained++
		_, err = fmt.Fprintf(to, "%s, %s:\n%s%s\n", t.Test, name, world.brief(), difference)
		return err
	case sum.Same == sum.Steps:
		of.same++
	}
	for rule := range sum.Differ {
		of.differ[rule]++
	}
	return nil
}

// text is one table's line in the sum, and what is to be said of the cases that are not the same.
func (of *tally) text(test string) string {
	var b strings.Builder
	out := 0
	for _, n := range of.leftOut {
		out += n
	}
	fmt.Fprintf(&b, "%s: %d cases, %d the same, %d differ by rules, %d left out, %d unexplained\n",
		test, of.cases, of.same, of.cases-of.same-out-of.unexplained, out, of.unexplained)
	for _, rule := range slices.Sorted(maps.Keys(of.differ)) {
		fmt.Fprintf(&b, "%6d  %s\n", of.differ[rule], rule)
	}
	for _, why := range slices.Sorted(maps.Keys(of.leftOut)) {
		fmt.Fprintf(&b, "%6d  left out: %s\n", of.leftOut[why], why)
	}
	return b.String()
}
