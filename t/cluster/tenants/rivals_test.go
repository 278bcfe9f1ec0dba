// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Somebody installs sluice again, beside the one that is there, with another lease: each would
// count the same queues, and give away what the other one has given.
func TestTwoInstalls(t *testing.T) {
	w := start(t, setup{overlay: "overlays/on-bind", policies: true})
	w.queue("q", "2")
	w.ledger.limit("q", "2")
	w.must("create", "role", "another", "-n", "kube-system", "--verb=get,update",
		"--resource=leases.coordination.k8s.io", "--resource-name=another")
	w.must("create", "rolebinding", "another", "-n", "kube-system", "--role=another",
		"--serviceaccount=kube-system:sluice-scheduler")

	another := *w.Sluice
	another.Lease = "another"
	rival, err := another.Run(t.Context(), "rival")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the rival's log:\n%s", rival.Tail(30))
		}
	})
	w.until("the rival says who grants", func() error {
		events, err := w.Client.EventsV1().Events("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == "SluiceRival" &&
				strings.Contains(event.Note, "kube-system/sluice-scheduler grants in this cluster") {
				return nil
			}
		}
		return errors.New("no event SluiceRival")
	})
	w.until("and shows it in a metric", func() error {
		texts, err := another.Metrics(t.Context())
		if err != nil {
			return err
		}
		if got := strings.Count(strings.Join(texts, "\n"), "\nsluice_waits_for_rival 1"); got != 1 {
			return fmt.Errorf("%d of %d wait for a rival", got, len(texts))
		}
		return nil
	})
	for i := range 6 {
		w.submit(w.pod(fmt.Sprintf("pod-%d", i), in("q")))
	}
	w.until("two of them run", func() error { return w.running(2) })
	w.waits()

	// Without the first one the rival grants, after a silence, and knows what was given.
	if err := w.replica.Kill(); err != nil {
		t.Fatal(err)
	}
	w.Sluice = &another
	w.until("the rival leads", func() error { return w.Refresh(t.Context()) })
	w.waits()
	w.until("still two of them run", func() error { return w.running(2) })
}

// running tells whether so many pods of the namespace have a node.
func (w *world) running(want int) error {
	pods, err := w.Client.CoreV1().Pods(space).List(w.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	got := 0
	for i := range pods.Items {
		if pods.Items[i].Spec.NodeName != "" {
			got++
		}
	}
	if got != want {
		return fmt.Errorf("%d run", got)
	}
	return nil
}
