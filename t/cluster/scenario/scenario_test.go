// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// storyWith is a story with a queue q and a pod p; line 5 is the first of spec.
func storyWith(spec string) string {
	return "apiVersion: sluice/v1\nkind: Scenario\nmetadata: {name: story}\nspec:\n" + spec + `
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: q}
spec: {capability: {cpu: 1}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}
`
}

func refused(t *testing.T, text, says string) {
	t.Helper()
	documents, err := Parse("story.yaml", []byte(text))
	if err == nil {
		_, err = New(documents)
	}
	if err == nil || !strings.Contains(err.Error(), "story.yaml:"+says) {
		t.Errorf("got %v, want story.yaml:%s, of\n%s", err, says, text)
	}
}

// The simulator refuses the same in the same words.
func TestWrongSteps(t *testing.T) {
	for _, each := range []struct{ step, says string }{
		{"aply: [queue/q]", "aply is no step, want at, apply, delete"},
		{"at: 5, say: hello", "at is 5, want a duration, such as 30s, 1m30s or 500ms"},
		{"at: 1s, at: 2s, say: hello", "the key at is there twice, first in line 6"},
		{"apply: [q]", "apply is q, want kind/name"},
		{"apply: [pod/none]", "pod/none is not described: want a document"},
		{"apply: [{pod/p: many}]", "pod/p is many, want an integer from 1 to 1000000"},
		{"restart: node", "restart is node, want scheduler"},
		{"leader: maybe", "leader is maybe, want true or false"},
		{"clock: back", "clock is back, want a duration"},
		{"show: [all]", "show is all, want pods, workloads, queues or nodes"},
		{"fault: {acks: thrice}", "acks is thrice, want never, twice or wrong"},
		{"fault: {moon: full}", "moon is no fault, want acks, observe"},
		{"fault: {acks: never, for: long}", "for is long, want a duration"},
		{"fault: {webhook: off, for: -1s}", "for is -1s, want a duration that is not negative"},
		{"send: {hook: observ, message: {}}", "hook is observ, want a map with the name of a hook"},
		{"send: {hook: tick}", "send is a map, want a map with either message or bytes"},
		{"expect: {pod/p: {colour: red}}", "colour cannot be expected, want gates, reason"},
		{"expect: {queue/q: {gates: []}}", "gates cannot be expected, want allocated, reserved"},
		{"expect: {service/p: {}}", "service/p cannot be expected, want pod/NAME, queue/NAME"},
		{"expect: {pod/p: {reason: !x }}", "a tag (an unquoted text that begins with !)"},
		{"expect: {never: {never: {}}}", "never cannot be expected"},
	} {
		refused(t, storyWith("  steps:\n  - {"+each.step+"}"), "6: "+each.says)
	}
}

func TestWrongStories(t *testing.T) {
	for _, each := range []struct{ spec, says string }{
		{"  step: []",
			"5: step is not known here, want removal, autoscaler, config, clusters, about or steps"},
		{"  removal: onBind", "1: spec.steps is missing or empty, want a list"},
		{"  removal: sometimes\n  steps: [{say: hello}]",
			"5: removal is sometimes, want onBind or onAdmission"},
		{"  autoscaler: {template: node/none}\n  steps: [{say: hello}]",
			"5: node/none is not described"},
		{"  steps:\n  - {at: 5s, say: a}\n  - {at: 4s, say: b}",
			"7: at is 4s, want a time that is not before that of the step above it"},
		{"  steps:\n  - &a {say: *a}", "6: an alias inside of what it stands for"},
	} {
		refused(t, storyWith(each.spec), each.says)
	}
	for _, each := range []struct{ document, says string }{
		{"{kind: Pod, metadata: {name: x}, spec: {containers: [{resources: {requests: {cpu: one}}}]}}",
			"18: cpu is one, want a quantity, such as 2, 500m or 16Gi"},
		{"{kind: Pod, metadata: {name: x}, spec: {schedulingGates: [a], containers: [{}]}}",
			"18: schedulingGates is a, want a map with the gate's name"},
		{"{kind: Pod, metadata: {name: x}, spec: {priority: high, containers: [{}]}}",
			"18: priority is high, want an integer from -2147483648 to"},
		{"{kind: Queue, metadata: {name: q}}", "18: queue/q is described twice, first in line"},
		{"{metadata: {name: x}}", "18: a document without its kind"},
		{"{kind: Queue, metadata: {}}", "18: metadata.name is missing"},
		{"{kind: Scenario, metadata: {name: x}, spec: {steps: [{say: a}]}}",
			"18: a second Scenario, the first is in line 1: want one"},
	} {
		refused(t, storyWith("  steps:\n  - apply: [pod/x]")+"---\n"+each.document, each.says)
	}
	for _, each := range [][2]string{
		{"", "1: no document of kind Scenario in this file"},
		{"a:\n\t- b\n", "2: not YAML"},
		{"a: \xff\n", "1: not YAML: invalid leading UTF-8 octet"},
		{"a: " + strings.Repeat("[", 200), "1: "},
		{"a: " + strings.Repeat("[", 80) + strings.Repeat("]", 80),
			"1: nested too deep: want at most 64 levels"},
	} {
		refused(t, each[0], each[1])
	}
}

func TestAllStoriesOfTheProjectAreRead(t *testing.T) {
	files, err := filepath.Glob("../../../examples/scenarios/*.yaml")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d stories: %v", len(files), err)
	}
	whole := 0
	for _, file := range files {
		story, err := Read(file)
		if err != nil {
			t.Error(err)
			continue
		}
		fleet := story.Steps == nil // told of several clusters
		if len(story.OutOfReach) > 0 && story.OutOfReach[0].Whole && !fleet {
			whole++
		}
	}
	if whole == 0 || whole > len(files)/8 {
		t.Errorf("%d of %d stories cannot be told here", whole, len(files))
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "30s": 30 * time.Second, "1m30s": 90 * time.Second, "500ms": time.Second / 2,
		"10.050s": 10*time.Second + 50*time.Millisecond, "-1h": -time.Hour,
		"20.001s": 20001 * time.Millisecond,
	} {
		got, err := (&Tree{Type: Text, Text: text}).AsDuration()
		if err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "5", "s", "1x", "1s2", "99999999999s", "999999999h", "1.s", "--1s",
	} {
		if got, err := (&Tree{Type: Text, Text: text}).AsDuration(); err == nil {
			t.Errorf("%q is %v, want it refused", text, got)
		}
	}
}

func TestWhatIsOutOfReachIsSaid(t *testing.T) {
	for _, each := range []struct {
		step  string
		whole bool
		says  string
	}{
		{"fault: {acks: never}", true, "acks"},
		{"fault: {observe: reorder}", true, "reorder"},
		{"fault: {observe: late}", true, "late"},
		{"send: {hook: tick, message: {}}", false, "send"},
		{"fault: {observe: duplicate}", false, ""},
		{"fault: {patches: fail}", false, ""},
	} {
		documents, err := Parse("story.yaml", []byte(storyWith("  steps:\n  - {"+each.step+"}")))
		if err != nil {
			t.Fatal(err)
		}
		story, err := New(documents)
		if err != nil {
			t.Fatal(err)
		}
		got := story.OutOfReach
		if each.says == "" {
			if len(got) > 0 {
				t.Errorf("%s: %+v is out of reach", each.step, got[0])
			}
		} else if len(got) != 1 || got[0].Whole != each.whole ||
			!strings.Contains(got[0].Why, each.says) {
			t.Errorf("%s: %+v", each.step, got)
		}
	}
}
