// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"strings"
	"testing"
)

// says waits until a replica's log has this.
func (c *cluster) says(text string) {
	c.Helper()
	c.until("the log says "+text, func() error {
		for _, replica := range c.Replicas() {
			if strings.Contains(replica.Tail(2000), text) {
				return nil
			}
			if !replica.Running() {
				return fmt.Errorf("%s has ended", replica.Name)
			}
		}
		return fmt.Errorf("it does not")
	})
}

// A scheduler that does not know the groups schedules their pods one by one. Its queues grant them
// as one all the same, and it says what is amiss.
func TestASchedulerWithoutTheGates(t *testing.T) {
	c := leading(t, plan{overlay: "on-bind", server: true})
	c.says("GenericWorkload is off")
	t.Run("off", func(t *testing.T) {
		s := c.in(t, 2, 3)
		s.gang("a", 3)
		s.pods("a", "a0", "a1", "a2")
		s.held("a0", "a1", "a2")
		s.warned("SluiceNativeGroups")
		s.ceiling(3)
		s.bound("a0", "a1", "a2")
		s.neverSpurious("a0", "a1", "a2")
	})
}

// The stock scheduler waits for its informers, for ever, without a word. Ours says for what.
func TestAnAPIServerWithoutThem(t *testing.T) {
	c := start(t, plan{overlay: "on-bind", scheduler: true})
	c.says("schedules nothing at all until")
	for _, replica := range c.Replicas() {
		if !replica.Running() {
			t.Errorf("%s has ended:\n%s", replica.Name, replica.Tail(20))
		}
	}
}
