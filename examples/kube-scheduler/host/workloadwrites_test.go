// SPDX-License-Identifier: Apache-2.0

package host

import (
	"strings"
	"testing"

	"sluice/kube-scheduler/sluice"
)

// Who is refused says what all of its pods ask for.
func TestAsked(t *testing.T) {
	sets := asked(&sluice.WorkerWorkload{PodSets: []sluice.PodSet{{Name: "main", Count: 3,
		Requests: []sluice.Amount{{Name: "cpu", Value: 500}}}}})
	if cpu := sets[0].Resources.Cpu().String(); sets[0].Name != "main" || cpu != "1500m" {
		t.Errorf("%s asks for %s cpu", sets[0].Name, cpu)
	}
	for write, want := range map[string]bool{"pending Pending": true, "pending Inadmissible": false,
		"signal PreemptionGated": true, "reserve QuotaReserved": false} {
		kind, reason, _ := strings.Cut(write, " ")
		if is := isRefusal(&sluice.Effect{Reason: reason,
			Workload: &sluice.WorkloadWrite{Write: kind}}); is != want {
			t.Errorf("%s is a refusal: %t, want %t", write, is, want)
		}
	}
}
