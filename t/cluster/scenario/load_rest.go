// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// loadQuiet is how long nothing must have been told to the scheduler's process, nor written by it.
// Nothing that it shows tells that it has decided about all that it knows.
const loadQuiet = 2 * quiet

// loadsRest tells whether all have heard of all that became of the Workloads, the scheduler's
// process too: each of them sees the others' writes through a watch, in its own time.
func (t *telling) loadsRest() bool {
	if !t.s.Loads {
		return true
	}
	for ref := range t.objects {
		if l := t.loads[ref]; isOf(ref, "workload") && (l == nil || l.now == nil) {
			return false
		}
	}
	if t.faults.Watch > 0 || t.faults.Observe != "" {
		return true
	}
	told, last := t.host.proxy.Told("Workload")
	return told >= t.loadVersion && time.Since(last) >= loadQuiet &&
		t.host.sinceWrite() >= loadQuiet
}

// heardOfLoad notes a version that the scheduler is to hear of too.
func (t *telling) heardOfLoad(now *unstructured.Unstructured) {
	version, _ := strconv.ParseInt(now.GetResourceVersion(), 10, 64)
	t.loadVersion = max(t.loadVersion, version)
}
