// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/upstream"
)

// sequenceFile names a file for the events of the KEP's sequence, for the program `draw`.
const sequenceFile = "SLUICE_SEQUENCE"

// happening is one arrow of a sequence diagram, or a note on one line of it.
type happening struct {
	At   float64 `json:"at"` // seconds since the story began
	From string  `json:"from"`
	To   string  `json:"to"`
	What string  `json:"what"`
}

// body is what was written.
func body(event *auditv1.Event) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if event.RequestObject != nil {
		_ = json.Unmarshal(event.RequestObject.Raw, &object.Object)
	}
	return object
}

// preempting are the workers whose Kueue has evicted the victim for another's sake since the story
// began, and when they did it for the first time.
func (f *fleet) preempting() map[string]time.Time {
	f.Helper()
	first := map[string]time.Time{}
	for name, c := range f.workers {
		events, err := c.Audit()
		f.must(err)
		for i := range events {
			event := &events[i]
			at := event.RequestReceivedTimestamp.Time
			if event.User.Username != upstream.User.Name || at.Before(f.began) || !isDone(event) {
				continue
			}
			evicted := condition(body(event), "Evicted")
			if evicted["status"] == "True" && evicted["reason"] == "Preempted" &&
				(first[name].IsZero() || at.Before(first[name])) {
				first[name] = at
			}
		}
	}
	return first
}

func isDone(event *auditv1.Event) bool {
	return event.ObjectRef != nil && event.ResponseStatus != nil && event.ResponseStatus.Code < 300
}

// checkPreemptions holds that these workers preempted, in this order, and no two of them within the
// timeout.
func (f *fleet) checkPreemptions(timeout time.Duration, want ...string) {
	f.Helper()
	at := f.preempting()
	var in []string
	for name := range at {
		in = append(in, name)
	}
	slices.SortFunc(in, func(a, b string) int { return at[a].Compare(at[b]) })
	if !slices.Equal(in, want) {
		f.Errorf("preempted in %v, want %v", in, want)
	}
	for i := 1; i < len(in); i++ {
		apart := at[in[i]].Sub(at[in[i-1]])
		f.tell("%s preempted %.2fs after %s", in[i], apart.Seconds(), in[i-1])
		if apart < timeout {
			f.Errorf("%s and %s preempted %s apart, want %s or more", in[i-1], in[i], apart, timeout)
		}
	}
}

// tellStory tells what was written for a Job and its workload, by whom and when.
func (f *fleet) tellStory(job, workload string) {
	f.Helper()
	var told []happening
	seen := map[happening]bool{}
	clusters := []*cluster{f.manager, f.workers["east"], f.workers["west"]}
	for _, c := range clusters {
		events, err := c.Audit()
		f.must(err)
		for i := range events {
			event := &events[i]
			if event.RequestReceivedTimestamp.Time.Before(f.began) || !isDone(event) {
				continue
			}
			for _, one := range f.meaning(c, event, job, workload) {
				if seen[one] {
					continue // a later write that says it again
				}
				seen[one] = true
				one.At = event.RequestReceivedTimestamp.Sub(f.began).Seconds()
				told = append(told, one)
			}
		}
	}
	slices.SortStableFunc(told, func(a, b happening) int {
		return int((a.At - b.At) * 1e6)
	})
	for _, one := range told {
		f.Logf("%7.3fs %-7s -> %-7s %s", one.At, one.From, one.To, one.What)
	}
	if file := os.Getenv(sequenceFile); file != "" {
		text, err := json.MarshalIndent(told, "", "  ")
		f.must(err)
		f.must(os.WriteFile(file, append(text, '\n'), 0o644))
	}
}

// meaning is what a write means in the story; the same for a write that repeats it.
func (f *fleet) meaning(c *cluster, event *auditv1.Event, job,
	workload string) (all []happening) {
	here, boss := c.Name, f.manager.Name
	say := func(from, to, what string) {
		all = append(all, happening{From: from, To: to, What: what})
	}
	what, name, written := event.ObjectRef.Resource, event.ObjectRef.Name, body(event)
	if event.ObjectRef.Subresource != "" {
		what += "/" + event.ObjectRef.Subresource
	}
	is := func(kind string) bool { return condition(written, kind)["status"] == "True" }
	action := event.Verb + " " + what
	switch by := event.User.Username; {
	case by == us.Name && here == boss && name == workload:
		raw := string(event.RequestObject.Raw)
		switch in, _, _ := unstructured.NestedString(written.Object, "status", "clusterName"); {
		case action == "patch workloads":
			for _, w := range f.workers {
				if strings.Contains(raw, " "+w.Name+",") {
					say(boss, boss, "writes down: "+w.Name+" may preempt")
				}
			}
		case in != "":
			say(boss, boss, "check Ready, clusterName "+in)
		case strings.Contains(raw, "nominatedClusterNames"):
			say(boss, boss, "nominates both workers")
		}
	case by == us.Name && here == boss && action == "update jobs/status" && name == job:
		if is("Complete") {
			say(boss, boss, "the Job is complete")
		}
	case by == us.Name && here != boss && name == workload:
		switch action {
		case "create workloads":
			gate := "without a gate"
			if gated(written) {
				gate = "gate closed"
			}
			say(boss, here, "copy of the Workload, "+gate)
		case "update workloads/status":
			say(boss, here, "opens the gate")
		case "delete workloads":
			say(boss, here, "deletes the copy")
		}
	case by == us.Name && action == "create jobs" && name == job:
		say(boss, here, "creates the Job")
	case by != upstream.User.Name || !strings.HasSuffix(what, "workloads/status"):
	case name == workload && here == boss:
		if is("QuotaReserved") {
			say(boss, boss, "quota reserved")
		}
	case name == workload:
		if is("BlockedOnPreemptionGates") {
			say(here, boss, "signals: would preempt, but is gated")
		}
		if is("Admitted") {
			say(here, boss, "admitted")
		}
		if is("Finished") {
			say(here, boss, "finished")
		}
	default:
		evicted := condition(written, "Evicted")
		if evicted["status"] == "True" && evicted["reason"] == "Preempted" {
			say(here, here, "preempts")
		}
	}
	return all
}
