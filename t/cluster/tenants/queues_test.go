// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// usedIn is what a queue says that its pods use.
func (w *world) usedIn(queue, cpu string) error {
	status := w.must("get", "queues.scheduling.volcano.sh", queue,
		"-o", "jsonpath={.status.allocated.cpu}")
	if status != cpu && !(status == "" && cpu == "0") {
		return fmt.Errorf("queue %s has %q cpu allocated", queue, status)
	}
	return nil
}

// A tenant names another team's queue, in every way that there is.
func TestQueuesOfOthers(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind"}, (*world).nameQueuesOfOthers)
}

func (w *world) nameQueuesOfOthers() {
	w.create("scheduling.volcano.sh/v1beta1", "queues", "", `{kind: Queue, metadata: {name: theirs,
		annotations: {sluice.sh/namespaces: others}}, spec: {capability: {cpu: 8}}}`)
	w.create("scheduling.volcano.sh/v1beta1", "queues", "",
		`{kind: Queue, metadata: {name: below}, spec: {parent: theirs, capability: {cpu: 8}}}`)
	w.queue("mine", "1")

	// One that runs in his own queue says of itself that it is in theirs: it counts where it did.
	w.submit(w.pod("moves", in("mine")))
	w.bound("moves")
	w.submit(w.pod("next", in("mine")))
	if err := w.patch("moves", annotation(queueName, "below")); err != nil {
		w.Fatal(err)
	}

	attacks := func(round string) {
		w.submit(w.pod("named-"+round, in("below")))
		w.create("scheduling.volcano.sh/v1beta1", "podgroups", space, fmt.Sprintf(
			`{kind: PodGroup, metadata: {name: group-%s}, spec: {minMember: 1, queue: below}}`, round))
		w.submit(w.pod("member-"+round, in("mine"), says(map[string]string{groupName: "group-" + round}),
			ungated))
		w.submit(w.pod("past-"+round, in("below"), ungated, func(pod *corev1.Pod) {
			pod.Spec.NodeName = nodeName
		}))
	}
	nothingCame := func(rounds ...string) {
		waiting := []string{"next"}
		for _, round := range rounds {
			waiting = append(waiting, "named-"+round, "member-"+round)
			w.bound("past-" + round)
		}
		w.waits(waiting...)
		w.until("what came past the scheduler counts for nobody", func() error {
			return w.usedIn("theirs", "0")
		})
	}
	attacks("first")
	nothingCame("first")
	w.without(func() { attacks("unseen") })
	nothingCame("first", "unseen")
	attacks("after")
	nothingCame("first", "unseen", "after")
	w.delete("past-first", "past-unseen", "past-after")

	// Who may use it is said by whoever owns it, and that is heard.
	w.must("annotate", "queues.scheduling.volcano.sh", "theirs", "--overwrite",
		"sluice.sh/namespaces=others,"+space)
	w.bound("named-first", "named-unseen", "named-after", "member-first", "member-unseen",
		"member-after")
	w.bound("next") // the one that ran before it is in theirs now
	w.until("they count", func() error { return w.usedIn("theirs", "7") })
}

// An administrator binds a namespace to a queue.
func TestABoundNamespace(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind"}, func(w *world) {
		w.queue("theirs", "8")
		w.queue("mine", "2")
		w.ledger.limit("theirs", "0")
		w.must("annotate", "namespace", space, "sluice.sh/queue-binding=true", queueName+"=mine")
		for i := range 3 {
			w.submit(w.pod(fmt.Sprintf("pod-%d", i), in("mine")))
		}
		w.until("two of them run", func() error { return w.running(2) })
		w.submit(w.pod("other", in("theirs")))
		w.never("other")
		w.without(func() { w.submit(w.pod("unseen", in("theirs"))) })
		w.never("other", "unseen")
	})
}

// never looks whether pods get no node for a while, where the tenant's other pods cannot tell that
// the scheduler has looked.
func (w *world) never(names ...string) {
	w.Helper()
	for end := time.Now().Add(2 * nothing); time.Now().Before(end); time.Sleep(lookTurn) {
		for _, name := range names {
			if w.isBound(name) == nil {
				w.Fatalf("%s runs", name)
			}
		}
	}
}

// A class of the system's own moves nobody out of the way.
func TestSystemPriorities(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind", args: map[string]any{"preempt": true}},
		(*world).nameSystemPriorities)
}

func (w *world) nameSystemPriorities() {
	w.create("scheduling.volcano.sh/v1beta1", "queues", "", `{kind: Queue, metadata: {name: q,
		annotations: {sluice.sh/preempt-within-queue: LowerPriority}}, spec: {capability: {cpu: 1}}}`)
	w.ledger.limit("q", "1")
	w.submit(w.pod("runs", in("q")))
	w.bound("runs")
	critical := func(pod *corev1.Pod) { pod.Spec.PriorityClassName = "system-node-critical" }
	stays := func(wait ...string) {
		w.Helper()
		w.waits(wait...)
		if w.get("runs").DeletionTimestamp != nil {
			w.Fatal("it is sent away for a class that anybody may name")
		}
	}
	w.submit(w.pod("critical", in("q"), critical))
	stays("critical")
	w.without(func() { w.submit(w.pod("unseen", in("q"), critical)) })
	stays("critical", "unseen")
	w.must("annotate", "queues.scheduling.volcano.sh", "q", "sluice.sh/system-priorities=true")
	w.until("one of them runs", func() error {
		if w.isBound("unseen") == nil {
			return nil
		}
		return w.isBound("critical")
	})
}
