// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server stands in for the API server: it counts, and its watches say what they are told.
type server struct {
	*httptest.Server
	asked  atomic.Int64
	accept atomic.Value
	events chan string
}

func newServer(t *testing.T) *server {
	s := &server{events: make(chan string, 16)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.accept.Store(r.Header.Get("Accept"))
		if r.URL.Query().Get("watch") != "true" {
			fmt.Fprintf(w, `{"did": %q}`, r.Method)
			return
		}
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for {
			select {
			case event := <-s.events:
				fmt.Fprintln(w, event)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

type notes struct {
	mu   sync.Mutex
	list []*Request
}

func (n *notes) add(r *Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, r)
}

func (n *notes) last() *Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.list[len(n.list)-1]
}

func start(t *testing.T, config Config) (*Proxy, *http.Client) {
	t.Helper()
	proxy, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(proxy.CA())
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
	}}
	t.Cleanup(client.CloseIdleConnections)
	return proxy, client
}

func ask(t *testing.T, client *http.Client, method, url string) (int, string, error) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(`{"a": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/vnd.kubernetes.protobuf,application/json")
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

const podPath = "/api/v1/namespaces/default/pods/p"

func TestWithoutRulesAllPasses(t *testing.T) {
	server, noted := newServer(t), &notes{}
	proxy, client := start(t, Config{Target: server.URL, Note: noted.add})
	status, body, err := ask(t, client, http.MethodPatch, proxy.URL()+podPath+"/status")
	if err != nil || status != 200 || body != `{"did": "PATCH"}` {
		t.Fatalf("got %d %q %v, want the server's answer", status, body, err)
	}
	got := noted.last()
	if got.Verb != "patch" || got.Resource != "pods" || got.Subresource != "status" ||
		got.Namespace != "default" || got.Name != "p" || string(got.Body) != `{"a": 1}` ||
		string(got.Answer) != body || !got.Done() {
		t.Errorf("noted %+v", got)
	}
	if accept := server.accept.Load(); accept != "application/json" {
		t.Errorf("the server was asked for %v, want application/json alone", accept)
	}
}

func TestRulesRefuseWhatTheyMatch(t *testing.T) {
	server, noted := newServer(t), &notes{}
	proxy, client := start(t, Config{Target: server.URL, Note: noted.add})
	rule := &Rule{Verb: "patch", Resource: "pods", Subresource: "-", Answer: 409, Times: 2}
	proxy.SetRules(rule)
	for i, want := range []struct {
		method, path string
		status       int
	}{
		{http.MethodPatch, podPath + "/status", 200},
		{http.MethodPatch, podPath, 409},
		{http.MethodPut, podPath, 200},
		{http.MethodPatch, podPath, 409},
		{http.MethodPatch, podPath, 200},
	} {
		status, body, err := ask(t, client, want.method, proxy.URL()+want.path)
		if err != nil || status != want.status {
			t.Errorf("request %d: got %d %v, want %d", i, status, err, want.status)
		}
		if status == 409 && !strings.Contains(body, `"reason":"Conflict"`) {
			t.Errorf("request %d is refused with %s, want a Status as the API server's", i, body)
		}
	}
	if rule.Acted() != 2 || server.asked.Load() != 3 {
		t.Errorf("the rule acted %d times and the server was asked %d times, want 2 and 3",
			rule.Acted(), server.asked.Load())
	}
}

func TestALostAnswerWasCarriedOut(t *testing.T) {
	server, noted := newServer(t), &notes{}
	proxy, client := start(t, Config{Target: server.URL, Note: noted.add})
	proxy.SetRules(&Rule{Verb: "create", Subresource: "binding", Lose: true})
	if _, body, err := ask(t, client, http.MethodPost, proxy.URL()+podPath+"/binding"); err == nil {
		t.Fatalf("the answer %q came", body)
	}
	if got := noted.last(); server.asked.Load() != 1 || !got.Lost || !got.Done() {
		t.Errorf("the server was asked %d times, noted %+v", server.asked.Load(), got)
	}
}

func TestHangingLasts(t *testing.T) {
	server := newServer(t)
	proxy, client := start(t, Config{Target: server.URL})
	proxy.SetRules(&Rule{Verb: "get", Hang: 80 * time.Millisecond})
	proxy.SetRules(&Rule{Hang: 80 * time.Millisecond})
	written := make(chan error, 1)
	go func() {
		_, _, err := ask(t, client, http.MethodPut, proxy.URL()+podPath)
		written <- err
	}()
	for deadline := time.Now().Add(5 * time.Second); proxy.UnderWay() != 1; {
		if time.Now().After(deadline) {
			t.Fatal("what hangs is not under way")
		}
		time.Sleep(time.Millisecond)
	}
	if err := <-written; err != nil || proxy.UnderWay() != 0 {
		t.Errorf("%d are under way when all is answered: %v", proxy.UnderWay(), err)
	}
	began := time.Now()
	status, _, err := ask(t, client, http.MethodGet, proxy.URL()+podPath)
	if took := time.Since(began); err != nil || status != 200 || took < 80*time.Millisecond {
		t.Errorf("got %d %v after %v, want 200 after 80ms", status, err, took)
	}
}

func TestUnderstand(t *testing.T) {
	for _, each := range []struct{ method, url, want string }{
		{"GET", "/api/v1/pods?watch=true", "watch  pods   "},
		{"GET", "/api/v1/nodes/n", "get  nodes   n"},
		{"GET", "/apis/kueue.x-k8s.io/v1beta2/cohorts", "list kueue.x-k8s.io cohorts   "},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l",
			"update coordination.k8s.io leases  kube-system l"},
		{"POST", "/api/v1/namespaces/a/pods/p/binding", "create  pods binding a p"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update  namespaces finalize  a"},
		{"DELETE", "/api/v1/namespaces/a", "delete  namespaces   a"},
		{"DELETE", "/api/v1/nodes", "deletecollection  nodes   "},
		{"GET", "/readyz", "get     "},
	} {
		from := httptest.NewRequest(each.method, each.url, nil)
		r := understand(from)
		got := strings.Join([]string{
			r.Verb, r.Group, r.Resource, r.Subresource, r.Namespace, r.Name,
		}, " ")
		if got != each.want {
			t.Errorf("%s %s is %q, want %q", each.method, each.url, got, each.want)
		}
	}
}

// watching opens a watch, and hands out its events line by line.
func watching(t *testing.T, client *http.Client, url string) <-chan string {
	t.Helper()
	answer, err := client.Get(url + "/api/v1/pods?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := make(chan string, 16)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(answer.Body)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines
}

func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(5 * time.Second):
		t.Fatal("no event comes")
		return ""
	}
}

func TestWatchEventsComeLaterTwiceOrNever(t *testing.T) {
	server := newServer(t)
	var now atomic.Int64
	proxy, client := start(t, Config{
		Target: server.URL, Now: func() time.Duration { return time.Duration(now.Load()) },
	})
	lines := watching(t, client, proxy.URL())
	server.events <- `{"type":"ADDED","object":1}`
	if got := next(t, lines); got != `{"type":"ADDED","object":1}` {
		t.Fatalf("got %s", got)
	}

	proxy.SetWatch(Watch{Twice: true, DropDeletes: true})
	server.events <- `{"type":"DELETED","object":2}`
	server.events <- `{"type":"MODIFIED","object":3}`
	for range 2 {
		if got := next(t, lines); got != `{"type":"MODIFIED","object":3}` {
			t.Fatalf("got %s", got)
		}
	}

	proxy.SetWatch(Watch{Delay: time.Minute})
	server.events <- `{"type":"ADDED","object":4}`
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		if due, ok := proxy.Due(); ok {
			if due != time.Minute {
				t.Fatalf("it is due at %v, want 1m", due)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing is held back")
		}
	}
	proxy.SetWatch(Watch{})
	server.events <- `{"type":"ADDED","object":5}`
	select {
	case got := <-lines:
		t.Fatalf("%s came before its time", got)
	case <-time.After(50 * time.Millisecond):
	}
	now.Store(int64(time.Minute))
	for _, want := range []string{`{"type":"ADDED","object":4}`, `{"type":"ADDED","object":5}`} {
		if got := next(t, lines); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if due, ok := proxy.Due(); ok {
		t.Errorf("something is due at %v still", due)
	}
}

func TestToldIsWhatWentOn(t *testing.T) {
	server := newServer(t)
	var now atomic.Int64
	proxy, client := start(t, Config{
		Target: server.URL, Now: func() time.Duration { return time.Duration(now.Load()) },
	})
	lines := watching(t, client, proxy.URL())
	pod := func(kind, version string) string {
		return `{"type":"` + kind + `","object":{"kind":"Pod","metadata":{"resourceVersion":"` +
			version + `"}}}`
	}
	told := func(want int64) {
		t.Helper()
		if got, _ := proxy.Told("Pod"); got != want {
			t.Errorf("version %d was told, want %d", got, want)
		}
	}
	server.events <- pod("ADDED", "7")
	next(t, lines)
	told(7)
	server.events <- pod("BOOKMARK", "9")
	next(t, lines)
	told(7)
	if other, last := proxy.Told("Node"); other != 0 || time.Since(last) > 10*time.Second {
		t.Errorf("of another kind %d was told, the last %v ago", other, time.Since(last))
	}
	proxy.SetWatch(Watch{Delay: time.Minute})
	server.events <- pod("MODIFIED", "12")
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, ok := proxy.Due(); ok {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing is held back")
		}
	}
	told(7)
	now.Store(int64(time.Minute))
	next(t, lines)
	told(12)
}
