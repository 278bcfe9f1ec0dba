// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"sluice/plain"
)

// What the scheduler's serve package calls them.
const (
	tokenHeader  = "Sluice-Token"
	leaderHeader = "Sluice-Ask"
)

// A Service leads to any replica, and only the leader knows what was granted. One that does not
// lead says so (421), one that has just ended does not answer, and either way it is asked again:
// with two replicas half of the questions are repeated.
const (
	leaderWait  = 50 * time.Millisecond
	leaderTries = 100
)

// question asks the leading scheduler: a path below /debug/sluice.
func (c *Cluster) question(ctx context.Context, path string, query url.Values, into any) error {
	if err := c.authorize(ctx); err != nil {
		return err
	}
	where := fmt.Sprintf("/api/v1/namespaces/%s/services/https:%s:%s/proxy/debug/sluice/%s",
		c.scheduler.Namespace, c.scheduler.Service, c.scheduler.Port, path)
	for try := 1; ; try++ {
		request := c.api.Get().AbsPath(where).SetHeader(tokenHeader, c.token).
			SetHeader(leaderHeader, "leader").MaxRetries(0)
		for name := range query {
			request = request.Param(name, query.Get(name))
		}
		var status int
		result := request.Do(ctx).StatusCode(&status)
		body, _ := result.Raw()
		err := result.Error()
		elsewhere := status == http.StatusMisdirectedRequest
		if !elsewhere && (!notReached(err) || try == leaderTries) {
			return c.understand(status, body, err, into)
		}
		if try == leaderTries {
			return &Problem{Unreachable, fmt.Errorf("no replica of %s/%s leads: look at its lease "+
				"and its log", c.scheduler.Namespace, c.scheduler.Service)}
		}
		select {
		case <-ctx.Done():
			return &Problem{Unreachable, ctx.Err()}
		case <-time.After(leaderWait):
		}
	}
}

// notReached tells whether the API server knew of a replica, and could not reach it.
func notReached(err error) bool {
	return apierrors.IsServiceUnavailable(err) && strings.Contains(err.Error(), "trying to reach")
}

// understand tells apart who answered: the scheduler has errors of its own form.
func (c *Cluster) understand(status int, body []byte, err error, into any) error {
	if err == nil {
		return read(body, into)
	}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil && said.Error != "" {
		kind := Other
		switch status {
		case http.StatusNotFound:
			kind = NotFound
		case http.StatusServiceUnavailable:
			kind = Unreachable
		}
		return &Problem{kind, errors.New(plain.Text(said.Error, plain.ConditionBytes))}
	}
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return c.hint(err)
	}
	if named := named(err); KindOf(named) != Other {
		return fmt.Errorf("service %s/%s: %w", c.scheduler.Namespace, c.scheduler.Service, named)
	}
	return err
}

// page asks for all rows of a list; T has them under its key.
func page[T any](ctx context.Context, c *Cluster, path, key string, query url.Values) ([]T, error) {
	var rows []T
	asked := url.Values{}
	for name := range query {
		asked.Set(name, query.Get(name))
	}
	for {
		var answer map[string]json.RawMessage
		if err := c.question(ctx, path, asked, &answer); err != nil {
			return nil, err
		}
		var some []T
		var from int64
		if err := json.Unmarshal(answer[key], &some); err != nil {
			return nil, fmt.Errorf("%s of /debug/sluice/%s: %w", key, path, err)
		}
		if err := json.Unmarshal(answer["from"], &from); err != nil {
			return nil, fmt.Errorf("from of /debug/sluice/%s: %w", path, err)
		}
		rows = append(rows, some...)
		if from == 0 {
			return rows, nil
		}
		asked.Set("from", fmt.Sprint(from))
	}
}
