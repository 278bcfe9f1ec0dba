// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Nobody listens there.
const nowhere = "https://127.0.0.1:1"

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no API server", []string{"queues"}, 5, "is it the right cluster? --kubeconfig"},
		{"nor for a Command", []string{"suspend", "team"}, 5, "is it the right cluster? --kubeconfig"},
		{"whom the question is for", []string{"queues"}, 5, "asking sluice-scheduler takes a token"},
		{"the manager", []string{"fleet"}, 5, "asking sluice-manager takes a token"},
		{"a pod", []string{"why", "pod/train-7"}, 5, "refused"},
		{"a pod with its namespace", []string{"why", "science/train-7"}, 2, "-n says in which"},
		{"a pod without a name", []string{"why", "pod/"}, 2, `"" cannot be the name of a pod`},
		{"a gang without a name", []string{"why", "podgroup/"}, 2, "the name of a podgroup"},
		{"two names", []string{"why", "workload/a/b"}, 2, `"a/b" cannot be the name of a workload`},
		{"a queue without a name", []string{"queue", ""}, 2, `"" cannot be the name of a queue`},
		{"to suspend nothing", []string{"suspend", ""}, 2, `"" cannot be the name of a queue`},
		{"to close what is no name", []string{"close", "my queue"}, 2, "want lower-case letters"},
		{"a workload of the fleet", []string{"fleet", "workload/"}, 2, "the name of a workload"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, err bytes.Buffer
			code := Main(append(c.args, "--server", nowhere), &out, &err)
			if code != c.code || !strings.Contains(err.String(), c.says) {
				t.Errorf("%v: exit code %d, want %d; said %q, want %q in it", c.args, code, c.code,
					err.String(), c.says)
			}
		})
	}
}

// An API server without sluice in it says where it was looked for.
func TestNothingInstalled(t *testing.T) {
	const missing = `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
		"reason": "NotFound", "message": "namespaces \"x\" not found"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(missing))
	}))
	defer server.Close()
	for _, c := range [][2]string{
		{"queues", "is sluice-scheduler installed in the namespace kube-system"},
		{"fleet", "is sluice-manager installed in the namespace kueue-system"},
	} {
		var out, err bytes.Buffer
		code := Main([]string{c[0], "--server", server.URL}, &out, &err)
		if code != 5 || !strings.Contains(err.String(), c[1]) {
			t.Errorf("%s: exit code %d, want 5; said %q, want %q in it", c[0], code, err.String(), c[1])
		}
	}
}
