// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"
)

func TestFiguresOfUnsortedValues(t *testing.T) {
	values := []float64{9, 1, 5, 3}
	if got := median(values); got != 4 {
		t.Errorf("the median of %v is %v, want 4", values, got)
	}
	if got := median(values[:3]); got != 5 {
		t.Errorf("the median of %v is %v, want 5", values[:3], got)
	}
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(100-i))
	}
	for q, want := range map[float64]time.Duration{0.5: 51, 0.99: 100, 1: 100} {
		if got := quantile(hundred, q); got != want {
			t.Errorf("quantile %v of 1 to 100 is %d, want %d", q, got, want)
		}
	}
	if got := spread(values); got != "1.00..9.00" {
		t.Errorf("the spread is %s", got)
	}
}

func TestRatiosAreOfTheSameRound(t *testing.T) {
	got := ratios([]float64{10, 30}, []float64{20, 20, 5}, func(f float64) float64 { return f })
	if len(got) != 2 || got[0] != 0.5 || got[1] != 1.5 {
		t.Errorf("got %v, want [0.5 1.5]", got)
	}
}

func TestTableLinesUp(t *testing.T) {
	text := table{{"", "a"}, {"long name", "1000"}}.String()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 2 || len(lines[0]) != len(lines[1]) {
		t.Errorf("the lines differ in length:\n%s", text)
	}
}
