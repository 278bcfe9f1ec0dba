// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// debug reads the endpoints of the scheduler, as an admin.
type debug struct {
	url    string
	token  string
	client *http.Client
}

func newDebug(url, token string, ca []byte) *debug {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &debug{url: url, token: token, client: &http.Client{
		Timeout: 20 * time.Second,
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 4,
		},
	}}
}

func (d *debug) get(ctx context.Context, path string) (io.ReadCloser, int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+path, nil)
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Authorization", "Bearer "+d.token)
	answer, err := d.client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	return answer.Body, answer.StatusCode, nil
}

// answer is what the engine says about something; nil: it does not know it.
type answer map[string]any

func (a answer) text(key, otherwise string) string {
	if text, ok := a[key].(string); ok {
		return text
	}
	return otherwise
}

func (a answer) number(key string) int64 {
	number, ok := a[key].(json.Number)
	if !ok {
		return 0
	}
	n, _ := number.Int64()
	return n
}

func (a answer) truth(key string) bool {
	truth, _ := a[key].(bool)
	return truth
}

// ask asks /debug/sluice/WHAT.
func (d *debug) ask(ctx context.Context, what string, query url.Values) (answer, error) {
	path := "/debug/sluice/" + what
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	body, status, err := d.get(ctx, path)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	switch {
	case query != nil && (status == http.StatusNotFound ||
		status == http.StatusUnprocessableEntity): // the engine does not know it, or cannot use it
		return nil, nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("%s: %d %.200s", path, status, text)
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var found answer
	if err := decoder.Decode(&found); err != nil {
		return nil, fmt.Errorf("%s: %w: %.200s", path, err, text)
	}
	return found, nil
}

// metrics are all samples of /metrics.
type metrics map[string]float64

var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})? ([0-9.eE+-]+)`)

func (d *debug) metrics(ctx context.Context) (metrics, error) {
	body, status, err := d.get(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if status != http.StatusOK {
		return nil, fmt.Errorf("/metrics: %d", status)
	}
	found := metrics{}
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if part := sample.FindStringSubmatch(lines.Text()); part != nil {
			value, _ := strconv.ParseFloat(part[3], 64)
			found[part[1]+part[2]] = value
		}
	}
	return found, lines.Err()
}

// pending is how many pods are in one of the scheduler's queues.
func (m metrics) pending(queue string) float64 {
	return m[`scheduler_pending_pods{queue="`+queue+`"}`]
}

// unknownAcks is how many acknowledgements the library could not place.
func (m metrics) unknownAcks() (int64, bool) {
	for name, value := range m {
		if strings.HasPrefix(name, "sluice_") && strings.Contains(name, "unknown") &&
			strings.Contains(name, "ack") {
			return int64(value), true
		}
	}
	return 0, false
}
