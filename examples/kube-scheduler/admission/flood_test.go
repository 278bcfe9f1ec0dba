// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	testclock "k8s.io/utils/clock/testing"

	"sluice/kube-scheduler/door"
	"sluice/kube-scheduler/sluice"
)

// resident is the memory that the process has from the system.
func resident() int64 {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.Sys - now.HeapReleased)
}

// attacker is a client at another address than the API server's.
func attacker(address string) *http.Transport {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Transport{DialContext: dialer.DialContext,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
}

// 60 bodies of 8 MiB at a time, and 60 of what is just let in, thrice, while others send one byte
// after the other: the memory stays below a bound and is given back, and who asks for a pod is
// answered all the while.
func TestFlood(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	clock := testclock.NewFakeClock(testStart)
	o := options(client, clock)
	o.Engine = &silent{sluice.Admission{Allow: true}}
	_, url := running(t, client, clock, o)
	ordinary := httpClient(t, client, clock)
	ordinary.Transport.(*http.Transport).DisableKeepAlives, ordinary.Timeout = false, time.Minute
	body := review(admissionv1.Create, `{"metadata": {"name": "p"}}`)
	one := func() time.Duration {
		t.Helper()
		began := time.Now()
		answer, err := ordinary.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatalf("a pod is not answered: %v", err)
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK || err != nil {
			t.Fatalf("a pod is answered %s: %s %v", answer.Status, text, err)
		}
		return time.Since(began)
	}
	median := func(count int) time.Duration {
		var times []time.Duration
		for range count {
			times = append(times, one())
			time.Sleep(5 * time.Millisecond)
		}
		slices.Sort(times)
		return times[count/2]
	}
	calm := median(50)
	runtime.GC()
	before := resident()

	let := strings.Replace(review(admissionv1.Create, `{"metadata": {"name": "PAD"}}`), "PAD",
		strings.Repeat("x", int(bounds.Body)-1024), 1)
	beyond := bytes.Repeat([]byte("x"), 8<<20)
	ctx, stop := context.WithCancel(t.Context())
	var under sync.WaitGroup
	var statuses sync.Map
	for i := range 120 {
		under.Go(func() {
			transport := attacker(fmt.Sprintf("127.0.0.%d", 2+i%2))
			defer transport.CloseIdleConnections()
			for round := 0; round < 3 && ctx.Err() == nil; round++ {
				text := io.Reader(strings.NewReader(let))
				if i%2 == 0 { // without a length: it is only known when it has come
					text = io.MultiReader(bytes.NewReader(beyond))
				}
				request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, text)
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Content-Type", "application/json")
				answer, err := transport.RoundTrip(request)
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				count, _ := statuses.LoadOrStore(answer.StatusCode, new(atomic.Int64))
				count.(*atomic.Int64).Add(1)
			}
		})
	}
	for range 40 {
		under.Go(func() { loris(ctx, url) })
	}
	peak := atomic.Int64{}
	under.Go(func() {
		for ctx.Err() == nil {
			peak.Store(max(peak.Load(), resident()))
			time.Sleep(10 * time.Millisecond)
		}
	})
	flooded := median(50)
	stop()
	under.Wait()
	ended := time.Now()

	// What the clients have is theirs: it is in the same process, and bounded too.
	const most = 320 << 20
	if grown := peak.Load() - before; grown > most {
		t.Errorf("it took %d MiB, want %d at most", grown>>20, most>>20)
	}
	var left int64
	for time.Since(ended) < 3*door.GiveBack {
		if left = resident() - before; left < 64<<20 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if left >= 64<<20 {
		t.Errorf("%d MiB are kept", left>>20)
	}
	if flooded > calm+time.Second {
		t.Errorf("a pod took %s, without the flood %s", flooded, calm)
	}
	statuses.Range(func(status, count any) bool {
		t.Logf("%v: %d", status, count.(*atomic.Int64).Load())
		return true
	})
	t.Logf("it took %d MiB at most, %d were left %s later; a pod took %s, before %s",
		(peak.Load()-before)>>20, left>>20, time.Since(ended).Round(time.Millisecond), flooded, calm)
}

// silent is an engine that keeps nothing.
type silent struct{ admission sluice.Admission }

func (s *silent) Admit(string, *sluice.Pod) (sluice.Admission, sluice.Tail, error) {
	return s.admission, sluice.Tail{}, nil
}

func (s *silent) AdmitQueue(string, *sluice.Queue) (sluice.Admission, sluice.Tail, error) {
	return s.admission, sluice.Tail{}, nil
}

func (s *silent) AdmitCommand(string, *sluice.Command) (sluice.Admission, sluice.Tail, error) {
	return s.admission, sluice.Tail{}, nil
}

func (s *silent) AdmitGroup(string, *sluice.Group) (sluice.Admission, sluice.Tail, error) {
	return s.admission, sluice.Tail{}, nil
}

// loris announces a long body, and sends a byte of it now and then, on one connection after the
// other.
func loris(ctx context.Context, url string) {
	where := strings.TrimSuffix(strings.TrimPrefix(url, "https://"), Gates)
	dialer := &tls.Dialer{NetDialer: &net.Dialer{LocalAddr: &net.TCPAddr{
		IP: net.IPv4(127, 0, 0, 4)}}, Config: &tls.Config{InsecureSkipVerify: true}}
	for ctx.Err() == nil {
		conn, err := dialer.DialContext(ctx, "tcp", where)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
			"Content-Length: 3000000\r\n\r\n", Gates)
		for ctx.Err() == nil {
			if _, err := conn.Write([]byte("x")); err != nil {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		conn.Close()
		time.Sleep(time.Second)
	}
}
