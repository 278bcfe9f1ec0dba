// SPDX-License-Identifier: Apache-2.0

package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func small() Bounds {
	return Bounds{Requests: 4, Body: 1 << 20, Small: 256 << 10, Large: 8 << 20,
		BodyTime: 5 * time.Second, Wait: 50 * time.Millisecond}
}

func from(address, body string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	req.RemoteAddr = address + ":1234"
	return req
}

func statusOf(t *testing.T, err error) int {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("it is no refusal: %v", err)
	}
	return refusal.Status
}

func TestBodies(t *testing.T) {
	d := New(small())
	for _, length := range []int{0, 1, firstBytes, smallBody, smallBody + 1, 300_000, 1 << 20} {
		text := strings.Repeat("x", length)
		body, done, err := d.Read(httptest.NewRecorder(), from("10.0.0.1", text))
		if err != nil || string(body) != text {
			t.Errorf("of %d bytes %d came: %v", length, len(body), err)
		}
		done()
	}
	if !d.small.empty() || !d.large.empty() {
		t.Errorf("%d and %d bytes count still", d.small.used, d.large.used)
	}
	long := from("10.0.0.1", strings.Repeat("x", 1<<20+1))
	_, done, err := d.Read(httptest.NewRecorder(), long)
	if done(); statusOf(t, err) != http.StatusRequestEntityTooLarge {
		t.Error(err)
	}
	long = from("10.0.0.1", strings.Repeat("x", 1<<20+1))
	long.ContentLength = -1
	_, done, err = d.Read(httptest.NewRecorder(), long)
	if done(); statusOf(t, err) != http.StatusRequestEntityTooLarge {
		t.Errorf("without a length: %v", err)
	}
	if !d.small.empty() || !d.large.empty() {
		t.Error("what was refused counts still")
	}
}

// No address has more than half, and what is given back is there for others.
func TestOneAddressHasHalf(t *testing.T) {
	d := New(small())
	large := strings.Repeat("x", 1<<20)
	var held []func()
	for {
		_, done, err := d.Read(httptest.NewRecorder(), from("10.0.0.1", large))
		if err != nil {
			if done(); statusOf(t, err) != http.StatusServiceUnavailable {
				t.Fatal(err)
			}
			break
		}
		held = append(held, done)
	}
	if len(held) == 0 || len(held) > 4 {
		t.Errorf("one address has %d bodies of 1 MiB, of 8 MiB in all", len(held))
	}
	for _, who := range []string{"10.0.0.1", "10.0.0.2"} {
		_, done, err := d.Read(httptest.NewRecorder(), from(who, "small"))
		if done(); err != nil {
			t.Errorf("a small body of %s: %v", who, err)
		}
	}
	_, done, err := d.Read(httptest.NewRecorder(), from("10.0.0.2", large))
	if done(); err != nil {
		t.Errorf("a large one of another address: %v", err)
	}
	for _, done := range held {
		done()
	}
	_, done, err = d.Read(httptest.NewRecorder(), from("10.0.0.1", large))
	if done(); err != nil || !d.large.empty() {
		t.Errorf("when all was given back: %v, %d", err, d.large.used)
	}
}

func TestRequestsAtATime(t *testing.T) {
	d := New(small())
	entered, over := make(chan struct{}), make(chan struct{})
	server := d.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-over
	}))
	var under sync.WaitGroup
	for _, who := range []string{"10.0.0.1", "10.0.0.1", "10.0.0.2"} {
		under.Go(func() { server.ServeHTTP(httptest.NewRecorder(), from(who, "")) })
		<-entered
	}
	out := httptest.NewRecorder()
	if server.ServeHTTP(out, from("10.0.0.1", "")); out.Code != http.StatusServiceUnavailable ||
		out.Header().Get("Retry-After") == "" {
		t.Errorf("the third one of an address, of 4 in all: %d %s", out.Code, out.Body)
	}
	under.Go(func() { server.ServeHTTP(httptest.NewRecorder(), from("10.0.0.2", "")) })
	<-entered
	if _, err := d.Enter(from("10.0.0.3", "")); statusOf(t, err) != http.StatusServiceUnavailable {
		t.Error(err)
	}
	close(over)
	under.Wait()
	leave, err := d.Enter(from("10.0.0.3", ""))
	if err != nil {
		t.Fatal(err)
	}
	leave()
}

// Whoever finds no room waits for it.
func TestRoomIsWaitedFor(t *testing.T) {
	r := newRoom(2)
	if !r.take(t.Context(), "a", 1) {
		t.Fatal("there is no room")
	}
	var took sync.WaitGroup
	took.Go(func() {
		if !r.take(t.Context(), "a", 1) {
			t.Error("it does not get what is given back")
		}
	})
	time.Sleep(10 * time.Millisecond)
	r.give("a", 1)
	took.Wait()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if r.take(over, "a", 1) || !r.take(t.Context(), "b", 1) || r.take(over, "c", 1) {
		t.Error("more than half for one, or more than all")
	}
}

// A flood's memory is given back once, when no large body is under way any more.
func TestMemoryIsGivenBack(t *testing.T) {
	var given, quiet atomic.Int32
	m := memory{give: func() { given.Add(1) }}
	m.passed(floodBytes-1, nil)
	if m.timer != nil {
		t.Error("for less than a flood it is not worth it")
	}
	quietNow := func() bool { return quiet.Add(1) > 1 }
	m.passed(1, quietNow)
	m.passed(1, quietNow)
	for end := time.Now().Add(2 * GiveBack); given.Load() == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if given.Load() != 1 || quiet.Load() != 2 || m.bytes != 0 || m.timer != nil {
		t.Errorf("given back %d times after %d looks, %d bytes are left", given.Load(), quiet.Load(),
			m.bytes)
	}
}

// dial opens a connection from an address of this machine.
func dial(t *testing.T, local string, to net.Addr) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(local)}, Timeout: 5 * time.Second}
	conn, err := dialer.Dial("tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A crowd from one address closes its own oldest connections, and nobody else's.
func TestConnections(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bounded := Listener(inner, 4)
	server := &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(out, "here")
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(bounded) })
	defer serving.Wait()
	defer server.Close()
	asks := func(conn net.Conn) bool {
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		start := make([]byte, 12)
		_, err := io.ReadFull(conn, start)
		return err == nil && string(start) == "HTTP/1.1 200"
	}
	quiet := dial(t, "127.0.0.1", inner.Addr())
	if !asks(quiet) {
		t.Fatal("the first one is not answered")
	}
	_ = quiet.SetReadDeadline(time.Time{})
	var crowd []net.Conn
	for range 10 {
		crowd = append(crowd, dial(t, "127.0.0.2", inner.Addr()))
	}
	if !asks(crowd[9]) {
		t.Error("the newest one of the crowd is not answered")
	}
	for i, conn := range crowd[:7] {
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("connection %d of the crowd is open: %v", i, err)
		}
	}
	rest := make([]byte, 4096)
	_ = quiet.SetReadDeadline(time.Now().Add(10 * time.Second))
	for !strings.HasSuffix(string(rest), "here") {
		n, err := quiet.Read(rest)
		if err != nil {
			t.Fatalf("the first one was closed: %v", err)
		}
		rest = rest[:n]
	}
	if !asks(quiet) {
		t.Error("the first one is not answered any more")
	}
}
