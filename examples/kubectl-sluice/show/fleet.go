// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// DispatchView is a workload that is dispatched to clusters, for -o json and -o yaml.
type DispatchView struct {
	Namespace string     `json:"namespace"`
	Name      string     `json:"name"`
	UID       string     `json:"uid,omitempty"`
	State     string     `json:"state"`
	Message   string     `json:"message,omitempty"`
	Cluster   string     `json:"cluster,omitempty"`
	Timeout   string     `json:"timeout"`
	Opened    string     `json:"opened,omitempty"` // no gate was opened after this time
	Acts      string     `json:"acts,omitempty"`   // when something is decided by time alone
	Copies    int64      `json:"copies"`
	Signals   int64      `json:"signals"`
	Open      int64      `json:"open"`
	Clusters  []CopyView `json:"clusters,omitempty"`
}

// CopyView is its copy in one cluster.
type CopyView struct {
	Cluster   string `json:"cluster"`
	Connected bool   `json:"connected"`
	Nominated bool   `json:"nominated"`
	UID       string `json:"uid,omitempty"`
	State     string `json:"state"`
	Gate      string `json:"gate"`
	Signal    string `json:"signal,omitempty"`
	Opened    string `json:"opened,omitempty"`
}

// ViewDispatch makes one for output.
func ViewDispatch(d *ask.Dispatch) DispatchView {
	view := DispatchView{Namespace: d.Namespace, Name: d.Name, UID: d.UID, State: d.State,
		Message: d.Message, Cluster: d.Cluster, Timeout: time.Duration(d.Timeout).String(),
		Opened: instant(d.Opened), Acts: instant(d.Acts), Copies: d.Copies, Signals: d.Signals,
		Open: d.Open}
	for i := range d.Replicas {
		r := &d.Replicas[i]
		view.Clusters = append(view.Clusters, CopyView{Cluster: r.Cluster, Connected: r.Connected,
			Nominated: r.Nominated, UID: r.UID, State: copyState(r), Gate: r.Gate,
			Signal: instant(r.Signal), Opened: instant(r.Opened)})
	}
	return view
}

// ViewFleet makes all for output.
func ViewFleet(all []ask.Dispatch) []DispatchView {
	views := make([]DispatchView, 0, len(all))
	for i := range all {
		views = append(views, ViewDispatch(&all[i]))
	}
	return views
}

func instant(ns int64) string {
	if ns == 0 {
		return ""
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
}

// copyState is one word for what became of a copy.
func copyState(r *ask.Copy) string {
	switch {
	case !r.There:
		return "none"
	case r.Deleted:
		return "going"
	case r.Admitted:
		return "admitted"
	case r.Evicted:
		return "evicted"
	case r.Reserved:
		return "reserved"
	case r.Signal != 0 && r.Gate != "open":
		return "would preempt"
	case r.Gate == "open":
		return "may preempt"
	}
	return "waits"
}

// Fleet is a table of all workloads that are dispatched.
func Fleet(all []ask.Dispatch, now time.Time) string {
	all = plain.Shown(all)
	if len(all) == 0 {
		return "No workload is dispatched.\n"
	}
	rows := [][]string{{"NAMESPACE", "NAME", "STATE", "CLUSTER", "COPIES", "SIGNALS", "OPEN", "ACTS"}}
	for i := range all {
		d := &all[i]
		rows = append(rows, []string{d.Namespace, d.Name, d.State, orDash(d.Cluster),
			fmt.Sprint(d.Copies), fmt.Sprint(d.Signals), fmt.Sprint(d.Open), until(d.Acts, now)})
	}
	return Rows(rows)
}

// Dispatch is one workload over its clusters.
func Dispatch(d *ask.Dispatch, now time.Time) string {
	d = plain.Shown(d)
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s: %s", d.Namespace, d.Name, d.State)
	if d.Cluster != "" {
		fmt.Fprintf(&b, ", in %s", d.Cluster)
	}
	b.WriteByte('\n')
	if d.Message != "" {
		fmt.Fprintf(&b, "  %s\n", d.Message)
	}
	fmt.Fprintf(&b, "  one cluster at a time may preempt for it, for %s\n\n",
		time.Duration(d.Timeout))
	rows := [][]string{{"CLUSTER", "CONNECTED", "COPY", "GATE", "SIGNALS SINCE", "OPENED"}}
	for i := range d.Replicas {
		r := &d.Replicas[i]
		connected := "yes"
		if !r.Connected {
			connected = "no"
		}
		rows = append(rows, []string{r.Cluster, connected, copyState(r), r.Gate, since(r.Signal, now),
			since(r.Opened, now)})
	}
	b.WriteString(Rows(rows))
	return b.String()
}

// orchestratedGate is the preemption gate that the manager opens.
const orchestratedGate = "kueue.x-k8s.io/multikueue"

// WhyDispatched says in sentences why a workload that is dispatched runs nowhere yet.
func WhyDispatched(d *ask.Dispatch, now time.Time) string {
	d = plain.Shown(d)
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s ", d.Namespace, d.Name)
	switch {
	case d.Cluster != "":
		fmt.Fprintf(&b, "is in %s\n", d.Cluster)
		return b.String()
	case d.State == "Held":
		b.WriteString("is not dispatched: it has no quota in the manager's cluster, or is over\n")
		return b.String()
	case d.Copies == 0:
		b.WriteString("waits for copies of it in the clusters\n")
	case d.Signals == 0:
		b.WriteString("waits: no cluster has admitted it yet, and none asks to preempt for it\n")
	default:
		b.WriteString("waits: no cluster has admitted it without preempting\n")
	}
	for i := range d.Replicas {
		fmt.Fprintf(&b, "  %s\n", whyCopy(&d.Replicas[i], now))
	}
	switch {
	case d.Message != "":
		fmt.Fprintf(&b, "%s\n", d.Message)
	case d.Acts != 0:
		fmt.Fprintf(&b, "something is decided %s, if nothing happens before\n", until(d.Acts, now))
	}
	return b.String()
}

func whyCopy(r *ask.Copy, now time.Time) string {
	words := []string{r.Cluster + ":"}
	if !r.Connected {
		words = append(words, "cannot be reached,")
	}
	words = append(words, copyState(r))
	if r.Signal != 0 {
		words = append(words, "- it signals since "+since(r.Signal, now))
	}
	switch r.Gate {
	case "closed":
		words = append(words, "- gate "+orchestratedGate+" is closed")
	case "blocked":
		words = append(words, "- another gate than "+orchestratedGate+
			" is closed, which sluice does not open")
	case "open":
		words = append(words, "- gate "+orchestratedGate+" is open since "+since(r.Opened, now))
	}
	return strings.Join(words, " ")
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func since(ns int64, now time.Time) string {
	if ns == 0 {
		return "-"
	}
	return now.Sub(time.Unix(0, ns)).Round(time.Second).String()
}

func until(ns int64, now time.Time) string {
	if ns == 0 {
		return "-"
	}
	return "in " + time.Unix(0, ns).Sub(now).Round(time.Second).String()
}
