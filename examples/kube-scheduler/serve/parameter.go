// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sluice/kube-scheduler/sluice"
)

// parameter is one of a view's query.
type parameter struct {
	Name     string `json:"name"`
	About    string `json:"about"`
	Required bool   `json:"required,omitempty"`

	set func(a *asked, value string) error
}

// asked is what a request wants to know.
type asked struct {
	query sluice.Query
	most  int64 // rows, or bytes
}

const (
	usualRows = 10_000
	mostRows  = 100_000
)

var (
	queueNamed = []parameter{
		{"kind", "Queue, ClusterQueue or Cohort", true, func(a *asked, value string) error {
			a.query.Kind = value
			return oneOf(value, sluice.KindQueue, sluice.KindClusterQueue, sluice.KindCohort)
		}},
		{"name", "of the queue", true, setName},
	}
	podNamed = []parameter{
		{"uid", "of the pod", false, func(a *asked, value string) error {
			a.query.UID = value
			return length(value, 64)
		}},
		{"namespace", "of the pod", false, func(a *asked, value string) error {
			a.query.Namespace = value
			return length(value, 253)
		}},
		{"name", "of the pod", false, setName},
	}
	groupNamed = []parameter{
		{"namespace", "of the PodGroup", true, podNamed[1].set},
		{"name", "of the PodGroup", true, setName},
		{"native", "true: one of Kubernetes' own; else that of Volcano's, if there is one", false,
			func(a *asked, value string) error {
				a.query.Native = value == "true"
				return oneOf(value, "true", "false")
			}},
	}
	workloadNamed = []parameter{
		{"namespace", "of the object", true, podNamed[1].set},
		{"name", "of the object", true, setName},
	}
	workloadsOf = []parameter{
		{"kind", "ClusterQueue or LocalQueue", true, func(a *asked, value string) error {
			a.query.Kind = value
			return oneOf(value, sluice.KindClusterQueue, "LocalQueue")
		}},
		{"namespace", "of the LocalQueue", false, podNamed[1].set},
		{"name", "of the queue", true, setName},
		{"holding", "true: those that hold quota", false, func(a *asked, value string) error {
			a.query.Holding = value == "true"
			return oneOf(value, "true", "false")
		}},
	}
	from = parameter{"from", "where to go on: the `from` of the answer before; 0 there: the end",
		false, func(a *asked, value string) (err error) {
			a.query.From, err = number(value, 0, math.MaxUint32)
			return err
		}}
	page = []parameter{from, {"max", fmt.Sprintf("rows; at most %d, usually %d", mostRows,
		usualRows), false, setMost(mostRows)}}
	bytePage = []parameter{{"from", "the byte to begin with", false, from.set},
		{"max", "bytes; usually all", false, setMost(math.MaxInt64)}}
	timers = parameter{"timers", "false: only what a restart would find again", false,
		func(a *asked, value string) error {
			a.query.WithoutTimers = value == "false"
			return oneOf(value, "true", "false")
		}}
)

func setName(a *asked, value string) error {
	a.query.Name = value
	return length(value, 253)
}

func setMost(most int64) func(*asked, string) error {
	return func(a *asked, value string) (err error) {
		a.most, err = number(value, 1, most)
		return err
	}
}

func oneOf(value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%q, want one of %q", value, allowed)
}

func length(value string, most int) error {
	if len(value) >= 1 && len(value) <= most {
		return nil
	}
	return fmt.Errorf("%d bytes, want 1 to %d", len(value), most)
}

func number(value string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q, want a whole number from %d to %d", value, least, most)
	}
	return n, nil
}

// read checks a query against the view's parameters; all that is wrong is said at once.
func (v *view) read(text string) (*asked, error) {
	given, err := url.ParseQuery(text)
	if err != nil {
		return nil, err
	}
	a := &asked{query: sluice.Query{What: v.Path}, most: math.MaxInt64}
	if v.list != "" {
		a.most = usualRows
	}
	var problems []string
	wrong := func(name string, err error) {
		problems = append(problems, fmt.Sprintf("%s: %v", name, err))
	}
	for i := range v.Parameters {
		p := &v.Parameters[i]
		values := given[p.Name]
		delete(given, p.Name)
		switch {
		case len(values) > 1:
			wrong(p.Name, fmt.Errorf("given %d times", len(values)))
		case len(values) == 1:
			if err := p.set(a, values[0]); err != nil {
				wrong(p.Name, err)
			}
		case p.Required:
			wrong(p.Name, fmt.Errorf("is missing: %s", p.About))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		wrong(name, fmt.Errorf("is no parameter; there are %q", v.names()))
	}
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
	}
	if v.check != nil {
		return a, v.check(a)
	}
	return a, nil
}

func (v *view) names() []string {
	names := []string{}
	for i := range v.Parameters {
		names = append(names, v.Parameters[i].Name)
	}
	return names
}

func namesOnePod(a *asked) error {
	q := &a.query
	byUID, bySpace, byName := q.UID != "", q.Namespace != "", q.Name != ""
	if bySpace == byName && byUID != byName {
		return nil
	}
	return errors.New("want uid, or namespace and name")
}
