// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func checkCommand(_ *Scenario, value *Tree) error {
	if value.Type != Map || len(value.Pairs) == 0 {
		return value.At("a map such as {queue/q: SuspendQueue}")
	}
	for _, pair := range value.Pairs {
		if !isOf(pair.Key, "queue") {
			return pair.Value.Say("%s cannot be commanded, want queue/NAME", pair.Key)
		}
		if pair.Value.Type != Text {
			return pair.Value.At("an action, such as SuspendQueue")
		}
	}
	return nil
}

// command makes a Command for a queue. It is born at the story's time, as pods are, since commands
// too are carried out in the order of their creation.
func (t *telling) command(of Pair) error {
	_, _, name := SplitRef(of.Key)
	uid := t.nextUID()
	made := &unstructured.Unstructured{Object: object{
		"metadata": object{
			"name":      fmt.Sprintf("%s-%s-%d", name, strings.ToLower(of.Value.Text), t.uids),
			"namespace": "default",
		},
		"action": of.Value.Text,
		"target": object{"kind": "Queue", "name": name},
	}}
	fillTarget(child(made.Object, "target"))
	k := kinds["command"]
	made.SetKind(k.name)
	made.SetAPIVersion(k.resource.GroupVersion().String())
	t.wrote = time.Now()
	t.tell("%s is told: %s", of.Key, of.Value.Text)
	return t.store.create(t.ctx, k, made, born{at: t.clock.Wall(), uid: uid})
}
