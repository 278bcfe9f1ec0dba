// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"encoding/json"
)

// Recording is what the leading scheduler has recorded of its library's calls; NotFound where it
// records nothing.
func (c *Cluster) Recording(ctx context.Context) ([]byte, error) {
	var bytes raw
	err := c.question(ctx, "recording", nil, &bytes)
	return bytes, err
}

// raw is an answer that is no JSON.
type raw []byte

// Configuration is how the leading scheduler is configured, in the words of its args.
func (c *Cluster) Configuration(ctx context.Context) (map[string]any, error) {
	var answer struct {
		Configuration map[string]any `json:"configuration"`
	}
	err := c.question(ctx, "host", nil, &answer)
	return answer.Configuration, err
}

// read puts the body of an answer where it is wanted.
func read(body []byte, into any) error {
	if bytes, is := into.(*raw); is {
		*bytes = body
		return nil
	}
	return json.Unmarshal(body, into)
}
