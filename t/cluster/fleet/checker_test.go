// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// write is one that the manager has made in a cluster, as its API server has noted it down.
type write struct {
	cluster, verb, what, name string
	asked, answered           time.Time
	code                      int32
	body                      string
}

func (w write) String() string {
	return fmt.Sprintf("%s %s %s in %s: %d", w.verb, w.what, w.name, w.cluster, w.code)
}

// writes of the manager to workloads and Jobs, in all clusters, oldest first.
func (f *fleet) writes() (all []write) {
	f.Helper()
	clusters := []*cluster{f.manager}
	for _, c := range f.workers {
		clusters = append(clusters, c)
	}
	for _, c := range clusters {
		events, err := c.Audit()
		f.must(err)
		for i := range events {
			if one, is := f.written(c, &events[i]); is {
				all = append(all, one)
			}
		}
	}
	slices.SortFunc(all, func(a, b write) int { return a.asked.Compare(b.asked) })
	return all
}

func (f *fleet) written(c *cluster, event *auditv1.Event) (write, bool) {
	object := event.ObjectRef
	if object == nil || event.User.Username != us.Name || event.ResponseStatus == nil ||
		object.Resource != "workloads" && object.Resource != "jobs" {
		return write{}, false
	}
	one := write{cluster: c.Name, verb: event.Verb, what: object.Resource, name: object.Name,
		asked: event.RequestReceivedTimestamp.Time, answered: event.StageTimestamp.Time,
		code: event.ResponseStatus.Code}
	if object.Subresource != "" {
		one.what += "/" + object.Subresource
	}
	if event.RequestObject != nil {
		one.body = string(event.RequestObject.Raw)
	}
	return one, true
}

// refused tells that nothing came of the write. One of a client that died may have been carried
// out, whatever the API server answered to nobody.
func (w write) refused() bool {
	return w.code >= 400 && w.code < 499
}

// openings are the writes that opened the gate of a workload's copy, or may have: the only ones
// that the manager makes to a status in a worker.
func (f *fleet) openings(name string) (all []write) {
	f.Helper()
	for _, one := range f.writes() {
		if one.cluster == f.manager.Name || one.what != "workloads/status" || one.name != name {
			continue
		}
		if !strings.Contains(one.body, `"Open"`) {
			f.Errorf("a write to a status in a worker that opens nothing: %s\n%s", one, one.body)
		}
		if one.refused() {
			continue
		}
		// Nobody opens what is open: a second write to the same copy tells that the first failed.
		if n := len(all); n > 0 && all[n-1].code != 200 && all[n-1].cluster == one.cluster {
			all = all[:n-1]
		}
		all = append(all, one)
	}
	return all
}

// checkOpenings holds the promise: never two workers that preempt for one workload within the
// timeout, and each opening written down in the manager's workload before.
func (f *fleet) checkOpenings(name string, timeout time.Duration, want ...string) {
	f.Helper()
	var in []string
	openings := f.openings(name)
	for i, one := range openings {
		in = append(in, one.cluster)
		if i > 0 {
			apart := one.asked.Sub(openings[i-1].answered)
			f.tell("%s: opened in %s %.2fs after %s", name, one.cluster, apart.Seconds(),
				openings[i-1].cluster)
			if apart < timeout {
				f.Errorf("%s is opened %s after %s, want %s or more", one, apart, openings[i-1], timeout)
			}
		}
		if !f.rememberedBefore(one) {
			f.Errorf("%s, and it was not written down before", one)
		}
	}
	if !slices.Equal(in, want) {
		f.Errorf("%s: opened in %v, want %v", name, in, want)
	}
}

func (f *fleet) rememberedBefore(opening write) bool {
	for _, one := range f.writes() {
		if one.cluster == f.manager.Name && one.verb == "patch" && one.what == "workloads" &&
			one.name == opening.name && one.code == 200 && one.answered.Before(opening.asked) &&
			strings.Contains(one.body, " "+opening.cluster+",") {
			return true
		}
	}
	return false
}

// count of the manager's writes of this kind that were done.
func (f *fleet) count(cluster, verb, what, name string) (n int) {
	for _, one := range f.writes() {
		if one.cluster == cluster && one.verb == verb && one.what == what && one.name == name &&
			one.code < 300 {
			n++
		}
	}
	return n
}

// sequence tells what the manager wrote, in order.
func (f *fleet) sequence() {
	for _, one := range f.writes() {
		f.Logf("%7.2fs %s", one.asked.Sub(f.began).Seconds(), one)
	}
}
