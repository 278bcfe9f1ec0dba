// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// why asks the scheduler's own endpoints, with the rights of the shipped role sluice-viewer.
type why struct {
	url, ca, token string
}

// podView is a part of what /debug/sluice/pod answers.
type podView struct {
	Queue, State, Reason, Message string
	Position, Estimate            int64
	Earliest, Latest              int64
}

func (w *why) get(ctx context.Context, path string) ([]byte, error) {
	certificate, err := os.ReadFile(w.ca)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true,
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+w.token)
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s%s: %s: %.300s", w.url, path, answer.Status, body)
	}
	return body, nil
}

func (w *why) ready(ctx context.Context) error {
	_, err := w.get(ctx, "/readyz")
	return err
}

func podPath(namespace, name string) string {
	return "/debug/sluice/pod?namespace=" + url.QueryEscape(namespace) +
		"&name=" + url.QueryEscape(name)
}

func (w *why) pod(ctx context.Context, namespace, name string) (podView, error) {
	var view podView
	path := podPath(namespace, name)
	text, err := w.get(ctx, path)
	if err != nil {
		return view, err
	}
	if err := json.Unmarshal(text, &view); err != nil {
		return view, fmt.Errorf("GET %s: %w", path, err)
	}
	return view, nil
}

// String is what the scheduler says, in one sentence.
func (v podView) String() string {
	text := v.State + " in queue " + v.Queue
	if v.Reason != "" {
		text += ": " + v.Reason
	}
	if v.Message != "" {
		text += ": " + v.Message
	}
	switch {
	case v.Position == 1:
		text += "; the next of its queue"
	case v.Position > 1:
		text += fmt.Sprintf("; number %d of its queue", v.Position)
	}
	span := func(length int64) time.Duration {
		return time.Duration(length).Round(100 * time.Millisecond)
	}
	switch {
	case v.State != "waiting":
	case v.Estimate >= 0:
		text += fmt.Sprintf("; estimate: another %s", span(v.Estimate))
	case v.Latest > 0:
		text += fmt.Sprintf("; estimate: another %s to %s", span(v.Earliest), span(v.Latest))
	}
	return text
}
