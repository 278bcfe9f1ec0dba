// SPDX-License-Identifier: Apache-2.0

// Package web serves the board (examples/board) of one cluster to one person: on the loopback,
// with the rights of who started it, which do not leave this program.
//
//	browser ──/TOKEN/frame──▶ Server ──▶ ask ──▶ API server, sluice-scheduler
//
// Whoever knows the token may look, and do what the person may. It stands in the address that is
// printed, is another one each time, and goes to nobody else: the page fetches nothing from
// elsewhere and sends no referrer. What another page makes a browser send is refused by the header
// Host, or by Origin.
package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"sluice/board"
	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// bodyBytes is the longest request: a queue and a deed.
const bodyBytes = 4 << 10

var errNoDeed = errors.New("want suspend, resume or open of a Queue, hold or release of a " +
	"ClusterQueue")

// Server answers one browser.
type Server struct {
	title    string
	token    string
	listener net.Listener
	hosts    []string
	looker   looker
	files    http.Handler
}

// New listens on the loopback; port 0 is any. The title says which cluster it is.
func New(cluster, manager *ask.Cluster, title string, port int) (*Server, error) {
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("a port for the page: %w (--port says which)", err)
	}
	_, number, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, err
	}
	return &Server{title: title, token: rand.Text(), listener: listener,
		hosts:  []string{"127.0.0.1:" + number, "localhost:" + number},
		looker: looker{cluster: cluster, manager: manager},
		files:  http.FileServerFS(board.Files)}, nil
}

// Address is what a browser opens.
func (s *Server) Address() string { return "http://" + s.hosts[0] + "/" + s.token + "/" }

// Run serves until the context ends.
func (s *Server) Run(ctx context.Context) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes: 64 << 10}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP lets in who knows the token and came here by this name.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	if !s.isHost(req.Host) {
		refuse(w, http.StatusMisdirectedRequest, fmt.Errorf("this is %s, not %s", s.hosts[0],
			plain.Name(req.Host)))
		return
	}
	token, path, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		refuse(w, http.StatusNotFound, errors.New("open the address that was printed"))
		return
	}
	switch {
	case path == "frame" && req.Method == http.MethodGet:
		s.frame(w, req)
	case path == "act" && req.Method == http.MethodPost:
		s.act(w, req)
	case req.Method == http.MethodGet || req.Method == http.MethodHead:
		http.StripPrefix("/"+s.token, s.files).ServeHTTP(w, req)
	default:
		refuse(w, http.StatusMethodNotAllowed, fmt.Errorf("method %s", req.Method))
	}
}

func (s *Server) isHost(host string) bool {
	for _, own := range s.hosts {
		if host == own {
			return true
		}
	}
	return false
}

func (s *Server) frame(w http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	frame, err := s.looker.look(req.Context(), query.Get("queue"), query.Get("claim"))
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	answer(w, http.StatusOK, &Document{Format: "sluice.sh/board/v1", Source: "cluster",
		Clock: "wall", Title: s.title, May: s.looker.allowed(req.Context()), Frames: []Frame{*frame}})
}

// act takes JSON of the page itself: a browser lets no other page send that type here unasked.
func (s *Server) act(w http.ResponseWriter, req *http.Request) {
	if origin := req.Header.Get("Origin"); origin != "http://"+req.Host ||
		req.Header.Get("Content-Type") != "application/json" {
		refuse(w, http.StatusForbidden, errors.New("only the page itself may ask for this"))
		return
	}
	var wanted struct {
		Queue string `json:"queue"`
		Deed  string `json:"deed"`
	}
	body := http.MaxBytesReader(w, req.Body, bodyBytes)
	if err := json.NewDecoder(body).Decode(&wanted); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	if err := s.looker.act(req.Context(), wanted.Queue, wanted.Deed); err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	answer(w, http.StatusOK, struct{}{})
}

func statusOf(err error) int {
	switch ask.KindOf(err) {
	case ask.Usage:
		return http.StatusBadRequest
	case ask.NotFound:
		return http.StatusNotFound
	case ask.Forbidden:
		return http.StatusForbidden
	case ask.Unreachable:
		return http.StatusServiceUnavailable
	}
	return http.StatusBadGateway
}

func refuse(w http.ResponseWriter, status int, err error) {
	answer(w, status, map[string]string{"error": plain.Text(err.Error(), plain.ConditionBytes)})
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = plain.JSON(w, value) // all that can fail is the connection
}
