// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/shipped"
)

// Somebody installs sluice again, beside the one that is there, with another lease: each would
// count the same queues, and give away what the other one has given.
func TestTwoInstalls(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind"}, (*world).installTwice)
}

func (w *world) installTwice() {
	w.queue("q", "2")
	w.ledger.limit("q", "2")
	w.must("create", "role", "another", "-n", "kube-system", "--verb=get,update",
		"--resource=leases.coordination.k8s.io", "--resource-name=another")
	w.must("create", "rolebinding", "another", "-n", "kube-system", "--role=another",
		"--serviceaccount=kube-system:sluice-scheduler")

	rival := w.install("another", "rival")
	w.saysWhoGrants(rival, shipped.Name)
	for i := range 6 {
		w.submit(w.pod(fmt.Sprintf("pod-%d", i), in("q")))
	}
	w.until("two of them run", func() error { return w.running(2) })
	w.waits()

	// Without the first one the rival grants, after a silence, and knows what was given.
	if err := w.replica.Kill(); err != nil {
		w.Fatal(err)
	}
	w.Sluice = rival
	w.until("the rival leads", func() error { return w.Refresh(w.Context()) })
	w.waits()
	w.until("still two of them run", func() error { return w.running(2) })

	// The first one begins anew. Now it is the one that waits.
	again := w.install(shipped.Name, "again")
	w.saysWhoGrants(again, rival.Lease)
	w.waits()
	w.until("still two of them run", func() error { return w.running(2) })
	w.delete(w.oneThatRuns())
	w.until("its room is given once", func() error { return w.running(2) })
	w.waits()
	w.until("and not twice", func() error { return w.running(2) })
}

// install runs sluice with a lease of this name, beside what runs already.
func (w *world) install(lease, name string) *shipped.Sluice {
	w.Helper()
	another := *w.Sluice
	another.Lease = lease
	replica, err := another.Run(w.Context(), name)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("the end of the log of %s:\n%s", replica.Name, replica.Tail(30))
		}
	})
	return &another
}

// saysWhoGrants waits until one of the replicas says that it grants nothing, and who does.
func (w *world) saysWhoGrants(of *shipped.Sluice, lease string) {
	w.Helper()
	w.until("an event says who grants", func() error {
		events, err := w.Client.EventsV1().Events("").List(w.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == "SluiceRival" &&
				strings.Contains(event.Note, "kube-system/"+lease+" grants in this cluster") {
				return nil
			}
		}
		return errors.New("no event SluiceRival")
	})
	w.until("and a metric shows it", func() error {
		texts, err := of.Metrics(w.Context())
		if err != nil {
			return err
		}
		if got := strings.Count(strings.Join(texts, "\n"), "\nsluice_waits_for_rival 1"); got != 1 {
			return fmt.Errorf("%d of %d wait for a rival", got, len(texts))
		}
		return nil
	})
}

// oneThatRuns is a pod of the namespace that has a node.
func (w *world) oneThatRuns() string {
	w.Helper()
	pods, err := w.Client.CoreV1().Pods(space).List(w.Context(), metav1.ListOptions{})
	if err != nil {
		w.Fatal(err)
	}
	for i := range pods.Items {
		if pods.Items[i].Spec.NodeName != "" {
			return pods.Items[i].Name
		}
	}
	w.Fatal("none runs")
	return ""
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
