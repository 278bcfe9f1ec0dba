// SPDX-License-Identifier: Apache-2.0

package show_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
	"sluice/plain/hostile"
)

// seen is all that the scheduler and the manager can tell of.
type seen struct {
	Queues   []ask.Queue
	Queue    ask.Queue
	Pod      ask.Pod
	Group    *ask.Group
	Workload ask.Workload
	Dispatch ask.Dispatch
	Fleet    []ask.Dispatch
	Waiting  ask.Waiting
	Children []string
	Failed   string
}

// words have a meaning of their own.
var words = []string{"", "Queue", "ClusterQueue", "Cohort", "waiting", "held", "reserved",
	"allocated", "granted", "default", "cpu", "memory", "Open", "Inactive", "Held", "closed", "open",
	"blocked", "PreemptionGated"}

// drawn is every text that there is for people, with all that was seen in it.
func drawn(s *seen) map[string]string {
	now := time.Unix(1_700_000_100, 0)
	path := show.Up(s.Queues, s.Queue.Kind, s.Queue.Name)
	if len(path) == 0 {
		path = show.Path{&s.Queue}
	}
	moment := show.Moment{Time: now, Queues: s.Queues}
	resources := show.Options{Style: show.Unicode, Resources: s.Children, Most: 2}
	view := show.ViewWaiting(&s.Queue, 1, &s.Waiting)
	rows := []show.WaitingRow{show.PendingRow(&view, s.Failed, &s.Waiting, now)}
	return map[string]string{
		"queues":  show.Forest(s.Queues, show.Options{Style: show.ASCII}),
		"some":    show.Forest(s.Queues, resources),
		"top":     moment.Picture(&show.Moment{Time: now, Queues: s.Queues}, show.Options{}),
		"broken":  moment.Broken(errors.New(s.Failed)),
		"queue":   show.One(&s.Queue, path, s.Children, &show.ASCII),
		"pod":     show.Why(&s.Pod, s.Group, path, now, &show.ASCII),
		"nowhere": show.Why(&s.Pod, nil, nil, now, &show.ASCII),
		"group": show.Gang(func() *ask.Group {
			if s.Group == nil {
				return &ask.Group{}
			}
			return s.Group
		}(), path, now, &show.ASCII),
		"workload":   show.WhyWorkload(&s.Workload, now),
		"dispatch":   show.Dispatch(&s.Dispatch, now),
		"dispatched": show.WhyDispatched(&s.Dispatch, now),
		"fleet":      show.Fleet(s.Fleet, now),
		"pending":    show.Waits(rows, true, 0),
		"narrow":     show.Waits(rows, false, 40),
		"pods":       show.Pods([]*ask.Pod{&s.Pod}, 1, 60),
	}
}

// Whatever names strangers chose: each text has the lines that it has with common names, and
// nothing in it does more than to be seen.
func TestAnyName(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	for made, many := 0, hostile.Names(t, 4000); made < many; {
		var common seen
		hostile.Fill(chance, &common, words)
		// Of which queues there is room for is not for their names to say.
		for i := range common.Queues {
			common.Queues[i].Waiting = common.Queues[i].Waiting*8 + int64(i)
		}
		named := hostile.Rename(common, func(string) string {
			made++
			return hostile.UTF8(chance)
		})
		texts := drawn(&common)
		for what, text := range drawn(&named) {
			if why := hostile.Hurts(text, strings.Count(texts[what], "\n")); why != "" {
				t.Fatalf("%s: %s\nof %s", what, why, strconv.Quote(fmt.Sprint(named)))
			}
		}
	}
}
