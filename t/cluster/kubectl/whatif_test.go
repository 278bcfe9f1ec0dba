// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const largerTrain = `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: train}
spec: {parent: research, capability: {cpu: "6"}, deserved: {cpu: "2"}}
`

// testWhatIf plays what the cluster has seen: nothing is recorded here, so that is what its pods
// say. In a larger queue, with nodes that somebody buys, more of them start.
func testWhatIf(c *cluster) {
	library, err := shipped.Library(c.Root)
	if err != nil {
		c.Fatal(err)
	}
	file := filepath.Join(c.TempDir(), "larger.yaml")
	if err := os.WriteFile(file, []byte(largerTrain), 0o600); err != nil {
		c.Fatal(err)
	}
	admin := plane.User{Name: plane.Admin}
	ask := []string{"what-if", "--or", file, "--pool", "small=3", "--library", library, "--player",
		filepath.Join(filepath.Dir(library), "sluice-sim")}
	c.says(c.sluice(nobody, ask...), 4, "sluice-viewer")
	c.says(c.sluice(admin, ask...), 0, "QUEUE", "train", "This rests on", "minutes of the cluster")
	said := c.sluice(admin, append(ask, "-o", "json")...)
	var view struct {
		Plans []struct {
			Story            string
			Started, Waiting int
		}
		RestsOn []string
	}
	if err := json.Unmarshal([]byte(said.out), &view); err != nil || said.code != 0 {
		c.Fatalf("%v in\n%s", err, said)
	}
	if len(view.Plans) != 2 || view.Plans[0].Story != "now" || view.Plans[1].Story != file ||
		view.Plans[0].Started == 0 || len(view.RestsOn) == 0 {
		c.Errorf("what-if says %s", said)
	}
	page := filepath.Join(c.TempDir(), "page.html")
	c.says(c.sluice(admin, append(ask, "--html", page)...), 0, "This rests on")
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), `"format":"sluice.sh/plan/v1"`) {
		c.Errorf("the page has %d bytes and no plan, %v", len(text), err)
	}
	c.says(c.sluice(admin, append(ask, "--pool", "none=3")...), 2, "want NODE=MOST")
}
