// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
)

var library *sluice.Library

func TestMain(m *testing.M) {
	var err error
	if library, err = open(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestWorlds is the part of the oracle that each change goes through.
func TestWorlds(t *testing.T) {
	sum := newSum()
	var told strings.Builder
	for seed := range uint64(300) {
		if err := try(&told, library, 1+seed, t.TempDir(), sum); err != nil {
			t.Fatal(err)
		}
	}
	t.Log(sum.text())
	if sum.Unexplained > 0 {
		t.Error(told.String())
	}
}

// TestFound is the worlds that no rule explained once.
func TestFound(t *testing.T) {
	for _, seed := range []uint64{3299, 50286, 61291, 62007, 63947, 65477, 73891,
		75719, 84133, 84766, 91337, 95676, 102338} {
		sum := newSum()
		var told strings.Builder
		if err := try(&told, library, seed, t.TempDir(), sum); err != nil {
			t.Fatal(err)
		}
		if sum.Unexplained > 0 {
			t.Error(told.String())
		}
	}
}

// TestTables is the tables of Kueue's own tests.
func TestTables(t *testing.T) {
	var told strings.Builder
	unexplained, err := runTables(&told, library)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(told.String())
	if unexplained > 0 {
		t.Errorf("%d cases differ, and no rule says why", unexplained)
	}
}

// TestBites shows sluice another world than Kueue, wrong in one way each: the oracle says so.
func TestBites(t *testing.T) {
	queues := func(change func(*kueue.ClusterQueueSpec)) func(*World) {
		return func(w *World) {
			for _, queue := range allQueues(w) {
				change(&queue.Spec)
			}
		}
	}
	for name, distort := range map[string]func(*World){
		"nobody is reclaimed from": queues(func(s *kueue.ClusterQueueSpec) {
			s.Preemption.ReclaimWithinCohort = kueue.PreemptionPolicyNever
			s.Preemption.BorrowWithinCohort.Policy = kueue.BorrowWithinCohortPolicyNever
		}),
		"equals are sent away": queues(func(s *kueue.ClusterQueueSpec) {
			if s.Preemption.WithinClusterQueue == kueue.PreemptionPolicyLowerPriority {
				s.Preemption.WithinClusterQueue = kueue.PreemptionPolicyLowerOrNewerEqualPriority
			}
		}),
		"nobody preempts while borrowing": queues(func(s *kueue.ClusterQueueSpec) {
			s.Preemption.BorrowWithinCohort.Policy = kueue.BorrowWithinCohortPolicyNever
		}),
		"no priority is too high": queues(func(s *kueue.ClusterQueueSpec) {
			s.Preemption.BorrowWithinCohort.MaxPriorityThreshold = nil
		}),
		"everybody passes a head": queues(func(s *kueue.ClusterQueueSpec) {
			s.QueueingStrategy = kueue.BestEffortFIFO
		}),
		"the first flavor that borrows": queues(func(s *kueue.ClusterQueueSpec) {
			s.FlavorFungibility.WhenCanBorrow = kueue.MayStopSearch
		}),
		"the first flavor with victims": queues(func(s *kueue.ClusterQueueSpec) {
			s.FlavorFungibility.WhenCanPreempt = kueue.MayStopSearch
		}),
		"no preference": queues(func(s *kueue.ClusterQueueSpec) {
			s.FlavorFungibility.Preference = nil
		}),
		"nothing is kept, everything is lent": func(w *World) {
			eachGroups(w, func(groups []kueue.ResourceGroup) []kueue.ResourceGroup {
				unlimit(groups)
				return groups
			})
		},
		"fewer pods are none": func(w *World) {
			for i := range w.Workloads {
				for k := range w.Workloads[i].Spec.PodSets {
					w.Workloads[i].Spec.PodSets[k].MinCount = nil
				}
			}
		},
		"no gates": func(w *World) {
			for i := range w.Workloads {
				w.Workloads[i].Spec.PreemptionGates = nil
			}
		},
		"nothing is tainted": func(w *World) {
			for i := range w.Flavors {
				w.Flavors[i].Spec.NodeTaints = nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2000) {
				world := generate(1 + seed)
				if name == "no preference" {
					prefer(world)
				}
				d, err := compare(library, world, distort, newSum())
				if err != nil {
					t.Fatal(err)
				}
				if d != nil {
					return
				}
			}
			t.Error("2,000 worlds, and nothing is said")
		})
	}
}

// prefer makes a world in which the preference is asked for more often.
func prefer(w *World) {
	preference := kueue.PreemptionOverBorrowing
	for _, queue := range allQueues(w) {
		queue.Spec.FlavorFungibility = &kueue.FlavorFungibility{Preference: &preference,
			WhenCanBorrow: kueue.TryNextFlavor, WhenCanPreempt: kueue.TryNextFlavor}
	}
}
