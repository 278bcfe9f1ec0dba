// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"sluice/board"
)

func serve(t *testing.T) *Server {
	t.Helper()
	s, err := New(nil, nil, "here", 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestDoor: who does not know the token, comes by another name or from another page gets nothing.
func TestDoor(t *testing.T) {
	s := serve(t)
	address := s.Address()
	origin := "http://" + s.hosts[0]
	for _, one := range []struct {
		name, method, url, host, origin, contentType, body string
		want                                               int
	}{
		{name: "the page", url: address, want: http.StatusOK},
		{name: "by its other name", url: address, host: s.hosts[1], want: http.StatusOK},
		{name: "no token", url: origin + "/", want: http.StatusNotFound},
		{name: "another token", url: origin + "/" + strings.Repeat("A", 26) + "/frame",
			want: http.StatusNotFound},
		{name: "a part of the token", url: strings.TrimSuffix(address, "/")[:len(address)-4] + "/",
			want: http.StatusNotFound},
		{name: "a name that leads here", url: address, host: "evil.example",
			want: http.StatusMisdirectedRequest},
		{name: "another port", url: address, host: "127.0.0.1:1", want: http.StatusMisdirectedRequest},
		{name: "a file that is none of the page's", url: address + "go.mod", want: http.StatusNotFound},
		{name: "a deed of another page", method: http.MethodPost, url: address + "act",
			origin: "http://evil.example", contentType: "application/json", body: "{}",
			want: http.StatusForbidden},
		{name: "a deed of a form", method: http.MethodPost, url: address + "act", origin: origin,
			contentType: "text/plain", body: "{}", want: http.StatusForbidden},
		{name: "a deed of nobody", method: http.MethodPost, url: address + "act",
			contentType: "application/json", body: "{}", want: http.StatusForbidden},
		{name: "no deed", method: http.MethodPost, url: address + "act", origin: origin,
			contentType: "application/json", body: `{"queue": "Queue/q", "deed": "drop"}`,
			want: http.StatusBadRequest},
		{name: "a deed for another kind", method: http.MethodPost, url: address + "act",
			origin: origin, contentType: "application/json",
			body: `{"queue": "ClusterQueue/q", "deed": "suspend"}`, want: http.StatusBadRequest},
		{name: "a deed without end", method: http.MethodPost, url: address + "act", origin: origin,
			contentType: "application/json", body: `{"queue": "` + strings.Repeat("q", 1<<16) + `"}`,
			want: http.StatusBadRequest},
		{name: "a method", method: http.MethodDelete, url: address + "frame",
			want: http.StatusMethodNotAllowed},
	} {
		req, err := http.NewRequest(one.method, one.url, strings.NewReader(one.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = one.host
		for name, value := range map[string]string{"Origin": one.origin,
			"Content-Type": one.contentType} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != one.want {
			t.Errorf("%s: status %d, want %d: %s", one.name, answer.StatusCode, one.want, body)
		}
		for _, header := range []string{"Content-Security-Policy", "Referrer-Policy",
			"X-Content-Type-Options"} {
			if answer.Header.Get(header) == "" {
				t.Errorf("%s: no %s", one.name, header)
			}
		}
	}
}

// TestOnePage: what is served are the files of examples/board, and index.html names no others.
func TestOnePage(t *testing.T) {
	s := serve(t)
	index, err := board.Files.ReadFile("index.html")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := board.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if name != "index.html" && !strings.Contains(string(index), `"`+name+`"`) {
			t.Errorf("index.html does not name %s", name)
		}
		path := name
		if name == "index.html" {
			path = ""
		}
		answer, err := http.Get(s.Address() + path)
		if err != nil {
			t.Fatal(err)
		}
		served, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		own, _ := board.Files.ReadFile(name)
		if err != nil || string(served) != string(own) {
			t.Errorf("%s: status %d, %d bytes, want the file's %d", name, answer.StatusCode,
				len(served), len(own))
		}
	}
}
