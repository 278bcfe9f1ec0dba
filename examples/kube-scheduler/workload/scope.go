// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Gates says what the admission of the workload waits for; "": nothing.
func Gates(w *kueue.Workload) string {
	if by := w.Annotations[AdmissionGatedBy]; by != "" {
		return "Admission is gated by: " + by
	}
	return ""
}

// Unsupported says what of the workload is out of scope; "": nothing. Such a workload gets no
// quota, and its condition says why.
func Unsupported(w *kueue.Workload) string {
	if w.Annotations[ElasticAnnotation] == "true" {
		return "workload slices (elastic jobs) are not supported"
	}
	if w.Labels[parentLabel] == "true" {
		return "concurrent admission is not supported"
	}
	variable, grouped := 0, map[string]bool{}
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		switch {
		case AsksForTopology(set.TopologyRequest):
			return "topology-aware scheduling is not supported"
		case slices.ContainsFunc(set.Template.Spec.ResourceClaims, isNotMade):
			return "a ResourceClaim that is there before the pods (resourceClaims without " +
				"resourceClaimTemplateName) is not supported"
		}
		if set.MinCount != nil {
			variable++
		}
		if r := set.TopologyRequest; r != nil && r.PodSetGroupName != nil {
			if grouped[*r.PodSetGroupName] {
				return "one flavor for a group of pod sets (podSetGroupName) is not supported"
			}
			grouped[*r.PodSetGroupName] = true
		}
	}
	if variable > 1 {
		return "at most one pod set can use minCount"
	}
	return ""
}

// isNotMade tells whether a claim of a pod's is not made for that pod: how often it counts nobody
// can say.
func isNotMade(claim v1.PodResourceClaim) bool { return claim.ResourceClaimTemplateName == nil }

const parentLabel = "kueue.x-k8s.io/concurrent-admission-parent"

// AsksForTopology tells whether a request says where pods must be; Kueue writes one that only names
// labels into the workload of every Job.
func AsksForTopology(r *kueue.PodSetTopologyRequest) bool {
	return r != nil && (r.Required != nil || r.Preferred != nil ||
		r.Unconstrained != nil && *r.Unconstrained || r.PodSetSliceRequiredTopology != nil ||
		r.PodSetSliceSize != nil || len(r.PodsetSliceRequiredTopologyConstraints) > 0)
}

// Topology is what the annotations of a template ask for, for the pods of an indexed Job.
func Topology(template *v1.PodTemplateSpec, indexLabel string) *kueue.PodSetTopologyRequest {
	request := &kueue.PodSetTopologyRequest{PodIndexLabel: &indexLabel}
	for annotation, into := range map[string]**string{
		kueue.PodSetRequiredTopologyAnnotation:      &request.Required,
		kueue.PodSetPreferredTopologyAnnotation:     &request.Preferred,
		kueue.PodSetSliceRequiredTopologyAnnotation: &request.PodSetSliceRequiredTopology,
	} {
		if value, has := template.Annotations[annotation]; has {
			*into = &value
		}
	}
	if value := template.Annotations[kueue.PodSetUnconstrainedTopologyAnnotation]; value == "true" {
		unconstrained := true
		request.Unconstrained = &unconstrained
	}
	return request
}

// UnsupportedQueue says what of a ClusterQueue is out of scope; "": nothing.
func UnsupportedQueue(q *kueue.ClusterQueue) string {
	if q.Spec.AdmissionScope != nil {
		return "admission fair sharing (spec.admissionScope) is not supported"
	}
	if q.Spec.ConcurrentAdmissionPolicy != nil {
		return "concurrent admission (spec.concurrentAdmissionPolicy) is not supported"
	}
	return ""
}

// UnsupportedFlavor says what of a ResourceFlavor is out of scope; "": nothing.
func UnsupportedFlavor(f *kueue.ResourceFlavor) string {
	if f.Spec.TopologyName != nil {
		return "topology-aware scheduling (spec.topologyName) is not supported"
	}
	return ""
}
