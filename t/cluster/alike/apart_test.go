// SPDX-License-Identifier: Apache-2.0

package alike

import (
	"regexp"
	"sync"
	"testing"
)

// meant is a difference that is meant. All are regular expressions that match the whole; "": any
// story, and no such field. WORKLOADS.md tells users of each.
type meant struct {
	story, path, kueue, sluice string
	why                        string
	chance                     bool // Kueue itself is not always so: no story need show it
}

var table = []meant{
	{path: `.*\.observedGeneration`, kueue: `.*`, sluice: `.*`,
		why: "it is that of the last write, and which of two changes that saw is chance"},

	{path: `Workload/.*\.conditions\[PodsReady\]\..*`, kueue: `.*`,
		why: "nothing here waits for pods to be ready, and it would be two writes for each workload"},

	{path: `Workload/.* event Normal Admitted: Admitted by ClusterQueue .*`, kueue: `said`,
		why: "one event for each write: QuotaReserved says it where there are no checks"},
	{path: `Workload/.* event Normal QuotaReserved: .*; Flavors considered: .*`, kueue: `said`,
		why: "`kubectl sluice why` says which flavors were looked at"},
	{path: `Workload/.* event Normal QuotaReserved: [^;]*`, sluice: `said`,
		why: "the same without them"},
	{path: `Workload/.* event Normal Preempted: .*`, kueue: `said`,
		why: "one event for each write: EvictedDueToPreempted says it"},
	{path: `Workload/.* event Normal PreemptedWorkload: .*`, kueue: `said`,
		why: "the victim says it, whose event it is"},
	{path: `Workload/.* event Warning Pending: .*`, kueue: `said`,
		why: "who merely waits says so in its condition: no event for every refusal"},

	{path: `Workload/.* event Warning Pending: Workload requires preemption, but it's gated by .*`,
		sluice: `said`, why: "it says which gate is closed"},
	{path: `Workload/.*\.conditions\[(BlockedOnPreemptionGates|QuotaReserved)\]\.message`,
		kueue:  `(Previously: )?Workload requires preemption, but it's gated`,
		sluice: `(Previously: )?Workload requires preemption, but it's gated by example.com/mine`,
		why:    "it says which gate is closed"},

	{story: `flavors`, path: `Workload/.*\.conditions\[QuotaReserved\]\.message`,
		kueue:  `.*: flavor flavors-open doesn't match node affinity, untolerated taint .*`,
		sluice: `.*: untolerated taint .*, flavor flavors-open doesn't match node affinity`,
		why:    "in the order of the queue's flavors, in which they are looked at"},
	{story: `limits`, path: `Workload/.*\.conditions\[QuotaReserved\]\.(message|reason)`,
		kueue:  `Pending|resources validation failed: .*`,
		sluice: `Inadmissible|container c: .*`,
		why:    "no quota would help it, and it says which container"},

	{story: `limits`, path: `Workload/.*\.status\.resourceRequests.*`, kueue: `.*`,
		why: "as above: nobody asks for it"},

	{story: `deactivated|rejected`, path: `(ClusterQueue|LocalQueue)/.*\.status\.` +
		`((admitted|reserving)Workloads|flavors(Reservation|Usage)\[.*)`, kueue: `0`, sluice: `.*`,
		why: "quota of who is deactivated is free when none of its pods is active; there at once"},
	{story: `timed`, path: `Workload/.*\.status\.(conditions\[DeactivationTarget\]\..*|` +
		`accumulatedPastExecutionTimeSeconds)`, kueue: `.*`,
		why: "who is activated again runs for all of its time; there it is deactivated at once"},
	{story: `reactivated`, path: `.*\.status\..*|Workload/.* event .*`, kueue: `.*`, sluice: `.*`,
		chance: true, why: "who is activated again is asked about again; there it mostly is not"},
	{story: `inactive`, path: `Workload/.*\.conditions\[QuotaReserved\]\.message`,
		kueue: `ClusterQueue inactive is inactive`, sluice: `ClusterQueue inactive doesn't exist`,
		chance: true, why: "it says what is so now; there it mostly is not written again"},
	{path: `Workload/.*\.conditions\[QuotaReserved\]\.message`,
		kueue:  `(Local|Cluster)Queue \S+ is inactive|workload namespace doesn't match .*`,
		sluice: `((Local|Cluster)Queue \S+ is inactive|workload namespace doesn't match .*): .+`,
		why:    "it says why: who waits may have no right to look at the queue"},
	{path: `Job/.* event Normal Stopped: .*`, sluice: `said`,
		why: "it is told when the Job is suspended; there when its pods are gone"},
	{path: `Job/.* event Normal UpdatedAdmissionCheck: .*`, kueue: `said`,
		chance: true, why: "the Workload says it, and who wrote that knows it; there it is said " +
			"where a Job is looked at while its check is pending"},

	{story: `gatedby`, path: `Workload/.* event Normal AdmissionGateCleared: .*`, sluice: `said`,
		chance: true, why: "Kueue's scheduler may be faster than its controller"},
	{story: `gates|preempts|reclaims`, path: `LocalQueue/.*\.status\.pendingWorkloads`, kueue: `0`,
		sluice: `1`,
		chance: true, why: "Kueue counts late who waits for victims"},

	{story: `gates`, path: `Workload/gated\.status\.(admission|conditions\[(Admitted|QuotaReserved|` +
		`Requeued)\])\..*`, kueue: `.*`, sluice: `.*`,
		why: "evicted, one that nobody owns gives its quota back, which it never does there"},
	{story: `gates`, path: `Workload/gated\.status\.accumulatedPastExecutionTimeSeconds`,
		sluice: `.*`, why: "as above"},
}

var (
	usedMutex sync.Mutex
	used      = map[int]bool{}
)

// unmeant are the differences that nobody has meant. What explains the others is used, if it
// counts.
func unmeant(story string, differences []difference, counts bool) []difference {
	var rest []difference
	for _, one := range differences {
		explained := false
		for i, entry := range table {
			if entry.explains(story, one) {
				explained = true
				if counts {
					usedMutex.Lock()
					used[i] = true
					usedMutex.Unlock()
				}
			}
		}
		if !explained {
			rest = append(rest, one)
		}
	}
	return rest
}

func (m *meant) explains(story string, d difference) bool {
	return (m.story == "" || matches(m.story, story)) && matches(m.path, d.path) &&
		matches(m.kueue, d.kueue) && matches(m.sluice, d.sluice)
}

func matches(pattern, text string) bool {
	return regexp.MustCompile(`(?s)^(` + pattern + `)$`).MatchString(text)
}

// reportUnused fails for what is meant to differ and does not.
func reportUnused(t *testing.T) {
	for i, entry := range table {
		if !used[i] && !entry.chance {
			t.Errorf("no story shows this difference, so it is none: %+v", entry)
		}
	}
}
