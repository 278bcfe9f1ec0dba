// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// store is the part of an API server that Kueue's scheduler speaks to: it reads workloads and
// their namespace, finds no LimitRange, and applies statuses of workloads.
type store struct {
	client.Client
	cluster *cluster
	// lock is held while a status is applied: victims are written by several goroutines.
	lock sync.Mutex
	// changed are the workloads that were written and that no controller has looked at yet.
	changed []string
}

// Get reads a workload or the namespace.
func (s *store) Get(_ context.Context, key client.ObjectKey, into client.Object,
	_ ...client.GetOption) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch into := into.(type) {
	case *kueue.Workload:
		w := s.cluster.workloads[key.Name]
		if w == nil {
			return apierrors.NewNotFound(schema.GroupResource{Resource: "workloads"}, key.Name)
		}
		w.DeepCopyInto(into)
	case *corev1.Namespace:
		theNamespace().DeepCopyInto(into)
	default:
		return fmt.Errorf("the scheduler reads a %T, which is not in the store", into)
	}
	return nil
}

// List finds nothing: queues and workloads are told to the caches one by one.
func (s *store) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// Status is where statuses are applied.
func (s *store) Status() client.SubResourceWriter { return statuses{store: s} }

type statuses struct {
	client.SubResourceWriter
	store *store
}

// Patch applies what Kueue says of a workload's status: what it says no more is gone, but for
// conditions that others write.
func (s statuses) Patch(_ context.Context, object client.Object, patch client.Patch,
	_ ...client.SubResourcePatchOption) error {
	applied, is := object.(*kueue.Workload)
	if !is || patch.Type() != types.ApplyPatchType {
		return fmt.Errorf("a patch %s of a %T, which the store does not do", patch.Type(), object)
	}
	s.store.lock.Lock()
	defer s.store.lock.Unlock()
	before := s.store.cluster.workloads[applied.Name]
	if before == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "workloads"}, applied.Name)
	}
	after := before.DeepCopy()
	conditions := after.Status.Conditions
	applied.Status.DeepCopyInto(&after.Status)
	after.Status.Conditions = merged(conditions, applied.Status.Conditions)
	s.store.cluster.wrote(after)
	s.store.changed = append(s.store.changed, after.Name)
	return nil
}

func merged(before, applied []metav1.Condition) []metav1.Condition {
	var after []metav1.Condition
	for i := range before {
		if apimeta.FindStatusCondition(applied, before[i].Type) == nil {
			after = append(after, before[i])
		}
	}
	return append(after, applied...)
}
