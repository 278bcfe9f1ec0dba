// SPDX-License-Identifier: Apache-2.0

// Package alerts has a real Prometheus scrape sluice on a real control plane, as examples/deploy
// ships both the manifests and the rules, and raises each of its alerts by a fault of the kind that
// it is for.
package alerts

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	account  = "prometheus"
	overlay  = "overlays/webhook"
	patience = time.Minute
)

type world struct {
	*testing.T
	*shipped.Sluice
	prometheus, targets string // its address, and the file that says whom it scrapes
	documents           int
}

func start(t *testing.T) *world {
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is missing: t/prepare --alerts")
	}
	p, err := plane.Start(t.Context(), plane.Options{Name: "alerts",
		Users:    []plane.User{{Name: account}},
		APIFlags: []string{"--enable-aggregator-routing=true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	s, err := shipped.Apply(t.Context(), p, overlay)
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, Sluice: s}
	w.replica(s, "a")
	if err := s.AwaitLeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = p.Client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: account},
		RoleRef:    rbacv1.RoleRef{Kind: "ClusterRole", Name: "sluice-viewer"},
		Subjects:   []rbacv1.Subject{{Kind: "User", Name: account}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.scrape(program)
	return w
}

// replica runs one more, and waits until it is ready.
func (w *world) replica(of *shipped.Sluice, name string) *shipped.Replica {
	w.Helper()
	replica, err := of.Run(w.Context(), name)
	if err == nil {
		err = of.AwaitReady(w.Context(), replica)
	}
	if err != nil {
		w.Fatal(err)
	}
	return replica
}

// shorter are the times of the rules, as a test can wait for them.
var shorter = []struct{ long, short string }{
	{`for: \d+m`, "for: 1s"},
	{`\[\d+m\]`, "[15s]"},
	{`> (900|1800)\b`, "> 5"},
}

// shortRules are the shipped ones, each but for its times, which are all found and shortened.
func (w *world) shortRules() string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.Root, "examples/deploy/monitoring/rules.yaml"))
	if err != nil {
		w.Fatal(err)
	}
	rules := string(text)
	for _, one := range shorter {
		pattern := regexp.MustCompile(one.long)
		if !pattern.MatchString(rules) {
			w.Fatalf("the rules have no %s", one.long)
		}
		rules = pattern.ReplaceAllString(rules, one.short)
	}
	return rules
}

// scrape starts Prometheus.
func (w *world) scrape(program string) {
	w.Helper()
	port, err := plane.FreePort()
	if err != nil {
		w.Fatal(err)
	}
	w.prometheus = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	folder := filepath.Join(w.Dir, "prometheus")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		w.Fatal(err)
	}
	w.targets = filepath.Join(folder, "targets.json")
	w.tellTargets(w.Replicas()...)
	config, err := yaml.Marshal(map[string]any{
		"global":     map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{"rules.yaml"},
		"scrape_configs": []any{map[string]any{
			"job_name":        "sluice-scheduler",
			"scheme":          "https",
			"tls_config":      map[string]any{"insecure_skip_verify": true},
			"authorization":   map[string]any{"credentials": w.REST(account).BearerToken},
			"file_sd_configs": []any{map[string]any{"files": []string{"targets.json"}}},
		}},
	})
	if err != nil {
		w.Fatal(err)
	}
	for name, text := range map[string]string{
		"prometheus.yaml": string(config), "rules.yaml": w.shortRules()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			w.Fatal(err)
		}
	}
	process, err := w.beside("prometheus", program, "--config.file="+folder+"/prometheus.yaml",
		"--storage.tsdb.path="+folder+"/data", "--web.listen-address="+w.prometheus,
		"--log.level=warn")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("the end of Prometheus' log:\n%s", process.Tail(20))
		}
	})
	w.until("Prometheus scrapes", func() error {
		if seen := w.ask("up == 1"); len(seen) != 1 {
			return fmt.Errorf("up: %v", seen)
		}
		return nil
	})
}

// beside runs a program beside the plane, which ends with it.
func (w *world) beside(name, program string, args ...string) (*plane.Process, error) {
	return w.Plane.Run(name, program, args, nil)
}

// tellTargets says whom Prometheus is to scrape. It sees when the file is another one.
func (w *world) tellTargets(replicas ...*shipped.Replica) {
	w.Helper()
	var targets []string
	for _, replica := range replicas {
		targets = append(targets, net.JoinHostPort(w.Address, strconv.Itoa(replica.Port())))
	}
	text, err := json.Marshal([]any{map[string]any{"targets": targets}})
	if err == nil {
		err = os.WriteFile(w.targets+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(w.targets+".new", w.targets)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// api is what Prometheus answers.
func (w *world) api(path string, data any) error {
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet,
		"http://"+w.prometheus+"/api/v1/"+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(&struct{ Data any }{data})
}

// ask has Prometheus answer a question: the labels of what there is. None, while it starts.
func (w *world) ask(query string) (found []map[string]string) {
	var data struct {
		Result []struct{ Metric map[string]string }
	}
	if err := w.api("query?query="+url.QueryEscape(query), &data); err != nil {
		return nil
	}
	for _, one := range data.Result {
		found = append(found, one.Metric)
	}
	return found
}

// firing are the alerts that are raised: the name, then its own labels.
func (w *world) firing() (found []string, err error) {
	var data struct {
		Alerts []struct {
			State       string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
	if err := w.api("alerts", &data); err != nil {
		return nil, err
	}
	for _, alert := range data.Alerts {
		if alert.State != "firing" {
			continue
		}
		name := alert.Labels["alertname"]
		for _, label := range []string{"kind", "queue", "answer", "other"} {
			if value := alert.Labels[label]; value != "" {
				name += " " + value
			}
		}
		if alert.Annotations["summary"] == "" || strings.Contains(alert.Annotations["summary"], "{{") {
			w.Errorf("%s says %v", name, alert.Annotations)
		}
		found = append(found, name)
	}
	slices.Sort(found)
	return found, nil
}

// raised waits until just these alerts are.
func (w *world) raised(wanted ...string) {
	w.Helper()
	w.until(fmt.Sprintf("alerts: %q", wanted), func() error {
		seen, err := w.firing()
		if err == nil && !slices.Equal(seen, wanted) {
			err = fmt.Errorf("there are %q", seen)
		}
		return err
	})
}

func (w *world) until(what string, holds func() error) {
	w.Helper()
	var problem error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if problem = holds(); problem == nil {
			return
		}
	}
	w.Fatalf("not within %s: %s: %v", patience, what, problem)
}

// kubectl runs it as the admin, where it must succeed.
func (w *world) kubectl(words ...string) string {
	w.Helper()
	said, err := w.Kubectl(w.Context(), words...)
	if err != nil {
		w.Fatal(err)
	}
	return said
}

// apply applies documents; with an error where that is refused.
func (w *world) apply(text string) error {
	w.documents++
	file := filepath.Join(w.Dir, fmt.Sprintf("documents-%d.yaml", w.documents))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	_, err := w.Kubectl(w.Context(), "apply", "-f", file)
	return err
}

func (w *world) mustApply(text string) {
	w.Helper()
	if err := w.apply(text); err != nil {
		w.Fatal(err)
	}
}

func queue(name, cpu string) string {
	return fmt.Sprintf(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: %s}
spec: {capability: {cpu: %q}}
---`, name, cpu)
}

// pod wants a node with this label, where one is said.
func pod(name, queue, cpu, place string) string {
	selector := ""
	if place != "" {
		selector = "nodeSelector: {place: " + place + "}"
	}
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata:
  name: %s
  namespace: default
  annotations:
    scheduling.volcano.sh/queue-allocation-gate: "true"
    scheduling.volcano.sh/queue-name: %s
spec:
  schedulerName: sluice-scheduler
  %s
  containers:
  - {name: c, image: none, resources: {requests: {cpu: %q}}}
---`, name, queue, selector, cpu)
}
