// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Placement is what an admission writes into the pods of one pod set.
type Placement struct {
	Name                              kueue.PodSetReference
	Count                             int32
	Labels, Annotations, NodeSelector map[string]string
	Tolerations                       []v1.Toleration
	Gates                             []v1.PodSchedulingGate
}

// Clash is what a pod template cannot take in: it says something else there already. It will not go
// away by trying again.
type Clash struct{ Where, Key, Has, Wants string }

func (c *Clash) Error() string {
	return fmt.Sprintf("the pod template has %s %s=%q, and the admission wants %q", c.Where, c.Key,
		c.Has, c.Wants)
}

// Placements are those of an admitted workload, in the order of its pod sets. A flavor that is not
// known is an error that goes away when it is.
func Placements(w *kueue.Workload, flavor func(string) *kueue.ResourceFlavor) ([]Placement, error) {
	if w.Status.Admission == nil {
		return nil, fmt.Errorf("workload %s/%s is not admitted", w.Namespace, w.Name)
	}
	placements := make([]Placement, 0, len(w.Spec.PodSets))
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		assigned := Assignment(w, set.Name)
		if assigned == nil {
			return nil, fmt.Errorf("the admission of workload %s/%s says nothing of pod set %s",
				w.Namespace, w.Name, set.Name)
		}
		one, err := placement(w, set, assigned, flavor)
		if err != nil {
			return nil, err
		}
		placements = append(placements, *one)
	}
	return placements, nil
}

// Assignment is what a pod set was given; nil: nothing.
func Assignment(w *kueue.Workload, set kueue.PodSetReference) *kueue.PodSetAssignment {
	if w.Status.Admission == nil {
		return nil
	}
	for i := range w.Status.Admission.PodSetAssignments {
		if one := &w.Status.Admission.PodSetAssignments[i]; one.Name == set {
			return one
		}
	}
	return nil
}

func placement(w *kueue.Workload, set *kueue.PodSet, assigned *kueue.PodSetAssignment,
	flavor func(string) *kueue.ResourceFlavor) (*Placement, error) {
	p := &Placement{Name: set.Name, Count: set.Count, NodeSelector: map[string]string{},
		Annotations: map[string]string{kueue.WorkloadAnnotation: w.Name},
		Labels: map[string]string{PodSetLabel: string(set.Name),
			localQueueLabel: string(w.Spec.QueueName)}}
	if assigned.Count != nil {
		p.Count = *assigned.Count
	}
	queue := string(w.Status.Admission.ClusterQueue)
	if len(validation.IsDNS1123Label(queue)) == 0 {
		p.Labels[clusterQueueLabel] = queue
	}
	if _, copied := w.Labels[kueue.MultiKueueOriginLabel]; copied {
		p.Labels[kueue.MultiKueueWorkerWorkloadPodLabel] = kueue.MultiKueueWorkerWorkloadPodValue
	}
	seen := map[kueue.ResourceFlavorReference]bool{}
	for _, resource := range slices.Sorted(maps.Keys(assigned.Flavors)) {
		name := assigned.Flavors[resource]
		if seen[name] {
			continue
		}
		seen[name] = true
		of := flavor(string(name))
		if of == nil {
			return nil, fmt.Errorf("resource flavor %s does not exist", name)
		}
		maps.Copy(p.NodeSelector, of.Spec.NodeLabels)
		p.tolerate(of.Spec.Tolerations)
	}
	for i := range w.Status.AdmissionChecks {
		for _, update := range w.Status.AdmissionChecks[i].PodSetUpdates {
			if update.Name != set.Name {
				continue
			}
			if err := p.add(update.Labels, update.Annotations, update.NodeSelector); err != nil {
				return nil, fmt.Errorf("admission check %s: %w", w.Status.AdmissionChecks[i].Name, err)
			}
			p.tolerate(update.Tolerations)
		}
	}
	return p, nil
}

func (p *Placement) tolerate(more []v1.Toleration) {
	for _, one := range more {
		if !slices.ContainsFunc(p.Tolerations, func(t v1.Toleration) bool {
			return apiequality.Semantic.DeepEqual(t, one)
		}) {
			p.Tolerations = append(p.Tolerations, one)
		}
	}
}

func (p *Placement) add(labels, annotations, selector map[string]string) error {
	if err := merge("label", &p.Labels, labels); err != nil {
		return err
	}
	if err := merge("annotation", &p.Annotations, annotations); err != nil {
		return err
	}
	return merge("node selector", &p.NodeSelector, selector)
}

func merge(where string, into *map[string]string, from map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if has, there := (*into)[key]; there && has != from[key] {
			return &Clash{where, key, has, from[key]}
		}
	}
	if *into == nil && len(from) > 0 {
		*into = map[string]string{}
	}
	maps.Copy(*into, from)
	return nil
}

// Into writes the placement into a template. After an error the template is as it was.
func (p *Placement) Into(template *v1.PodTemplateSpec) error {
	whole := Original(p.Name, p.Count, template)
	if err := whole.add(p.Labels, p.Annotations, p.NodeSelector); err != nil {
		return err
	}
	whole.tolerate(p.Tolerations)
	whole.Restore(template)
	return nil
}

// Original is what a template says where placements write.
func Original(name kueue.PodSetReference, count int32, template *v1.PodTemplateSpec) *Placement {
	return &Placement{Name: name, Count: count,
		Labels:       maps.Clone(template.Labels),
		Annotations:  maps.Clone(template.Annotations),
		NodeSelector: maps.Clone(template.Spec.NodeSelector),
		Tolerations:  slices.Clone(template.Spec.Tolerations),
		Gates:        slices.Clone(template.Spec.SchedulingGates),
	}
}

// Restore makes the template say just this where placements write.
func (p *Placement) Restore(template *v1.PodTemplateSpec) {
	template.Labels, template.Annotations = maps.Clone(p.Labels), maps.Clone(p.Annotations)
	template.Spec.NodeSelector = maps.Clone(p.NodeSelector)
	template.Spec.Tolerations = slices.Clone(p.Tolerations)
	template.Spec.SchedulingGates = slices.Clone(p.Gates)
}
