// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// edit is what a tenant writes into pods of his that run, so that they leave their queue.
type edit struct {
	name    string
	patch   string                           // merged into the pod
	write   func(w *world, pod string) error // in its place
	refused bool                             // by the policy, of a pod that was granted
	always  bool                             // by the policy, of one that was not as well
}

func annotation(key string, value any) string {
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{key: value}}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// edits are the ways out of which is known.
var edits = []edit{
	{name: "no-queue", patch: annotation(queueName, "nowhere"), always: true},
	{name: "namespace", patch: annotation(queueName, nil), always: true},
	{name: "endless", patch: annotation(queueName, strings.Repeat("x", 300)), always: true},
	{name: "no-text", write: (*world).writeNoText, always: true},
	{name: "group", patch: annotation(groupName, "mine"), refused: true, always: true},
	{name: "no-group", patch: annotation(groupName, strings.Repeat("x", 300)), refused: true,
		always: true},
	{name: "minimum", patch: annotation(minMember, "7"), refused: true, always: true},
	{name: "workload", patch: annotation(workload, "mine"), refused: true, always: true},
	{name: "stamp", patch: annotation(grantedIn, "queue/nowhere"), refused: true, always: true},
	{name: "no-stamp", patch: annotation(grantedIn, nil), refused: true},
	{name: "opted-out", patch: `{"metadata": {"annotations": {"` + gate + `": null,
		"sluice.sh/granted": null, "sluice.sh/queue": null}}}`, refused: true},
	{name: "daemon", patch: `{"metadata": {"ownerReferences": [{"apiVersion": "example.com/v1",
		"kind": "DaemonSet", "name": "mine", "uid": "made-up", "controller": true}]}}`},
	{name: "owner", patch: `{"metadata": {"ownerReferences": [{"apiVersion": "example.com/v1",
		"kind": "` + strings.Repeat("X", 300) + `", "name": "mine", "uid": "made-up",
		"controller": true}]}}`},
}

// writeNoText writes what no text can have: JSON cannot, the API server's own format can.
func (w *world) writeNoText(name string) error {
	config := w.REST(tenant)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pod, err := client.CoreV1().Pods(space).Get(w.Context(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod.Annotations[queueName] = "\xff\xfe"
	_, err = client.CoreV1().Pods(space).Update(w.Context(), pod, metav1.UpdateOptions{})
	return err
}

func (e *edit) do(w *world, pod string) error {
	if e.write != nil {
		return e.write(w, pod)
	}
	return w.patch(pod, e.patch)
}

// pods of one edit: two that fill the queue, and two that want more.
func names(of string) (first, next []string) {
	return []string{of + "-1", of + "-2"}, []string{of + "-3", of + "-4"}
}

// TestEditingTheWayOut: a pod that runs counts in its queue, whatever its owner writes into it.
func TestEditingTheWayOut(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind"}, func(w *world) {
		w.play("granted-", nil, func(e *edit) bool { return e.refused })
	})
}

// TestEditingTheWayOutWithoutAGate: one that obeys though it did not opt in has no stamp.
func TestEditingTheWayOutWithoutAGate(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind", args: map[string]any{"manage": "all"}},
		func(w *world) { w.play("plain-", ungated, func(e *edit) bool { return e.always }) })
}

// play plays all edits side by side: before the scheduler begins anew, and after that.
func (w *world) play(prefix string, change func(*corev1.Pod), refused func(*edit) bool) {
	w.create("scheduling.volcano.sh/v1beta1", "podgroups", space,
		`{kind: PodGroup, metadata: {name: mine, namespace: team},
			spec: {minMember: 1, queue: nowhere}}`)
	var all, wait []string
	pod := func(name, queue string) *corev1.Pod {
		pod := w.pod(name, in(queue))
		if change != nil {
			change(pod)
		}
		return pod
	}
	for i := range edits {
		queue := prefix + edits[i].name
		first, _ := names(queue)
		w.queue(queue, "2")
		w.ledger.limit(queue, "2")
		for _, name := range first {
			w.submit(pod(name, queue))
		}
		all = append(all, first...)
	}
	w.bound(all...)
	for i := range edits {
		e := &edits[i]
		first, next := names(prefix + e.name)
		for _, name := range first {
			err := e.do(w, name)
			if w.policies && refused(e) != apierrors.IsForbidden(err) ||
				err != nil && !apierrors.IsForbidden(err) || err != nil && !w.policies {
				w.Errorf("%s: %v, want it refused by the policy: %t", e.name, err, refused(e))
			}
		}
		for _, name := range next {
			w.submit(pod(name, prefix+e.name))
		}
		wait = append(wait, next...)
	}
	w.waits(wait...)
	if !w.policies {
		w.told(prefix+"no-queue-1", "SluiceCountsAsBefore")
	}
	w.restart()
	w.waits(wait...)
	// When they end there is room, and for as many.
	w.delete(all...)
	w.bound(wait...)
}

// told waits until the owner of a pod is told that nothing came of what he wrote.
func (w *world) told(pod, reason string) {
	w.Helper()
	w.until("there is an event "+reason+" of "+pod, func() error {
		events, err := w.user.CoreV1().Events(space).List(w.Context(), metav1.ListOptions{
			FieldSelector: "involvedObject.name=" + pod})
		if err != nil {
			return err
		}
		var all []string
		for _, event := range events.Items {
			if event.Reason == reason {
				return nil
			}
			all = append(all, event.Reason)
		}
		return fmt.Errorf("there are %q", all)
	})
}

// TestMovingWhereThereIsRoom: another queue that has room takes a pod that runs; its owner may say
// so.
func TestMovingWhereThereIsRoom(t *testing.T) {
	w := start(t, setup{overlay: "overlays/on-bind", policies: true})
	w.queue("narrow", "1")
	w.queue("wide", "2")
	w.submit(w.pod("moves", in("narrow")))
	w.bound("moves")
	w.submit(w.pod("follows", in("narrow")))
	w.waits("follows")
	if err := w.patch("moves", annotation(queueName, "wide")); err != nil {
		t.Fatal(err)
	}
	w.bound("follows")
	w.until("its stamp says so", func() error {
		if is := w.get("moves").Annotations[grantedIn]; is != "queue/wide" {
			return fmt.Errorf("it is %q", is)
		}
		return nil
	})
	if err := w.patch("moves", annotation(grantedIn, "queue/narrow")); !apierrors.IsForbidden(err) {
		t.Errorf("which only sluice writes: %v", err)
	}
	w.restart()
	w.submit(w.pod("third", in("wide")))
	w.bound("third")
	w.submit(w.pod("fourth", in("wide")))
	w.waits("fourth")
}
