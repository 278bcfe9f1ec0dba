// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const visibility = "/apis/visibility.sluice.sh/v1alpha1/namespaces/"

// tenantOf is an API server as somebody sees it who has these answers, and no right to anything
// else. What it was asked is in the log.
func tenantOf(t *testing.T, log *[]string, answers map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*log = append(*log, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		text, is := answers[strings.TrimPrefix(r.URL.Path, visibility)]
		if is {
			_, _ = w.Write([]byte(text))
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403,
			"reason": "Forbidden", "message": "%s is forbidden"}`, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var science = map[string]string{
	"science/queues": `{"items": [
		{"status": {"kind": "Queue", "name": "shared", "parent": "root", "state": "Open", "leaf": true,
			"waiting": 17}},
		{"status": {"kind": "Queue", "name": "root", "state": "Open", "waiting": 17}}]}`,
	"science/pending": `{"items": [
		{"status": {"of": "Pod", "name": "held", "namespace": "science", "queue": "shared",
			"queueKind": "Queue", "state": "held", "reason": "ForeignGate"}},
		{"status": {"of": "PodGroup", "name": "gang", "namespace": "science", "queue": "shared",
			"queueKind": "Queue", "state": "waiting", "position": 17, "minimum": 4}},
		{"status": {"of": "Pod", "name": "mine", "namespace": "science", "queue": "shared",
			"queueKind": "Queue", "state": "waiting", "position": 3, "atLeast": true}},
		{"status": {"of": "Workload", "name": "job", "namespace": "science", "queue": "local",
			"clusterQueue": "lab", "state": "waiting", "position": 2}}]}`,
	"science/pods/mine/why": `{"pod": {"name": "mine", "namespace": "science", "queue": "shared",
		"queueKind": "Queue", "state": "waiting", "reason": "QueueCapacity", "position": 17,
		"estimate": -1}, "queues": [{"kind": "Queue", "name": "shared", "parent": "root"},
		{"kind": "Queue", "name": "root"}]}`,
	"science/podgroups/gang/why": `{"group": {"name": "gang", "namespace": "science", "known": true,
		"queue": "shared", "queueKind": "Queue", "state": "waiting", "minimum": 4, "position": 17},
		"queues": [{"kind": "Queue", "name": "shared"}]}`,
	"science/workloads/job/why": `{"workload": {"name": "job", "namespace": "science",
		"queue": "local", "clusterQueue": "lab", "state": "waiting", "reason": "Preempting",
		"position": 2, "otherVictims": 3, "forOther": true}}`,
}

func TestTenant(t *testing.T) {
	for _, c := range []struct {
		args     string
		code     int
		out, err []string
	}{
		{"queues -n science SERVER", 0, []string{"root", "shared", "17"}, nil},
		{"pending -n science SERVER", 0, []string{"lab     2            science    workload/job",
			"shared  3+           science    mine", "shared  17           science    gang (gang of 4)",
			"shared  ForeignGate  science    held"}, nil},
		{"pending shared -n science -o json SERVER", 0, []string{`"place": 17`, `"reason": "ForeignGate"`,
			`"workloads": []`}, nil},
		{"why mine -n science SERVER", 0, []string{"science/mine waits in queue shared",
			"number 17 of its queue", "root > shared"}, nil},
		{"why podgroup/gang -n science SERVER", 0, []string{"group science/gang waits as one"}, nil},
		{"why workload/job -n science SERVER", 0, []string{"3 of other namespaces goes for it",
			"one of another namespace"}, nil},
		{"why theirs -n others SERVER", 4, nil, []string{
			"the role view, edit or admin of the namespace others gives it", "nor may all be asked for",
			"bind the Role sluice-viewer of kube-system"}},
		{"queues -n others SERVER", 4, nil, []string{
			"the role view, edit or admin of the namespace others"}},
		{"queues SERVER", 4, nil, []string{"bind the Role sluice-viewer of kube-system",
			"nor may it be asked about the namespace default",
			"the role view, edit or admin of the namespace default gives it"}},
		{"__complete why SERVER -n science m", 0, []string{"mine", "podgroup/gang", "workload/job"}, nil},
	} {
		t.Run(c.args, func(t *testing.T) {
			var out, err bytes.Buffer
			var log []string
			args := strings.ReplaceAll(c.args, "SERVER", "--server="+tenantOf(t, &log, science))
			code := Main(strings.Fields(args), &out, &err)
			if code != c.code {
				t.Fatalf("exit code %d, want %d: %s%s", code, c.code, out.String(), err.String())
			}
			for _, text := range c.out {
				if !strings.Contains(out.String(), text) {
					t.Errorf("%q is not in\n%s", text, out.String())
				}
			}
			for _, text := range c.err {
				if !strings.Contains(err.String(), text) {
					t.Errorf("%q is not said in\n%s", text, err.String())
				}
			}
			for _, asked := range log {
				workload := strings.Contains(c.args, "workload/") // sluice-manager is asked first
				if c.code == 0 && strings.Contains(asked, "/token") && !workload {
					t.Errorf("a token was asked for: %s", asked)
				}
			}
		})
	}
}

// Who asks about all, and may not, is told of his namespace, and that it is no more.
func TestNarrowed(t *testing.T) {
	var out, err bytes.Buffer
	var log []string
	all := map[string]string{"default/queues": science["science/queues"],
		"default/pending": science["science/pending"]}
	server := tenantOf(t, &log, all)
	for _, command := range []string{"queues", "pending"} {
		if code := Main([]string{command, "--server", server}, &out, &err); code != 0 ||
			!strings.Contains(out.String(), "shared") ||
			!strings.Contains(err.String(), "This is of the namespace default") {
			t.Errorf("%s: exit code %d: %s%s", command, code, out.String(), err.String())
		}
	}
}

// A scheduler that serves no such group is asked as it always was.
func TestNotServed(t *testing.T) {
	server := answers(t, map[string]string{"queues": mixed["queues"], "pending": mixed["pending"],
		"workloads": mixed["workloads"],
		"pod":       `{"name": "p", "namespace": "a", "queue": "lab", "state": "waiting"}`})
	for _, args := range [][]string{{"queues", "-n", "a"}, {"pending", "-n", "a"},
		{"why", "p", "-n", "a"}} {
		var out, err bytes.Buffer
		if code := Main(append(args, "--server", server), &out, &err); code != 0 ||
			!strings.Contains(out.String(), "lab") {
			t.Errorf("%v: exit code %d: %s%s", args, code, out.String(), err.String())
		}
	}
}
