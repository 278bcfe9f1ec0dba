// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// difference is one thing that is not as wanted.
type difference struct {
	where        *Tree
	what         string
	wanted, seen string
}

// comparison collects what differs at one look.
type comparison struct {
	sight  *sight
	differ []difference
}

func (c *comparison) add(where *Tree, ref, key, wanted, seen string) {
	what := strings.TrimSpace(ref + " " + key)
	c.differ = append(c.differ, difference{where, what, wanted, seen})
}

func isLike(wanted, seen string) bool {
	if wanted == "*" {
		return true
	}
	if other, not := strings.CutPrefix(wanted, "!"); not {
		return other != seen
	}
	return wanted == seen
}

// baseUnits is a quantity in thousandths of cpu, and units of all else.
func baseUnits(text, name string) (string, bool) {
	amount, err := resource.ParseQuantity(text)
	if err != nil {
		return "", false
	}
	if name == "cpu" {
		return number(amount.MilliValue()), true
	}
	return number(amount.Value()), true
}

// showAmount is base units as people write them.
func showAmount(units, name string) string {
	amount, err := resource.ParseQuantity(units)
	if err != nil {
		return units
	}
	if name == "cpu" {
		return resource.NewMilliQuantity(amount.Value(), resource.DecimalSI).String()
	}
	if name == "memory" {
		return resource.NewQuantity(amount.Value(), resource.BinarySI).String()
	}
	return amount.String()
}

// isLikeAmount compares quantities: 1, "1" and 1000m are the same cpu.
func isLikeAmount(wanted, name, seen string) bool {
	if wanted == "*" {
		return true
	}
	text, not := strings.CutPrefix(wanted, "!")
	units, ok := baseUnits(text, name)
	return ok && (units == seen) != not
}

func joined(list *Tree) string {
	var names []string
	for _, pair := range list.Pairs {
		names = append(names, pair.Value.Text)
	}
	return strings.Join(names, ", ")
}

func (c *comparison) pod(pod *corev1.Pod, ref string, field Pair) {
	want := field.Value
	if want.Type == Map {
		for _, inner := range want.Pairs {
			seen := c.sight.ofPod(pod, field.Key, inner.Key)
			if !isLike(inner.Value.Text, seen) {
				c.add(inner.Value, ref, inner.Key, inner.Value.Text, seen)
			}
		}
		return
	}
	seen := c.sight.ofPod(pod, field.Key, "")
	if want.Type == List {
		if wanted := joined(want); wanted != seen {
			c.add(want, ref, field.Key, wanted, seen)
		}
	} else if !isLike(want.Text, seen) {
		c.add(want, ref, field.Key, want.Text, seen)
	}
}

func (c *comparison) queue(ref string, field Pair) {
	want := field.Value
	if want.Type != Map {
		if seen, _ := c.sight.ofQueue(ref, field.Key, ""); !isLike(want.Text, seen) {
			c.add(want, ref, field.Key, want.Text, seen)
		}
		return
	}
	for _, inner := range want.Pairs {
		name := inner.Key[strings.Index(inner.Key, ":")+1:]
		seen, isAmount := c.sight.ofQueue(ref, field.Key, inner.Key)
		if isAmount && isLikeAmount(inner.Value.Text, name, seen) {
			continue
		}
		if isAmount {
			seen = showAmount(seen, name)
		}
		c.add(inner.Value, ref, field.Key+" "+inner.Key, inner.Value.Text, seen)
	}
}

// one compares one pod or queue; a pod that is given stands for the one of that name.
func (c *comparison) one(ref string, pod *corev1.Pod, want *Tree) {
	isPod := isOf(ref, "pod")
	if want.Type == Text {
		if isPod && pod != nil || !isPod && c.sight.t.objects[ref] {
			c.add(want, ref, "", "gone", "there")
		}
		return
	}
	if isPod && pod == nil {
		c.add(want, ref, "", "there", "gone")
		return
	}
	for _, field := range want.Pairs {
		if isPod {
			c.pod(pod, ref, field)
		} else {
			c.queue(ref, field)
		}
	}
}

// entry compares what an expectation says of one thing. pod/* stands for every pod there is.
func (c *comparison) entry(entry Pair) {
	switch {
	case contains(worldKeys, entry.Key):
		if seen := c.sight.ofWorld(entry.Key); !isLike(entry.Value.Text, seen) {
			c.add(entry.Value, entry.Key, "", entry.Value.Text, seen)
		}
	case entry.Key == "pod/*":
		for _, pod := range c.sight.t.world.sortedPods() {
			c.one(podRef(pod), pod, entry.Value)
		}
	case isOf(entry.Key, "podgroup"):
		c.group(entry.Key, entry.Value)
	case isWorkload(entry.Key):
		c.workload(entry.Key, entry.Value)
	default:
		c.one(entry.Key, c.sight.t.world.pods[entry.Key], entry.Value)
	}
}

// differences is what is not as a step expects it; what must never be is not looked at.
func (l *sight) differences(expect *Tree) []difference {
	c := &comparison{sight: l}
	for _, entry := range expect.Pairs {
		if entry.Key != "never" {
			c.entry(entry)
		}
	}
	return c.differ
}

// asksEngine tells whether only the scheduler's process can tell what is named.
func asksEngine(want *Tree) bool {
	for _, field := range want.Pairs {
		if contains(engineKeys, field.Key) {
			return true
		}
	}
	return false
}
