// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"time"
)

// Watch is how watch events go wrong.
type Watch struct {
	Delay       time.Duration // they come so much later
	Twice       bool          // each comes twice
	DropDeletes bool          // that something is gone is not told
}

// SetWatch lets watch events go wrong from now on. What is on its way stays so long on it as it was
// to be.
func (p *Proxy) SetWatch(watch Watch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch = watch
}

// Due is when the next watch event that is held back will be let go; false: none is.
func (p *Proxy) Due() (next time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.due {
		if !ok || at < next {
			next, ok = at, true
		}
	}
	return next, ok
}

// Told is the newest version of an object of a kind that a watch has told, and when any watch told
// anything.
func (p *Proxy) Told(kind string) (version int64, last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told[kind], p.lastTold
}

func (p *Proxy) went(one event) {
	if one.kind == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[one.kind] = max(p.told[one.kind], one.version)
	p.lastTold = time.Now()
}

// stream is a watch: the events that came, each with the time at which it goes on.
//
//	API server ──▶ read() ──▶ events ──▶ Read() ──▶ client
type stream struct {
	proxy *Proxy
	from  io.ReadCloser
	rest  []byte // of the event that goes on now

	mu     sync.Mutex
	events []event
	err    error // the watch is over
	more   chan struct{}
	closed chan struct{}
	once   sync.Once
}

type event struct {
	bytes   []byte
	due     time.Duration
	kind    string
	version int64
}

func (p *Proxy) newStream(from io.ReadCloser, initial bool) *stream {
	s := &stream{
		proxy: p, from: from, more: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	go s.read(initial)
	return s
}

func (s *stream) read(initial bool) {
	decoder := json.NewDecoder(s.from)
	last := time.Duration(0)
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			s.add(event{}, err)
			return
		}
		var head struct {
			Type   string `json:"type"`
			Object struct {
				Kind     string `json:"kind"`
				Metadata struct {
					Annotations map[string]string `json:"annotations"`
					Version     string            `json:"resourceVersion"`
				} `json:"metadata"`
			} `json:"object"`
		}
		_ = json.Unmarshal(raw, &head)
		watch := s.proxy.watchNow()
		if initial {
			watch = Watch{}
		}
		if head.Type == "BOOKMARK" {
			watch.Twice = false
			_, ends := head.Object.Metadata.Annotations["k8s.io/initial-events-end"]
			initial = initial && !ends
		}
		if head.Type == "DELETED" && watch.DropDeletes {
			continue
		}
		// No event overtakes another.
		last = max(last, s.proxy.config.Now()+watch.Delay)
		one := event{bytes: append(bytes.TrimSpace(raw), '\n'), due: last}
		if head.Type != "BOOKMARK" {
			one.kind = head.Object.Kind
			one.version, _ = strconv.ParseInt(head.Object.Metadata.Version, 10, 64)
		}
		if watch.Delay == 0 && s.isEmpty() {
			one.due = 0
		}
		s.add(one, nil)
		if watch.Twice {
			s.add(one, nil)
		}
	}
}

func (p *Proxy) watchNow() Watch {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watch
}

func (s *stream) isEmpty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events) == 0
}

func (s *stream) add(one event, err error) {
	s.mu.Lock()
	if err != nil {
		s.err = err
	} else {
		s.events = append(s.events, one)
	}
	s.tell()
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// tell lets the proxy know when this stream goes on. [mu is held]
func (s *stream) tell() {
	s.proxy.mu.Lock()
	defer s.proxy.mu.Unlock()
	if len(s.events) > 0 && s.events[0].due > 0 {
		s.proxy.due[s] = s.events[0].due
	} else {
		delete(s.proxy.due, s)
	}
}

const delayTurn = 2 * time.Millisecond

// next waits for the event that goes on next.
func (s *stream) next() ([]byte, error) {
	for {
		s.mu.Lock()
		if len(s.events) > 0 && s.events[0].due <= s.proxy.config.Now() {
			one := s.events[0]
			s.events = s.events[1:]
			s.tell()
			s.mu.Unlock()
			s.proxy.went(one)
			return one.bytes, nil
		}
		waits, err := len(s.events) > 0, s.err
		s.mu.Unlock()
		if !waits && err != nil {
			return nil, err
		}
		var turn <-chan time.Time
		if waits {
			turn = time.After(delayTurn)
		}
		select {
		case <-s.closed:
			return nil, io.ErrClosedPipe
		case <-s.more:
		case <-turn:
		}
	}
}

func (s *stream) Read(to []byte) (int, error) {
	if len(s.rest) == 0 {
		next, err := s.next()
		if err != nil {
			return 0, err
		}
		s.rest = next
	}
	n := copy(to, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stream) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.mu.Lock()
		s.events = nil
		s.tell()
		s.mu.Unlock()
	})
	return s.from.Close()
}
