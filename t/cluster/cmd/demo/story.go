// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
)

const (
	without = "without-sluice" // the namespace of the stock scheduler's pods
	gate    = "volcano.sh/queue-allocation-gate"
	small   = "small"
	big     = "big-1"

	containerStarts = 200 * time.Millisecond
)

// How a pod looks: its name is given later.
var (
	gated         = row{phase: "Pending", condition: corev1.PodReasonSchedulingGated, gates: gate}
	unschedulably = row{phase: "Pending", condition: corev1.PodReasonUnschedulable}
)

func (r row) of(name string) row {
	r.name = name
	return r
}

func runs(name, node string) row { return row{name: name, phase: "Running", node: node} }
func done(name, node string) row { return row{name: name, phase: "Succeeded", node: node} }

// tell tells the story. What it says is said after it was seen.
func tell(ctx context.Context, c *cluster, set settings, out *screen) error {
	if _, err := c.Kubectl(ctx, "create", "-f", filepath.Join(c.root, queueFile)); err != nil {
		return err
	}
	if err := c.createNode(ctx, small, "small", "4", "8Gi"); err != nil {
		return err
	}
	t := &teller{cluster: c, ctx: ctx, out: out, board: newBoard(1000, out), pause: set.pause}
	if err := watch(c.Client, ctx.Done(), t.board.handler()); err != nil {
		return err
	}
	kubelets := plane.Kubelets{Client: c.Client, Starts: containerStarts,
		Phase: func(*corev1.Pod) corev1.PodPhase { return corev1.PodRunning }}
	if err := kubelets.Start(ctx); err != nil {
		return err
	}
	out.say("A queue has room for 1 cpu, and three pods come for it that ask for 1 cpu each: one may "+
		"run at a time. The cluster has one small node, with 4 cpu. pod-2 needs a big one: there is "+
		"none, an autoscaler would have to buy it. (queue.yaml and pods.yaml in %s.)",
		filepath.Dir(podsFile))
	stock, err := t.stockAct()
	if err != nil {
		return err
	}
	sluice, err := t.sluiceActs()
	if err != nil {
		return err
	}
	t.summary(stock, sluice)
	return nil
}

// stockAct shows what the same pods come to when nobody knows of the queue.
func (t *teller) stockAct() (memory, error) {
	t.out.act("The stock scheduler alone")
	t.board.follow(without)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: without}}
	_, err := t.Client.CoreV1().Namespaces().Create(t.ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return memory{}, err
	}
	if _, err := t.create(without, stock); err != nil {
		return memory{}, err
	}
	err = t.shows(runs("pod-1", small), unschedulably.of("pod-2"), runs("pod-3", small))
	if err != nil {
		return memory{}, err
	}
	_, seen := t.board.now()
	if err := holds("pods that say Unschedulable while more than the queue's room is in use",
		names(seen.tooEarly), "pod-2"); err != nil {
		return memory{}, err
	}
	t.out.say("It knows no queues. (It is the same program without the plugin.) Two pods run where " +
		"one may, and pod-2 says Unschedulable at once. That is all an autoscaler looks at: it would " +
		"buy a big node now, for a pod whose turn has not come. These three pods are deleted, and " +
		"come again.")
	return seen, errors.Join(t.clear(without), t.read(t.pause))
}

// clear deletes the pods of a namespace, and returns when they are gone.
func (t *teller) clear(namespace string) error {
	t.board.follow(metav1.NamespaceDefault)
	pods, now := t.Client.CoreV1().Pods(namespace), int64(0)
	err := pods.DeleteCollection(t.ctx, metav1.DeleteOptions{GracePeriodSeconds: &now},
		metav1.ListOptions{})
	if err != nil {
		return err
	}
	for end := time.Now().Add(stepTakes); ; {
		left, err := pods.List(t.ctx, metav1.ListOptions{})
		if err != nil || len(left.Items) == 0 {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d deleted pods of namespace %s are not gone after %s", len(left.Items),
				namespace, stepTakes)
		}
		if err := t.wait(50 * time.Millisecond); err != nil {
			return err
		}
	}
}

func (t *teller) sluiceActs() (memory, error) {
	t.board.follow(metav1.NamespaceDefault)
	for _, act := range []func() error{t.podsCome, t.firstCompletes, t.nodeJoins, t.secondCompletes} {
		if err := act(); err != nil {
			return memory{}, err
		}
	}
	_, seen := t.board.now()
	if err := holds("pods that ever said Unschedulable", names(seen.asked), "pod-2"); err != nil {
		return memory{}, err
	}
	err := holds("pods that said so while the queue was full", names(seen.tooEarly), "")
	if err != nil {
		return memory{}, err
	}
	return seen, holds("the most cpu in use at once, in thousandths", seen.peak, t.board.room)
}

func (t *teller) podsCome() error {
	t.out.act("With sluice: three pods come")
	pods, err := t.create(metav1.NamespaceDefault, ours)
	if err != nil {
		return err
	}
	for _, pod := range pods {
		what := "the gates of " + pod.Name + " when it was created"
		if err := holds(what, rowOf(pod).gates, gate); err != nil {
			return err
		}
	}
	err = t.shows(runs("pod-1", small), gated.of("pod-2"), gated.of("pod-3"))
	if err != nil {
		return err
	}
	t.out.say("They were created without a gate, and only say `%s: \"true\"` in an annotation: the "+
		"shipped policy added the gate on their way in. The queue has room for pod-1, and a "+
		"node fits it: its gate went right before it was bound. The others wait, and no autoscaler "+
		"looks at them. Why do they wait? The scheduler says:", gate)
	for _, name := range []string{"pod-2", "pod-3"} {
		if err := t.explain(name, "waiting", "QueueCapacity"); err != nil {
			return err
		}
	}
	return t.read(t.pause)
}

func (t *teller) firstCompletes() error {
	t.out.act("pod-1 completes")
	if err := t.complete("pod-1"); err != nil {
		return err
	}
	err := t.shows(done("pod-1", small), unschedulably.of("pod-2"), gated.of("pod-3"))
	if err != nil {
		return err
	}
	t.out.say("Its place is free, and it is the turn of pod-2. The queue has room but the cluster " +
		"has not: so the gate goes, and now the autoscaler sees one pod that is Unschedulable. pod-3 " +
		"would fit the small node, but the place is reserved: else pod-2 would find it taken when its " +
		"node comes.")
	if err := t.explain("pod-2", "reserved", ""); err != nil {
		return err
	}
	if err := t.explain("pod-3", "waiting", "QueueCapacity"); err != nil {
		return err
	}
	return t.read(t.pause)
}

func (t *teller) nodeJoins() error {
	t.out.act("The autoscaler's node joins")
	if err := t.createNode(t.ctx, big, "big", "16", "64Gi"); err != nil {
		return err
	}
	err := t.shows(done("pod-1", small), runs("pod-2", big), gated.of("pod-3"))
	if err != nil {
		return err
	}
	t.out.say("The demo made the node, as an autoscaler would have. pod-2 was bound to it at once; " +
		"the queue is full again, and pod-3 still waits without a word to the autoscaler.")
	return t.read(t.pause)
}

func (t *teller) secondCompletes() error {
	t.out.act("pod-2 completes")
	if err := t.complete("pod-2"); err != nil {
		return err
	}
	node, err := t.nodeOf("pod-3")
	if err != nil {
		return err
	}
	err = t.shows(done("pod-1", small), done("pod-2", big), runs("pod-3", node))
	if err != nil {
		return err
	}
	t.out.say("Now the queue has room for pod-3, and so has a node. It never said Unschedulable.")
	if err := t.explain("pod-3", "allocated", ""); err != nil {
		return err
	}
	return t.read(t.pause)
}

// nodeOf waits until a pod is bound: where a pod fits two nodes, it is the scheduler that chooses.
func (t *teller) nodeOf(name string) (string, error) {
	for end := time.Now().Add(stepTakes); ; {
		rows, _ := t.board.now()
		for _, r := range rows {
			if r.name == name && r.node != "" {
				return r.node, nil
			}
		}
		if time.Now().After(end) {
			return "", notAsTold(fmt.Sprintf("%s is not bound after %s", name, stepTakes), nil, rows)
		}
		if err := t.wait(time.Until(end)); err != nil {
			return "", err
		}
	}
}

const summaryLine = "  %-45s %-17s %s\n"

func (t *teller) summary(stock, sluice memory) {
	t.out.act("What an autoscaler would have bought")
	var text strings.Builder
	fmt.Fprintf(&text, "\n"+summaryLine, "", "stock scheduler", "with sluice")
	fmt.Fprintf(&text, summaryLine, "the most cpu in use, where the queue has 1", cpu(stock.peak),
		cpu(sluice.peak))
	fmt.Fprintf(&text, summaryLine, "pods Unschedulable while the queue was full",
		fmt.Sprint(len(stock.tooEarly)), fmt.Sprint(len(sluice.tooEarly)))
	fmt.Fprintf(&text, summaryLine, "pod-2 asks for a big node, after it came",
		seconds(stock.asked["pod-2"]), seconds(sluice.asked["pod-2"])+", at its turn")
	fmt.Fprintf(&text, summaryLine, "nodes bought for pods that may not run yet",
		fmt.Sprint(len(stock.tooEarly)), fmt.Sprint(len(sluice.tooEarly)))
	t.out.plain(strings.TrimRight(text.String(), "\n"))
	t.out.say("Here pod-1 worked for a few seconds. If it works for an hour, the node is bought an " +
		"hour too early; and so is every other that the pods behind it would fill, however long the " +
		"queue is.")
}

func cpu(milli int64) string                { return fmt.Sprintf("%g", float64(milli)/1000) }
func seconds(duration time.Duration) string { return fmt.Sprintf("%.1f s", duration.Seconds()) }

func names[V any](set map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), " ")
}
