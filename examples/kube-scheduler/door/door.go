// SPDX-License-Identifier: Apache-2.0

// Package door bounds what may come in at a port: connections, requests under way, and the bytes of
// their bodies. Whoever may reach the port can ask; nobody can make the process hold more than a
// bound says, and who asks for much waits before who asks for little:
//
//	connections   the most at a time; beyond that the oldest one of the address that has most is
//	              closed, so that a crowd from one place keeps nobody else out
//	bodies        counted as their bytes come, and until the answer is made; an announced length
//	              counts nothing. Small ones have room of their own
//	requests      the most that are answered at a time
//
// No address has more than half of anything. What finds no room waits a while, and is then answered
// 503: an API server does then what the failurePolicy of its webhook says.
//
// Memory that a flood took goes back to the system within GiveBack after its last body.
package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Bounds of a door.
type Bounds struct {
	Requests int           // that are answered at a time
	Body     int64         // the longest one, in bytes
	Small    int64         // bytes of small bodies, and of the beginnings of large ones, at a time
	Large    int64         // bytes of large bodies at a time
	BodyTime time.Duration // in which a body must be there
	Wait     time.Duration // for room, at most
}

// smallBody is the longest body that counts as small: objects as people write them are shorter.
const smallBody = 64 << 10

// Door is what may come in at one port.
type Door struct {
	bounds   Bounds
	requests *room
	small    *room
	large    *room
	memory   memory
}

// New is a door without anybody in it.
func New(bounds Bounds) *Door {
	return &Door{bounds: bounds, requests: newRoom(int64(bounds.Requests)),
		small: newRoom(bounds.Small), large: newRoom(bounds.Large), memory: memory{give: giveBack}}
}

// Refusal is why something did not come in.
type Refusal struct {
	Status int // of HTTP
	Why    string
}

func (r *Refusal) Error() string { return r.Why }

func refuse(status int, format string, words ...any) error {
	return &Refusal{status, fmt.Sprintf(format, words...)}
}

// Enter takes the place of one request that is answered. leave gives it back; call it once.
func (d *Door) Enter(req *http.Request) (leave func(), err error) {
	who := addressOf(req)
	ctx, cancel := context.WithTimeout(req.Context(), d.bounds.Wait)
	defer cancel()
	if !d.requests.take(ctx, who, 1) {
		return nil, refuse(http.StatusServiceUnavailable,
			"more than %d requests are answered at a time here, or half of them from one address: "+
				"ask again", d.bounds.Requests)
	}
	return func() { d.requests.give(who, 1) }, nil
}

// Handler lets so many requests through at a time.
func (d *Door) Handler(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		leave, err := d.Enter(req)
		if err != nil {
			out.Header().Set("Retry-After", "1")
			http.Error(out, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer leave()
		req.Body = http.MaxBytesReader(out, req.Body, d.bounds.Body)
		inner.ServeHTTP(out, req)
	})
}

// Read reads a body. What it takes counts until done is called, which must not be forgotten, also
// after an error.
func (d *Door) Read(out http.ResponseWriter, req *http.Request) (body []byte, done func(),
	err error) {
	taken := &taking{door: d, who: addressOf(req)}
	done = taken.done
	if req.ContentLength > d.bounds.Body {
		return nil, done, d.tooLong()
	}
	connection := http.NewResponseController(out)
	// A writer that is no connection's has no deadlines.
	_ = connection.SetReadDeadline(time.Now().Add(d.bounds.BodyTime))
	reader := http.MaxBytesReader(out, req.Body, d.bounds.Body)
	for {
		if len(body) == cap(body) {
			if body, err = taken.grow(req.Context(), body); err != nil {
				return nil, done, err
			}
		}
		n, err := reader.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var long *http.MaxBytesError
		var slow net.Error
		switch {
		case err == io.EOF:
			_ = connection.SetReadDeadline(time.Time{}) // else the request would end then, too
			return body, done, nil
		case errors.As(err, &long):
			return nil, done, d.tooLong()
		case errors.As(err, &slow) && slow.Timeout():
			return nil, done, refuse(http.StatusRequestTimeout, "the body did not come within %s",
				d.bounds.BodyTime)
		case err != nil:
			return nil, done, refuse(http.StatusBadRequest, "the body cannot be read: %v", err)
		}
	}
}

func (d *Door) tooLong() error {
	return refuse(http.StatusRequestEntityTooLarge, "a body of more than %d bytes", d.bounds.Body)
}

// taking is what one body has taken.
type taking struct {
	door         *Door
	who          string
	small, large int64
}

const firstBytes = 4 << 10

// grow makes room for more of the body: twice as much. While it is copied the old one counts, too.
func (t *taking) grow(ctx context.Context, body []byte) ([]byte, error) {
	size := max(2*int64(cap(body)), firstBytes)
	size = min(size, t.door.bounds.Body+1)
	ctx, cancel := context.WithTimeout(ctx, t.door.bounds.Wait)
	defer cancel()
	into, from := t.door.small, &t.small
	if size > smallBody {
		into, from = t.door.large, &t.large
	}
	if !into.take(ctx, t.who, size) {
		return nil, refuse(http.StatusServiceUnavailable, "bodies that are under way have all of the "+
			"room that there is, or this address has half of it: send it again")
	}
	before := *from
	*from = size
	made := append(make([]byte, 0, size), body...)
	into.give(t.who, before)
	return made, nil
}

func (t *taking) done() {
	t.door.small.give(t.who, t.small)
	t.door.large.give(t.who, t.large)
	if t.large > 0 {
		t.door.memory.passed(t.large, t.door.large.empty)
	}
	t.small, t.large = 0, 0
}

func addressOf(req *http.Request) string {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		return req.RemoteAddr
	}
	return host
}
