// SPDX-License-Identifier: Apache-2.0

package release

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"sluice/plain"
)

// progressEvery is how often a long run says how far it is.
const progressEvery = 5 * time.Second

// report counts what is done, and says it.
type report struct {
	out      io.Writer // what was done
	progress io.Writer // what is being done

	mutex    sync.Mutex
	spaces   map[string]*count
	failures []string
	released int
	said     time.Time
}

// count is of one namespace.
type count struct{ released, free, failed int }

func newReport(out, progress io.Writer) *report {
	return &report{out: out, progress: progress, spaces: map[string]*count{}, said: time.Now()}
}

func (r *report) space(name string) *count {
	if r.spaces[name] == nil {
		r.spaces[name] = &count{}
	}
	return r.spaces[name]
}

// result takes what became of one pod.
func (r *report) result(one *ours, released bool, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch {
	case err != nil:
		r.space(one.namespace).failed++
		r.failures = append(r.failures, fmt.Sprintf("%s: %v", one, err))
	case released:
		r.released++
		r.add(one)
	}
	if time.Since(r.said) >= progressEvery {
		r.said = time.Now()
		_, _ = fmt.Fprintf(r.progress, "%d pods released, %d failed ...\n", r.released,
			len(r.failures))
	}
}

func (r *report) add(one *ours) {
	space := r.space(one.namespace)
	space.released++
	if len(one.rest) == 0 {
		space.free++
	}
}

// finish says what was done; left is how many pods have come with our gate all the while. It
// returns an error if our gate is not off all pods.
func (r *report) finish(left int) error {
	r.table("RELEASED")
	slices.Sort(r.failures)
	for _, failure := range r.failures {
		_, _ = fmt.Fprintln(r.out, "not released:", plain.Text(failure, plain.ConditionBytes))
	}
	var problems []error
	if len(r.failures) > 0 {
		problems = append(problems, fmt.Errorf("%d pods were not released: see above, and run it "+
			"again", len(r.failures)))
	}
	if left > 0 {
		problems = append(problems, fmt.Errorf("%d more pods came with the gate meanwhile: remove "+
			"the admission policy or webhook that adds it, and run this again", left))
	}
	return errors.Join(problems...)
}

func (r *report) table(verb string) {
	if len(r.spaces) == 0 {
		_, _ = fmt.Fprintln(r.out, "No pod carries the gate.")
		return
	}
	table := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "NAMESPACE\t%s\tSCHEDULABLE AT ONCE\tHELD BY OTHER GATES\tFAILED\n",
		verb)
	row := func(name string, c *count) {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", name, c.released, c.free,
			c.released-c.free, c.failed)
	}
	var sum count
	for _, name := range slices.Sorted(maps.Keys(r.spaces)) {
		c := r.spaces[name]
		row(name, c)
		sum = count{sum.released + c.released, sum.free + c.free, sum.failed + c.failed}
	}
	row("(all)", &sum)
	_ = table.Flush()
}

// preview says what a run would do, pod by pod as they come, and then in numbers.
type preview struct {
	*report
	requests v1.ResourceList
}

func (p *preview) pod(pod *v1.Pod, one *ours) error {
	p.add(one)
	if len(one.rest) > 0 {
		var names []string
		for _, gate := range one.rest {
			names = append(names, gate.Name)
		}
		_, err := fmt.Fprintf(p.out, "%s: held by %s\n", one, strings.Join(names, ", "))
		return err
	}
	for name, amount := range resourcehelper.PodRequests(pod,
		resourcehelper.PodResourcesOptions{}) {
		sum := p.requests[name]
		sum.Add(amount)
		p.requests[name] = sum
	}
	_, err := fmt.Fprintf(p.out, "%s: schedulable at once\n", one)
	return err
}

func (p *preview) finish() {
	p.table("TO RELEASE")
	if len(p.requests) > 0 {
		_, _ = fmt.Fprint(p.out, "Those schedulable at once request")
		for i, name := range slices.Sorted(maps.Keys(p.requests)) {
			amount := p.requests[name]
			_, _ = fmt.Fprintf(p.out, "%s %s %s", map[bool]string{true: ","}[i > 0], name,
				amount.String())
		}
		_, _ = fmt.Fprintln(p.out, ": an autoscaler may buy nodes for them.")
	}
	_, _ = fmt.Fprintln(p.out, "This was a dry run: nothing has changed.")
}
