// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The leader dies once it has written down what it is about to do; another one goes on.
func managerDies(f *fleet, east, west *kueue) {
	west.plan("orphan", plan{signal: 300 * time.Millisecond, admit: time.Second})
	east.plan("orphan", plan{signal: 400 * time.Millisecond, admit: time.Second})
	second := f.run()
	f.submit("orphan")
	f.awaitMemory("orphan")
	f.must(f.leader.Kill())
	f.leader = second
	in, other := "west", "east" // whoever signalled first
	if opened := f.awaitOpening("orphan"); opened == other {
		in, other = other, in
	}
	f.awaitCluster("orphan", in)
	f.awaitGone(f.workers[other], "workloads", "orphan")
	f.checkOpenings("orphan", timeout, in)
	if n := west.played("orphan", "preempts") + east.played("orphan", "preempts"); n != 1 {
		f.Errorf("%d clusters preempted, want one", n)
	}
}

// awaitOpening is where the first gate of a workload is opened.
func (f *fleet) awaitOpening(name string) (cluster string) {
	f.Helper()
	f.await("a gate is open", func() error {
		openings := f.openings(name)
		if len(openings) == 0 {
			return errors.New("none is")
		}
		cluster = openings[0].cluster
		return nil
	})
	return cluster
}

// The same story with the feature gate and without it: how many workers preempt.
func withAndWithout(f *fleet, east, west *kueue) {
	f.preemptions(east, west, "with", 1)
	f.must(f.leader.Stop(10 * time.Second))
	f.configure("workerLostTimeout: 30s\n")
	f.leader = f.run()
	f.preemptions(east, west, "without", 2)
	for _, one := range f.writes() {
		if one.verb == "create" && one.name == "without" &&
			strings.Contains(one.body, "preemptionGates") {
			f.Errorf("without the feature gate a copy has a gate: %s", one.body)
		}
	}
}

func (f *fleet) preemptions(east, west *kueue, name string, want int) {
	f.Helper()
	for _, k := range []*kueue{east, west} {
		k.plan(name, plan{signal: 300 * time.Millisecond, admit: 4 * time.Second})
	}
	f.submit(name)
	f.await(name+" is somewhere", func() error {
		w, err := of(f.Context(), f.manager, name)
		if err == nil && !is(w, "Admitted") {
			err = errors.New("it is not admitted")
		}
		return err
	})
	preempt := west.played(name, "preempts") + east.played(name, "preempts")
	f.tell("%s the feature gate: %d preemptions", name, preempt)
	if preempt != want {
		f.Errorf("%d workers preempted for %s, want %d", preempt, name, want)
	}
}

// A manager with room for one workload takes the next one when the first is gone, though nobody
// writes into it.
func roomForOne(f *fleet, east, west *kueue) {
	f.must(f.leader.Stop(10 * time.Second))
	for _, kind := range []string{"workloads", "jobs"} {
		f.must(f.manager.in(kind).DeleteCollection(f.Context(), metav1.DeleteOptions{},
			metav1.ListOptions{}))
	}
	f.configure("limits: {workloads: 1}\n")
	f.leader = f.run()
	for _, name := range []string{"first", "second"} {
		east.plan(name, plan{})
		west.plan(name, plan{ignore: true})
	}
	f.submit("first")
	f.awaitCluster("first", "east")
	f.submit("second")
	f.await("the log says that there is no room", func() error {
		if !strings.Contains(f.leader.Tail(20), "limits.workloads") {
			return errors.New("it does not")
		}
		return nil
	})
	f.must(f.manager.workloads().Delete(f.Context(), "first", metav1.DeleteOptions{}))
	f.awaitCluster("second", "east")
}
