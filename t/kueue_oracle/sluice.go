// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
	"sluice/kube-scheduler/workload"
)

// ours is sluice.so, and what its host does beside it.
type ours struct {
	*cluster
	engine *sluice.Engine
}

// newOurs is a leader that begins with these objects.
func newOurs(library *sluice.Library, c *cluster) (*ours, error) {
	s := &ours{cluster: c}
	opened, err := library.Open(sluice.Config{
		Effects:         []string{sluice.WriteWorkload},
		PreemptionGates: true,
		Clock:           func() int64 { return s.now.UnixNano() },
	})
	if err != nil {
		return nil, err
	}
	s.engine = opened
	if err := s.tell(); err != nil {
		_ = opened.Close()
		return nil, err
	}
	return s, nil
}

func (s *ours) close() { _ = s.engine.Close() }

// tell shows all objects, and that this host leads.
func (s *ours) tell() error {
	for i := range s.flavors {
		var flavor sluice.Flavor
		facts.Flavor(&s.flavors[i], &flavor)
		if _, err := s.engine.ObserveFlavor(&flavor); err != nil {
			return fmt.Errorf("flavor %s: %w", flavor.Name, err)
		}
	}
	for _, cohort := range sorted(s.cohorts) {
		if err := s.showCohort(cohort); err != nil {
			return err
		}
	}
	for _, queue := range sorted(s.queues) {
		if err := s.showQueue(queue); err != nil {
			return err
		}
		local := facts.WorkloadQueue(localQueue(queue), true)
		if _, err := s.engine.ObserveLocalQueue(local); err != nil {
			return fmt.Errorf("LocalQueue %s: %w", queue.Name, err)
		}
	}
	for _, w := range sorted(s.workloads) {
		if err := s.show(w); err != nil {
			return err
		}
	}
	if _, err := s.engine.Synced(); err != nil {
		return err
	}
	_, err := s.engine.Lead(true)
	return err
}

func (s *ours) showCohort(cohort *kueue.Cohort) error {
	var queue sluice.Queue
	err := facts.Cohort(cohort, &queue)
	if err == nil {
		_, err = s.engine.ObserveQueue(&queue)
	}
	if err != nil {
		return fmt.Errorf("cohort %s: %w", cohort.Name, err)
	}
	return nil
}

func (s *ours) showQueue(of *kueue.ClusterQueue) error {
	var queue sluice.Queue
	err := facts.ClusterQueue(of, &queue)
	if err == nil {
		_, err = s.engine.ObserveQueue(&queue)
	}
	if err != nil {
		return fmt.Errorf("ClusterQueue %s: %w", of.Name, err)
	}
	return nil
}

// show shows a workload. Nothing of its job runs once it is evicted.
func (s *ours) show(w *kueue.Workload) error {
	_, err := s.engine.ObserveWorkerWorkload(facts.Workload(w, &facts.Around{JobStopped: true}))
	if err != nil {
		return fmt.Errorf("workload %s: %w", w.Name, err)
	}
	return nil
}

// settle carries out effects until there are none. False: there are always more.
func (s *ours) settle() (bool, error) {
	for range 400 {
		effects, tail, err := s.engine.Drain(64)
		if err != nil {
			return false, err
		}
		if err := s.notePromises(effects); err != nil {
			return false, err
		}
		for i := range effects {
			if err := s.carryOut(&effects[i]); err != nil {
				return false, err
			}
		}
		if len(effects) > 0 || tail.Pending > 0 {
			continue
		}
		if tail, err = s.engine.Tick(); err != nil {
			return false, err
		}
		if tail.Pending == 0 && !tail.More {
			return true, nil
		}
	}
	return false, nil
}

// carryOut writes what the engine asks for, says so, and shows the workload as it is then.
func (s *ours) carryOut(effect *sluice.Effect) error {
	seen := s.workloads[effect.Name]
	if seen == nil {
		_, _, err := s.engine.Ack([]sluice.Ack{{ID: effect.ID, Result: sluice.Gone}})
		return err
	}
	if effect.Kind != sluice.WriteWorkload {
		return fmt.Errorf("an effect %s, which nobody asked for", effect.Kind)
	}
	after, ofSpec := workload.Write(seen, effect, s.now)
	if after == nil || ofSpec {
		return fmt.Errorf("a write %q into workload %s", effect.Workload.Write, effect.Name)
	}
	version, err := strconv.ParseInt(seen.ResourceVersion, 10, 64)
	if err != nil {
		return err
	}
	after.ResourceVersion = strconv.FormatInt(version+1, 10)
	s.wrote(after)
	done := sluice.Ack{ID: effect.ID, Result: sluice.Done, ResourceVersion: version + 1}
	if _, _, err := s.engine.Ack([]sluice.Ack{done}); err != nil {
		return err
	}
	if s.leave && effect.Workload.Write == "evict" {
		s.acts = append(s.acts, Act{Does: leaves, Workload: after.Name})
		return s.end(after.Name)
	}
	return s.show(after)
}

// end: the workload is gone.
func (s *ours) end(name string) error {
	w := s.workloads[name]
	if w == nil {
		return nil
	}
	delete(s.workloads, name)
	_, err := s.engine.ForgetWorkerWorkload(string(w.UID), w.Namespace, w.Name)
	return err
}

// apply does what a step says.
func (s *ours) apply(w *World, step int, now time.Time) error {
	s.now = now
	does := &w.Steps[step]
	switch {
	case does.Add != "":
		created, err := w.workload(does.Add, step)
		if err != nil {
			return err
		}
		s.workloads[does.Add] = created
		return s.show(created)
	case does.End != "":
		return s.end(does.End)
	case does.Open != "":
		seen := s.workloads[does.Open]
		if seen == nil {
			return nil
		}
		after := seen.DeepCopy()
		openGates(after)
		version, err := strconv.ParseInt(seen.ResourceVersion, 10, 64)
		if err != nil {
			return err
		}
		after.ResourceVersion = strconv.FormatInt(version+1, 10)
		s.workloads[does.Open] = after
		return s.show(after)
	case does.Queue != nil:
		s.queues[does.Queue.Name] = does.Queue
		return s.showQueue(does.Queue)
	case does.Cohort != nil:
		s.cohorts[does.Cohort.Name] = does.Cohort
		return s.showCohort(does.Cohort)
	}
	return nil
}

// notePromises notes who is promised what, when somebody is sent away.
func (s *ours) notePromises(effects []sluice.Effect) error {
	if !slices.ContainsFunc(effects, func(e sluice.Effect) bool {
		return e.Workload != nil && e.Workload.Write == "evict"
	}) {
		return nil
	}
	for _, w := range sorted(s.workloads) {
		if is(w, kueue.WorkloadQuotaReserved) {
			continue
		}
		said, err := s.engine.Inspect(
			sluice.Query{What: "workload", Namespace: w.Namespace, Name: w.Name})
		if err != nil {
			return err
		}
		if said["reason"] == "Preempting" {
			promised := promise(said["podSets"])
			how := assigned(&kueue.Workload{Status: kueue.WorkloadStatus{Admission: promised}})
			s.acts = append(s.acts,
				Act{Does: promises, Workload: w.Name, How: how, Admission: promised})
		}
	}
	return nil
}

// promise is what inspect says of pod sets; not how much that is.
func promise(said any) *kueue.Admission {
	admission := &kueue.Admission{}
	sets, _ := said.([]any)
	for _, one := range sets {
		set, _ := one.(map[string]any)
		name, _ := set["name"].(string)
		count, _ := set["count"].(int64)
		pods := int32(count)
		flavors := map[corev1.ResourceName]kueue.ResourceFlavorReference{}
		given, _ := set["flavors"].(map[string]any)
		for resource, flavor := range given {
			flavors[corev1.ResourceName(resource)] = kueue.ResourceFlavorReference(fmt.Sprint(flavor))
		}
		admission.PodSetAssignments = append(admission.PodSetAssignments, kueue.PodSetAssignment{
			Name: kueue.PodSetReference(name), Count: &pods, Flavors: flavors})
	}
	return admission
}
