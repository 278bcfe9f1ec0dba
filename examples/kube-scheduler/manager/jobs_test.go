// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func aJob(suspend bool, active int32, conditions ...batchv1.JobConditionType) *batchv1.Job {
	job := &batchv1.Job{Spec: batchv1.JobSpec{Suspend: &suspend},
		Status: batchv1.JobStatus{Active: active}}
	for _, condition := range conditions {
		job.Status.Conditions = append(job.Status.Conditions,
			batchv1.JobCondition{Type: condition, Status: corev1.ConditionTrue})
	}
	return job
}

func TestWhatComesBackOfAJob(t *testing.T) {
	for name, test := range map[string]struct {
		here, there *batchv1.Job
		active      int32
		suspended   bool
	}{
		"both run":             {aJob(false, 0), aJob(false, 3), 3, false},
		"both are suspended":   {aJob(true, 3), aJob(true, 0), 0, false},
		"it is finished":       {aJob(true, 0), aJob(false, 0, batchv1.JobComplete), 0, false},
		"not yet started":      {aJob(true, 0), aJob(false, 3), 0, true},
		"not yet, and so said": {aJob(true, 0, batchv1.JobSuspended), aJob(false, 3), 0, true},
	} {
		status := statusBack(test.here, test.there)
		after := &batchv1.Job{Status: *status}
		if status.Active != test.active || jobIs(after, batchv1.JobSuspended) != test.suspended {
			t.Errorf("%s: %+v", name, status)
		}
	}
	if n := len(statusBack(aJob(true, 0, batchv1.JobSuspended), aJob(false, 3)).Conditions); n != 1 {
		t.Errorf("it says %d times that it is suspended", n)
	}
}

func TestAJobThatNoWorkerHas(t *testing.T) {
	if status := idle(aJob(true, 3)); status.Active != 0 {
		t.Errorf("suspended: %d pods are active", status.Active)
	}
	if status := idle(aJob(false, 3)); status.Active != 3 {
		t.Errorf("not suspended: %d pods are active", status.Active)
	}
}
