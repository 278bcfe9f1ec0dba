// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/plain"
)

// tellCluster writes into a cluster's object whether it is connected.
func (m *Manager) tellCluster(ctx context.Context, name string) error {
	m.mutex.Lock()
	w := m.workers[name]
	m.mutex.Unlock()
	cluster := &kueue.MultiKueueCluster{}
	if w == nil || !named(m.clusters, name, cluster) {
		return nil
	}
	active := metav1.Condition{Type: kueue.MultiKueueClusterActive, Status: metav1.ConditionTrue,
		Reason: "Active", Message: "Connected", ObservedGeneration: cluster.Generation}
	if s, why := w.connected(); s == nil {
		active.Status, active.Reason = metav1.ConditionFalse, connectionFailed
		var known *problem
		if errors.As(why, &known) {
			active.Reason = known.reason
		}
		active.Message = fmt.Sprint(why)
	}
	err := m.writeCondition(ctx, clusterResource, name, cluster.Status.Conditions, active)
	if err == nil {
		for _, check := range all(m.checks) {
			m.chores.Add(chore{ofCheck, keyOf(check)})
		}
	}
	return err
}

// tellCheck writes into a check of ours whether it can be answered.
func (m *Manager) tellCheck(ctx context.Context, name string) error {
	check := m.check(name)
	if check == nil || check.Spec.ControllerName != m.config.ControllerName {
		return nil
	}
	active := metav1.Condition{Type: kueue.AdmissionCheckActive, Status: metav1.ConditionTrue,
		Reason: "Active", Message: "The admission check is active",
		ObservedGeneration: check.Generation}
	config := m.configOf(check)
	if config == nil {
		active.Status, active.Reason = metav1.ConditionFalse, "BadConfig"
		active.Message = "spec.parameters names no MultiKueueConfig that is there"
		return m.writeCondition(ctx, checkResource, name, check.Status.Conditions, active)
	}
	var missing, inactive []string
	for _, cluster := range config.Spec.Clusters {
		if !named(m.clusters, cluster, &kueue.MultiKueueCluster{}) {
			missing = append(missing, cluster)
		} else if s, _ := m.session(cluster); s == nil {
			inactive = append(inactive, cluster)
		}
	}
	if lacks := len(missing) + len(inactive); lacks > 0 {
		active.Reason = "SomeActiveClusters"
		if lacks == len(config.Spec.Clusters) {
			active.Status, active.Reason = metav1.ConditionFalse, "NoUsableClusters"
		}
		var words []string
		if len(missing) > 0 {
			words = append(words, fmt.Sprintf("Missing clusters: %s", strings.Join(missing, ", ")))
		}
		if len(inactive) > 0 {
			words = append(words, fmt.Sprintf("Inactive clusters: %s", strings.Join(inactive, ", ")))
		}
		active.Message = strings.Join(words, "; ")
	}
	return m.writeCondition(ctx, checkResource, name, check.Status.Conditions, active)
}

func (m *Manager) writeCondition(ctx context.Context, resource schema.GroupVersionResource,
	name string, conditions []metav1.Condition, now metav1.Condition) error {
	now.Message = plain.Text(now.Message, plain.ConditionBytes)
	if !apimeta.SetStatusCondition(&conditions, now) {
		return nil
	}
	lister := m.checks
	if resource == clusterResource {
		lister = m.clusters
	}
	object, err := lister.Get(name)
	if err != nil {
		return err
	}
	next := object.(*unstructured.Unstructured).DeepCopy()
	var list []any
	for i := range conditions {
		written, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&conditions[i])
		if err != nil {
			return err
		}
		list = append(list, written)
	}
	if err := unstructured.SetNestedSlice(next.Object, list, "status", "conditions"); err != nil {
		return err
	}
	_, err = m.objects.Resource(resource).UpdateStatus(ctx, next, metav1.UpdateOptions{})
	return err
}
