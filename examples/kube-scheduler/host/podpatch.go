// SPDX-License-Identifier: Apache-2.0

package host

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/sluice"
)

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// withoutGates returns the gates that stay, and whether any goes.
func withoutGates(gates []v1.PodSchedulingGate, ours []string) ([]v1.PodSchedulingGate, bool) {
	rest := make([]v1.PodSchedulingGate, 0, len(gates))
	for _, gate := range gates {
		if !slices.Contains(ours, gate.Name) {
			rest = append(rest, gate)
		}
	}
	return rest, len(rest) < len(gates)
}

// removal is the patch that takes the gates off. Its tests hold it to the pod that was decided
// about: the same one, with its spec unchanged, for a gated spec may be edited.
func removal(pod *v1.Pod, patch *sluice.Patch, rest []v1.PodSchedulingGate) ([]byte, error) {
	ops := []operation{
		{"test", "/metadata/uid", pod.UID},
		{"test", "/metadata/generation", patch.Generation},
	}
	if len(patch.Gates) > 0 {
		ops = append(ops, operation{"replace", "/spec/schedulingGates", rest})
	}
	ops = addPairs(ops, "/metadata/annotations", pod.Annotations, patch.Annotations)
	ops = addPairs(ops, "/spec/nodeSelector", pod.Spec.NodeSelector, patch.NodeSelector)
	ops = addTolerations(ops, pod.Spec.Tolerations, patch.Tolerations)
	return json.Marshal(ops)
}

// addPairs adds to a map that is there, or makes it.
func addPairs(ops []operation, path string, there map[string]string,
	pairs [][2]string) []operation {
	if len(pairs) == 0 {
		return ops
	}
	if there == nil {
		fresh := map[string]string{}
		for _, pair := range pairs {
			fresh[pair[0]] = pair[1]
		}
		return append(ops, operation{"add", path, fresh})
	}
	for _, pair := range pairs {
		ops = append(ops, operation{"add", path + "/" + escape(pair[0]), pair[1]})
	}
	return ops
}

func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

func addTolerations(ops []operation, there []v1.Toleration,
	wanted []sluice.Toleration) []operation {
	var fresh []v1.Toleration
	for _, one := range wanted {
		toleration := v1.Toleration{
			Key:               one.Key,
			Operator:          v1.TolerationOperator(one.Operator),
			Value:             one.Value,
			Effect:            v1.TaintEffect(one.Effect),
			TolerationSeconds: one.Seconds,
		}
		same := func(t v1.Toleration) bool { return t.MatchToleration(&toleration) }
		if !slices.ContainsFunc(there, same) {
			fresh = append(fresh, toleration)
		}
	}
	if len(fresh) == 0 {
		return ops
	}
	if there == nil {
		return append(ops, operation{"add", "/spec/tolerations", fresh})
	}
	for _, toleration := range fresh {
		ops = append(ops, operation{"add", "/spec/tolerations/-", toleration})
	}
	return ops
}

// condition is the patch that says why the pod waits instead of Unschedulable, in the place of the
// very condition that was seen.
func condition(effect *sluice.Effect) ([]byte, error) {
	return json.Marshal(map[string]any{
		"metadata": map[string]string{
			"uid":             effect.UID,
			"resourceVersion": strconv.FormatInt(effect.ResourceVersion, 10),
		},
		"status": map[string]any{"conditions": []map[string]string{{
			"type":    string(v1.PodScheduled),
			"status":  string(v1.ConditionFalse),
			"reason":  effect.Reason,
			"message": effect.Message,
		}}},
	})
}
