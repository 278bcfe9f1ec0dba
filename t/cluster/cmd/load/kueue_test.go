// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	"sluice/cluster/plane"
)

func TestAdmissionTable(t *testing.T) {
	one := admission{wall: 20 * time.Second, told: 21 * time.Second, use: 450_000, ends: 7,
		size: kueueTestSize{workloads: 10, quota: 600_000},
		classes: map[string]classFigures{"small": {6, 2, 9 * time.Second},
			"large": {4, 1, 1500 * time.Millisecond}}, writes: map[plane.Write]int{
			{User: kueueUser, Verb: "patch", Resource: "workloads", Subresource: "status"}:      20,
			{User: kueueUser, Verb: "create", Resource: "events"}:                               15,
			{User: kueueUser, Verb: "update", Resource: "clusterqueues", Subresource: "status"}: 5,
			{User: runnerUser, Verb: "patch", Resource: "workloads", Subresource: "status"}:     10,
		}}
	lines := strings.Split(admissionTable([]string{kueueUnlimited},
		map[string][]admission{kueueUnlimited: {one}}).String(), "\n")
	for what, want := range map[string]string{"wall, s": "20", "told by": "21",
		"statuses for": "2.000", "events for": "1.500", "other writes": "0.500",
		"all its writes": "4.000", "quota in": "75",
		"time to admission, large": "1.5", "time to admission, small": "9.0", "ended, and": "7",
		"evictions": "3"} {
		found := false
		for _, line := range lines {
			fields := strings.Fields(line)
			found = found || strings.HasPrefix(strings.TrimSpace(line), what) &&
				fields[len(fields)-1] == want
		}
		if !found {
			t.Errorf("no row %q with %s in\n%s", what, want, strings.Join(lines, "\n"))
		}
	}
	if byTime(one.classes)[0] != "large" {
		t.Errorf("large is admitted first: %v", byTime(one.classes))
	}
}
