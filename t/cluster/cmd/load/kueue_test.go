// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
)

const seenByRunner = `
clusterQueueClasses:
  cq: {cpuAverageUsage: 450000, cpuUsed: 1, nominalQuota: 600000}
workloadClasses:
  small: {averageTimeToAdmissionMs: 9000, averageTimeToFinishMs: 9200, count: 6, totalEvictions: 2}
  large: {averageTimeToAdmissionMs: 1500, averageTimeToFinishMs: 2500, count: 4, totalEvictions: 1}
droppedWorkloadEvents: 0
`

func TestAdmissionTable(t *testing.T) {
	one := admission{wall: 20 * time.Second, writes: map[plane.Write]int{
		{User: kueueUser, Verb: "patch", Resource: "workloads", Subresource: "status"}:      20,
		{User: kueueUser, Verb: "create", Resource: "events"}:                               15,
		{User: kueueUser, Verb: "update", Resource: "clusterqueues", Subresource: "status"}: 5,
		{User: runnerUser, Verb: "patch", Resource: "workloads", Subresource: "status"}:     10,
	}}
	if err := yaml.Unmarshal([]byte(seenByRunner), &one.summary); err != nil {
		t.Fatal(err)
	}
	if err := one.complete(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(admissionTable([]string{kueueUnlimited},
		map[string][]admission{kueueUnlimited: {one}}).String(), "\n")
	for what, want := range map[string]string{"wall, s": "20", "statuses for": "2.000",
		"events for": "1.500", "other writes": "0.500", "all its writes": "4.000", "quota in": "75",
		"time to admission, large": "1.5", "time to admission, small": "9.0", "evictions": "3"} {
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
	if large := one.summary.Workloads["large"]; byTime(one.summary)[0] != "large" {
		t.Errorf("large is admitted first, after %d ms", large.ToAdmission)
	}
}

func TestARunThatIsNotWhole(t *testing.T) {
	for text, want := range map[string]string{
		"workloadClasses: {}": "0 workloads",
		"workloadClasses: {small: {count: 1, averageTimeToFinishMs: 5}}": "small: admitted after 0",
		"workloadClasses: {small: {count: 1, averageTimeToAdmissionMs: 4}}": "4 ms and finished " +
			"after 0",
		"workloadClasses: {a: {count: 1, averageTimeToAdmissionMs: 1, averageTimeToFinishMs: 2}}\n" +
			"droppedWorkloadEvents: 7": "lost sight of 7",
	} {
		one := admission{}
		if err := yaml.Unmarshal([]byte(text), &one.summary); err != nil {
			t.Fatal(err)
		}
		if err := one.complete(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
