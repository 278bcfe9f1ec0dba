// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"sluice/kubectl-sluice/ask"
)

// departments are so many queues in a tree, with names, states and numbers as long as they get.
func departments(count int) []ask.Queue {
	queues := []ask.Queue{leaf("root", "", 0, nil)}
	queues[0].Leaf = false
	for i := range count - 1 {
		parent := "root"
		if i%10 != 0 {
			parent = queues[1+i-i%10].Name
		}
		name := fmt.Sprintf("department-of-data-science-%04d", i)
		waits := map[string]int64{"cpu": 123_500, "memory": 1500 << 30, "nvidia.com/gpu": 96}
		queue := leaf(name, parent, 1234, waits, cpu(12_500, 3000, limit(1_000_000)),
			ask.Quota{Flavor: "a100-80gb-spot", Resource: "nvidia.com/gpu", Allocated: 64, Reserved: 8,
				Ceiling: limit(128)})
		queue.State, queue.ByParent = "Suspended", true
		queues = append(queues, queue)
	}
	return queues
}

// What is left for bars gets them; names, states and numbers are always there.
func TestWidths(t *testing.T) {
	for _, count := range []int{3, 200, 10_000} {
		for _, width := range []int{80, 120, 200} {
			options := Options{Style: ASCII, Most: Usual, Width: width}
			drawn := Forest(departments(count), options)
			bars := 0
			for line := range strings.Lines(drawn) {
				line = strings.TrimSuffix(line, "\n")
				if strings.Contains(line, "not shown") {
					continue // a sentence, which a terminal wraps
				}
				if is := utf8.RuneCountInString(line); is > width {
					t.Errorf("%d queues in %d columns: a line has %d:\n%s", count, width, is, line)
				}
				if strings.Contains(line, "0000") && !strings.Contains(line, "...") {
					for _, part := range []string{"- d", "Suspended*", "1234", "12.5+3", "1000", "123.5"} {
						if !strings.Contains(line, part) {
							t.Errorf("%d queues in %d columns: no %q in\n%s", count, width, part, line)
						}
					}
				}
				if strings.Contains(line, "#") {
					bars++
				}
			}
			if has := bars > 0; has != (width == 200) {
				t.Errorf("%d queues in %d columns: %d bars\n%s", count, width, bars, drawn)
			}
			if count == 3 {
				t.Logf("%d columns:\n%s", width, drawn)
			}
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, one := range []struct {
		text string
		most int
		want string
	}{
		{"train", 8, "train"},
		{"research-a", 8, "rese~h-a"},
		{"`- department-0001", 12, "`- dep~-0001"},
		{"größenwahn", 9, "größ~wahn"},
	} {
		if got := middle(one.text, one.most); got != one.want {
			t.Errorf("%q in %d: %q, want %q", one.text, one.most, got, one.want)
		}
	}
}

func TestSort(t *testing.T) {
	queues := []ask.Queue{leaf("root", "", 0, nil), leaf("a", "root", 1, nil),
		leaf("b", "root", 3, nil), leaf("c", "root", 2, nil)}
	queues[1].Allocated = 5
	for by, want := range map[Sort]string{ByName: "abc", ByWaiting: "bca", ByUsed: "abc"} {
		got := ""
		for _, line := range ForestLines(queues, Options{Style: ASCII, Sort: by}) {
			if line.Queue != nil && line.Queue.Name != "root" {
				got += line.Queue.Name
			}
		}
		if got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
}
