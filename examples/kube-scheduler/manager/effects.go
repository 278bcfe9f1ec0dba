// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/outbox"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

var errLate = errors.New("too late to be carried out")

// carryOut does what the effect says and returns what became of it.
func (m *Manager) carryOut(ctx context.Context, effect *sluice.Effect) sluice.Ack {
	began := time.Now()
	if effect.Fleet == nil {
		effect.Fleet = &sluice.FleetEffect{}
	}
	err := m.lease.Write(ctx, func(ctx context.Context) error { return m.write(ctx, effect) })
	result := outbox.Result(err)
	if effect.Kind == sluice.CreateReplica && result != sluice.Done && result != sluice.Conflict {
		result = sluice.Retry // what is not found there is the namespace, and it may come
	}
	metrics.effects.WithLabelValues(effect.Kind, result).Inc()
	metrics.durations.WithLabelValues(effect.Kind).Observe(time.Since(began).Seconds())
	words := []any{"effect", effect.Kind, "workload", effect.Namespace + "/" + effect.Name, "cluster",
		effect.Fleet.Cluster, "result", result, "attempt", effect.Attempt}
	if err != nil && result == sluice.Retry {
		m.log.Error(err, "An effect failed and will be tried again", words...)
	} else {
		m.log.V(2).Info("Carried out", words...)
	}
	return sluice.Ack{ID: effect.ID, Result: result}
}

func (m *Manager) write(ctx context.Context, effect *sluice.Effect) error {
	switch effect.Kind {
	case sluice.CreateReplica:
		return m.createReplica(ctx, effect)
	case sluice.DeleteReplica:
		return m.deleteReplica(ctx, effect)
	case sluice.OpenGate:
		return m.openGate(ctx, effect)
	case sluice.WriteMemory:
		return m.writeMemory(ctx, effect)
	case sluice.SetCluster:
		return m.setCluster(ctx, effect)
	case sluice.RetryCheck:
		return m.retryCheck(ctx, effect)
	}
	return errors.New("this manager does not know effects of this kind: use a newer one")
}

func keyOfEffect(effect *sluice.Effect) types.NamespacedName {
	return types.NamespacedName{Namespace: effect.Namespace, Name: effect.Name}
}

func (m *Manager) own(namespace string) dynamic.ResourceInterface {
	return m.objects.Resource(workloadResource).Namespace(namespace)
}

func (s *session) own(namespace string) dynamic.ResourceInterface {
	return s.objects.Resource(workloadResource).Namespace(namespace)
}

var inBackground = metav1.DeletePropagationBackground

func onlyThis(uid types.UID) metav1.DeleteOptions {
	return metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid},
		PropagationPolicy: &inBackground}
}

func (m *Manager) createReplica(ctx context.Context, effect *sluice.Effect) error {
	w := m.workload(keyOfEffect(effect))
	if w == nil || string(w.UID) != effect.Fleet.Workload {
		return outbox.ErrMoved
	}
	s, err := m.session(effect.Fleet.Cluster)
	if err != nil {
		return err
	}
	clone, err := cloneWorkload(w.object, m.config.Origin, effect.Fleet.Gates,
		effect.Fleet.Annotations)
	if err != nil {
		return err
	}
	_, err = s.own(effect.Namespace).Create(ctx, clone, metav1.CreateOptions{})
	return err
}

// deleteReplica deletes the worker's Job first, so that none is left without its workload.
func (m *Manager) deleteReplica(ctx context.Context, effect *sluice.Effect) error {
	s, err := m.session(effect.Fleet.Cluster)
	if err != nil {
		return err
	}
	key := keyOfEffect(effect)
	if err := s.deleteJob(ctx, key); err != nil {
		return err
	}
	uid := types.UID(effect.UID)
	if copy := s.copy(key); copy != nil && copy.GetUID() == uid {
		if err := s.release(ctx, copy); err != nil {
			return err
		}
	}
	err = s.own(key.Namespace).Delete(ctx, key.Name, onlyThis(uid))
	if apierrors.IsConflict(err) {
		return apierrors.NewNotFound(workloadResource.GroupResource(), key.Name) // another one is there
	}
	return err
}

func (s *session) deleteJob(ctx context.Context, key types.NamespacedName) error {
	job := s.jobOf(key)
	if job == nil || job.GetDeletionTimestamp() != nil {
		return nil
	}
	err := s.objects.Resource(jobResource).Namespace(key.Namespace).Delete(ctx, job.GetName(),
		onlyThis(job.GetUID()))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// release takes off the finalizer that Kueue gives to workloads in use.
func (s *session) release(ctx context.Context, copy *unstructured.Unstructured) error {
	finalizers := copy.GetFinalizers()
	if !slices.Contains(finalizers, kueue.ResourceInUseFinalizerName) {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool {
		return name == kueue.ResourceInUseFinalizerName
	})
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": copy.GetUID(), "resourceVersion": copy.GetResourceVersion(), "finalizers": rest}})
	if err != nil {
		return err
	}
	_, err = s.own(copy.GetNamespace()).Patch(ctx, copy.GetName(), types.MergePatchType, text,
		metav1.PatchOptions{})
	return err
}

// openGate ends with the time until which the engine counts it.
func (m *Manager) openGate(ctx context.Context, effect *sluice.Effect) error {
	s, err := m.session(effect.Fleet.Cluster)
	if err != nil {
		return err
	}
	copy := s.copy(keyOfEffect(effect))
	if copy == nil || string(copy.GetUID()) != effect.UID {
		return apierrors.NewNotFound(workloadResource.GroupResource(), effect.Name)
	}
	if facts.Version(copy.GetResourceVersion()) != effect.ResourceVersion {
		return outbox.ErrMoved
	}
	opened, err := opened(copy, effect.Fleet.Gate, time.Now())
	if err != nil {
		return err
	}
	if until := effect.Fleet.Until; until != 0 {
		left := time.Duration(until - m.eng.Now())
		if left <= 0 {
			return errLate
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	_, err = s.own(effect.Namespace).UpdateStatus(ctx, opened, metav1.UpdateOptions{})
	return err
}

// opened is the copy with the gate open. Its version says which copy that is.
func opened(copy *unstructured.Unstructured, name string,
	now time.Time) (*unstructured.Unstructured, error) {
	copy = copy.DeepCopy()
	list, _, err := unstructured.NestedSlice(copy.Object, "status", "preemptionGates")
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(one any) bool {
		gate, _ := one.(map[string]any)
		return gate["name"] == name
	})
	list = append(list, map[string]any{"name": name,
		"position":           string(kueue.PreemptionGatePositionOpen),
		"lastTransitionTime": now.UTC().Format(time.RFC3339)})
	return copy, unstructured.SetNestedSlice(copy.Object, list, "status", "preemptionGates")
}

func (m *Manager) writeMemory(ctx context.Context, effect *sluice.Effect) error {
	annotations := map[string]string{}
	for _, pair := range effect.Fleet.Annotations {
		annotations[pair[0]] = pair[1]
	}
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": effect.UID,
		"resourceVersion": fmt.Sprint(effect.ResourceVersion), "annotations": annotations}})
	if err != nil {
		return err
	}
	_, err = m.own(effect.Namespace).Patch(ctx, effect.Name, types.MergePatchType, text,
		metav1.PatchOptions{})
	return err
}

// decidedAbout is the workload as the engine knew it when it decided, and its check.
func (m *Manager) decidedAbout(effect *sluice.Effect) (*workload, *kueue.AdmissionCheckState,
	error) {
	w := m.workload(keyOfEffect(effect))
	if w == nil || string(w.UID) != effect.UID {
		return nil, nil, apierrors.NewNotFound(workloadResource.GroupResource(), effect.Name)
	}
	if facts.Version(w.ResourceVersion) != effect.ResourceVersion {
		return nil, nil, outbox.ErrMoved
	}
	check := w.check(m.knownCheck(w))
	if check == nil {
		return nil, nil, outbox.ErrMoved
	}
	return w, check, nil
}

// setCluster makes the Job in the cluster before the workload says that it is there.
func (m *Manager) setCluster(ctx context.Context, effect *sluice.Effect) error {
	w, check, err := m.decidedAbout(effect)
	if err != nil {
		return err
	}
	s, err := m.session(effect.Fleet.Cluster)
	if err != nil {
		return err
	}
	if err := m.makeJob(ctx, s, w); err != nil {
		return fmt.Errorf("the job in the cluster: %v", err) // what is gone there is not gone here
	}
	check.State = kueue.CheckStateReady
	check.Message = fmt.Sprintf("The workload was admitted on %q", effect.Fleet.Cluster)
	return m.writeStatus(ctx, w, func(status map[string]any) {
		status["clusterName"] = effect.Fleet.Cluster
		delete(status, "nominatedClusterNames")
	})
}

func (m *Manager) retryCheck(ctx context.Context, effect *sluice.Effect) error {
	w, check, err := m.decidedAbout(effect)
	if err != nil || check.State == kueue.CheckStateRetry {
		return err
	}
	check.State, check.Message = kueue.CheckStateRetry, effect.Message
	return m.writeStatus(ctx, w, nil)
}

// writeStatus writes the checks and conditions of the workload as they are in w, and what edit
// changes, under its version. The times of what has changed are now.
func (m *Manager) writeStatus(ctx context.Context, w *workload, edit func(map[string]any)) error {
	before, err := readWorkload(w.object)
	if err != nil {
		return err
	}
	now := metav1.Now()
	for i := range w.Status.AdmissionChecks {
		check := &w.Status.AdmissionChecks[i]
		check.Message = plain.Text(check.Message, plain.ConditionBytes)
		if old := before.check(string(check.Name)); old == nil || old.State != check.State {
			check.LastTransitionTime = now
		}
	}
	object := w.object.DeepCopy()
	written, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&w.Status)
	if err != nil {
		return err
	}
	status, _, err := unstructured.NestedMap(object.Object, "status")
	if err != nil {
		return err
	}
	if status == nil {
		status = map[string]any{}
	}
	for _, field := range []string{"admissionChecks", "conditions"} {
		if written[field] != nil {
			status[field] = written[field]
		}
	}
	if edit != nil {
		edit(status)
	}
	object.Object["status"] = status
	_, err = m.own(w.Namespace).UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}
