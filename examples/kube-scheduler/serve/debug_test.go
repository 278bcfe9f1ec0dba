// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

// get asks one view, and fails the test if the status is another one.
func get(tb testing.TB, h *host.Host, path string, status int) *httptest.ResponseRecorder {
	tb.Helper()
	return call(tb, h, http.MethodGet, path, status)
}

func call(tb testing.TB, h *host.Host, method, path string,
	status int) *httptest.ResponseRecorder {
	tb.Helper()
	answer := httptest.NewRecorder()
	debug{h}.ServeHTTP(answer, httptest.NewRequest(method, debugPath+path, nil))
	if answer.Code != status {
		tb.Fatalf("%s %s is answered %d, want %d:\n%s", method, path, answer.Code, status,
			answer.Body)
	}
	return answer
}

func getJSON(tb testing.TB, h *host.Host, path string) map[string]any {
	tb.Helper()
	answer := get(tb, h, path, http.StatusOK)
	if kind := answer.Header().Get("Content-Type"); kind != "application/json" {
		tb.Errorf("%s is of the type %q", path, kind)
	}
	decoder := json.NewDecoder(answer.Body)
	decoder.UseNumber()
	var decoded map[string]any
	if err := decoder.Decode(&decoded); err != nil {
		tb.Fatalf("%s is no JSON: %v", path, err)
	}
	return decoded
}

// field follows keys and indices, and is text.
func field(tb testing.TB, from any, path ...any) string {
	tb.Helper()
	for _, step := range path {
		switch at := step.(type) {
		case string:
			from = from.(map[string]any)[at]
		case int:
			from = from.([]any)[at]
		}
	}
	return fmt.Sprint(from)
}

func storyHost(tb testing.TB) *host.Host {
	h := running(tb, "1Mi")
	ok(tb)(h.Engine().ObserveQueue(&sluice.Queue{Kind: sluice.KindQueue, Name: "science",
		Capability: []sluice.Amount{{Name: "cpu", Value: 1000}}}))
	bound := waiting("first", "science")
	bound.Gates, bound.Node = nil, "node-1"
	ok(tb)(h.Engine().ObservePod(bound))
	for _, name := range []string{"second", "third"} {
		ok(tb)(h.Engine().ObservePod(waiting(name, "science")))
	}
	ok(tb)(h.Engine().ObserveGroup(&sluice.Group{UID: "uid-gang", Namespace: "default",
		Name: "gang", Created: 1_700_000_001_000_000_000, Queue: "science", MinMember: 2}))
	for _, name := range []string{"left", "right"} {
		member := waiting("gang-"+name, "science")
		member.Annotations = append(member.Annotations,
			[2]string{"scheduling.k8s.io/group-name", "gang"})
		ok(tb)(h.Engine().ObservePod(member))
	}
	return h
}

func TestViews(t *testing.T) {
	h := storyHost(t)
	for _, one := range []struct {
		path, want string
		at         []any
	}{
		{"", debugPath, []any{"below"}},
		{"", "host", []any{"views", 0, "path"}},
		{"host", "true", []any{"leads"}},
		{"host", "true", []any{"synced"}},
		{"host", "", []any{"notReady"}},
		{"host", h.Library().Manifest().Version, []any{"library", "version"}},
		{"host", "onBind", []any{"configuration", "removal"}},
		{"queues", "default", []any{"queues", 0, "name"}},
		{"queues", "science", []any{"queues", 2, "name"}},
		{"queues", "0", []any{"from"}},
		{"queues?max=1", "default", []any{"queues", 0, "name"}},
		{"queue?kind=Queue&name=science", "4", []any{"waiting"}},
		{"queue?kind=Queue&name=science", "4000", []any{"asks", "cpu"}},
		{"queue?kind=Queue&name=root", "4000", []any{"asks", "cpu"}},
		{"queue?kind=Queue&name=science", "1000", []any{"quota", 0, "ceiling"}},
		{"pod?uid=uid-third", "2", []any{"position"}},
		{"pod?namespace=default&name=second", "QueueCapacity", []any{"reason"}},
		{"pod?uid=uid-third", "science", []any{"on", "name"}},
		{"pod?uid=uid-third", "4000", []any{"on", "wanted"}},
		{"groups", "gang", []any{"groups", 0, "name"}},
		{"groups", "0", []any{"from"}},
		{"group?namespace=default&name=gang", "waiting", []any{"state"}},
		{"group?namespace=default&name=gang", "3", []any{"position"}},
		{"group?namespace=default&name=gang", "2000", []any{"on", "asked"}},
		{"group?namespace=default&name=gang", "gang-right", []any{"members", 1, "name"}},
		{"group?namespace=default&name=gang", "0", []any{"from"}},
		{"group?namespace=default&name=gang&max=1", "gang-left", []any{"members", 0, "name"}},
		{"pending?kind=Queue&name=science", "second", []any{"pods", 0, "name"}},
		{"pending?kind=Queue&name=science&max=1", "second", []any{"pods", 0, "name"}},
		{"pending?kind=Queue&name=default", "[]", []any{"pods"}},
		{"limits", "5", []any{"used", "pods"}},
		{"check", "true", []any{"ok"}},
	} {
		if got := field(t, getJSON(t, h, one.path), one.at...); got != one.want {
			t.Errorf("%s: %v is %s, want %s", one.path, one.at, got, one.want)
		}
	}
	for _, effect := range getJSON(t, h, "effects")["effects"].([]any) {
		if kind := field(t, effect, "kind"); kind != "queueStatus" && kind != "setGroupStatus" {
			t.Errorf("pods wait, and nothing is due to them but %v", effect)
		}
	}
	if bytes := field(t, getJSON(t, h, "memory"), "bytes"); len(bytes) < 4 {
		t.Errorf("the memory is %s bytes", bytes)
	}
	full, part := getJSON(t, h, "digest"), getJSON(t, h, "digest?timers=false")
	if len(field(t, full, "digest")) != 16 || field(t, full, "digest") == field(t, part, "digest") {
		t.Errorf("the digests are %v and %v", full, part)
	}
	for key := range getJSON(t, h, "memory") {
		if key != "bytes" && key != "peak" {
			t.Errorf("the memory has %q", key)
		}
	}
}

func TestPages(t *testing.T) {
	h := running(t, "0")
	const pods = 600
	for i := range pods {
		ok(t)(h.Engine().ObservePod(waiting(fmt.Sprintf("pod-%03d", i), "nowhere")))
	}
	path := "pending?kind=Queue&name=nowhere"
	if all := getJSON(t, h, path)["pods"].([]any); len(all) != pods {
		t.Errorf("%d pods are listed, want %d", len(all), pods)
	}
	seen := map[string]bool{}
	for from := "0"; ; {
		answer := getJSON(t, h, path+"&max=250&from="+from)
		rows := answer["pods"].([]any)
		if len(rows) > 250 {
			t.Fatalf("a page has %d rows", len(rows))
		}
		for i := range rows {
			seen[field(t, rows, i, "uid")] = true
		}
		if from = field(t, answer, "from"); from == "0" {
			break
		}
	}
	if len(seen) != pods {
		t.Errorf("page by page %d pods are listed, want %d", len(seen), pods)
	}
}

func TestRefusedQuestions(t *testing.T) {
	h := storyHost(t)
	long := strings.Repeat("x", 254)
	for _, one := range []struct {
		method, path string
		status       int
		says         []string
	}{
		{"GET", "nothing", 404, []string{"/debug/sluice/nothing", "no such view"}},
		{"GET", "queue/q", 404, []string{"no such view"}},
		{"POST", "queues", 405, []string{"POST", "GET"}},
		{"DELETE", "recording", 405, []string{"DELETE"}},
		{"GET", "queue", 400, []string{"kind: is missing", "name: is missing"}},
		{"GET", "queue?kind=Pod&name=x", 400, []string{"kind: ", "Pod", "ClusterQueue"}},
		{"GET", "queue?kind=Queue&name=" + long, 400, []string{"name: 254 bytes"}},
		{"GET", "queue?kind=Queue&name=x", 404, []string{`got "x"`, "was seen or named"}},
		{"GET", "queue?kind=Queue&name=%ff", 400, []string{"UTF-8"}},
		{"GET", "pending?kind=Queue&name=x", 404, []string{`got "x"`}},
		{"GET", "pod", 400, []string{"want uid, or namespace and name"}},
		{"GET", "pod?name=x", 400, []string{"want uid, or namespace and name"}},
		{"GET", "pod?uid=a&namespace=b&name=c", 400, []string{"want uid, or"}},
		{"GET", "pod?uid=" + long, 400, []string{"uid: 254 bytes"}},
		{"GET", "pod?uid=x", 404, []string{`got "x"`, "not gone"}},
		{"GET", "pod?namespace=default&name=x", 404, []string{`got "x"`}},
		{"GET", "group?namespace=default", 400, []string{"name: is missing"}},
		{"GET", "group?namespace=default&name=x", 404, []string{`got "x"`, "a group that was seen"}},
		{"GET", "queues?max=0", 400, []string{"max: ", `"0"`}},
		{"GET", "queues?max=1000000", 400, []string{"max: ", "100000"}},
		{"GET", "queues?from=-1", 400, []string{"from: ", `"-1"`}},
		{"GET", "queues?from=1.5", 400, []string{"from: ", `"1.5"`}},
		{"GET", "queues?from=1&from=2", 400, []string{"from: given 2 times"}},
		{"GET", "memory?max=1", 400, []string{"max: is no parameter"}},
		{"GET", "digest?timers=no", 400, []string{"timers: ", `"no"`}},
		{"GET", "queues?a=%zz", 400, []string{"%zz"}},
	} {
		answer := call(t, h, one.method, one.path, one.status)
		var refused struct{ Error string }
		if err := json.Unmarshal(answer.Body.Bytes(), &refused); err != nil {
			t.Errorf("%s %s is refused without JSON: %v", one.method, one.path, err)
		}
		for _, part := range one.says {
			if !strings.Contains(refused.Error, part) {
				t.Errorf("%s %s is refused with %q, want %q in it", one.method, one.path,
					refused.Error, part)
			}
		}
		if allow := answer.Header().Get("Allow"); (allow != "") != (one.status == 405) {
			t.Errorf("%s %s: the header Allow is %q", one.method, one.path, allow)
		}
	}
}

func TestAPodThatWasRefused(t *testing.T) {
	handle := newHandle()
	h := newHost(t, handle, "0")
	start(t, h, handle)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "u",
		Annotations: map[string]string{"scheduling.volcano.sh/queue-allocation-gate": "true"}},
		Spec: v1.PodSpec{SchedulerName: "default-scheduler", Containers: []v1.Container{{
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
				"cpu": resource.MustParse("-3")}}}}}}
	if _, err := handle.client.CoreV1().Pods("default").Create(context.Background(), pod,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"pod?uid=u", "pod?namespace=default&name=p"} {
		eventually(t, path+" is refused", func() bool {
			answer := httptest.NewRecorder()
			debug{h}.ServeHTTP(answer, httptest.NewRequest("GET", debugPath+path, nil))
			body := answer.Body.String()
			return answer.Code == 422 && strings.Contains(body, "pod default/p was refused: ") &&
				strings.Contains(body, "-3")
		})
	}
}

func TestBeforeTheEngineIsOpen(t *testing.T) {
	h := newHost(t, newHandle(), "1Mi")
	for i := range views {
		path := views[i].Path + map[string]string{
			"queue": "?kind=Queue&name=x", "pending": "?kind=Queue&name=x", "pod": "?uid=x",
			"group": "?namespace=x&name=y", "workload": "?namespace=x&name=y",
			"localQueue": "?namespace=x&name=y", "clusterQueue": "?name=x",
			"workloads": "?kind=ClusterQueue&name=x",
		}[views[i].Path]
		if path == "host" {
			answer := getJSON(t, h, path)
			if field(t, answer, "synced") != "false" || field(t, answer, "notReady") == "" {
				t.Errorf("the host says %v", answer)
			}
			continue
		}
		answer := get(t, h, path, http.StatusServiceUnavailable)
		if !strings.Contains(answer.Body.String(), "not open yet") {
			t.Errorf("%s is refused with %s", path, answer.Body)
		}
	}
}

func TestRecording(t *testing.T) {
	get(t, running(t, "0"), "recording", http.StatusNotFound)

	h := running(t, "1Mi")
	for i := range 2000 {
		ok(t)(h.Engine().ObservePod(waiting(fmt.Sprint(i), "nowhere")))
	}
	answer := get(t, h, "recording", http.StatusOK)
	whole := answer.Body.String()
	if len(whole) < 200<<10 {
		t.Fatalf("the recording has %d bytes, too few for 2000 pods", len(whole))
	}
	if kind := answer.Header().Get("Content-Type"); kind != "application/octet-stream" {
		t.Errorf("the recording is of the type %q", kind)
	}
	if full := answer.Header().Get("Sluice-Recording-Full"); full != "false" {
		t.Errorf("the recording is full: %q", full)
	}
	if !strings.Contains(whole[:64], "open") || !strings.Contains(whole, "uid-1999") {
		t.Error("the recording lacks its first or its last call")
	}
	part := get(t, h, "recording?from=1000&max=100000", http.StatusOK).Body.String()
	if part != whole[1000:101000] {
		t.Errorf("a part of %d bytes is not that of the whole", len(part))
	}
	if end := get(t, h, "recording?from=4000000", http.StatusOK).Body.Len(); end != 0 {
		t.Errorf("there are %d bytes behind the end", end)
	}
}
