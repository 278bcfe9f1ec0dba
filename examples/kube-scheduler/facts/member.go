// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
	"sluice/kube-scheduler/workload"
)

// Share is what a pod set of a workload holds.
type Share struct {
	Count  int // of pods
	asks   map[string]int64
	claims map[string]int // how many are made for each pod, by their template
}

// Shares are what the pod sets of a workload hold, or would, by their names.
func Shares(w *kueue.Workload, around *Around) map[string]Share {
	shares, wrong := map[string]Share{}, ""
	seen := Workload(w, around)
	for i := range w.Spec.PodSets {
		set := &seen.PodSets[i]
		share := Share{Count: int(set.Count), asks: map[string]int64{},
			claims: claimsMade(&w.Spec.PodSets[i].Template.Spec)}
		// What the queue does not count is not in the admission, but in the template.
		said := podSet(&w.Spec.PodSets[i], set.Count, around, &wrong)
		for _, asked := range slices.Concat(said.Requests, set.Requests) {
			share.asks[asked.Name] = asked.Value
		}
		if at := slices.IndexFunc(admitted(seen), func(one sluice.Assignment) bool {
			return one.Name == set.Name
		}); at >= 0 {
			share.Count = int(seen.Admission.PodSets[at].Count)
		}
		shares[set.Name] = share
	}
	return shares
}

func admitted(w *sluice.WorkerWorkload) []sluice.Assignment {
	if w.Admission == nil {
		return nil
	}
	return w.Admission.PodSets
}

// claimsMade counts the claims that are made for a pod, by their template; by none: that are not
// made for it.
func claimsMade(spec *v1.PodSpec) map[string]int {
	made := map[string]int{}
	for i := range spec.ResourceClaims {
		name := ""
		if from := spec.ResourceClaims[i].ResourceClaimTemplateName; from != nil {
			name = *from
		}
		made[name]++
	}
	return made
}

// Covers tells whether a pod asks for no more than one pod of the set.
func (s Share) Covers(pod *v1.Pod) bool {
	for template, count := range claimsMade(&pod.Spec) {
		if template == "" || count > s.claims[template] {
			return false
		}
	}
	return !slices.ContainsFunc(requests(pod, nil), func(asked sluice.Amount) bool {
		return asked.Value > s.asks[asked.Name]
	})
}

// WorkloadOf is the name of the workload of which a pod says it is; "": of none.
func WorkloadOf(pod *v1.Pod) string { return pod.Annotations[kueue.WorkloadAnnotation] }

// PodSetOf is the pod set of which it says it is; "": it does not say.
func PodSetOf(pod *v1.Pod) string { return pod.Labels[workload.PodSetLabel] }

// OfNone takes from what is told of a pod that it is of a workload.
func OfNone(into *sluice.Pod) {
	into.Annotations = slices.DeleteFunc(into.Annotations, func(pair [2]string) bool {
		return pair[0] == kueue.WorkloadAnnotation
	})
}
