// SPDX-License-Identifier: Apache-2.0

package alerts

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/cluster/plane"
)

// One world, in which one fault comes after the other, and goes before the next one.
func TestEachAlertIsRaisedByItsFault(t *testing.T) {
	w := start(t)
	if _, err := w.CreateNode(t.Context(), plane.Node{Name: "node-1",
		Allocatable: map[string]string{"cpu": "8"}}); err != nil {
		t.Fatal(err)
	}
	w.mustApply(queue("good", "4") + pod("runs", "good", "1", ""))
	w.until("a pod runs", func() error {
		if w.kubectl("get", "pod", "runs", "-o", "jsonpath={.spec.nodeName}") != "node-1" {
			return errors.New("it has no node")
		}
		return nil
	})
	w.raised()

	w.step("a pod asks for more than its queue may ever have", w.aQueueStandsStill)
	w.step("no node fits", w.aReservationFindsNoNode)
	w.step("the right to patch pods is taken away", w.effectsFail)
	w.step("somebody makes pods for a closed queue, again and again", w.theWebhookRefuses)
	w.step("sluice is installed twice", w.twoSchedulers)
	w.step("Volcano's controller writes a status", w.volcanoBeside)
	w.theMetrics()
	w.theDashboard()
	w.step("nobody leads", w.nobodyLeads)
}

// step does one, unless one before it failed.
func (w *world) step(name string, does func()) {
	began := time.Now()
	does()
	w.Logf("%s: %.0f s", name, time.Since(began).Seconds())
}

func (w *world) aQueueStandsStill() {
	w.mustApply(queue("small", "1") + pod("large", "small", "2", ""))
	w.raised("SluiceQueueStandsStill Queue small")
	w.mustApply(queue("small", "4"))
	w.raised()
}

func (w *world) aReservationFindsNoNode() {
	w.mustApply(queue("far", "4") + pod("traveller", "far", "1", "mars"))
	w.raised("SluiceReservationWithoutNode Queue far")
	w.kubectl("label", "node", "node-1", "place=mars")
	w.raised()
}

func (w *world) effectsFail() {
	role := w.kubectl("get", "clusterrole", "sluice-scheduler", "-o", "json")
	w.kubectl("patch", "clusterrole", "sluice-scheduler", "--type=json",
		"-p", `[{"op": "test", "path": "/rules/0/resources", "value": ["pods"]},
		{"op": "remove", "path": "/rules/0"}]`)
	w.mustApply(pod("nowhere", "far", "1", "venus"))
	w.until("an alert is raised", func() error {
		seen, err := w.firing()
		if err == nil && !slices.Contains(seen, "SluiceEffectsFail removeGates") {
			err = fmt.Errorf("there are %q", seen)
		}
		return err
	})
	w.kubectl("delete", "pod", "nowhere", "--grace-period=0", "--force")
	w.mustApply(withoutVersion.ReplaceAllString(role, ""))
	w.raised()
}

var withoutVersion = regexp.MustCompile(`(?m)^ *"(resourceVersion|uid)": .*\n`)

func (w *world) theWebhookRefuses() {
	w.mustApply(queue("shut", "4"))
	uid := w.kubectl("get", "queue.scheduling.volcano.sh", "shut",
		"-o", "jsonpath={.metadata.uid}")
	w.mustApply(`
apiVersion: bus.volcano.sh/v1alpha1
kind: Command
metadata: {name: shut, namespace: default}
action: CloseQueue
target: {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, name: shut, uid: ` + uid + `}`)
	w.until("the queue is closed", func() error {
		state := w.kubectl("get", "queue.scheduling.volcano.sh", "shut",
			"-o", "jsonpath={.status.state}")
		if state != "Closed" {
			return errors.New(state)
		}
		return nil
	})
	several := ""
	for i := range 5 {
		several += pod(fmt.Sprintf("late-%d", i), "shut", "1", "")
	}
	w.until("an alert is raised", func() error {
		if err := w.apply(several); err == nil || !strings.Contains(err.Error(), "Closed") {
			w.Fatalf("pods for a closed queue: %v", err)
		}
		seen, err := w.firing()
		if err == nil && !slices.Equal(seen, []string{"SluiceWebhookRefuses pod refused"}) {
			err = fmt.Errorf("there are %q", seen)
		}
		return err
	})
	w.raised()
}

func (w *world) twoSchedulers() {
	w.kubectl("create", "role", "another", "-n", "kube-system", "--verb=get,update",
		"--resource=leases.coordination.k8s.io", "--resource-name=another")
	w.kubectl("create", "rolebinding", "another", "-n", "kube-system", "--role=another",
		"--serviceaccount=kube-system:sluice-scheduler")
	another := *w.Sluice
	another.Lease = "another"
	rival := w.replica(&another, "rival")
	w.tellTargets(w.Replicas()[0], rival)
	w.raised("SluiceTwoSchedulers sluice")
	if err := rival.Kill(); err != nil {
		w.Fatal(err)
	}
	w.tellTargets(w.Replicas()[0])
	w.raised()
}

// It is known by the name under which it writes.
func (w *world) volcanoBeside() {
	w.kubectl("patch", "queue.scheduling.volcano.sh", "good", "--subresource=status",
		"--type=merge", "--field-manager=vc-controller-manager", "-p", `{"status": {"running": 7}}`)
	w.raised("SluiceTwoSchedulers Volcano")
	w.raised()
}

func (w *world) nobodyLeads() {
	if err := w.Replicas()[0].Kill(); err != nil {
		w.Fatal(err)
	}
	w.raised("SluiceQueueStandsStill")
}

// What needs workloads, a victim, or an argument of the configuration, none of which is here.
var elsewhere = map[string]bool{
	"sluice_evictions_total":                              true,
	"sluice_local_queue_workloads":                        true,
	"sluice_local_queue_wait_duration_seconds":            true,
	"sluice_local_queue_oldest_waiting_timestamp_seconds": true,
	"sluice_queue_oldest_unplaced_timestamp_seconds":      true, // nobody is without a node now
	"sluice_queue_oldest_waiting_timestamp_seconds":       true, // nobody waits
}

// theMetrics are those that the dashboard and the alerts ask for, and promtool has nothing to say
// against them.
func (w *world) theMetrics() {
	texts, err := w.Metrics(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	var ours strings.Builder
	there := map[string]bool{}
	for line := range strings.Lines(texts[0]) {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "),
			"# TYPE "), " ")
		name, _, _ = strings.Cut(name, "{")
		if strings.HasPrefix(name, "sluice_") {
			ours.WriteString(line)
			there[name] = true
		}
	}
	for _, file := range []string{"dashboard.json", "rules.yaml"} {
		text, err := os.ReadFile(filepath.Join(w.Root, "examples/deploy/monitoring", file))
		if err != nil {
			w.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\bsluice_\w+`).FindAllString(string(text), -1) {
			base := strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
			if !there[name] && !there[base] && !elsewhere[base] {
				w.Errorf("%s asks for %s, which is not there", file, name)
			}
		}
	}
	check := exec.CommandContext(w.Context(), "promtool", "check", "metrics")
	check.Stdin = strings.NewReader(ours.String())
	if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
		w.Errorf("promtool check metrics: %v\n%s", err, said)
	}
	if len(there) < 30 {
		w.Errorf("only %d metrics were looked at", len(there))
	}
}

// theDashboard asks what Prometheus can answer, of the queue that is open in it, and nearly always
// there is something to draw.
func (w *world) theDashboard() {
	text, err := os.ReadFile(filepath.Join(w.Root, "examples/deploy/monitoring/dashboard.json"))
	if err != nil {
		w.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		w.Fatal(err)
	}
	chosen := strings.NewReplacer("$kind", "Queue", "$queue", "good", "$resource", "cpu",
		"$__rate_interval", "1m")
	questions, empty := 0, []string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			var data struct{ Result []any }
			query := url.QueryEscape(chosen.Replace(target.Expr))
			if err := w.api("query?query="+query, &data); err != nil {
				w.Errorf("%s: %s: %v", panel.Title, target.Expr, err)
			}
			questions++
			if len(data.Result) == 0 {
				empty = append(empty, panel.Title+": "+target.Expr)
			}
		}
	}
	w.Logf("the dashboard asked %d questions; without an answer:\n%s", questions,
		strings.Join(empty, "\n"))
	// Of what is elsewhere, of who waits or has no node, and of nobody who was granted lately.
	if most := 7; questions < 30 || len(empty) > most {
		w.Errorf("of %d questions %d have no answer, want %d at most", questions, len(empty), most)
	}
}
