// SPDX-License-Identifier: Apache-2.0

package job

import (
	batchv1 "k8s.io/api/batch/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/workload"
)

// Priority is what a workload's spec says of it.
type Priority struct {
	Class *kueue.PriorityClassRef // nil: of no class
	Value int32
}

// Workload is the one to be made for the Job.
func Workload(j *batchv1.Job, priority Priority) *kueue.Workload {
	return &kueue.Workload{
		TypeMeta: metav1.TypeMeta{APIVersion: kueue.SchemeGroupVersion.String(), Kind: "Workload"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       j.Namespace,
			Name:            workload.Name(j.Name, j.UID, Kind.GroupKind()),
			Labels:          map[string]string{workload.JobUIDLabel: string(j.UID)},
			Annotations:     annotations(j),
			Finalizers:      []string{kueue.ResourceInUseFinalizerName},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(j, Kind)},
		},
		Spec: kueue.WorkloadSpec{
			PodSets:                     PodSets(j),
			QueueName:                   kueue.LocalQueueName(Queue(j)),
			PriorityClassRef:            priority.Class,
			Priority:                    &priority.Value,
			MaximumExecutionTimeSeconds: longest(j),
		},
	}
}

// annotations of a workload also say where its Job is out of scope, and who gates its admission.
func annotations(j *batchv1.Job) map[string]string {
	kept := workload.AnnotationsOf(j.Annotations)
	for _, name := range []string{workload.ElasticAnnotation, workload.AdmissionGatedBy} {
		if value := j.Annotations[name]; value != "" {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[name] = value
		}
	}
	return kept
}

// Matches tells whether the workload stands for the Job as it is: as it was written, or as it was
// admitted.
func Matches(j *batchv1.Job, w *kueue.Workload,
	flavor func(string) *kueue.ResourceFlavor) bool {
	owner := metav1.GetControllerOfNoCopy(w)
	if owner == nil || owner.UID != j.UID || owner.Name != j.Name ||
		!apiequality.Semantic.DeepEqual(w.Spec.MaximumExecutionTimeSeconds, longest(j)) {
		return false
	}
	now, strict := PodSets(j), !workload.Admitted(w)
	running := admitted(w, flavor)
	if running != nil && same(now, running, strict) {
		return true
	}
	return (running == nil || Suspended(j)) && same(now, w.Spec.PodSets, strict)
}

// admitted are the pod sets as the Job has them while it runs; nil: they cannot be known.
func admitted(w *kueue.Workload, flavor func(string) *kueue.ResourceFlavor) []kueue.PodSet {
	if !workload.Reserved(w) {
		return nil
	}
	placements, err := workload.Placements(w, flavor)
	if err != nil {
		return nil
	}
	sets := w.Spec.DeepCopy().PodSets
	for i := range sets {
		if placements[i].Into(&sets[i].Template) != nil {
			return nil
		}
		if sets[i].MinCount != nil {
			sets[i].Count = placements[i].Count
		}
	}
	return sets
}

// same compares what decides about admission. The tolerations of what runs may be added to.
func same(now, then []kueue.PodSet, strict bool) bool {
	equal := apiequality.Semantic.DeepEqual
	if len(now) != len(then) {
		return false
	}
	for i := range now {
		a, b := &now[i].Template.Spec, &then[i].Template.Spec
		if now[i].Count != then[i].Count || !equal(now[i].MinCount, then[i].MinCount) ||
			strict && !equal(a.Tolerations, b.Tolerations) ||
			!equal(a.InitContainers, b.InitContainers) || !equal(a.Containers, b.Containers) {
			return false
		}
	}
	return true
}

// Start lets the Job run as its workload was admitted.
func Start(j *batchv1.Job, placements []workload.Placement) (*batchv1.Job, error) {
	started := j.DeepCopy()
	running := false
	started.Spec.Suspend = &running
	for i := range placements {
		if err := placements[i].Into(&started.Spec.Template); err != nil {
			return nil, err
		}
		setCount(started, placements[i].Count)
	}
	return started, nil
}

// setCount writes how many pods run at a time, where the Job lets that be chosen.
func setCount(j *batchv1.Job, count int32) {
	if minCount(j) == nil {
		return
	}
	parallelism := count
	j.Spec.Parallelism = &parallelism
	if syncsCompletion(j) {
		j.Spec.Completions = &parallelism
	}
}

// Suspend stops the Job. Until its template is restored an annotation says so, for these are two
// writes: the API server lets nobody change the template of a Job that was not suspended before.
func Suspend(j *batchv1.Job) *batchv1.Job {
	stopped := j.DeepCopy()
	suspend := true
	stopped.Spec.Suspend = &suspend
	if stopped.Annotations == nil {
		stopped.Annotations = map[string]string{}
	}
	stopped.Annotations[stopping] = "true"
	return stopped
}

// Restore gives a suspended Job the template back that its workload was made from; without one the
// template stays as it is.
func Restore(j *batchv1.Job, w *kueue.Workload) *batchv1.Job {
	restored := j.DeepCopy()
	delete(restored.Annotations, stopping)
	if w == nil || len(w.Spec.PodSets) != 1 {
		return restored
	}
	set := &w.Spec.PodSets[0]
	setCount(restored, set.Count)
	original := workload.Original(set.Name, set.Count, &set.Template)
	for _, label := range controllers {
		if value, has := j.Spec.Template.Labels[label]; has {
			if original.Labels == nil {
				original.Labels = map[string]string{}
			}
			original.Labels[label] = value
		}
	}
	original.Restore(&restored.Spec.Template)
	return restored
}

// Adopt makes a workload that was there before the Job the Job's own.
func Adopt(j *batchv1.Job, w *kueue.Workload) *kueue.Workload {
	adopted := w.DeepCopy()
	adopted.OwnerReferences = append(adopted.OwnerReferences, *metav1.NewControllerRef(j, Kind))
	if adopted.Labels == nil {
		adopted.Labels = map[string]string{}
	}
	adopted.Labels[workload.JobUIDLabel] = string(j.UID)
	return adopted
}

// Finish says that the workload is over.
func Finish(w *kueue.Workload, reason, message string) *kueue.Workload {
	finished := w.DeepCopy()
	workload.SetCondition(finished, kueue.WorkloadFinished, metav1.ConditionTrue, reason, message)
	return finished
}

// Release takes the finalizer off that keeps a workload while its Job may run.
func Release(w *kueue.Workload) *kueue.Workload {
	released := w.DeepCopy()
	released.Finalizers = nil
	for _, one := range w.Finalizers {
		if one != kueue.ResourceInUseFinalizerName {
			released.Finalizers = append(released.Finalizers, one)
		}
	}
	return released
}
