// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sluice/kubectl-sluice/ask"
)

func limit(amount int64) *int64 { return &amount }

func TestBar(t *testing.T) {
	for _, one := range []struct {
		allocated, reserved, waiting int64
		limit                        *int64
		want                         string
	}{
		{0, 0, 0, limit(8), "........................"},
		{4, 2, 1, limit(8), "############======???..."},
		{8, 0, 0, limit(8), "########################"},
		{6, 2, 40, limit(8), "##################======>"}, // what waits has no room
		{4, 0, 40, limit(8), "############????????????>"},
		{9, 0, 0, limit(8), "########################>"}, // the limit has shrunk
		{1, 1, 1, limit(1 << 60), "#=?....................."},
		{0, 0, 5, limit(0), "????????????????????????>"},
		{2, 1, 1, nil, "############======??????"},
		{0, 0, 0, nil, "........................"},
		{1 << 62, 1 << 62, 1 << 62, nil, "########========????????"},
	} {
		got := ASCII.bar(one.allocated, one.reserved, one.waiting, one.limit)
		if got != one.want {
			t.Errorf("%d+%d, %d waiting: %q, want %q", one.allocated, one.reserved, one.waiting, got,
				one.want)
		}
		drawn := Unicode.bar(one.allocated, one.reserved, one.waiting, one.limit)
		if utf8.RuneCountInString(drawn) != len(got) {
			t.Errorf("%q and %q differ in width", got, drawn)
		}
	}
}

func TestAmounts(t *testing.T) {
	for _, one := range []struct {
		name         string
		value        int64
		short, exact string
	}{
		{"cpu", 2000, "2", "2"},
		{"cpu", 2600, "2.6", "2600m"},
		{"cpu", 1250, "1250m", "1250m"},
		{"cpu", 0, "0", "0"},
		{"memory", 1 << 30, "1Gi", "1Gi"},
		{"memory", 1536 << 20, "1.5Gi", "1536Mi"},
		{"memory", 1000, "1000", "1k"},
		{"ephemeral-storage", 1 << 40, "1Ti", "1Ti"},
		{"hugepages-2Mi", 4 << 20, "4Mi", "4Mi"},
		{"nvidia.com/gpu", 8, "8", "8"},
		{"pods", 110, "110", "110"},
	} {
		if short, exact := amount(one.name, one.value), Quantity(one.name, one.value); short !=
			one.short || exact != one.exact {
			t.Errorf("%s %d is %q, %q; want %q, %q", one.name, one.value, short, exact, one.short,
				one.exact)
		}
	}
	got := amounts(map[string]int64{"pods": 2, "memory": 1 << 30, "cpu": 500, "a": 1})
	if want := "cpu 0.5, memory 1Gi, a 1, pods 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSpan(t *testing.T) {
	for length, want := range map[time.Duration]string{
		-time.Second:            "0s",
		1234 * time.Millisecond: "1.2s",
		45 * time.Second:        "45s",
		2 * time.Minute:         "2m",
		125 * time.Second:       "2m5s",
		time.Hour:               "1h0m",
		26*time.Hour + 3*time.Minute + 40*time.Second: "26h4m",
		50 * time.Hour: "2d",
	} {
		if got := Span(length); got != want {
			t.Errorf("%d is %q, want %q", length, got, want)
		}
	}
}

func leaf(name, parent string, waiting int64, asks map[string]int64, quota ...ask.Quota) ask.Queue {
	return ask.Queue{Kind: ask.VolcanoQueue, Name: name, Parent: parent, State: "Open", Leaf: true,
		Waiting: waiting, Asks: asks, Quota: quota}
}

func cpu(allocated, reserved int64, ceiling *int64) ask.Quota {
	return ask.Quota{Flavor: "default", Resource: "cpu", Allocated: allocated, Reserved: reserved,
		Ceiling: ceiling}
}

func TestForest(t *testing.T) {
	root := leaf("root", "", 3, nil, cpu(3000, 1000, nil))
	root.Leaf = false
	inner := leaf("research", "root", 3, nil, cpu(3000, 1000, limit(8000)))
	inner.Leaf, inner.State = false, "Suspended"
	train := leaf("train", "research", 3, map[string]int64{"cpu": 6000, "pods": 3},
		cpu(3000, 1000, limit(4000)), ask.Quota{Flavor: "default", Resource: "pods", Allocated: 3})
	train.State, train.ByParent = "Suspended", true
	cohort := ask.Queue{Kind: ask.Cohort, Name: "ml", State: "Open"}
	member := ask.Queue{Kind: ask.ClusterQueue, Name: "a", Parent: "ml", State: "Open", Leaf: true}
	got := Forest([]ask.Queue{member, cohort, train, inner, root}, Options{Style: ASCII})
	text, err := os.ReadFile("testdata/forest.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	only := Forest([]ask.Queue{train}, Options{Style: ASCII, Resources: []string{"pods"}})
	if strings.Contains(only, "cpu") || !strings.Contains(only, "pods") {
		t.Errorf("only pods were asked for:\n%s", only)
	}
}

// A scheduler that does not tell what the waiting ask for, and more of them than it looks at.
func TestUnknownAsks(t *testing.T) {
	got := Forest([]ask.Queue{leaf("q", "", 2, nil, cpu(1000, 0, limit(2000)))},
		Options{Style: ASCII})
	if !strings.HasSuffix(got, "  1       2   ?\n") {
		t.Errorf("what waits is not known:\n%s", got)
	}
}

// Two edits can make a cycle of parents; every queue is drawn all the same.
func TestCycle(t *testing.T) {
	a, b := leaf("a", "b", 0, nil), leaf("b", "a", 0, nil)
	a.State, a.Reason = "Inactive", "QueueInactive"
	b.State, b.Reason = "Inactive", "QueueInactive"
	got := Forest([]ask.Queue{a, b}, Options{Style: ASCII})
	for _, name := range []string{"\na ", "\nb "} {
		if strings.Count(got, name) != 1 {
			t.Errorf("%q is not there once:\n%s", name, got)
		}
	}
	if path := Up([]ask.Queue{a, b}, ask.VolcanoQueue, "a"); len(path) != 1 {
		t.Errorf("the path of a has %d queues", len(path))
	}
}

func TestWhy(t *testing.T) {
	now := time.Unix(1_700_000_100, 0)
	queues := []ask.Queue{leaf("root", "", 0, nil),
		leaf("train", "root", 0, nil, cpu(3000, 1000, limit(4000)))}
	pod := &ask.Pod{Namespace: "science", Name: "p", Queue: "train", QueueKind: ask.VolcanoQueue,
		State: "waiting", Reason: "QueueCapacity", Message: "no room", Position: 3,
		Created: time.Unix(1_700_000_000, 0).UnixNano(), Asks: map[string]int64{"cpu": 2000},
		Ahead: map[string]int64{"cpu": 5000}, Estimate: int64(90 * time.Second), Basis: "a guess",
		On:    &ask.On{Kind: ask.VolcanoQueue, Name: "train", Resource: "cpu", Room: 0},
		Group: "gang", Members: 3, Minimum: 4}
	path := Up(queues, ask.VolcanoQueue, "train")
	got := Why(pod, path, now, &ASCII)
	for _, part := range []string{"science/p waits in queue train since 1m40s",
		"why       QueueCapacity: no room", "group     gang: 3 members are there, its minimum is 4",
		"asks for  cpu 2", "number 3 of its queue; before it in the queue wait cpu 5",
		"about 1m30s (a guess)", "root > train", "3+1 of 4  <- room for 0, asked for 2"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
	pod.Estimate, pod.Position = -1, 1
	got = Why(pod, path, now, &ASCII)
	for _, part := range []string{"none: a guess", "the next of its queue"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
	for state, part := range map[string]string{"held": "is held, and blocks nobody",
		"reserved": "was granted its place", "allocated": "is on node n"} {
		pod.State, pod.Node = state, "n"
		if got := Why(pod, nil, now, &ASCII); !strings.Contains(got, part) ||
			!strings.Contains(got, "(does not exist)") {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
}

func TestPictureCountsWhatHappened(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	then, now := leaf("q", "", 0, nil), leaf("q", "", 0, nil)
	then.Granted, then.Released, now.Granted, now.Released = 10, 4, 25, 5
	before := &Moment{at, []ask.Queue{then}}
	next := &Moment{at.Add(2 * time.Second), []ask.Queue{now}}
	got := next.Picture(before, Options{Style: ASCII})
	if !strings.Contains(got, "granted 7.5/s   released 0.5/s   demoted 0/s") {
		t.Errorf("got:\n%s", got)
	}
	// After a restart of the scheduler it counts from 0 again.
	got = before.Picture(next, Options{Style: ASCII})
	if !strings.Contains(got, "granted 0/s") {
		t.Errorf("got:\n%s", got)
	}
	if got := before.Picture(&Moment{}, Options{Style: ASCII}); strings.Contains(got, "granted") {
		t.Errorf("nothing is known of before the first picture:\n%s", got)
	}
}

func TestClip(t *testing.T) {
	text := ""
	for i := range 9 {
		text += fmt.Sprintf("line %d is long\n", i)
	}
	got := Clip(text, 6, 5, "|")
	if want := "line 0|line 1|line 2|... 6 |"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Clip("a\nb\n", 80, 24, "|"); got != "a|b|" {
		t.Errorf("%q", got)
	}
}
