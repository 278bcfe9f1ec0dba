// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const kueueVersion = "kueue.x-k8s.io/v1beta2"

// kueueQueue is a ClusterQueue with so many cpu, and a LocalQueue of its name for the tenant.
func (w *world) kueueQueue(name, cpu string) {
	w.Helper()
	w.create(kueueVersion, "clusterqueues", "", fmt.Sprintf(`
kind: ClusterQueue
metadata: {name: %s}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: plain, resources: [{name: cpu, nominalQuota: %s}]}]
`, name, cpu))
	w.create(kueueVersion, "localqueues", space, fmt.Sprintf(
		`{kind: LocalQueue, metadata: {name: %s, namespace: team}, spec: {clusterQueue: %s}}`,
		name, name))
}

// job makes a Job of the tenant's that has a workload, and waits until its one pod runs.
func (w *world) job(name, queue, cpu string) (of string) {
	w.Helper()
	w.create("batch/v1", "jobs", space, fmt.Sprintf(`
kind: Job
metadata: {name: %s, namespace: team, labels: {kueue.x-k8s.io/queue-name: %s}}
spec:
  parallelism: 1
  completions: 1
  suspend: true
  template:
    spec:
      schedulerName: sluice-scheduler
      restartPolicy: Never
      containers: [{name: c, image: none, resources: {requests: {cpu: %s}}}]
`, name, queue, cpu))
	w.until("the pod of the Job runs", func() error {
		pods, err := w.Client.CoreV1().Pods(space).List(w.Context(),
			metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + name})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if of = pod.Annotations[workload]; of != "" && pod.Spec.NodeName != "" {
				return nil
			}
		}
		return fmt.Errorf("it has %d pods", len(pods.Items))
	})
	return of
}

// TestAWorkloadOfOnesOwn: of an admitted workload are the pods for which it was admitted.
func TestAWorkloadOfOnesOwn(t *testing.T) {
	ways(t, setup{overlay: "overlays/workloads", args: map[string]any{"manage": "all"}},
		func(w *world) {
			w.create(kueueVersion, "resourceflavors", "", `{kind: ResourceFlavor, metadata: {name: plain}}`)
			w.kueueQueue("kq", "4")
			w.queue("small", "1")
			w.ledger.limit("small", "1")
			w.submit(w.pod("fills", in("small")))
			w.bound("fills")
			of := w.job("tiny", "kq", "1m")
			wait := w.forgeMembers(of)
			w.waits(wait...)
			w.restart()
			w.waits(wait...)
		})
}

// forgeMembers: of none of these is it true that the workload was admitted for it.
func (w *world) forgeMembers(of string) (wait []string) {
	w.Helper()
	job, err := w.Client.BatchV1().Jobs(space).Get(w.Context(), "tiny", metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	cpu := func(amount string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse(amount)
		}
	}
	// Another's labels than the Job's: its controller would end what it selects and did not make.
	owned := ownedBy("batch/v1", "Job", job.Name, job.UID)
	mine := says(map[string]string{workload: of})
	for name, pod := range map[string]*corev1.Pod{
		"asks-more":  w.pod("asks-more", in("small"), mine, owned),
		"no-owner":   w.pod("no-owner", in("small"), mine, cpu("1m")),
		"one-more":   w.pod("one-more", in("small"), mine, owned, cpu("1m")),
		"no-gate":    w.pod("no-gate", in("small"), mine, owned, ungated),
		"no-pod-set": w.pod("no-pod-set", in("small"), mine, owned, cpu("1m"), labelled("other")),
	} {
		w.submit(pod)
		wait = append(wait, name)
	}
	return wait
}

func labelled(set string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Labels["kueue.x-k8s.io/podset"] = set }
}

// TestLeavingALocalQueue: the label of Kueue is a word as any other.
func TestLeavingALocalQueue(t *testing.T) {
	ways(t, setup{overlay: "overlays/workloads"}, (*world).leaveLocalQueues)
}

func (w *world) leaveLocalQueues() {
	w.create(kueueVersion, "resourceflavors", "", `{kind: ResourceFlavor, metadata: {name: plain}}`)
	label := func(queue string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.Labels[local] = queue }
	}
	var all, wait []string
	patches := map[string]string{
		"gone":   `{"metadata": {"labels": {"` + local + `": null}}}`,
		"absent": `{"metadata": {"labels": {"` + local + `": "nowhere"}}}`,
		"group":  annotation(groupName, "mine"),
		"long":   annotation(groupName, strings.Repeat("x", 300)),
	}
	for name := range patches {
		w.kueueQueue(name, "2")
		w.ledger.limit(name, "2")
		for i := range 2 {
			all = append(all, fmt.Sprint(name, "-", i))
			w.submit(w.pod(all[len(all)-1], label(name)))
		}
	}
	w.create("scheduling.volcano.sh/v1beta1", "podgroups", space,
		`{kind: PodGroup, metadata: {name: mine, namespace: team},
			spec: {minMember: 1, queue: nowhere}}`)
	w.bound(all...)
	for name, patch := range patches {
		for i := range 2 {
			err := w.patch(fmt.Sprint(name, "-", i), patch)
			refused := w.policies && strings.Contains(patch, groupName)
			if refused != apierrors.IsForbidden(err) || err != nil && !refused {
				w.Errorf("%s: %v, want it refused: %t", name, err, refused)
			}
		}
		wait = append(wait, name+"-3")
		w.submit(w.pod(name+"-3", label(name)))
	}
	w.waits(wait...)
	w.restart()
	w.waits(wait...)
}
