// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"net/url"
	"strings"
	"time"
)

// Eviction is an event: who had to go, when, and for whom, in words.
type Eviction struct {
	Time            time.Time
	Kind            string
	Namespace, Name string
	Message         string
}

// evictionsMost is how many are asked for; the API server keeps them for an hour.
const evictionsMost = "500"

// Evictions are those that the API server still has events of.
func (c *Cluster) Evictions(ctx context.Context) ([]Eviction, error) {
	var list struct {
		Items []struct {
			About struct {
				Kind      string `json:"kind"`
				Namespace string `json:"namespace"`
				Name      string `json:"name"`
			} `json:"involvedObject"`
			Message string    `json:"message"`
			Time    time.Time `json:"eventTime"`
			Last    time.Time `json:"lastTimestamp"`
		} `json:"items"`
	}
	query := url.Values{"fieldSelector": {"reason=Preempted"}, "limit": {evictionsMost}}
	if err := c.get(ctx, "/api/v1/events", query, &list); err != nil {
		return nil, err
	}
	all := make([]Eviction, 0, len(list.Items))
	for i := range list.Items {
		item := &list.Items[i]
		at := item.Last
		if at.IsZero() {
			at = item.Time
		}
		all = append(all, Eviction{Time: at, Kind: strings.ToLower(item.About.Kind),
			Namespace: item.About.Namespace, Name: item.About.Name, Message: item.Message})
	}
	return all, nil
}
