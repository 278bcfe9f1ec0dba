// SPDX-License-Identifier: Apache-2.0

package host

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
)

// A count that is 0 is written once, what is not ours stays, and what is so already is no write.
func TestWithStatus(t *testing.T) {
	seen := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "q", "uid": "u", "resourceVersion": "7"},
		"status":   map[string]any{"theirs": "stays", "admittedWorkloads": int64(2)}}}
	var queue kueue.ClusterQueue
	if err := facts.Read(seen, &queue); err != nil {
		t.Fatal(err)
	}
	wanted := queue.DeepCopy()
	wanted.Status.AdmittedWorkloads = 1
	became, err := withStatus(seen, queue.Status, wanted.Status)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := difference(seen, became)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"pendingWorkloads":0`, `"admittedWorkloads":1`, `"uid":"u"`} {
		if !strings.Contains(string(patch), part) {
			t.Errorf("the patch is %s, without %s", patch, part)
		}
	}
	if strings.Contains(string(patch), "theirs") {
		t.Errorf("the patch takes away what is not ours: %s", patch)
	}
	again, err := withStatus(became, wanted.Status, wanted.Status)
	if err != nil {
		t.Fatal(err)
	}
	if patch, err := difference(became, again); err != nil || patch != nil {
		t.Errorf("what is so is written again: %s, %v", patch, err)
	}
}

// What waits for its turn is a patch of counts alone, of an object as the API server has it, whose
// numbers are of another type than those that are compared with it.
func TestOnlyCounts(t *testing.T) {
	if onlyCounts(nil) {
		t.Error("what lacks nothing is taken to lack counts")
	}
	seen := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
		"admittedWorkloads": int64(1), "conditions": []any{map[string]any{"type": "Active",
			"status": "True", "reason": "Ready", "message": "m", "observedGeneration": int64(3),
			"lastTransitionTime": "2026-01-02T03:04:05Z"}}}}}
	for what, one := range map[string]struct {
		change func(*kueue.ClusterQueueStatus)
		want   bool
	}{
		"another count": {func(s *kueue.ClusterQueueStatus) { s.AdmittedWorkloads = 2 }, true},
		"another condition": {func(s *kueue.ClusterQueueStatus) { s.Conditions[0].Status = "False" },
			false},
		"no condition": {func(s *kueue.ClusterQueueStatus) { s.Conditions = nil }, false},
	} {
		var queue kueue.ClusterQueue
		if err := facts.Read(seen, &queue); err != nil {
			t.Fatal(err)
		}
		wanted := queue.DeepCopy()
		one.change(&wanted.Status)
		became, err := withStatus(seen, queue.Status, wanted.Status)
		if err != nil {
			t.Fatal(err)
		}
		patch, err := difference(seen, became)
		if err != nil || onlyCounts(patch) != one.want {
			t.Errorf("%s: only counts: %v, %v: %s", what, !one.want, err, patch)
		}
	}
}
