// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"encoding/json"
	"slices"
	"strings"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const tooMuch = `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: too-much}
spec: {parent: train, weight: 7, capability: {cpu: "9"}}
`

// testCheck looks at the cluster as it is, and with a queue that nobody refused, since no webhook
// answers here.
func testCheck(c *cluster) {
	library, err := shipped.Library(c.Root)
	if err != nil {
		c.Fatal(err)
	}
	admin := plane.User{Name: plane.Admin}
	check := []string{"check", "--library", library}
	c.says(c.sluice(admin, check...), 0, " objects looked at: 0 refused, ")
	c.says(c.sluice(nobody, check...), 4, "cannot list resource")
	c.create(tooMuch)
	said := c.sluice(admin, append(check, "-o", "json")...)
	c.says(said, 8, "would be refused")
	var report struct {
		Counts   map[string]int
		Findings []struct {
			Verdict, Field, Value, Why string
			Objects                    []string
		}
	}
	if err := json.Unmarshal([]byte(said.out), &report); err != nil {
		c.Fatalf("%v in\n%s", err, said)
	}
	refused, ignored := false, false
	for _, one := range report.Findings {
		if slices.Contains(one.Objects, "Queue/too-much") {
			refused = refused || one.Verdict == "refused" && strings.Contains(one.Why, "9")
			ignored = ignored || one.Field == "spec.weight" && one.Value == "7"
		}
	}
	if report.Counts["refused"] != 1 || !refused || !ignored {
		c.Errorf("it is not said of the queue too-much what is wrong and what is ignored:\n%s", said)
	}
	c.must("delete", "queues.scheduling.volcano.sh", "too-much")
}
