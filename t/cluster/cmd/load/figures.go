// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// quantile of durations or numbers, by the nearest rank; they need not be sorted.
func quantile[T ~int64 | ~float64](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// median of an even number of values is the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// times are how long it took from a pod's creation to something.
func times(lives []life, until func(*life) time.Time) []time.Duration {
	var all []time.Duration
	for i := range lives {
		if at := until(&lives[i]); !at.IsZero() {
			all = append(all, at.Sub(lives[i].asked))
		}
	}
	return all
}

// medians of something over the runs of a variant.
func medianOf[T any](runs []T, of func(T) float64) float64 {
	var values []float64
	for _, one := range runs {
		values = append(values, of(one))
	}
	return median(values)
}

// ratios of a variant to its control, round by round.
func ratios[T any](runs, control []T, of func(T) float64) []float64 {
	var all []float64
	for i := range min(len(runs), len(control)) {
		all = append(all, of(runs[i])/of(control[i]))
	}
	return all
}

func spread(values []float64) string {
	return fmt.Sprintf("%.2f..%.2f", slices.Min(values), slices.Max(values))
}

// reached is the verdict about an aim; figures are no failure: machines are noisy.
func reached(yes bool) string {
	if yes {
		return "ok"
	}
	return "MISSED"
}

// table is rows of cells, the first of them the head.
type table [][]string

func (t *table) row(cells ...string) { *t = append(*t, cells) }

// String lines the columns up: the first to the left, the others to the right.
func (t table) String() string {
	var text strings.Builder
	width := 0
	for _, row := range t {
		width = max(width, len(row[0]))
	}
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range t {
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, row[0], strings.Join(row[1:], "\t"))
	}
	w.Flush()
	return text.String()
}

func seconds(d time.Duration) float64 { return d.Seconds() }

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
