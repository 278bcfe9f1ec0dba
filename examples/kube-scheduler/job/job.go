// SPDX-License-Identifier: Apache-2.0

// Package job keeps Jobs (batch/v1) that name a queue and their Workloads in step, as Kueue 0.19
// does: a Job is suspended until its Workload is admitted, runs where the admission says, is
// suspended again when the Workload is evicted, and finishes it.
//
// What a Job says is read in job.go, what becomes of it is in change.go, both pure; reconcile.go
// has the order in which one step after the other is taken.
package job

import (
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

// Kind is that of Jobs.
var Kind = schema.GroupVersionKind{Group: batchv1.GroupName, Version: "v1", Kind: "Job"}

// Annotations of Jobs.
const (
	MinParallelism = "kueue.x-k8s.io/job-min-parallelism"
	SyncCompletion = "kueue.x-k8s.io/job-completions-equal-parallelism"
	stopping       = "kueue.x-k8s.io/stopping" // it is being stopped: its template is to be restored
)

// Queue is the LocalQueue that an object names; "": none.
func Queue(object metav1.Object) string { return object.GetLabels()[workload.QueueLabel] }

func isSuspended(j *batchv1.Job) bool { return j.Spec.Suspend != nil && *j.Spec.Suspend }

// Suspended tells whether the Job is stopped, and its template its own.
func Suspended(j *batchv1.Job) bool { return isSuspended(j) && j.Annotations[stopping] != "true" }

// isStopping tells whether it is suspended, and its template still that with which it ran.
func isStopping(j *batchv1.Job) bool { return isSuspended(j) && j.Annotations[stopping] == "true" }

// Stopped tells whether the Job is suspended and none of its pods runs.
func Stopped(j *batchv1.Job) bool { return Suspended(j) && j.Status.Active == 0 }

// Ended tells whether the Job is over, and how.
func Ended(j *batchv1.Job) (reason, message string, ended bool) {
	for i := range j.Status.Conditions {
		c := &j.Status.Conditions[i]
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete:
			return kueue.WorkloadFinishedReasonSucceeded, c.Message, true
		case batchv1.JobFailed:
			return kueue.WorkloadFinishedReasonFailed, c.Message, true
		}
	}
	return "", "", false
}

func orOne(number *int32) int32 {
	if number == nil {
		return 1
	}
	return *number
}

// Count is how many pods it runs at a time.
func Count(j *batchv1.Job) int32 {
	count := orOne(j.Spec.Parallelism)
	if j.Spec.Completions != nil {
		count = min(count, *j.Spec.Completions)
	}
	return count
}

// minCount is with how few it may begin; nil: with no less.
func minCount(j *batchv1.Job) *int32 {
	number, err := strconv.ParseInt(j.Annotations[MinParallelism], 10, 32)
	if err != nil {
		return nil
	}
	least := int32(number)
	return &least
}

func syncsCompletion(j *batchv1.Job) bool {
	syncs, err := strconv.ParseBool(j.Annotations[SyncCompletion])
	return err == nil && syncs
}

func longest(j *batchv1.Job) *int32 {
	number, err := strconv.ParseInt(j.Labels[workload.MaxExecTimeLabel], 10, 32)
	if err != nil || number <= 0 {
		return nil
	}
	seconds := int32(number)
	return &seconds
}

// Labels that the Job controller gives the template for itself.
var controllers = []string{"job-name", "controller-uid", batchv1.JobNameLabel,
	batchv1.ControllerUidLabel}

// PodSets are those of the Job's workload.
func PodSets(j *batchv1.Job) []kueue.PodSet {
	template := j.Spec.Template.DeepCopy()
	for _, label := range controllers {
		if label != batchv1.JobNameLabel {
			delete(template.Labels, label)
		}
	}
	for _, containers := range [][]corev1.Container{template.Spec.InitContainers,
		template.Spec.Containers} {
		for i := range containers {
			containers[i].Env = lastOfEach(containers[i].Env)
		}
	}
	return []kueue.PodSet{{
		Name:            kueue.DefaultPodSetName,
		Template:        *template,
		Count:           Count(j),
		MinCount:        minCount(j),
		TopologyRequest: workload.Topology(template, batchv1.JobCompletionIndexAnnotation),
	}}
}

// lastOfEach leaves of variables with the same name the last one, in the place of the first: the
// list of a Workload must not have a name twice.
func lastOfEach(env []corev1.EnvVar) []corev1.EnvVar {
	place := map[string]int{}
	kept := env[:0:0]
	for _, one := range env {
		if at, has := place[one.Name]; has {
			kept[at] = one
			continue
		}
		place[one.Name] = len(kept)
		kept = append(kept, one)
	}
	return kept
}

// PriorityClass is the class that the Job's workload has its priority from: one of workloads, or
// one of pods. "": the default of pods.
func PriorityClass(j *batchv1.Job) (name string, ofWorkloads bool) {
	if name = j.Labels[workload.PriorityClassLabel]; name != "" {
		return name, true
	}
	return j.Spec.Template.Spec.PriorityClassName, false
}

// Reclaimable are the pods of a running Job that will never be needed again.
func Reclaimable(j *batchv1.Job) []kueue.ReclaimablePod {
	parallelism := orOne(j.Spec.Parallelism)
	completions := parallelism
	if j.Spec.Completions != nil {
		completions = *j.Spec.Completions
	}
	succeeded := succeeded(j, completions)
	if parallelism == 1 || succeeded == 0 {
		return nil
	}
	left := max(completions-succeeded, 0)
	if left >= parallelism {
		return nil
	}
	return []kueue.ReclaimablePod{{Name: kueue.DefaultPodSetName, Count: parallelism - left}}
}

// succeeded are the pods that count for so many completions: of an indexed Job whose completions
// were fewer than before, only those whose index is still asked for.
func succeeded(j *batchv1.Job, completions int32) (count int32) {
	if j.Spec.CompletionMode == nil || *j.Spec.CompletionMode != batchv1.IndexedCompletion {
		return j.Status.Succeeded
	}
	for span := range strings.SplitSeq(j.Status.CompletedIndexes, ",") {
		from, to, isSpan := strings.Cut(span, "-")
		if !isSpan {
			to = from
		}
		first, err := strconv.ParseInt(from, 10, 32)
		last, err2 := strconv.ParseInt(to, 10, 32)
		if err == nil && err2 == nil {
			count += max(min(int32(last), completions-1)-int32(first)+1, 0)
		}
	}
	return count
}
