// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// job is one whose pods opt in, all of them at once.
func (s *tale) job(name string, pods int32) {
	s.Helper()
	pod := s.pod(s.name, "", "")
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	mode := batchv1.IndexedCompletion
	_, err := s.Client.BatchV1().Jobs(s.name).Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Parallelism: &pods, Completions: &pods, CompletionMode: &mode,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: pod.Spec}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
}

// podsOf waits for the names of a Job's pods, which are members of a group of theirs.
func (s *tale) podsOf(job string, count int) (names []string) {
	s.Helper()
	s.until(fmt.Sprintf("%s has %d pods in a group", job, count), func() error {
		list, err := s.Client.CoreV1().Pods(s.name).List(s.Context(),
			metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job})
		if err != nil {
			return err
		}
		names = nil
		for i := range list.Items {
			if list.Items[i].Spec.SchedulingGroup != nil {
				names = append(names, list.Items[i].Name)
			}
		}
		if len(names) != count {
			return fmt.Errorf("%d of %d are in one", len(names), len(list.Items))
		}
		return nil
	})
	return names
}

// succeed is what a kubelet says of pods that have ended.
func (s *tale) succeed(names ...string) {
	s.Helper()
	for _, name := range names {
		_, err := s.Client.CoreV1().Pods(s.name).Patch(s.Context(), name, types.MergePatchType,
			[]byte(`{"status": {"phase": "Succeeded"}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			s.Fatal(err)
		}
	}
}

// neverBought: none of these pods was Unschedulable at any time.
func (s *tale) neverBought(names ...string) error {
	for _, name := range names {
		if !s.of(name).unschedulable.IsZero() {
			return fmt.Errorf("%s was Unschedulable; sluice: %s", name, s.why(name))
		}
	}
	return nil
}

// Jobs become groups by themselves. One with more pods than its queue has room for buys no node; it
// runs when there is room for it, and the next one when it has ended.
func TestJobs(t *testing.T) {
	c := leading(t, plan{overlay: "on-bind", server: true, scheduler: true, jobs: true})
	t.Run("jobs", func(t *testing.T) {
		s := c.in(t, 2, 3)
		s.job("a", 3)
		first := s.podsOf("a", 3)
		s.stays(staysFor, "no autoscaler sees them", func() error { return s.neverBought(first...) })
		s.ceiling(3)
		s.bound(first...)
		s.job("b", 3)
		second := s.podsOf("b", 3)
		s.held(second...)
		s.succeed(first...)
		s.bound(second...)
		s.neverSpurious(append(first, second...)...)
		s.nothingReserved()
	})
}
