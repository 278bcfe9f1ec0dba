// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/lease"
	"sluice/kube-scheduler/sluice"
)

// keepInUse has what is deleted stay for as long as it is in use: a ClusterQueue while workloads
// hold its quota, a flavor and a check while a ClusterQueue names them. It returns whether all is
// as it must be.
func (s *kueueStatuses) keepInUse(ctx context.Context) bool {
	all := true
	// Only where one is deleted does anybody ask who names it: there can be very many queues.
	inUse := sync.OnceValue(s.whatQueuesName)
	for _, object := range s.custom.all(clusterQueues) {
		all = s.keep(ctx, clusterQueues, object, s.holds) && all
	}
	for _, of := range []schema.GroupVersionResource{flavorResource, admissionChecks} {
		for _, object := range s.custom.all(of) {
			all = s.keep(ctx, of, object, func(name string) bool {
				return inUse().has(of, name)
			}) && all
		}
	}
	return all
}

// namedByQueues are the flavors and the checks that ClusterQueues name.
type namedByQueues struct {
	unknown bool // a queue cannot be read: it may name any
	flavors map[string]bool
	checks  map[string]bool
}

func (n *namedByQueues) has(of schema.GroupVersionResource, name string) bool {
	return n.unknown || of == flavorResource && n.flavors[name] ||
		of == admissionChecks && n.checks[name]
}

func (s *kueueStatuses) whatQueuesName() *namedByQueues {
	n := &namedByQueues{flavors: map[string]bool{}, checks: map[string]bool{}}
	for _, object := range s.custom.all(clusterQueues) {
		var queue kueue.ClusterQueue
		if facts.Read(object, &queue) != nil {
			n.unknown = true
			continue
		}
		named(&queue, n.flavors, n.checks)
	}
	return n
}

// named adds the flavors and the checks of a queue.
func named(queue *kueue.ClusterQueue, flavors, checks map[string]bool) {
	for g := range queue.Spec.ResourceGroups {
		for f := range queue.Spec.ResourceGroups[g].Flavors {
			flavors[string(queue.Spec.ResourceGroups[g].Flavors[f].Name)] = true
		}
	}
	if strategy := queue.Spec.AdmissionChecksStrategy; strategy != nil {
		for c := range strategy.AdmissionChecks {
			checks[string(strategy.AdmissionChecks[c].Name)] = true
		}
	}
}

// holds tells whether workloads hold quota of a ClusterQueue that is deleted, or may still get some
// because the engine has not heard of that.
func (s *kueueStatuses) holds(name string) bool {
	answer, err := s.engine.ask(sluice.Query{What: "clusterQueue", Name: name})
	active, _ := answer["active"].(bool)
	return err != nil || active || number(answer["reserving"]) > 0
}

// finalizers are those that an object is to have.
func finalizers(has []string, going bool, used func() bool) []string {
	const mark = kueue.ResourceInUseFinalizerName
	at := slices.Index(has, mark)
	switch {
	case !going && at < 0:
		return append(slices.Clone(has), mark)
	case going && at >= 0 && !used():
		return slices.Delete(slices.Clone(has), at, at+1)
	}
	return has
}

// keep gives an object the finalizer, and takes it from who is deleted and used no more.
func (s *kueueStatuses) keep(ctx context.Context, of schema.GroupVersionResource,
	seen *unstructured.Unstructured, used func(name string) bool) bool {
	going := seen.GetDeletionTimestamp() != nil
	marks := finalizers(seen.GetFinalizers(), going,
		func() bool { return used(seen.GetName()) })
	if slices.Equal(marks, seen.GetFinalizers()) {
		return true
	}
	wanted := seen.DeepCopy()
	wanted.SetFinalizers(marks)
	err := s.patch(ctx, of, seen, wanted)
	if err == nil || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return true // a version that was written meanwhile is seen, and looked at
	}
	if errors.Is(err, lease.ErrNotLeading) {
		return false
	}
	s.engine.log.Error(err, "A finalizer cannot be written", "resource", of.Resource, "name",
		seen.GetName())
	return false
}
