// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/yaml"
)

// World is what both schedulers are shown, and what happens to it then. Each ClusterQueue has a
// LocalQueue of its name.
type World struct {
	// Leave tells whether a victim is deleted; else it waits again.
	Leave     bool                   `json:"leave,omitempty"`
	Flavors   []kueue.ResourceFlavor `json:"flavors"`
	Cohorts   []kueue.Cohort         `json:"cohorts,omitempty"`
	Queues    []kueue.ClusterQueue   `json:"queues"`
	Workloads []kueue.Workload       `json:"workloads"`
	// Begin are the names of those that are there from the beginning.
	Begin []string `json:"begin,omitempty"`
	Steps []Step   `json:"steps"`
}

// Step is one thing that happens. Both schedulers settle before the next one.
type Step struct {
	// Add is the name of a workload that is created.
	Add string `json:"add,omitempty"`
	// End is the name of a workload that is deleted, wherever it stands.
	End string `json:"end,omitempty"`
	// Open is the name of a workload whose gates are opened.
	Open string `json:"open,omitempty"`
	// Queue is a ClusterQueue as it is edited.
	Queue *kueue.ClusterQueue `json:"queue,omitempty"`
	// Cohort is a Cohort as it is edited.
	Cohort *kueue.Cohort `json:"cohort,omitempty"`
}

func (s Step) String() string {
	switch {
	case s.Add != "":
		return "workload " + s.Add + " is created"
	case s.End != "":
		return "workload " + s.End + " is deleted"
	case s.Open != "":
		return "the gate of workload " + s.Open + " is opened"
	case s.Queue != nil:
		return "ClusterQueue " + s.Queue.Name + " is edited"
	case s.Cohort != nil:
		return "Cohort " + s.Cohort.Name + " is edited"
	}
	return "nothing"
}

// namespace is that of all workloads.
const namespace = "default"

// began is when the first thing happens. Each step is a second later than the one before it, and
// within it time stands still: so both schedulers write the same times.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func timeOf(step int) time.Time { return began.Add(time.Duration(step+1) * time.Second) }

// workload is a copy of the one of this name, as it is created in this step.
func (w *World) workload(name string, step int) (*kueue.Workload, error) {
	for i := range w.Workloads {
		if w.Workloads[i].Name == name {
			created := w.Workloads[i].DeepCopy()
			created.Namespace = namespace
			created.UID = uidOf(name)
			created.ResourceVersion = "1"
			if created.CreationTimestamp.IsZero() {
				created.CreationTimestamp = metav1.NewTime(timeOf(step))
			}
			return created, nil
		}
	}
	return nil, fmt.Errorf("step %d names workload %s, which the world does not have", step, name)
}

// localQueue is the way into a ClusterQueue.
func localQueue(queue *kueue.ClusterQueue) *kueue.LocalQueue {
	return &kueue.LocalQueue{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: queue.Name},
		Spec:       kueue.LocalQueueSpec{ClusterQueue: kueue.ClusterQueueReference(queue.Name)},
	}
}

// text is the world as YAML that -replay reads.
func (w *World) text() string {
	bytes, err := yaml.Marshal(w)
	if err != nil {
		return err.Error()
	}
	return string(bytes)
}

func readWorld(path string) (*World, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	world := &World{}
	return world, yaml.UnmarshalStrict(bytes, world)
}

// copy is one that shares nothing with this one that a shrinker changes.
func (w *World) copy() *World {
	other := &World{Leave: w.Leave}
	for i := range w.Flavors {
		other.Flavors = append(other.Flavors, *w.Flavors[i].DeepCopy())
	}
	for i := range w.Cohorts {
		other.Cohorts = append(other.Cohorts, *w.Cohorts[i].DeepCopy())
	}
	for i := range w.Queues {
		other.Queues = append(other.Queues, *w.Queues[i].DeepCopy())
	}
	for i := range w.Workloads {
		other.Workloads = append(other.Workloads, *w.Workloads[i].DeepCopy())
	}
	other.Begin = append(other.Begin, w.Begin...)
	for _, step := range w.Steps {
		if step.Queue != nil {
			step.Queue = step.Queue.DeepCopy()
		}
		if step.Cohort != nil {
			step.Cohort = step.Cohort.DeepCopy()
		}
		other.Steps = append(other.Steps, step)
	}
	return other
}

// theNamespace is the one that all workloads are in.
func theNamespace() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
}
