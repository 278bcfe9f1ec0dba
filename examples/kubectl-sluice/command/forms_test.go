// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What people type for an object, as kubectl takes it.
func TestRefer(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string // as -o name has it; or what the refusal says
	}{
		{[]string{"train-7"}, "pod/train-7"},
		{[]string{"po/train-7"}, "pod/train-7"},
		{[]string{"pods", "train-7"}, "pod/train-7"},
		{[]string{"Pod/train-7"}, "pod/train-7"},
		{[]string{"podgroups.scheduling.volcano.sh/g"}, "podgroup.scheduling.volcano.sh/g"},
		{[]string{"pg", "g"}, "podgroup.scheduling.volcano.sh/g"},
		{[]string{"wl/w"}, "workload.kueue.x-k8s.io/w"},
		{[]string{"job.batch/j"}, "job.batch/j"},
		{[]string{`"a/b"`}, `pod/"a/b"`},
		{[]string{"science/train-7"}, `"science/train-7": want NAME or one of pod/NAME`},
		{[]string{"podgroups.example.com/g"}, "-n says in which namespace"},
		{[]string{"node", "n"}, `"node n": want`},
	} {
		got, err := refer(c.args, pods, podGroups, workloads, jobs)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = got.of.object(got.name)
		}
		if !strings.Contains(said, c.want) || err == nil && said != c.want {
			t.Errorf("%v: %s, want %s", c.args, said, c.want)
		}
	}
}

// The formats of -o, those of kubectl.
func TestFormats(t *testing.T) {
	server := answers(t, mixed)
	for _, c := range []struct {
		args []string
		code int
		has  string
	}{
		{[]string{"queues", "-o", "name"}, 0, "clusterqueue.kueue.x-k8s.io/lab\n"},
		{[]string{"queues", "-o", "wide"}, 0, "GRANTED  RELEASED  DEMOTED"},
		{[]string{"queues", "-o", "jsonpath={.queues[0].claims.held}"}, 0, "1"},
		{[]string{"queues", "-o", `go-template={{range .queues}}{{.name}},{{end}}`}, 0, "lab,"},
		{[]string{"queues", "-o", "jsonpath={.queues[}"}, 2, "jsonpath"},
		{[]string{"queues", "-o", "xml"}, 2, `--output is "xml", want one of wide, name, json`},
		{[]string{"queues", "--sort", "size"}, 2, `--sort is "size", want one of name, waiting, used`},
		{[]string{"pending", "-o", "name"}, 0, "pod/p\nworkload.kueue.x-k8s.io/first\n"},
		{[]string{"pending", "-o", "wide"}, 0, "KIND"},
		{[]string{"pending", "cq/lab", "--limit", "2", "-o", "name"}, 0,
			"pod/p\nworkload.kueue.x-k8s.io/first\n"},
		{[]string{"pending", "--limit", "-1"}, 2, "--limit is -1"},
		{[]string{"pending", "line/lab"}, 2, "want NAME or one of queue/NAME, clusterqueue/NAME"},
		{[]string{"why", "-l", "app=x", "p"}, 2, "want one of the two"},
		{[]string{"suspend", "lab", "--drain"}, 2, "--drain is for Kueue's queues"},
		{[]string{"close", "cq/lab"}, 2, "want NAME or one of queue/NAME"},
		{[]string{"queues", "--watch", "--interval", "1ms"}, 2, "want at least 200ms"},
	} {
		var out, err bytes.Buffer
		code := Main(append(c.args, "--server", server), &out, &err)
		if said := out.String() + err.String(); code != c.code || !strings.Contains(said, c.has) {
			t.Errorf("%v: exit code %d, want %d; said %q, want %q in it", c.args, code, c.code, said,
				c.has)
		}
		if limited := strings.Contains(strings.Join(c.args, " "), "--limit 2"); limited &&
			strings.Contains(out.String(), "second") {
			t.Errorf("%v: more than two\n%s", c.args, out.String())
		}
	}
}

// What a stranger wrote is in quotes where a template takes it out alone.
func TestTemplatesTakeOutWhatIsPlain(t *testing.T) {
	o := &options{output: "jsonpath={.a}{.b.c}"}
	var out bytes.Buffer
	view := map[string]any{"a": "as it is ", "b": map[string]any{"c": "\x1b[31mred\nforged"}}
	if err := o.write(&out, answer{view: view}); err != nil {
		t.Fatal(err)
	}
	if want := `as it is "\x1b[31mred\nforged"`; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// The first variable that is set says which characters the terminal has.
func TestLocale(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "de_DE.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.utf8"}, true},
		{map[string]string{"LANG": "de_DE@euro"}, false},
	} {
		if got := speaksUTF8(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %t, want %t", c.env, got, c.want)
		}
	}
}

// A watch says what is news, and says it once.
func TestWatchSaysNewsOnce(t *testing.T) {
	var out bytes.Buffer
	o := &options{output: asNames, out: &out, watch: &watch{}}
	for _, name := range []string{"a", "a", "b", "b", "a"} {
		if err := o.print(answer{view: name, names: []string{name}}); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != "a\nb\na\n" {
		t.Errorf("%q", out.String())
	}
}

// Kueue's queues are stopped by what they say of themselves.
func TestStopPolicies(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Content-Type") + " " + string(body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	const kueue, merge = "PATCH /apis/kueue.x-k8s.io/v1beta2/", " application/merge-patch+json "
	for _, c := range []struct {
		args  []string
		asked string
		says  string
	}{
		{[]string{"suspend", "clusterqueue/lab"},
			kueue + "clusterqueues/lab" + merge + `{"spec":{"stopPolicy":"Hold"}}`,
			"clusterqueue/lab will be suspended (stopPolicy Hold)\n"},
		{[]string{"suspend", "cq", "lab", "--drain"},
			kueue + "clusterqueues/lab" + merge + `{"spec":{"stopPolicy":"HoldAndDrain"}}`,
			"(stopPolicy HoldAndDrain)"},
		{[]string{"resume", "lq/team", "-n", "science"},
			kueue + "namespaces/science/localqueues/team" + merge + `{"spec":{"stopPolicy":"None"}}`,
			"localqueue/team resumed (stopPolicy None)\n"},
	} {
		var out, err bytes.Buffer
		code := Main(append(c.args, "--server", server.URL), &out, &err)
		if code != 0 || asked != c.asked || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v: exit code %d, asked %q, said %q %q", c.args, code, asked, out.String(),
				err.String())
		}
	}
}
