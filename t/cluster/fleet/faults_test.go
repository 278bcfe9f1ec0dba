// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/faults"
)

// cut makes a worker answer nothing but that it cannot; its own Kueue works on.
func (f *fleet) cut(worker string) {
	f.Helper()
	f.ways[worker].SetRules(&faults.Rule{Answer: http.StatusServiceUnavailable})
	f.await(worker+" is lost", func() error { return f.isConnected(worker, "False") })
}

func (f *fleet) rejoin(worker string) {
	f.Helper()
	f.ways[worker].SetRules()
	f.await(worker+" is back", func() error { return f.isConnected(worker, "True") })
}

func (f *fleet) isConnected(worker, want string) error {
	object, err := f.manager.objects.Resource(resource("multikueueclusters")).Get(f.Context(),
		worker, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if active := condition(object, "Active"); active["status"] != want {
		return fmt.Errorf("its condition is %v", active)
	}
	return nil
}

func (f *fleet) awaitCopies(name string) {
	f.Helper()
	for _, c := range f.workers {
		f.await("a copy of "+name+" in "+c.Name, func() error {
			_, err := of(f.Context(), c, name)
			return err
		})
	}
}

// A worker that was opened counts, also while nobody can reach it.
func lostWorkerCounts(f *fleet, east, west *kueue) {
	const longer = 20 * time.Second
	west.plan("lost", plan{signal: 300 * time.Millisecond, stuck: true})
	east.plan("lost", plan{signal: time.Second, admit: time.Second})
	f.submit("lost", "sluice.sh/single-cluster-preemption-timeout: 20s")
	west.awaitPlayed(f, "lost", "preempts")
	f.cut("west")
	f.awaitCluster("lost", "east")
	f.checkOpenings("lost", longer, "west", "east")
	f.rejoin("west")
	f.awaitGone(f.workers["west"], "workloads", "lost")
	f.awaitCluster("lost", "east")
}

// An opening whose answer never came is an opening.
func lostAnswer(f *fleet, east, west *kueue) {
	west.plan("unheard", plan{signal: 300 * time.Millisecond, stuck: true})
	east.plan("unheard", plan{signal: time.Second, admit: time.Second})
	lose := &faults.Rule{Verb: "update", Resource: "workloads", Subresource: "status", Lose: true,
		Times: 1}
	f.ways["west"].SetRules(lose)
	f.submit("unheard")
	f.awaitCluster("unheard", "east")
	f.ways["west"].SetRules()
	if lose.Acted() != 1 {
		f.Errorf("%d answers were lost, want 1", lose.Acted())
	}
	f.checkOpenings("unheard", timeout, "west", "east")
}

// A worker that comes back and says that it admitted first, and earlier, changes nothing.
func oldAdmission(f *fleet, east, west *kueue) {
	east.plan("old", plan{ignore: true})
	west.plan("old", plan{ignore: true})
	f.submit("old")
	f.awaitCopies("old")
	f.cut("west")
	west.plan("old", plan{})
	west.awaitPlayed(f, "old", "admits")
	time.Sleep(1100 * time.Millisecond) // the times of conditions are in seconds
	east.plan("old", plan{})
	f.awaitCluster("old", "east")
	before, err := of(f.Context(), f.workers["east"], "old")
	f.must(err)
	f.rejoin("west")
	f.awaitGone(f.workers["west"], "workloads", "old")
	after, err := of(f.Context(), f.workers["east"], "old")
	f.must(err)
	if after.GetUID() != before.GetUID() || after.GetDeletionTimestamp() != nil {
		f.Error("what ran in east is gone")
	}
	f.awaitCluster("old", "east")
	if n := f.count("west", "create", "jobs", "old"); n != 0 {
		f.Errorf("%d jobs were made in west", n)
	}
}

// patch merges into one of the manager's objects.
func (f *fleet) patch(kind, name, text string) {
	f.Helper()
	_, err := f.manager.objects.Resource(resource(kind)).Patch(f.Context(), name,
		types.MergePatchType, []byte(text), metav1.PatchOptions{})
	f.must(err)
}

// A cluster that is taken out of the configuration loses its copies; one that is put in gets them.
func anotherConfiguration(f *fleet, east, west *kueue) {
	for _, k := range []*kueue{east, west} {
		k.plan("moved", plan{ignore: true})
	}
	f.submit("moved")
	f.awaitCopies("moved")
	f.patch("multikueueconfigs", "both", `{"spec": {"clusters": ["east"]}}`)
	f.awaitGone(f.workers["west"], "workloads", "moved")
	f.patch("multikueueconfigs", "both", `{"spec": {"clusters": ["east", "west"]}}`)
	f.awaitCopies("moved")
	west.plan("moved", plan{})
	f.awaitCluster("moved", "west")

	f.create(f.manager, "multikueueclusters", `{metadata: {name: north}, spec:
		{clusterSource: {kubeConfig: {location: north, locationType: Secret}}}}`)
	f.await("north says what it lacks", func() error {
		object, err := f.manager.objects.Resource(resource("multikueueclusters")).Get(f.Context(),
			"north", metav1.GetOptions{})
		if err == nil && condition(object, "Active")["reason"] != "BadKubeConfig" {
			err = fmt.Errorf("its condition is %v", condition(object, "Active"))
		}
		return err
	})
	f.must(f.manager.objects.Resource(resource("multikueueclusters")).Delete(f.Context(), "north",
		metav1.DeleteOptions{}))
}

// A Job that its own cluster would run, and what is no Job, are refused with the reason.
func notToBeDispatched(f *fleet, east, west *kueue) {
	job := f.create(f.manager, "jobs", fmt.Sprintf(`{metadata: {name: local}, spec: {suspend: true,
		%s}}`, template))
	for name, owner := range map[string]string{
		"local": fmt.Sprintf("apiVersion: batch/v1, kind: Job, name: local, uid: %s", job.GetUID()),
		"pod":   "apiVersion: v1, kind: Pod, name: pod, uid: x",
	} {
		f.create(f.manager, "workloads", fmt.Sprintf(`{metadata: {name: %s, ownerReferences:
			[{%s, controller: true}]}, spec: {queueName: q, podSets: [{name: main, count: 1, %s}]}}`,
			name, owner, template))
		f.await(name+" is rejected", func() error {
			w, err := of(f.Context(), f.manager, name)
			if err == nil && state(w) != "Rejected" {
				err = fmt.Errorf("its check is %q", state(w))
			}
			return err
		})
		if n := f.count("east", "create", "workloads", name); n != 0 {
			f.Errorf("%s was dispatched", name)
		}
	}
}
