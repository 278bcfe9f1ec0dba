// SPDX-License-Identifier: Apache-2.0

// Package check says what sluice would make of the objects of a cluster that runs Volcano or Kueue,
// before it is there:
//
//	engine, err := library.Open(check.Configure(setup))
//	report, err := check.Run(engine, setup, objects)
//
// It has no rules of its own. What is refused it asks the engine, which it tells of the objects by
// the package facts as the host does, and the package workload; what is ignored or decided
// otherwise it looks up in rules.yaml, whose reasons are words of the pages of examples/deploy: a
// test compares them.
//
// Nothing is written, and of the cluster nothing is read but the objects that are passed in.
package check

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/sluice"
)

// Verdict is what becomes of what somebody wrote.
type Verdict string

// The verdicts, the gravest first.
const (
	Refused   Verdict = "refused"   // it is not admitted, or nothing of it would ever be
	Ignored   Verdict = "ignored"   // the field is not looked at
	Otherwise Verdict = "otherwise" // it is decided, and not as Volcano or Kueue would
)

// Verdicts are all of them, in their order.
var Verdicts = []Verdict{Refused, Ignored, Otherwise}

// Finding is one thing to say, about all objects of which the same is to be said.
type Finding struct {
	Verdict Verdict  `json:"verdict"`
	Objects []string `json:"objects"` // kind/name, or kind/namespace/name; in their order
	Field   string   `json:"field,omitempty"`
	Value   string   `json:"value,omitempty"`
	Why     string   `json:"why"`
	Do      string   `json:"do"`
	Page    string   `json:"page"` // of examples/deploy

	by *rule
}

// Report is all that is to be said.
type Report struct {
	Objects  int             `json:"objects"` // that were looked at
	Counts   map[Verdict]int `json:"counts"`  // of findings
	Findings []Finding       `json:"findings"`
}

// Engine is who decides: *sluice.Engine.
type Engine interface {
	Admit(operation string, pod *sluice.Pod) (sluice.Admission, sluice.Tail, error)
	AdmitQueue(operation string, queue *sluice.Queue) (sluice.Admission, sluice.Tail, error)
	AdmitCommand(operation string, command *sluice.Command) (sluice.Admission, sluice.Tail, error)
	AdmitGroup(operation string, group *sluice.Group) (sluice.Admission, sluice.Tail, error)
	ObserveQueue(queue *sluice.Queue) (sluice.Tail, error)
	ObserveFlavor(flavor *sluice.Flavor) (sluice.Tail, error)
	ObserveNode(node *sluice.Node) (uint32, sluice.Tail, error)
	ObserveGroup(group *sluice.Group) (sluice.Tail, error)
	ObserveLocalQueue(queue *sluice.LocalQueue) (sluice.Tail, error)
	ObserveCheck(name string, active bool) (sluice.Tail, error)
	ObserveWorkerWorkload(workload *sluice.WorkerWorkload) (sluice.Tail, error)
	ObservePod(pod *sluice.Pod) (sluice.Tail, error)
	Synced() (sluice.Tail, error)
	Inspect(query sluice.Query) (map[string]any, error)
}

// Run looks at all objects. They are not changed.
func Run(engine Engine, setup *Setup, objects []*unstructured.Unstructured) (*Report, error) {
	rules, err := loadRules()
	if err != nil {
		return nil, err
	}
	found := &findings{rules: rules, byWords: map[string]*Finding{}, said: map[[2]string]bool{}}
	all := newWorld(objects)
	for _, object := range all.objects {
		found.look(object, setup)
		for _, read := range configurations(object) {
			found.look(read, setup)
			found.lookForUnknown(read)
		}
	}
	dry := &dryHost{engine: engine, setup: setup, world: all, found: found}
	if err := dry.run(); err != nil {
		return nil, err
	}
	return found.report(len(all.objects)), nil
}

// findings are those so far. What is the same of several objects is one.
type findings struct {
	rules   *ruleBook
	byWords map[string]*Finding
	said    map[[2]string]bool // of which object
}

func (f *findings) add(object string, one Finding) {
	words := strings.Join([]string{string(one.Verdict), one.Field, one.Value, one.Why, one.Do}, "\x00")
	known := f.byWords[words]
	if known == nil {
		known = &one
		f.byWords[words] = known
	}
	if of := [2]string{words, object}; !f.said[of] {
		f.said[of] = true
		known.Objects = append(known.Objects, object)
	}
}

// say adds what a rule of the code's says of an object, in the code's words.
func (f *findings) say(rule, object, field, value, why string) {
	named := f.rules.named(rule)
	why = cmp.Or(why, named.Why)
	f.add(object, Finding{Verdict: named.Verdict, Field: field, Value: value, Why: why, Do: named.Do,
		Page: named.Page, by: named})
}

func (f *findings) report(looked int) *Report {
	report := &Report{Objects: looked, Counts: map[Verdict]int{}, Findings: []Finding{}}
	for _, verdict := range Verdicts {
		report.Counts[verdict] = 0
	}
	for _, one := range f.byWords {
		slices.Sort(one.Objects)
		report.Findings = append(report.Findings, *one)
		report.Counts[one.Verdict]++
	}
	slices.SortFunc(report.Findings, func(a, b Finding) int {
		return cmp.Or(slices.Index(Verdicts, a.Verdict)-slices.Index(Verdicts, b.Verdict),
			strings.Compare(a.Objects[0], b.Objects[0]), strings.Compare(a.Field, b.Field),
			strings.Compare(a.Value, b.Value), strings.Compare(a.Why, b.Why))
	})
	return report
}

// nameOf is an object as findings name it.
func nameOf(object *unstructured.Unstructured) string {
	words := []string{object.GetKind(), object.GetNamespace(),
		cmp.Or(object.GetName(), object.GetGenerateName())}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), "/")
}

// Names are the objects of which there is something of this verdict to say, each once.
func (r *Report) Names(of Verdict) (names []string) {
	for i := range r.Findings {
		if r.Findings[i].Verdict == of {
			names = append(names, r.Findings[i].Objects...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
