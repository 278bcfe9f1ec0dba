// SPDX-License-Identifier: Apache-2.0

// Package show turns what the scheduler says into text for a person: pure functions, no cluster.
//
//	Forest   the tree of queues, with bars of allocated, reserved and waiting against each limit
//	One      a queue by itself
//	Why      what a pod waits for
//	Rows     tables
package show

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Quantity is an amount in base units as Kubernetes writes it, exactly.
func Quantity(name string, amount int64) string {
	switch {
	case name == "cpu":
		return resource.NewMilliQuantity(amount, resource.DecimalSI).String()
	case binary(name):
		return resource.NewQuantity(amount, resource.BinarySI).String()
	}
	return resource.NewQuantity(amount, resource.DecimalSI).String()
}

// Quantities are a map of them.
func Quantities(amounts map[string]int64) map[string]string {
	text := make(map[string]string, len(amounts))
	for name, amount := range amounts {
		text[name] = Quantity(name, amount)
	}
	return text
}

func binary(name string) bool {
	return name == "memory" || strings.HasSuffix(name, "storage") ||
		strings.HasPrefix(name, "hugepages-")
}

var units = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

// amount is short: cpu in cores, bytes in the largest unit that leaves something before the point,
// both with one decimal at most.
func amount(name string, value int64) string {
	switch {
	case name == "cpu" && value%100 != 0:
		return resource.NewMilliQuantity(value, resource.DecimalSI).String()
	case name == "cpu":
		return strconv.FormatFloat(float64(value)/1000, 'f', -1, 64)
	case !binary(name):
		return strconv.FormatInt(value, 10)
	}
	at, short := 0, float64(value)
	for short >= 1024 && at < len(units)-1 {
		short /= 1024
		at++
	}
	return strings.TrimSuffix(strconv.FormatFloat(short, 'f', 1, 64), ".0") + units[at]
}

// first are the resources that people look for; the others follow by name.
var first = []string{"cpu", "memory"}

func resources[T any](amounts map[string]T) []string {
	names := slices.Sorted(maps.Keys(amounts))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

func rank(name string) int {
	if at := slices.Index(first, name); at >= 0 {
		return at
	}
	return len(first)
}

// amounts are a list of them: "cpu 2, memory 4Gi".
func amounts(of map[string]int64) string {
	var parts []string
	for _, name := range resources(of) {
		parts = append(parts, name+" "+amount(name, of[name]))
	}
	return strings.Join(parts, ", ")
}

// Span is a length of time, rounded to what a person wants to know.
func Span(length time.Duration) string {
	switch {
	case length < 0:
		return "0s"
	case length < 10*time.Second:
		return length.Round(100 * time.Millisecond).String()
	case length < time.Hour:
		return strings.TrimSuffix(length.Round(time.Second).String(), "m0s") + minutes(length)
	case length < 48*time.Hour:
		length = length.Round(time.Minute)
		return fmt.Sprintf("%dh%dm", length/time.Hour, length%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd", length/(24*time.Hour))
}

// minutes is what was cut off with the seconds of whole minutes.
func minutes(length time.Duration) string {
	if length.Round(time.Second)%time.Minute == 0 {
		return "m"
	}
	return ""
}
