// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/faults"
)

// A workload that is deleted, at whatever step, leaves nothing behind, and no gate is opened for it
// afterwards.
func deletedAtEachStep(f *fleet, east, west *kueue) {
	stuck := plan{signal: 300 * time.Millisecond, stuck: true}
	for _, step := range []struct {
		name       string
		east, west plan
		reached    func(name string)
	}{
		{"at-once", stuck, stuck, func(string) {}},
		{"copied", plan{ignore: true}, plan{ignore: true}, f.awaitCopies},
		{"signalled", stuck, stuck, func(name string) {
			west.awaitPlayed(f, name, "signals that it would preempt")
		}},
		{"remembered", stuck, plan{ignore: true}, f.awaitMemory},
		{"opened", stuck, plan{ignore: true}, func(name string) {
			east.awaitPlayed(f, name, "preempts")
		}},
		{"bound", plan{}, plan{ignore: true}, func(name string) { f.awaitCluster(name, "east") }},
	} {
		name := "deleted-" + step.name
		east.plan(name, step.east)
		west.plan(name, step.west)
		f.submit(name)
		step.reached(name)
		f.must(f.manager.workloads().Delete(f.Context(), name, metav1.DeleteOptions{}))
		f.must(f.manager.in("jobs").Delete(f.Context(), name, metav1.DeleteOptions{}))
		for _, c := range f.workers {
			f.awaitGone(c, "workloads", name)
			f.awaitGone(c, "jobs", name)
		}
		if n := len(f.openings(name)); n > 1 {
			f.Errorf("%s: %d gates were opened", name, n)
		}
	}
}

// awaitMemory waits until the manager has written down whom it is about to open.
func (f *fleet) awaitMemory(name string) {
	f.Helper()
	f.await("it is written down", func() error {
		w, err := of(f.Context(), f.manager, name)
		if err == nil && w.GetAnnotations()["sluice.sh/preemption-memory"] == "" {
			err = errors.New("it is not")
		}
		return err
	})
}

// Somebody deletes the copy whose gate was opened: there is another one, whose gate is closed, and
// the opening counts all the same.
func copyIsDeleted(f *fleet, east, west *kueue) {
	west.plan("copy", plan{signal: 300 * time.Millisecond, stuck: true})
	east.plan("copy", plan{signal: time.Second, admit: time.Second})
	f.submit("copy")
	west.awaitPlayed(f, "copy", "preempts")
	east.awaitPlayed(f, "copy", "signals that it would preempt") // before the other copy can
	before, err := of(f.Context(), f.workers["west"], "copy")
	f.must(err)
	f.must(f.workers["west"].workloads().Delete(f.Context(), "copy", metav1.DeleteOptions{}))
	f.await("there is another copy", func() error {
		after, err := of(f.Context(), f.workers["west"], "copy")
		if err == nil && (after.GetUID() == before.GetUID() || position(after) == "Open") {
			err = errors.New("it is the old one, or its gate is open")
		}
		return err
	})
	f.awaitCluster("copy", "east")
	f.checkOpenings("copy", timeout, "west", "east")
}

// The API server of a worker dies when its copy has begun to preempt, and comes back as it was.
func workerDies(f *fleet, east, west *kueue) {
	west.plan("died", plan{signal: 300 * time.Millisecond, stuck: true})
	east.plan("died", plan{signal: time.Second, admit: time.Second})
	f.submit("died")
	west.awaitPlayed(f, "died", "preempts")
	f.must(f.workers["west"].KillAPI())
	f.await("west is lost", func() error { return f.isConnected("west", "False") })
	f.awaitCluster("died", "east")
	west.plan("died", plan{}) // it would admit now
	f.must(f.workers["west"].StartAPI(f.Context()))
	f.await("west is back", func() error { return f.isConnected("west", "True") })
	f.awaitGone(f.workers["west"], "workloads", "died")
	f.awaitCluster("died", "east")
	f.checkOpenings("died", timeout, "west", "east")
	if n := f.count("west", "create", "jobs", "died"); n != 0 {
		f.Errorf("%d jobs were made in west", n)
	}
}

// The leader stands still once it has written down what it is about to do, longer than its lease
// lasts, and the write that opens the gate is on its way all the while. Another one leads, and
// opens the gate. What arrives then opens nothing, and who goes on does nothing.
func managerStandsStill(f *fleet, east, west *kueue) {
	for _, k := range []*kueue{east, west} {
		k.plan("still", plan{signal: 300 * time.Millisecond, admit: 15 * time.Second})
	}
	late := map[string]*faults.Rule{}
	for name, way := range f.ways {
		late[name] = &faults.Rule{Verb: "update", Resource: "workloads", Subresource: "status",
			Hang: 25 * time.Second, Times: 1}
		way.SetRules(late[name])
	}
	old := f.leader
	f.leader = f.run()
	f.submit("still", "sluice.sh/single-cluster-preemption-timeout: 2m")
	f.awaitMemory("still")
	f.await("a write is on its way", func() error {
		if late["east"].Acted()+late["west"].Acted() == 0 {
			return errors.New("none is")
		}
		return nil
	})
	f.must(old.Pause())
	in := f.awaitOpening("still")
	f.awaitCluster("still", in)
	f.await("both writes are answered", func() error { // before: who goes on takes its own back
		if n := f.statusWrites(in, "still"); n < 2 {
			return fmt.Errorf("%d are", n)
		}
		return nil
	})
	f.must(old.Resume())
	time.Sleep(2 * time.Second)
	f.checkOpenings("still", timeout, in)
	if n := west.played("still", "preempts") + east.played("still", "preempts"); n != 1 {
		f.Errorf("%d clusters preempted, want one", n)
	}
	for _, way := range f.ways {
		way.SetRules()
	}
	f.must(old.Kill())
}

// statusWrites is how many writes to the status of a copy were answered, also those refused.
func (f *fleet) statusWrites(cluster, name string) (n int) {
	for _, one := range f.writes() {
		if one.cluster == cluster && one.what == "workloads/status" && one.name == name {
			f.tell("%s", one)
			n++
		}
	}
	return n
}
