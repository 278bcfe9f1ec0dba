// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// answers is an API server that proxies to a scheduler which says this of each view.
func answers(t *testing.T, views map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, view, is := strings.Cut(r.URL.Path, "/debug/sluice/")
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"kind": "TokenRequest", "apiVersion":
				"authentication.k8s.io/v1", "status": {"token": "t"}}`))
		case is && views[view] != "":
			_, _ = w.Write([]byte(views[view]))
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error": "there is no such view"}`))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var mixed = map[string]string{
	"queues": `{"from": 0, "queues": [{"kind": "ClusterQueue", "name": "lab", "leaf": true,
		"known": true, "state": "Open", "waiting": 3, "held": 1, "reserved": 1, "allocated": 2}]}`,
	"pending": `{"from": 0, "pods": [{"namespace": "a", "name": "p"}]}`,
	"workloads": `{"from": 0, "workloads": [
		{"namespace": "a", "name": "first", "state": "waiting", "position": 1, "priority": 7},
		{"namespace": "b", "name": "second", "state": "waiting", "position": 2},
		{"namespace": "b", "name": "third", "state": "held"}]}`,
}

func TestPendingListsWorkloads(t *testing.T) {
	for _, c := range []struct {
		views map[string]string
		args  []string
		has   []string
		not   []string
	}{
		{mixed, nil, []string{"lab    1      a          p", "workload/first", "workload/second"},
			[]string{"third"}},
		{mixed, []string{"-o", "json"}, []string{`"workloads": [`, `"first"`, `"pods": [`}, nil},
		{map[string]string{"queues": mixed["queues"], "pending": mixed["pending"]}, nil,
			[]string{"p"}, []string{"workload/"}},
	} {
		var out, err bytes.Buffer
		code := Main(append([]string{"pending", "--server", answers(t, c.views)}, c.args...), &out, &err)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, err.String())
		}
		for _, text := range c.has {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%v: %q is not in\n%s", c.args, text, out.String())
			}
		}
		for _, text := range c.not {
			if strings.Contains(out.String(), text) {
				t.Errorf("%v: %q is in\n%s", c.args, text, out.String())
			}
		}
	}
}
