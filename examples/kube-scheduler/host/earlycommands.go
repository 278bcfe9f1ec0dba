// SPDX-License-Identifier: Apache-2.0

package host

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// earlyCommands are Commands whose queue has not been seen. Both may have been created together,
// and watches of two kinds have no order. The engine refuses what is for no queue, so it hears of
// such a command when the queue has come, or after earlyFor.
type earlyCommands struct {
	tell func(*unstructured.Unstructured) // the engine

	mutex  sync.Mutex
	queues map[string]bool // that the engine was told of
	early  []earlyCommand  // in the order in which they came
}

type earlyCommand struct {
	queue  string
	object *unstructured.Unstructured
}

const earlyFor = 5 * time.Second

// seen tells of a command for a queue, now or later.
func (c *earlyCommands) seen(queue string, object *unstructured.Unstructured) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.queues[queue] {
		c.tell(object)
		return
	}
	uid := object.GetUID()
	if at := slices.IndexFunc(c.early, isCommand(uid)); at >= 0 {
		c.early[at].object = object
		return
	}
	c.early = append(c.early, earlyCommand{queue, object})
	time.AfterFunc(earlyFor, func() {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.tellThose(isCommand(uid))
	})
}

func isCommand(uid types.UID) func(earlyCommand) bool {
	return func(one earlyCommand) bool { return one.object.GetUID() == uid }
}

// tellThose tells of some that were early. [mutex]
func (c *earlyCommands) tellThose(are func(earlyCommand) bool) {
	for _, one := range c.early {
		if are(one) {
			c.tell(one.object)
		}
	}
	c.early = slices.DeleteFunc(c.early, are)
}

func (c *earlyCommands) gone(uid types.UID) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.early = slices.DeleteFunc(c.early, isCommand(uid))
}

// queueSeen tells of the commands that have waited for a queue: the engine knows of it now.
func (c *earlyCommands) queueSeen(queue string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.queues[queue] = true
	c.tellThose(func(one earlyCommand) bool { return one.queue == queue })
}

func (c *earlyCommands) queueGone(queue string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.queues, queue)
}
