// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/upstream"
)

// scheduler is who says which pods are Unschedulable, as those who run it have it: a column of the
// table.
type scheduler interface {
	column() string
	// pods makes so many that ask for a cpu each, in a queue; edits is what is special about them.
	pods(s *tale, prefix string, count int, queue string, edits ...func(*corev1.Pod))
}

// queued is a scheduler whose pods have queues.
type queued interface {
	scheduler
	// queue makes one of so many cpus, with the name of a parent below that.
	queue(s *tale, name string, cpus int, parent string)
	// parent makes what so many cpus are for that queues share.
	parent(s *tale, name string, cpus int)
	// ceiling edits how many cpus the story's queue has.
	ceiling(s *tale, cpus int)
	// gang makes pods of which none is to run before all can, in the story's queue.
	gang(s *tale, size int)
}

// stopper is a scheduler whose queues can be stopped, while what runs goes on.
type stopper interface {
	suspend(s *tale)
	resume(s *tale)
}

// queue makes one where there are queues.
func (s *tale) queue(name string, cpus int, parent string) {
	s.Helper()
	if its, has := s.scheduler.(queued); has {
		its.queue(s, name, cpus, parent)
	}
}

func (s *tale) queues() queued { return s.scheduler.(queued) }

func (s *tale) stops() stopper { return s.scheduler.(stopper) }

func (s *tale) pods(prefix string, count int, queue string, edits ...func(*corev1.Pod)) {
	s.Helper()
	s.asked += count
	s.scheduler.pods(s, prefix, count, queue, edits...)
}

func (s *tale) gang(size int) {
	s.Helper()
	s.asked += size
	s.queues().gang(s, size)
}

// makePods creates such pods themselves.
func (s *tale) makePods(prefix string, count int, edits ...func(*corev1.Pod)) {
	s.Helper()
	for i := range count {
		pod := s.pod(s.name, prefix, i)
		for _, edit := range edits {
			edit(pod)
		}
		_, err := s.Client.CoreV1().Pods(s.name).Create(s.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// job creates one with these labels, and so many pods like this at a time.
func (s *tale) job(name string, labels map[string]string, pods int32, pod *corev1.Pod) {
	s.Helper()
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	_, err := s.Client.BatchV1().Jobs(s.name).Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: batchv1.JobSpec{Parallelism: &pods, Completions: &pods,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: pod.Spec}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
}

const (
	stockUser   = "system:kube-scheduler" // who the API server itself gives the rights
	stockColumn = "stock, no queue"
)

// stock is the stock scheduler, whose pods have no queue.
type stock struct{}

// runStock starts it.
func (c *cluster) runStock() {
	c.Helper()
	process, err := upstream.StartStock(c.Context(), c.Plane, stockUser)
	if err != nil {
		c.Fatal(err)
	}
	c.runs = append(c.runs, process)
	c.scheduler = stock{}
}

func (stock) column() string { return stockColumn }

func (stock) pods(s *tale, prefix string, count int, _ string, edits ...func(*corev1.Pod)) {
	s.Helper()
	s.makePods(prefix, count, edits...)
}
