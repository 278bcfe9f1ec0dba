// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

var commands = schema.GroupVersionResource{Group: "bus.volcano.sh", Version: "v1alpha1",
	Resource: "commands"}

// TestCommands: who may create Commands in his namespace commands no queue by that alone; and none
// is meant for another queue than that whose uid it says.
func TestCommands(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind"}, (*world).commandQueues)
}

func (w *world) commandQueues() {
	for _, queue := range []string{"mine", "theirs", "unseen", "again"} {
		w.queue(queue, "1")
	}
	w.letCommand("mine", "again")
	w.until("he commands his own queue", func() error {
		return w.command("SuspendQueue", "mine", "")
	})
	w.becomes("mine", "Suspended")

	// Queues of others: the policy is what stands before them.
	attack := func(queue string) {
		err := w.command("CloseQueue", queue, "")
		if apierrors.IsForbidden(err) != w.policies || err != nil && !w.policies {
			w.Errorf("he closes queue %s: %v, want it refused: %t", queue, err, w.policies)
		}
		if w.policies && !strings.Contains(err.Error(), "who commands queue "+queue+
			" needs the verb operate") {
			w.Errorf("he is told: %v", err)
		}
	}
	attack("theirs")
	w.without(func() { attack("unseen") })
	for _, queue := range []string{"theirs", "unseen"} {
		if w.policies {
			w.stays(queue, "Open")
		} else {
			w.becomes(queue, "Closed")
		}
	}

	// One for a queue that is gone is not for the one that has its name now: seen at once, after
	// all was forgotten, and by who only finds it there.
	gone := w.uid("again")
	w.must("delete", "queues.scheduling.volcano.sh", "again")
	w.queue("again", "1")
	w.reacts() // it has seen this one
	late := func() {
		if err := w.command("SuspendQueue", "again", gone); err != nil {
			w.Fatal(err)
		}
	}
	late()
	w.refusals("again", 1)
	w.without(late)
	w.refusals("again", 2)
	w.stays("again", "Open")
	if err := w.command("SuspendQueue", "again", w.uid("again")); err != nil {
		w.Fatal(err)
	}
	w.becomes("again", "Suspended")
	w.becomes("mine", "Suspended")
}

// letCommand lets the tenant create Commands in his namespace, and operate some queues.
func (w *world) letCommand(queues ...string) {
	w.Helper()
	w.must("create", "role", "commands", "-n", space, "--verb=create",
		"--resource=commands.bus.volcano.sh")
	w.must("create", "rolebinding", "commands", "-n", space, "--role=commands", "--user="+tenant)
	w.create("rbac.authorization.k8s.io/v1", "clusterroles", "", fmt.Sprintf(`
kind: ClusterRole
metadata: {name: operates}
rules:
- {verbs: [operate], apiGroups: [scheduling.volcano.sh], resources: [queues], resourceNames: [%s]}
`, strings.Join(queues, ", ")))
	w.must("create", "clusterrolebinding", "operates", "--clusterrole=operates", "--user="+tenant)
}

// command creates one as the tenant; uid "": for whichever queue has the name.
func (w *world) command(action, queue, uid string) error {
	client, err := dynamic.NewForConfig(w.REST(tenant))
	if err != nil {
		return err
	}
	_, err = client.Resource(commands).Namespace(space).Create(w.Context(),
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": commands.GroupVersion().String(), "kind": "Command",
			"metadata": map[string]any{"generateName": "command-"}, "action": action,
			"target": map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1",
				"kind": "Queue", "name": queue, "uid": uid},
		}}, metav1.CreateOptions{})
	return err
}

func (w *world) uid(queue string) string {
	w.Helper()
	return w.must("get", "queues.scheduling.volcano.sh", queue, "-o", "jsonpath={.metadata.uid}")
}

// state is what is written of a queue; one of which nothing is written is open.
func (w *world) state(queue string) string {
	w.Helper()
	state := w.must("get", "queues.scheduling.volcano.sh", queue, "-o", "jsonpath={.status.state}")
	if state == "" {
		return "Open"
	}
	return state
}

func (w *world) becomes(queue, state string) {
	w.Helper()
	w.until("queue "+queue+" is "+state, func() error {
		if is := w.state(queue); is != state {
			return fmt.Errorf("it is %s", is)
		}
		return nil
	})
}

// stays looks at a queue when no Command is left: each goes once it is carried out, or refused.
func (w *world) stays(queue, state string) {
	w.Helper()
	w.until("no Command is left", func() error {
		left, err := w.objects.Resource(commands).Namespace(space).List(w.Context(),
			metav1.ListOptions{})
		if err == nil && len(left.Items) > 0 {
			err = fmt.Errorf("there are %d", len(left.Items))
		}
		return err
	})
	w.reacts()
	if is := w.state(queue); is != state {
		w.Errorf("queue %s is %s, want %s", queue, is, state)
	}
}

// refusals waits until so many Commands for a queue are told to mean another one.
func (w *world) refusals(queue string, want int) {
	w.Helper()
	w.until(fmt.Sprint("so many are refused: ", want), func() error {
		events, err := w.Client.CoreV1().Events(metav1.NamespaceDefault).List(w.Context(),
			metav1.ListOptions{FieldSelector: "involvedObject.name=" + queue})
		if err != nil {
			return err
		}
		got := 0
		for _, event := range events.Items {
			if event.Reason == "CommandRefused" &&
				strings.Contains(event.Message, "is another one than that of uid") {
				got++
			}
		}
		if got != want {
			return fmt.Errorf("there are %d", got)
		}
		return nil
	})
}
