// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func ownedBy(version, kind, name string, uid types.UID) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		controls := true
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: name,
			UID: uid, Controller: &controls}}
	}
}

// TestForgedExemptions: with `manage: all` everybody obeys, but for those whom no tenant can make.
func TestForgedExemptions(t *testing.T) {
	ways(t, setup{overlay: "overlays/on-bind", args: map[string]any{"manage": "all"}},
		func(w *world) {
			for _, queue := range []string{"daemons", "mirrors", "many"} {
				w.queue(queue, "2")
				w.ledger.limit(queue, "2")
			}
			wait := w.forgeDaemons()
			wait = append(wait, w.forgeMirrors()...)
			wait = append(wait, w.hideRequests()...)
			w.waits(wait...)
			w.realDaemons()
			w.restart()
			w.waits(wait...)
		})
}

// forgeDaemons: nobody has such a group. (Owners that could be there and are not take their pods
// with them: the garbage collector's work.)
func (w *world) forgeDaemons() (wait []string) {
	for i := range 4 {
		name := fmt.Sprint("daemons-", i)
		w.submit(w.pod(name, in("daemons"), ungated,
			ownedBy("example.com/v1", "DaemonSet", "mine", "made-up")))
		if i < 2 {
			w.bound(name)
		} else {
			wait = append(wait, name)
		}
	}
	return wait
}

// forgeMirrors: whoever names his node and says that its kubelet made the pod counts as any other.
func (w *world) forgeMirrors() (wait []string) {
	node, err := w.Client.CoreV1().Nodes().Get(w.Context(), nodeName, metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	mirror := w.pod("mirror", in("mirrors"), ungated, ownedBy("v1", "Node", nodeName, node.UID),
		says(map[string]string{corev1.MirrorPodAnnotationKey: "x"}))
	mirror.Spec.NodeName = nodeName
	// What reads its credentials is not for such pods.
	automount := false
	mirror.Spec.AutomountServiceAccountToken = &automount
	switch err := w.try(mirror); {
	case w.policies && !apierrors.IsForbidden(err):
		w.Errorf("a mirror pod of a tenant: %v", err)
	case !w.policies && err != nil:
		w.Errorf("a mirror pod of a tenant, without the policy: %v", err)
	}
	for i := range 3 {
		name := fmt.Sprint("mirrors-", i)
		if !w.policies && i == 0 {
			continue // the mirror has its place
		}
		w.submit(w.pod(name, in("mirrors")))
		if i < 2 {
			w.bound(name)
		} else {
			wait = append(wait, name)
		}
	}
	return wait
}

// hideRequests: more resources than anybody counts do not hide the one that matters.
func (w *world) hideRequests() (wait []string) {
	many := func(pod *corev1.Pod) {
		pod.Spec.NodeName = nodeName
		for i := range 40 {
			name := corev1.ResourceName(fmt.Sprintf("a.example.com/r%d", i))
			of := &pod.Spec.Containers[0].Resources
			of.Requests[name] = resource.MustParse("1")
			if of.Limits == nil {
				of.Limits = corev1.ResourceList{}
			}
			of.Limits[name] = resource.MustParse("1")
		}
	}
	w.submit(w.pod("many-0", in("many"), ungated, many))
	w.submit(w.pod("many-1", in("many"), ungated, many))
	w.bound("many-0", "many-1")
	w.submit(w.pod("many-2", in("many")))
	return []string{"many-2"}
}

// realDaemons: those of a DaemonSet that is there run on each node, though their queue is full.
func (w *world) realDaemons() {
	agent := w.create("apps/v1", "daemonsets", space, `
kind: DaemonSet
metadata: {name: agent, namespace: team}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}, annotations: {scheduling.volcano.sh/queue-name: daemons}}
    spec:
      schedulerName: sluice-scheduler
      containers: [{name: c, image: none, resources: {requests: {cpu: "1"}}}]
`)
	w.ledger.exempts(agent.GetUID())
	w.until("the DaemonSet has its pod on the node", func() error {
		pods, err := w.Client.CoreV1().Pods(space).List(w.Context(),
			metav1.ListOptions{LabelSelector: "app=agent"})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if pod.Spec.NodeName != "" {
				return nil
			}
		}
		return fmt.Errorf("it has %d, none of which has a node", len(pods.Items))
	})
	// One that it does not select is not its own.
	w.submit(w.pod("daemons-no-label", in("daemons"), ungated,
		ownedBy("apps/v1", "DaemonSet", "agent", agent.GetUID())))
	w.waits("daemons-no-label")
	w.delete("daemons-no-label")
}
