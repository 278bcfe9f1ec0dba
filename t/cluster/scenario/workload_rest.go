// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// workloadQuiet is how long nothing must have been told to the scheduler's process, nor written by
// it.
// Nothing that it shows tells that it has decided about all that it knows.
const workloadQuiet = 2 * quiet

// workloadsRest tells whether all have heard of all that became of the Workloads, the scheduler's
// process too: each of them sees the others' writes through a watch, in its own time.
func (t *telling) workloadsRest() bool {
	if !t.s.Workloads {
		return true
	}
	for ref := range t.objects {
		if l := t.workloads[ref]; isOf(ref, "workload") && (l == nil || l.now == nil) {
			return false
		}
	}
	if t.faults.Watch > 0 || t.faults.Observe != "" {
		return true
	}
	told, last := t.host.proxy.Told("Workload")
	return told >= t.workloadVersion && time.Since(last) >= workloadQuiet &&
		t.host.sinceWrite() >= workloadQuiet
}

// heardOfWorkload notes a version that the scheduler is to hear of too.
func (t *telling) heardOfWorkload(now *unstructured.Unstructured) {
	version, _ := strconv.ParseInt(now.GetResourceVersion(), 10, 64)
	t.workloadVersion = max(t.workloadVersion, version)
}
