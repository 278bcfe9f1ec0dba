// SPDX-License-Identifier: Apache-2.0

package host

import "testing"

// Whose counts always change is behind those who wait already.
func TestCountTurn(t *testing.T) {
	var turn countTurn
	written := map[string]int{}
	add := func(name string) {
		turn.add(clusterQueueNamed(name), func() error { written[name]++; return nil })
	}
	play := func(bound int64, names ...string) {
		for _, name := range names {
			add(name)
		}
		due, next := turn.due(bound)
		for _, one := range due {
			_ = one.write()
		}
		turn = *next
	}
	for range 6 {
		play(2, "a", "b", "c", "d", "e", "f")
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if written[name] != 2 {
			t.Errorf("two of six in a turn, six turns: %s was written %d times", name, written[name])
		}
	}
	if play(2, "a"); written["a"] != 3 || len(turn.since) != 0 {
		t.Errorf("alone it was written %d times, and %d wait", written["a"], len(turn.since))
	}
	if play(0, "a", "b", "c"); written["c"] != 3 || len(turn.since) != 0 {
		t.Errorf("without a bound it was written %d times, and %d wait", written["c"], len(turn.since))
	}
}
