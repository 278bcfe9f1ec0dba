// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"sluice/plain/hostile"
)

// What programs get means exactly what was said, and does nothing to a terminal all the same.
func TestAnyNameForPrograms(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 6))
	for range hostile.Names(t, 4000) / 4 {
		said := map[string]any{
			resourceOf(chance): []any{hostile.UTF8(chance), float64(7), nil},
			"odd-0-":           hostile.UTF8(chance),
			"plain":            map[string]any{"name": hostile.UTF8(chance)},
		}
		for _, output := range []string{"json", "yaml"} {
			var out bytes.Buffer
			o := &options{output: output, out: &out}
			if err := o.print(answer{view: said}); err != nil {
				t.Fatal(err)
			}
			if why := hostile.Hurts(out.String(), strings.Count(out.String(), "\n")); why != "" {
				t.Fatalf("%s: %s", output, why)
			}
			var back map[string]any
			read := json.Unmarshal
			if output == "yaml" {
				read = func(text []byte, into any) error { return yaml.Unmarshal(text, into) }
			}
			if err := read(out.Bytes(), &back); err != nil || !reflect.DeepEqual(back, said) {
				t.Fatalf("%s: %v: it says %q, want %q, in\n%s", output, err, back, said, out.String())
			}
		}
	}
}

// resourceOf is the name of one, which is the key of a map, and so never long.
func resourceOf(chance *rand.Rand) string {
	return strings.ToValidUTF8(fmt.Sprintf("%.60s", hostile.UTF8(chance)), "")
}

// Who copies a name from what is shown asks about that one: pods may name a queue that no object
// can be called like.
func TestWhatIsShownIsUnderstood(t *testing.T) {
	const odd = "a\x1b[31m b\n"
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"kind": "TokenRequest", "status": {"token": "t"}}`))
		case strings.HasSuffix(r.URL.Path, "/queues"), strings.HasSuffix(r.URL.Path, "/pending"):
			name, _ := json.Marshal(odd)
			asked += r.URL.Query().Get("name")
			_, _ = w.Write([]byte(`{"from": 0, "pods": [], "queues": [{"kind": "Queue", "leaf": true,
				"waiting": 1, "name": ` + string(name) + `}]}`))
		default:
			asked += r.URL.Query().Get("name")
			_, _ = w.Write([]byte(`{"error": "queue \u001b[31m\nis not known"}`))
		}
	}))
	defer server.Close()
	for _, args := range [][]string{{"queue", `"a\x1b[31m b\n"`}, {"pending", `"a\x1b[31m b\n"`},
		{"queues", "--below", `"a\x1b[31m b\n"`}} {
		var out, err bytes.Buffer
		asked = ""
		code := Main(append(args, "--server", server.URL), &out, &err)
		for _, text := range []string{out.String(), err.String()} {
			if why := hostile.Hurts(text, strings.Count(text, "\n")); why != "" {
				t.Errorf("%v: %s", args, why)
			}
		}
		if code != 0 || args[0] != "queues" && asked != odd {
			t.Errorf("%v: exit code %d, asked about %q, said %s%s", args, code, asked, out.String(),
				err.String())
		}
	}
	for _, args := range [][]string{{"queue", `"a`}, {"pending", `"a"b`}, {"queue", `""`},
		{"queues", "--below", `"\q"`}, {"queue", "a b"}} {
		var out, err bytes.Buffer
		if code := Main(append(args, "--server", server.URL), &out, &err); code != 2 {
			t.Errorf("%v: exit code %d, said %s, want 2", args, code, err.String())
		}
	}
}
