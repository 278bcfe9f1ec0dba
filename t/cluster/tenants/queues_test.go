// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	w := start(t, setup{overlay: "overlays/on-bind", policies: true})
	w.create("scheduling.volcano.sh/v1beta1", "queues", "", `{kind: Queue, metadata: {name: theirs,
		annotations: {sluice.sh/namespaces: others}}, spec: {capability: {cpu: 8}}}`)
	w.create("scheduling.volcano.sh/v1beta1", "queues", "",
		`{kind: Queue, metadata: {name: below}, spec: {parent: theirs, capability: {cpu: 8}}}`)
	w.queue("mine", "1")

	attacks := func(round string) {
		w.submit(w.pod("named-"+round, in("below")))
		w.create("scheduling.volcano.sh/v1beta1", "podgroups", space, fmt.Sprintf(
			`{kind: PodGroup, metadata: {name: group-%s}, spec: {minMember: 1, queue: below}}`, round))
		w.submit(w.pod("member-"+round, in("mine"), says(map[string]string{groupName: "group-" + round}),
			ungated))
		w.submit(w.pod("past-"+round, in("below"), ungated, func(pod *corev1.Pod) {
			pod.Spec.NodeName = nodeName
		}))
		w.waits("named-"+round, "member-"+round)
		w.bound("past-" + round)
		w.until("what came past the scheduler counts for nobody", func() error {
			return w.usedIn("theirs", "0")
		})
		w.delete("past-" + round)
	}
	attacks("first")
	w.restart()
	attacks("second")

	// Who may use it is said by whoever owns it, and that is heard.
	w.must("annotate", "queues.scheduling.volcano.sh", "theirs", "--overwrite",
		"sluice.sh/namespaces=others,"+space)
	w.bound("named-first", "named-second", "member-first", "member-second")
	w.until("they count", func() error { return w.usedIn("theirs", "4") })
}

// An administrator binds a namespace to a queue.
func TestABoundNamespace(t *testing.T) {
	w := start(t, setup{overlay: "overlays/on-bind", policies: true})
	w.queue("theirs", "8")
	w.queue("mine", "2")
	w.ledger.limit("theirs", "0")
	w.must("annotate", "namespace", space, "sluice.sh/queue-binding=true", queueName+"=mine")
	for i := range 3 {
		w.submit(w.pod(fmt.Sprintf("pod-%d", i), in("mine")))
	}
	w.until("two of them run", func() error { return w.running(2) })
	other := w.pod("other", in("theirs"))
	if _, err := w.user.CoreV1().Pods(space).Create(t.Context(), other,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.never("other")
	w.restartBound()
	w.never("other")
}

// never looks whether a pod gets no node for a while, where the tenant's other pods cannot tell
// that the scheduler has looked.
func (w *world) never(name string) {
	w.Helper()
	for end := time.Now().Add(2 * nothing); time.Now().Before(end); time.Sleep(lookTurn) {
		if w.isBound(name) == nil {
			w.Fatalf("%s runs", name)
		}
	}
}

// restartBound begins anew where the tenant cannot make a pod that runs.
func (w *world) restartBound() {
	w.Helper()
	if err := w.replica.Kill(); err != nil {
		w.Fatal(err)
	}
	w.run()
}

// A class of the system's own moves nobody out of the way.
func TestSystemPriorities(t *testing.T) {
	w := start(t, setup{overlay: "overlays/on-bind", policies: true,
		args: map[string]any{"preempt": true}})
	w.create("scheduling.volcano.sh/v1beta1", "queues", "", `{kind: Queue, metadata: {name: q,
		annotations: {sluice.sh/preempt-within-queue: LowerPriority}}, spec: {capability: {cpu: 1}}}`)
	w.ledger.limit("q", "1")
	w.submit(w.pod("runs", in("q")))
	w.bound("runs")
	critical := func(pod *corev1.Pod) { pod.Spec.PriorityClassName = "system-node-critical" }
	w.submit(w.pod("critical", in("q"), critical))
	w.waits("critical")
	if w.get("runs").DeletionTimestamp != nil {
		t.Fatal("it is sent away for a class that anybody may name")
	}
	w.must("annotate", "queues.scheduling.volcano.sh", "q", "sluice.sh/system-priorities=true")
	w.bound("critical")
}
