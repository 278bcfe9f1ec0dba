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
		got := ASCII.bar(barCells, one.allocated, one.reserved, one.waiting, one.limit)
		if got != one.want {
			t.Errorf("%d+%d, %d waiting: %q, want %q", one.allocated, one.reserved, one.waiting, got,
				one.want)
		}
		drawn := Unicode.bar(barCells, one.allocated, one.reserved, one.waiting, one.limit)
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
	waits := map[string]int64{"cpu": 6000, "pods": 3}
	root := leaf("root", "", 3, waits, cpu(3000, 1000, nil))
	root.Leaf = false
	inner := leaf("research", "root", 3, waits, cpu(3000, 1000, limit(8000)))
	inner.Leaf, inner.State = false, "Suspended"
	train := leaf("train", "research", 3, waits,
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

// A queue without a quota shows what waits in it; which flavor that will get is not known before.
func TestWhatWaits(t *testing.T) {
	waits := map[string]int64{"cpu": 6000, "memory": 1 << 30}
	got := Forest([]ask.Queue{leaf("q", "", 2, waits)}, Options{Style: ASCII})
	for _, part := range []string{"cpu       ????????????????????????  0       no limit  6\n",
		"memory    ????????????????????????  0       no limit  1Gi\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
	spot, demand := cpu(1000, 0, limit(2000)), cpu(0, 0, limit(2000))
	spot.Flavor, demand.Flavor = "spot", "demand"
	flavored := leaf("q", "", 2, waits, spot, demand)
	got = Forest([]ask.Queue{flavored}, Options{Style: ASCII})
	for _, part := range []string{"cpu/spot    ############............  1       2   6\n",
		"cpu/demand  ........................  0       2\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
	if strings.Contains(got, "memory") {
		t.Errorf("the queue has no quota of memory:\n%s", got)
	}
	got = Forest([]ask.Queue{flavored}, Options{Style: ASCII, Resources: []string{"memory"}})
	if !strings.Contains(got, "1Gi") || strings.Contains(got, "spot") {
		t.Errorf("memory was asked for:\n%s", got)
	}
}

// many are a root with twelve children of twelve children each.
func many() []ask.Queue {
	queues := []ask.Queue{leaf("root", "", 144, nil)}
	for i := range 12 {
		name := fmt.Sprintf("team-%02d", i)
		queues = append(queues, leaf(name, "root", 12, nil))
		for k := range 12 {
			child := leaf(fmt.Sprintf("%s-%02d", name, k), name, 1, nil)
			child.Waiting = int64(k)
			queues = append(queues, child)
		}
	}
	return queues
}

func TestCrowd(t *testing.T) {
	queues := many()
	lines := func(options Options) []string {
		options.Style = ASCII
		return strings.Split(strings.TrimSuffix(Forest(queues, options), "\n"), "\n")
	}
	if got := lines(Options{}); len(got) != 1+157 {
		t.Errorf("all of 157 queues are %d lines", len(got))
	}
	got := lines(Options{Most: 25})
	text := strings.Join(got, "\n")
	if last := got[len(got)-1]; last != "132 of 157 queues are not shown: --all shows them, "+
		"--below QUEUE and --depth N a part" {
		t.Errorf("the last line is %q", last)
	}
	if n := strings.Count(text, "team-"); n != 24 {
		t.Errorf("%d queues below the root are drawn, want 24:\n%s", n, text)
	}
	for _, part := range []string{"|  |- team-00-11", "|  `- ... 11 more", "   `- ... 11 more"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
	flat := strings.Join(lines(Options{Most: 6}), "\n")
	for _, part := range []string{"|- team-04", "`- ... 91 more", "      84 ", "|  `- ... 12 more",
		"151 of 157"} {
		if !strings.Contains(flat, part) {
			t.Errorf("no %q in:\n%s", part, flat)
		}
	}
	if got := lines(Options{Depth: 2}); len(got) != 1+1+12+12+1 {
		t.Errorf("two levels are %d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	if got := Below(queues, "team-03"); len(got) != 13 || got[0].Name != "team-03" {
		t.Errorf("team-03 and below are %d queues", len(got))
	}
	if got := Below(queues, "nothing"); len(got) != 0 {
		t.Errorf("nothing has %d queues", len(got))
	}
}

// A scheduler that does not tell what the waiting ask for.
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
	// Each of them as it was before the other was edited: nobody was told of the cycle.
	a.State, b.State = "Open", "Open"
	if path := Up([]ask.Queue{a, b}, ask.VolcanoQueue, "a"); len(path) != 2 {
		t.Errorf("the path of a has %d queues, want each once", len(path))
	}
}

func TestWhy(t *testing.T) {
	now := time.Unix(1_700_000_100, 0)
	queues := []ask.Queue{leaf("root", "", 0, nil),
		leaf("train", "root", 0, nil, cpu(3000, 1000, limit(4000)))}
	pod := &ask.Pod{Namespace: "science", Name: "p", Queue: "train", QueueKind: ask.VolcanoQueue,
		State: "waiting", Reason: "QueueCapacity", Message: "no room", Position: 3,
		Created: time.Unix(1_700_000_000, 0).UnixNano(), Asks: map[string]int64{"cpu": 2000},
		Ahead: map[string]int64{"cpu": 5000}, Outlook: ask.Outlook{
			Estimate: int64(90 * time.Second), Earliest: int64(60 * time.Second),
			Latest: int64(2 * time.Minute), Basis: "a guess"},
		On: &ask.On{Kind: ask.VolcanoQueue, Name: "train", Resource: "cpu", Room: 0,
			Asked: 2000, Wanted: 7000},
		Group: "gang", Members: 3, Minimum: 4}
	path := Up(queues, ask.VolcanoQueue, "train")
	got := Why(pod, nil, path, now, &ASCII)
	for _, part := range []string{"science/p waits in queue train since 1m40s",
		"why       QueueCapacity: no room", "group     gang: 3 members are there, its minimum is 4",
		"asks for  cpu 2", "number 3 of its queue; before it in the queue wait cpu 5",
		"about 1m30s, between 1m and 2m (a guess)", "root > train",
		"3+1 of 4    <- room for 0, asked for 2"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
	pod.Position = 1
	for _, outlook := range []struct {
		is   ask.Outlook
		says string
	}{
		{ask.Outlook{Estimate: -1, Earliest: 60e9, Latest: 3600e9, Basis: "b"},
			"between 1m and 1h0m (b)"},
		{ask.Outlook{Estimate: -1, Earliest: 60e9, Latest: -1, Basis: "b"}, "not before 1m (b)"},
		{ask.Outlook{Estimate: -1, Earliest: -1, Latest: -1, Basis: "a guess"}, "none: a guess"},
		{ask.Outlook{Estimate: -1, Earliest: -1, Latest: -1}, "estimate  none\n"},
		{ask.Outlook{Estimate: 60e9, Basis: "of an older scheduler"},
			"about 1m (of an older scheduler)"},
	} {
		pod.Outlook = outlook.is
		got = Why(pod, nil, path, now, &ASCII)
		for _, part := range []string{outlook.says, "the next of its queue"} {
			if !strings.Contains(got, part) {
				t.Errorf("no %q in:\n%s", part, got)
			}
		}
	}
	for state, part := range map[string]string{"held": "is held, and blocks nobody",
		"reserved": "was granted its place", "allocated": "is on node n"} {
		pod.State, pod.Node = state, "n"
		if got := Why(pod, nil, nil, now, &ASCII); !strings.Contains(got, part) ||
			!strings.Contains(got, "(does not exist)") {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
}

func TestGang(t *testing.T) {
	now := time.Unix(1_700_000_100, 0)
	queues := []ask.Queue{leaf("root", "", 0, nil),
		leaf("train", "root", 4, map[string]int64{"cpu": 9000}, cpu(3000, 0, limit(4000)))}
	group := &ask.Group{Namespace: "science", Name: "gang", Known: true, Queue: "train",
		QueueKind: ask.VolcanoQueue, State: "waiting", Reason: "QueueCapacity", Message: "no room",
		Created: time.Unix(1_700_000_000, 0).UnixNano(), Minimum: 3, Pods: 4, Ready: 3,
		Succeeded: 1, Position: 2, Ahead: map[string]int64{"cpu": 3000},
		Outlook: ask.Outlook{Estimate: -1, Earliest: -1, Latest: -1, Basis: "too few"},
		Asks:    map[string]int64{"cpu": 6000},
		On: &ask.On{Kind: ask.VolcanoQueue, Name: "train", Resource: "cpu", Room: 1000,
			Asked: 6000, Wanted: 9000}}
	for i := range 10 {
		group.Members = append(group.Members, ask.Member{Name: fmt.Sprintf("p-%d", i),
			State: "waiting", Reason: "QueueCapacity"})
	}
	path := Up(queues, ask.VolcanoQueue, "train")
	contains := func(got string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("no %q in:\n%s", part, got)
			}
		}
	}
	contains(Gang(group, path, now, &ASCII),
		"group science/gang waits as one in queue train, since 1m40s", "QueueCapacity: no room",
		"minimum 3; 4 pods: 1 held by something of their own, 3 ready; 1 succeeded",
		"asks for  cpu 6, as one", "number 2 of its queue", "none: too few", "root > train",
		"9 wait  <- room for 1, asked for 6", "p-9  waiting  QueueCapacity")
	pod := &ask.Pod{Namespace: "science", Name: "p-0", Queue: "train", Group: "gang",
		QueueKind: ask.VolcanoQueue, State: "waiting", Asks: map[string]int64{"cpu": 2000},
		AtLeast: true, Position: 7, On: group.On,
		Outlook: ask.Outlook{Estimate: -1, Earliest: -1, Latest: -1}}
	got := Why(pod, group, path, now, &ASCII)
	contains(got, "gang is waiting: minimum 3; 4 pods", "asks for  cpu 2\n",
		"its group for cpu 6, as one", "number 7 of its queue, or later", "... 2 more pods")
	if strings.Contains(got, "p-8") {
		t.Errorf("not all members are to be shown:\n%s", got)
	}
	for state, part := range map[string]string{"held": "is held, and blocks nobody, since",
		"granted": "was granted its minimum", "apart": "each of its pods goes alone"} {
		group.State = state
		contains(Gang(group, path, now, &ASCII), part)
	}
	group.Known = false
	contains(Gang(group, nil, now, &ASCII), "has no PodGroup", "(does not exist)")
	group.Native, pod.Native = true, true
	contains(Gang(group, nil, now, &ASCII), "native group science/gang has no PodGroup")
	contains(Why(pod, group, path, now, &ASCII), "gang (native) is ")
	contains(Why(pod, nil, path, now, &ASCII), "gang (native): 0 members are there")
	if view := ViewPod(pod, group); !view.Native || !view.Gang.Native {
		t.Errorf("what is printed for programs is %+v", view)
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

func TestCut(t *testing.T) {
	for _, one := range []struct {
		line  string
		width int
		want  string
	}{{"größer", 4, "größ"}, {"a", 4, "a"}, {"abc", 0, ""}} {
		if got := Cut(one.line, one.width); got != one.want {
			t.Errorf("%q in %d: %q, want %q", one.line, one.width, got, one.want)
		}
	}
}
