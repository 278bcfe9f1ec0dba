// SPDX-License-Identifier: Apache-2.0

package show

import (
	"testing"
	"time"

	"sluice/kubectl-sluice/ask"
)

var fleetNow = time.Unix(1_700_000_100, 0)

func ago(seconds int64) int64 {
	return fleetNow.Add(-time.Duration(seconds) * time.Second).UnixNano()
}

func aDispatch() *ask.Dispatch {
	return &ask.Dispatch{Namespace: "science", Name: "job-train", Known: true, State: "Dispatched",
		Message: "east may preempt next, in 4m", Timeout: int64(5 * time.Minute), Opened: ago(60),
		Acts: ago(-240), Copies: 2, Signals: 1, Open: 1, Replicas: []ask.Copy{
			{Cluster: "east", UID: "e", Connected: true, Nominated: true, There: true, Gate: "closed",
				Signal: ago(30)},
			{Cluster: "north", Nominated: true, Gate: "none"},
			{Cluster: "west", UID: "w", Connected: true, Nominated: true, There: true, Gate: "open",
				Opened: ago(61)},
		}}
}

func TestAWorkloadOverItsClusters(t *testing.T) {
	const want = `science/job-train: Dispatched
  east may preempt next, in 4m
  one cluster at a time may preempt for it, for 5m0s

CLUSTER  CONNECTED  COPY           GATE    SIGNALS SINCE  OPENED
east     yes        would preempt  closed  30s            -
north    no         none           none    -              -
west     yes        may preempt    open    -              1m1s
`
	if got := Dispatch(aDispatch(), fleetNow); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhyAWorkloadIsNowhereYet(t *testing.T) {
	const want = `science/job-train waits: no cluster has admitted it without preempting
  east: would preempt - it signals since 30s - gate kueue.x-k8s.io/multikueue is closed
  north: cannot be reached, none
  west: may preempt - gate kueue.x-k8s.io/multikueue is open since 1m1s
east may preempt next, in 4m
`
	if got := WhyDispatched(aDispatch(), fleetNow); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for want, d := range map[string]ask.Dispatch{
		"a/b is in west\n": {Namespace: "a", Name: "b", State: "Bound", Cluster: "west"},
		"a/b is not dispatched: it has no quota in the manager's cluster, or is over\n": {
			Namespace: "a", Name: "b", State: "Held"},
		"a/b waits for copies of it in the clusters\n": {Namespace: "a", Name: "b",
			State: "Dispatched"},
		"a/b waits: no cluster has admitted it yet, and none asks to preempt for it\n": {
			Namespace: "a", Name: "b", State: "Dispatched", Copies: 2},
		`a/b waits: no cluster has admitted it without preempting
something is decided in 9s, if nothing happens before
`: {Namespace: "a", Name: "b", State: "Patient", Copies: 2, Signals: 1, Acts: ago(-9)},
	} {
		if got := WhyDispatched(&d, fleetNow); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAllWorkloadsOfAFleet(t *testing.T) {
	bound := ask.Dispatch{Namespace: "web", Name: "w", State: "Bound", Cluster: "west", Copies: 1}
	const want = `NAMESPACE  NAME       STATE       CLUSTER  COPIES  SIGNALS  OPEN  ACTS
science    job-train  Dispatched  -        2       1        1     in 4m0s
web        w          Bound       west     1       0        0     -
`
	if got := Fleet([]ask.Dispatch{*aDispatch(), bound}, fleetNow); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Fleet(nil, fleetNow); got != "No workload is dispatched.\n" {
		t.Errorf("of none: %q", got)
	}
}

func TestWhatBecameOfACopy(t *testing.T) {
	for want, r := range map[string]ask.Copy{
		"none":     {},
		"going":    {There: true, Deleted: true, Admitted: true},
		"admitted": {There: true, Admitted: true, Reserved: true},
		"evicted":  {There: true, Evicted: true},
		"reserved": {There: true, Reserved: true},
		"waits":    {There: true, Gate: "closed"},
	} {
		if got := copyState(&r); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
	view := ViewDispatch(aDispatch())
	if east := view.Clusters[0]; east.Signal != "2023-11-14T22:14:30Z" ||
		east.State != "would preempt" || view.Timeout != "5m0s" {
		t.Errorf("for programs: %+v", view)
	}
}
