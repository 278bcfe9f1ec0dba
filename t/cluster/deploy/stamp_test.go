// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
)

func testStamp(c *cluster) {
	ctx := c.Context()
	c.awaitGuard("sluice-scheduler")
	for _, stamp := range []string{granted, grantedIn, flavors} {
		forged := with(pod(long), func(p *corev1.Pod) { p.Annotations[stamp] = "1" })
		if _, err := c.create(forged); !apierrors.IsForbidden(err) ||
			!strings.Contains(err.Error(), "remove the annotations") {
			c.Errorf("a pod created with %s: %v", stamp, err)
		}
	}
	other := with(pod(), func(p *corev1.Pod) {
		p.Spec.SchedulerName, p.Annotations[granted] = "other", "1"
	})
	if _, err := c.create(other); err != nil {
		c.Errorf("another scheduler's pod: %v", err)
	}
	made, err := c.create(pod(long))
	if err != nil {
		c.Fatal(err)
	}
	annotate := func(user plane.User, key, value string) error {
		patch := fmt.Sprintf(`{"metadata": {"annotations": {%q: %s}}}`, key, value)
		_, err := c.as(user).CoreV1().Pods(made.Namespace).Patch(ctx, made.Name,
			"application/merge-patch+json", []byte(patch), metav1.PatchOptions{})
		return err
	}
	for _, step := range []struct {
		user       plane.User
		key, value string
		refused    bool
	}{
		{editor, granted, `"5"`, true},
		{editor, "other", `"5"`, false},
		{scheduler, granted, `"5"`, false},
		{editor, "another", `"5"`, false},
		{editor, granted, `"4"`, true},
		{editor, granted, `null`, true},
		{editor, flavors, `"cpu=spot"`, true},
		{editor, grantedIn, `"queue/other"`, true},
		{scheduler, grantedIn, `"queue/other"`, false},
		{scheduler, flavors, `"cpu=spot"`, false},
	} {
		err := annotate(step.user, step.key, step.value)
		if apierrors.IsForbidden(err) != step.refused || err != nil && !step.refused {
			c.Errorf("%s writes %s: %s: %v", step.user.Name, step.key, step.value, err)
		}
	}
}

// awaitGuard waits until nobody may create a pod of this scheduler with a stamp: each policy comes
// by a watch, and in its own time.
func (c *cluster) awaitGuard(scheduler string) {
	c.Helper()
	c.await("a forged stamp is refused", func() bool {
		forged := with(pod(), func(p *corev1.Pod) {
			p.Spec.SchedulerName, p.Annotations[granted] = scheduler, "1"
		})
		_, err := c.create(forged, metav1.DryRunAll)
		return apierrors.IsForbidden(err)
	})
}

// What says where a pod counts is settled when it runs: without a stamp also its queue.
func testPlace(c *cluster) {
	ctx := c.Context()
	label := func(key, value string) string {
		return fmt.Sprintf(`{"metadata": {"labels": {%q: %s}}}`, key, value)
	}
	annotation := func(key, value string) string {
		return fmt.Sprintf(`{"metadata": {"annotations": {%q: %s}}}`, key, value)
	}
	waiting, err := c.create(pod(long))
	if err != nil {
		c.Fatal(err)
	}
	running, err := c.create(with(pod(), func(p *corev1.Pod) { p.Spec.NodeName = "n" }))
	if err != nil {
		c.Fatal(err)
	}
	write := func(user plane.User, pod, patch string) error {
		_, err := c.as(user).CoreV1().Pods("default").Patch(ctx, pod, "application/merge-patch+json",
			[]byte(patch), metav1.PatchOptions{})
		return err
	}
	for key, patch := range map[string]string{
		"its queue":      annotation("scheduling.volcano.sh/queue-name", `"other"`),
		"its group":      annotation(group, `"g"`),
		"its minimum":    annotation(minimum, `"2"`),
		"its workload":   annotation("kueue.x-k8s.io/workload", `"w"`),
		"its LocalQueue": label("kueue.x-k8s.io/queue-name", `"other"`),
		"its pod set":    label("kueue.x-k8s.io/podset", `"main"`),
	} {
		if err := write(editor, waiting.Name, patch); err != nil {
			c.Errorf("%s, of a pod that waits: %v", key, err)
		}
		err := write(editor, running.Name, patch)
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "cannot be changed any more") {
			c.Errorf("%s, of one that runs: %v", key, err)
		}
	}
	if err := write(editor, running.Name, annotation("other", `"x"`)); err != nil {
		c.Errorf("another annotation, of one that runs: %v", err)
	}
	if err := write(scheduler, running.Name, annotation(group, `"g"`)); err != nil {
		c.Errorf("its group, by the scheduler: %v", err)
	}
	if err := write(scheduler, running.Name, annotation(grantedIn, `"queue/q"`)); err != nil {
		c.Errorf("its stamp, by the scheduler: %v", err)
	}
	for patch, refused := range map[string]bool{
		annotation("scheduling.volcano.sh/queue-name", `"another"`): false,
		label("kueue.x-k8s.io/queue-name", `"another"`):             false,
		annotation(group, `null`):                                   true,
		annotation(grantedIn, `"queue/other"`):                      true,
	} {
		if err := write(editor, running.Name, patch); apierrors.IsForbidden(err) != refused ||
			err != nil && !refused {
			c.Errorf("%s, of one whose stamp says where it counts: %v", patch, err)
		}
	}
}

func testMirror(c *cluster) {
	mirror := with(pod(long), func(p *corev1.Pod) {
		p.Annotations[corev1.MirrorPodAnnotationKey], p.Spec.NodeName = "x", "n"
	})
	if _, err := c.create(mirror); !apierrors.IsForbidden(err) ||
		!strings.Contains(err.Error(), "kubelet") {
		c.Errorf("a mirror pod of somebody: %v", err)
	}
	made, err := c.as(kubelet).CoreV1().Pods("default").Create(c.Context(), mirror,
		metav1.CreateOptions{})
	if err != nil {
		c.Errorf("one of a kubelet: %v", err)
	} else if got := gatesOf(made); len(got) > 0 {
		c.Errorf("it has the gates %q", got)
	}
}
