// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
)

var upstream = sync.OnceValues(readCases)

// TestTables is the tables of Volcano's own tests.
func TestTables(t *testing.T) {
	cases, err := upstream()
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	unexplained, err := runTables(&told, cases, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(told.String())
	if unexplained > 0 {
		t.Errorf("%d cases differ, and no rule says why", unexplained)
	}
}

// TestBites shows sluice other worlds than Volcano, wrong in one way each: it is said that they end
// otherwise.
func TestBites(t *testing.T) {
	cases, err := upstream()
	if err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	queues := func(change func(queue object)) func(*upstreamCase) {
		return func(c *upstreamCase) {
			for _, queue := range c.Given.Queues {
				change(queue)
			}
		}
	}
	without := func(key string) func(*upstreamCase) {
		return queues(func(queue object) { delete(at(queue, "spec"), key) })
	}
	for name, distort := range map[string]func(*upstreamCase){
		"no ceiling":              without("capability"),
		"nothing is deserved":     without("deserved"),
		"nobody has a parent":     without("parent"),
		"no queue before another": without("priority"),
		"nobody has claims":       func(c *upstreamCase) { c.Given.ResourceClaims = nil },
		"all queues are open":     queues(func(queue object) { delete(at(queue, "status"), "state") }),
		"everybody may be a victim": func(c *upstreamCase) {
			for _, pod := range c.Given.Pods {
				delete(at(pod, "metadata"), "labels")
			}
		},
		"nobody is more important": func(c *upstreamCase) {
			c.Given.PriorityClasses = nil
		},
		"nobody reclaims": func(c *upstreamCase) { c.Actions = []string{"allocate", "enqueue"} },
	} {
		t.Run(name, func(t *testing.T) {
			var other []upstreamCase
			if err := json.Unmarshal(said, &other); err != nil {
				t.Fatal(err)
			}
			for i := range other {
				distort(&other[i])
			}
			unexplained, err := runTables(io.Discard, other, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if unexplained == 0 {
				t.Error("all cases end as before")
			}
		})
	}
}
