// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config is what a proxy needs.
type Config struct {
	Target    string            // https://127.0.0.1:6443
	Transport http.RoundTripper // reaches the target and trusts it; carries no identity of its own

	// Now is the time by which watch events are delayed; nil: the time since the proxy started.
	Now func() time.Duration
	// Asked hears of every request that writes, before anything becomes of it; nil: nobody.
	Asked func(*Request)
	// Note hears of every request that is over, but for watches; nil: nobody.
	Note func(*Request)
}

// Proxy passes requests on to an API server, unless a rule says otherwise.
type Proxy struct {
	config   Config
	server   *http.Server
	listener net.Listener
	reverse  *httputil.ReverseProxy
	ca       []byte

	underWay atomic.Int64

	mu    sync.Mutex
	rules []*Rule
	watch Watch
	due   map[*stream]time.Duration // when the next event of a stream is due

	told     map[string]int64 // by kind: the newest version that a watch has told
	lastTold time.Time
}

// Start begins to serve on a port of its own.
func Start(config Config) (*Proxy, error) {
	target, err := url.Parse(config.Target)
	if err != nil {
		return nil, fmt.Errorf("the target %q is no URL: %w", config.Target, err)
	}
	certificate, key, err := SelfSigned("faults")
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if config.Now == nil {
		start := time.Now()
		config.Now = func() time.Duration { return time.Since(start) }
	}
	quiet := log.New(io.Discard, "", 0)
	p := &Proxy{
		config: config, listener: listener, ca: certificate,
		due: map[*stream]time.Duration{}, told: map[string]int64{},
	}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = target.Host
		},
		Transport:      config.Transport,
		FlushInterval:  -1,
		ModifyResponse: p.answered,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) {
			if r.Context().Err() == nil {
				refuse(w, http.StatusServiceUnavailable)
			}
		},
		ErrorLog: quiet,
	}
	p.server = &http.Server{
		Handler: p,
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12,
		},
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          quiet,
	}
	go func() { _ = p.server.ServeTLS(listener, "", "") }()
	return p, nil
}

// URL is where the proxy serves.
func (p *Proxy) URL() string { return "https://" + p.listener.Addr().String() }

// CA is the certificate that a client must trust, in PEM.
func (p *Proxy) CA() []byte { return p.ca }

// Close ends it, with all that passes through it.
func (p *Proxy) Close() error { return p.server.Close() }

// UnderWay is how many requests that write, leases and events apart, have not been answered yet.
func (p *Proxy) UnderWay() int64 { return p.underWay.Load() }

// SetRules replaces all rules.
func (p *Proxy) SetRules(rules ...*Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = rules
}

func (p *Proxy) ruleFor(request *Request) *Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, rule := range p.rules {
		if rule.take(request) {
			return rule
		}
	}
	return nil
}

type key struct{}

// pass is a request on its way.
type pass struct {
	request *Request
	rule    *Rule
	initial bool // a watch that begins with what is there
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := understand(r)
	if request.Writes() && request.Resource != "leases" && request.Resource != "events" {
		p.underWay.Add(1)
		defer p.underWay.Add(-1)
	}
	if request.Writes() && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		request.Body = body
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
	}
	if request.Writes() && p.config.Asked != nil {
		p.config.Asked(request)
	}
	rule := p.ruleFor(request)
	if rule != nil && rule.Hang > 0 && !sleep(r.Context(), rule.Hang) {
		return
	}
	if rule != nil && rule.Answer != 0 {
		request.Refused = true
		p.note(request)
		refuse(w, rule.Answer)
		return
	}
	acceptJSON(r.Header)
	on := &pass{
		request: request, rule: rule,
		initial: r.URL.Query().Get("sendInitialEvents") == "true",
	}
	p.reverse.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, on)))
}

func sleep(ctx context.Context, length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// acceptJSON leaves no other form to the API server.
func acceptJSON(header http.Header) {
	var kept []string
	for _, each := range strings.Split(header.Get("Accept"), ",") {
		each = strings.TrimSpace(each)
		if each != "" && !strings.Contains(each, "protobuf") && !strings.Contains(each, "cbor") {
			kept = append(kept, each)
		}
	}
	if len(kept) == 0 {
		kept = []string{"application/json"}
	}
	header.Set("Accept", strings.Join(kept, ","))
	header.Set("Accept-Encoding", "identity")
}

func (p *Proxy) note(request *Request) {
	if p.config.Note != nil {
		p.config.Note(request)
	}
}

// answered sees the API server's answer before the client does.
func (p *Proxy) answered(answer *http.Response) error {
	on, ok := answer.Request.Context().Value(key{}).(*pass)
	if !ok {
		return nil
	}
	on.request.Status = answer.StatusCode
	if on.request.Verb == "watch" && on.request.Done() {
		answer.Body = p.newStream(answer.Body, on.initial)
		return nil
	}
	if on.request.Writes() {
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		answer.Body.Close()
		on.request.Answer = body
		answer.Body = io.NopCloser(bytes.NewReader(body))
	}
	on.request.Lost = on.rule != nil && on.rule.Lose
	p.note(on.request)
	if on.request.Lost {
		panic(http.ErrAbortHandler)
	}
	return nil
}
