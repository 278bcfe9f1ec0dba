// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// debug asks a scheduler's endpoints, as an admin.
type debug struct {
	url, token string
	client     *http.Client
}

func newDebug(url, token string, ca []byte) *debug {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &debug{url: url, token: token, client: &http.Client{
		Timeout:   oneWrite,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
	}}
}

func (d *debug) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+d.token)
	answer, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %d: %.300s", path, answer.StatusCode, body)
	}
	return body, err
}

func (d *debug) ask(ctx context.Context, what string, query url.Values, into any) error {
	body, err := d.get(ctx, "/debug/sluice/"+what+"?"+query.Encode())
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// leads tells whether this replica may write.
func (d *debug) leads(ctx context.Context) (bool, error) {
	var host struct{ Leads, Synced bool }
	err := d.ask(ctx, "host", nil, &host)
	return host.Leads && host.Synced, err
}

// isIdle says what the engine still holds, or has to do, although all pods have ended.
func (d *debug) isIdle(ctx context.Context, queue string) error {
	var q struct {
		Waiting, Held, Reserved, Allocated int64
		Quota                              []struct {
			Resource                   string
			Usage, Reserved, Allocated int64
		}
	}
	err := d.ask(ctx, "queue", url.Values{"kind": {"Queue"}, "name": {queue}}, &q)
	if err != nil {
		return err
	}
	var problems []error
	if claims := q.Waiting + q.Held + q.Reserved + q.Allocated; claims != 0 {
		problems = append(problems, fmt.Errorf("queue %s has %d claims waiting, %d held, "+
			"%d reserved, %d allocated, want none", queue, q.Waiting, q.Held, q.Reserved,
			q.Allocated))
	}
	for _, one := range q.Quota {
		if one.Usage != 0 || one.Reserved != 0 || one.Allocated != 0 {
			problems = append(problems, fmt.Errorf("queue %s: of %s %d are used, %d reserved, "+
				"%d allocated, want 0", queue, one.Resource, one.Usage, one.Reserved,
				one.Allocated))
		}
	}
	var outbox struct{ Effects []any }
	if err := d.ask(ctx, "effects", nil, &outbox); err != nil {
		return err
	}
	if n := len(outbox.Effects); n > 0 {
		problems = append(problems, fmt.Errorf("%d effects are left, such as %v", n,
			outbox.Effects[0]))
	}
	return errors.Join(append(problems, d.check(ctx))...)
}

// check asks the engine about its invariants.
func (d *debug) check(ctx context.Context) error {
	var answer struct {
		OK     bool
		Broken string
	}
	if err := d.ask(ctx, "check", nil, &answer); err != nil {
		return err
	}
	if !answer.OK {
		return fmt.Errorf("the engine's invariant does not hold: %s", answer.Broken)
	}
	return nil
}

// podAnswer is what the engine says about one pod.
type podAnswer struct {
	State, Reason, Message, Queue string
}

func (d *debug) pod(ctx context.Context, name string) (p podAnswer, err error) {
	err = d.ask(ctx, "pod", url.Values{"namespace": {space}, "name": {name}}, &p)
	return p, err
}

// awaitTrue waits until the problem is none, and returns the last one when that takes too long.
func awaitTrue(ctx context.Context, atMost time.Duration, look func(context.Context) error) error {
	for end := time.Now().Add(atMost); ; pause(ctx, lookTurn) {
		problem := look(ctx)
		if problem == nil || ctx.Err() != nil || time.Now().After(end) {
			return problem
		}
	}
}
