// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/lease"
	"sluice/plain"
)

// chore is an object whose state is to be made what it should be. A chore looks at all that there
// is, so it may come at any time, and any number of times.
type chore struct {
	about choreKind
	key   types.NamespacedName
}

type choreKind uint8

const (
	ofWorkload choreKind = iota
	ofCheck
	ofCluster
)

const choreWorkers = 8

func newChores() workqueue.TypedRateLimitingInterface[chore] {
	return workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[chore](50*time.Millisecond, time.Minute))
}

// allChores asks for every chore: something changed that concerns many.
func (m *Manager) allChores() {
	for _, object := range all(m.checks) {
		m.chores.Add(chore{ofCheck, keyOf(object)})
	}
	for _, object := range all(m.clusters) {
		m.chores.Add(chore{ofCluster, keyOf(object)})
	}
	for _, object := range all(m.workloads) {
		m.chores.Add(chore{ofWorkload, keyOf(object)})
	}
}

func (m *Manager) runChores(ctx context.Context) {
	for {
		c, over := m.chores.Get()
		if over {
			return
		}
		err := m.do(ctx, c)
		switch {
		case err == nil, apierrors.IsNotFound(err), errors.Is(err, lease.ErrNotLeading):
			m.chores.Forget(c) // who becomes the leader looks at all
		default:
			// A conflict means that a newer version is on its way here.
			if !apierrors.IsConflict(err) {
				m.log.Error(err, "A chore will be tried again", "about", c.key)
			}
			m.chores.AddRateLimited(c)
		}
		m.chores.Done(c)
	}
}

func (m *Manager) do(ctx context.Context, c chore) error {
	if !m.Leads() || !m.synced.Load() {
		return nil
	}
	return m.lease.Write(ctx, func(ctx context.Context) error { return m.mend(ctx, c) })
}

// mend makes the object's state what it should be, within the lease.
func (m *Manager) mend(ctx context.Context, c chore) error {
	switch c.about {
	case ofCheck:
		return m.tellCheck(ctx, c.key.Name)
	case ofCluster:
		return m.tellCluster(ctx, c.key.Name)
	}
	w := m.workload(c.key)
	if w == nil {
		return nil
	}
	return m.lookAfter(ctx, w)
}

// lookAfter does for a workload what needs no decision.
func (m *Manager) lookAfter(ctx context.Context, w *workload) error {
	check := w.check(m.knownCheck(w))
	if check == nil {
		return nil
	}
	s, _ := m.session(w.Status.ClusterName)
	bound := w.Status.ClusterName != "" && w.is(kueue.WorkloadQuotaReserved) && !w.over()
	switch {
	case w.is(kueue.WorkloadFinished) || w.DeletionTimestamp != nil:
		return nil
	case bound && s == nil:
		return nil // what became of it is told when the worker is back
	case bound:
		return m.follows(ctx, w, s)
	}
	if why := m.unfit(w); why != "" {
		return m.reject(ctx, w, check, why)
	}
	return errors.Join(m.bringBack(ctx, w, nil), m.nominate(ctx, w, check))
}

// follows brings back what became of a workload in its cluster: the Job's status, then its end.
func (m *Manager) follows(ctx context.Context, w *workload, s *session) error {
	key := types.NamespacedName{Namespace: w.Namespace, Name: w.Name}
	job := s.jobOf(key)
	object := s.copy(key)
	if object == nil {
		return m.bringBack(ctx, w, job)
	}
	there, err := readWorkload(object)
	if err != nil {
		return err
	}
	finished := apimeta.FindStatusCondition(there.Status.Conditions, kueue.WorkloadFinished)
	origin := there.Annotations[originUID]
	if finished == nil || finished.Status != metav1.ConditionTrue || there.outOfSync() ||
		origin != "" && origin != string(w.UID) {
		return m.bringBack(ctx, w, job)
	}
	if job != nil { // the Job ended before its workload did, but may be seen after it
		job, err = s.objects.Resource(jobResource).Namespace(w.Namespace).Get(ctx, job.GetName(),
			metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	if err := m.bringBack(ctx, w, job); err != nil {
		return err
	}
	apimeta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadFinished,
		Status: metav1.ConditionTrue, Reason: finished.Reason,
		Message:            plain.Text(finished.Message, plain.ConditionBytes),
		ObservedGeneration: w.Generation})
	return m.writeStatus(ctx, w, nil)
}

// reject answers our check for good.
func (m *Manager) reject(ctx context.Context, w *workload, check *kueue.AdmissionCheckState,
	why string) error {
	if check.State == kueue.CheckStateRejected {
		return nil
	}
	check.State, check.Message = kueue.CheckStateRejected, why
	return m.writeStatus(ctx, w, nil)
}

// nominate writes which clusters the workload may go to, once nothing else is in its way.
func (m *Manager) nominate(ctx context.Context, w *workload,
	check *kueue.AdmissionCheckState) error {
	waits := check.State == kueue.CheckStatePending && w.is(kueue.WorkloadQuotaReserved) &&
		w.othersReady(string(check.Name)) && !w.over() && w.Status.ClusterName == ""
	if m.config.Dispatcher != AllAtOnce || !waits {
		return nil
	}
	if w.job() != "" && m.localJob(w) == nil {
		return nil // it has not been seen yet, and may be none of ours
	}
	definition := m.check(string(check.Name))
	if definition == nil {
		return nil
	}
	var names []string
	if config := m.configOf(definition); config != nil {
		names = config.Spec.Clusters
	}
	if slices.Equal(names, w.Status.NominatedClusterNames) {
		return nil
	}
	return m.writeStatus(ctx, w, func(status map[string]any) {
		var list []any
		for _, name := range names {
			list = append(list, name)
		}
		status["nominatedClusterNames"] = list
		if len(list) == 0 {
			delete(status, "nominatedClusterNames")
		}
	})
}

// collectEvery is how often a manager looks for what nobody needs any more.
const collectEvery = time.Minute

// collect deletes Jobs in workers whose workload is neither there nor here, if that is so twice in
// a row. (The copies themselves are the engine's to delete.)
func (m *Manager) collect(ctx context.Context) {
	ticker := time.NewTicker(collectEvery)
	defer ticker.Stop()
	seen := map[types.UID]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		again := map[types.UID]bool{}
		for _, w := range m.everyWorker() {
			s, _ := w.connected()
			if s == nil || !m.Leads() || !m.synced.Load() {
				continue
			}
			for _, job := range all(s.jobs) {
				if !m.isLeft(s, job) {
					continue
				}
				if again[job.GetUID()] = true; seen[job.GetUID()] {
					m.deleteLeft(ctx, w.name, s, job)
				}
			}
		}
		seen = again
	}
}

func (m *Manager) isLeft(s *session, job *unstructured.Unstructured) bool {
	key := types.NamespacedName{Namespace: job.GetNamespace(), Name: workloadOf(job)}
	return job.GetDeletionTimestamp() == nil && s.copy(key) == nil && m.workload(key) == nil
}

func (m *Manager) deleteLeft(ctx context.Context, cluster string, s *session,
	job *unstructured.Unstructured) {
	err := m.lease.Write(ctx, func(ctx context.Context) error {
		return s.objects.Resource(jobResource).Namespace(job.GetNamespace()).Delete(ctx,
			job.GetName(), onlyThis(job.GetUID()))
	})
	if errors.Is(err, lease.ErrNotLeading) {
		return
	}
	m.log.Info("Deleted a job whose workload is gone", "cluster", cluster, "job", keyOf(job),
		"error", err)
}
