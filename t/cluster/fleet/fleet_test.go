// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const timeout = 8 * time.Second

const orchestrated = `
featureGates: {MultiKueueOrchestratedPreemption: true}
singleClusterPreemptionTimeout: 8s
workerLostTimeout: 30s
leaderElection: {leaseDuration: 10s, renewDeadline: 8s, retryPeriod: 1s}
`

const template = `template: {spec: {restartPolicy: Never, containers: [{name: c, image: none,
	resources: {requests: {cpu: "1"}}}]}}`

// submit makes a Job and its workload, as Kueue would in the manager's cluster.
func (f *fleet) submit(name string, annotations ...string) {
	f.Helper()
	job := f.create(f.manager, "jobs", fmt.Sprintf(`{metadata: {name: %s, labels: {team: a}}, spec:
		{suspend: true, managedBy: kueue.x-k8s.io/multikueue, %s}}`, name, template))
	f.create(f.manager, "workloads", fmt.Sprintf(`{metadata: {name: %[1]s, annotations: {%[4]s},
		ownerReferences: [{apiVersion: batch/v1, kind: Job, name: %[1]s, uid: %[2]s, controller: true}]},
		spec: {queueName: q, podSets: [{name: main, count: 1, %[3]s}]}}`, name,
		job.GetUID(), template, strings.Join(annotations, ", ")))
}

func (f *fleet) awaitCluster(name, cluster string) {
	f.Helper()
	f.await(name+" is in "+cluster, func() error {
		w, err := of(f.Context(), f.manager, name)
		if err != nil {
			return err
		}
		in, _, _ := unstructured.NestedString(w.Object, "status", "clusterName")
		if in != cluster || state(w) != "Ready" || !is(w, "Admitted") {
			return fmt.Errorf("cluster %q, check %q", in, state(w))
		}
		return nil
	})
}

func (f *fleet) awaitGone(c *cluster, kind, name string) {
	f.Helper()
	f.await(fmt.Sprintf("no %s of %s in %s", kind, name, c.Name), func() error {
		_, err := c.in(kind).Get(f.Context(), name, metav1.GetOptions{})
		if err == nil {
			return errors.New("it is there")
		}
		if !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
}

// TestFleet is one story after the other on the same three clusters.
func TestFleet(t *testing.T) {
	f := start(t, orchestrated)
	f.play(f.manager, manager)
	east, west := f.play(f.workers["east"], worker), f.play(f.workers["west"], worker)
	f.leader = f.run()
	f.connected()
	for _, story := range []struct {
		name string
		tell func(f *fleet, east, west *kueue)
	}{
		{"one after the other", oneAfterTheOther},
		{"no preemption where none is needed", noPreemption},
		{"evicted in the worker", evictedInTheWorker},
		{"deleted at each step", deletedAtEachStep},
		{"a copy is deleted", copyIsDeleted},
		{"its rights", rights},
		{"another configuration", anotherConfiguration},
		{"not to be dispatched", notToBeDispatched},
		{"a lost worker counts", lostWorkerCounts},
		{"a lost answer", lostAnswer},
		{"an old admission comes back", oldAdmission},
		{"a worker dies", workerDies},
		{"a manager dies", managerDies},
		{"a manager stands still", managerStandsStill},
		{"with and without the feature gate", withAndWithout},
		{"room for one", roomForOne},
	} {
		if !t.Run(story.name, func(t *testing.T) {
			inner := *f
			inner.T, inner.began = t, time.Now()
			story.tell(&inner, east, west)
			f.leader, f.replicas = inner.leader, inner.replicas
		}) {
			break
		}
	}
}

// The sequence of the KEP: west signals first and is opened; it gets nowhere; after the timeout
// east is; it admits.
func oneAfterTheOther(f *fleet, east, west *kueue) {
	west.plan("one", plan{signal: 300 * time.Millisecond, stuck: true})
	east.plan("one", plan{signal: 2 * time.Second, admit: time.Second})
	f.submit("one")
	f.awaitCluster("one", "east")
	f.awaitGone(f.workers["west"], "workloads", "one")
	f.checkOpenings("one", timeout, "west", "east")

	job, err := f.workers["east"].in("jobs").Get(f.Context(), "one", metav1.GetOptions{})
	f.must(err)
	if by, has, _ := unstructured.NestedString(job.Object, "spec", "managedBy"); has {
		f.Errorf("the job in the worker is managed by %q", by)
	}
	suspended, _, _ := unstructured.NestedBool(job.Object, "spec", "suspend")
	name := job.GetAnnotations()["kueue.x-k8s.io/prebuilt-workload-name"]
	if !suspended || name != "one" || job.GetLabels()["team"] != "a" {
		f.Errorf("the job in the worker: suspended %v, of %q, %v", suspended, name, job.GetLabels())
	}
	if n := f.count("west", "create", "jobs", "one"); n != 0 {
		f.Errorf("%d jobs were made in west", n)
	}
	copy, err := of(f.Context(), f.workers["east"], "one")
	f.must(err)
	if _, has := copy.GetAnnotations()["sluice.sh/preemption-memory"]; has || !gated(copy) {
		f.Errorf("the copy: %v, gated %v", copy.GetAnnotations(), gated(copy))
	}

	// What becomes of it comes back.
	set(copy, "Finished", "True", "Succeeded")
	_, err = f.workers["east"].workloads().UpdateStatus(f.Context(), copy, metav1.UpdateOptions{})
	f.must(err)
	f.await("one is finished", func() error {
		w, err := of(f.Context(), f.manager, "one")
		if err != nil || is(w, "Finished") && condition(w, "Finished")["reason"] == "Succeeded" {
			return err
		}
		return errors.New("it is not")
	})
	f.awaitGone(f.workers["east"], "workloads", "one")
	f.awaitGone(f.workers["east"], "jobs", "one")
	f.sequence()
}

func noPreemption(f *fleet, east, west *kueue) {
	east.plan("free", plan{ignore: true})
	west.plan("free", plan{admit: 200 * time.Millisecond})
	f.submit("free")
	f.awaitCluster("free", "west")
	f.awaitGone(f.workers["east"], "workloads", "free")
	f.checkOpenings("free", timeout)
}

// Evicted there, the workload is evicted here, and dispatched again.
func evictedInTheWorker(f *fleet, east, west *kueue) {
	east.plan("again", plan{ignore: true})
	west.plan("again", plan{admit: 200 * time.Millisecond, evictAt: 3 * time.Second})
	f.submit("again")
	f.awaitCluster("again", "west")
	east.plan("again", plan{admit: 100 * time.Millisecond})
	f.await("west has evicted it", func() error {
		w, err := of(f.Context(), f.workers["west"], "again")
		if err != nil || is(w, "Evicted") {
			west.plan("again", plan{ignore: true})
			return nil
		}
		return errors.New("it has not")
	})
	f.awaitCluster("again", "east")
	f.awaitGone(f.workers["west"], "workloads", "again")
	f.awaitGone(f.workers["west"], "jobs", "again")
	f.checkOpenings("again", timeout)
}
