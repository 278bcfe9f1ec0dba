// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Target is an object that a step names, with how many copies of it it means (0: itself).
type Target struct {
	Where  *Tree
	Ref    string
	Copies int64
}

// targetOf reads kind/name, or {kind/name: COPIES}.
func targetOf(item *Tree) (Target, error) {
	target := Target{Where: item}
	switch {
	case item.Type == Text:
		target.Ref = item.Text
	case item.Type == Map && len(item.Pairs) == 1:
		var err error
		target.Ref = item.Pairs[0].Key
		if target.Copies, err = item.IntOf(target.Ref, 1, 1000000, 1); err != nil {
			return target, err
		}
	}
	if !strings.Contains(target.Ref, "/") {
		return target, item.At("kind/name, or {kind/name: COPIES}")
	}
	return target, nil
}

type checker func(s *Scenario, value *Tree) error

var stepKeys = map[string]checker{
	"at":       checkDuration,
	"apply":    func(s *Scenario, value *Tree) error { return s.checkTargets(value, true) },
	"delete":   func(s *Scenario, value *Tree) error { return s.checkTargets(value, false) },
	"complete": func(s *Scenario, value *Tree) error { return s.checkTargets(value, false) },
	"fail":     func(s *Scenario, value *Tree) error { return s.checkTargets(value, false) },
	"patch":    checkMap,
	"command":  checkCommand,
	"refuse":   checkRefuse,
	"restart":  checkRestart,
	"leader":   checkBool,
	"clock":    checkDuration,
	"fault":    checkFault,
	"gate":     checkGate,
	"check":    checkCheck,
	"send":     checkSend,
	"expect":   func(_ *Scenario, value *Tree) error { return checkEntries(value, true) },
	"say":      checkText,
	"show":     checkShow,
}

func (s *Scenario) checkStepKey(pair Pair) error {
	check := stepKeys[pair.Key]
	if check == nil {
		return pair.Value.Say("%s is no step, want at, apply, delete, complete, fail, patch, "+
			"command, refuse, restart, leader, clock, fault, gate, check, cluster, evict, send, say, "+
			"show or expect", pair.Key)
	}
	return check(s, pair.Value)
}

func (s *Scenario) checkTargets(value *Tree, described bool) error {
	if value.Type != List {
		return value.At("a list of kind/name")
	}
	for _, pair := range value.Pairs {
		target, err := targetOf(pair.Value)
		if err != nil {
			return err
		}
		if !described {
			continue
		}
		doc := s.Documents[target.Ref]
		if doc == nil {
			return notDescribed(pair.Value, target.Ref)
		}
		if err := checkDocument(target.Ref, doc); err != nil {
			return err
		}
	}
	return nil
}

func checkMap(_ *Scenario, value *Tree) error {
	if value.Type != Map || len(value.Pairs) == 0 {
		return value.At("a map from kind/name")
	}
	for _, pair := range value.Pairs {
		if !strings.Contains(pair.Key, "/") {
			return pair.Value.Say("%s is no reference, want kind/name", pair.Key)
		}
	}
	return nil
}

func checkRefuse(s *Scenario, value *Tree) error {
	if err := checkMap(s, value); err != nil {
		return err
	}
	for _, pair := range value.Pairs {
		if s.Documents[pair.Key] == nil {
			return notDescribed(pair.Value, pair.Key)
		}
		if _, err := pair.Value.AsText(); err != nil {
			return err
		}
	}
	return nil
}

func checkRestart(_ *Scenario, value *Tree) error {
	if value.Type != Text || value.Text != "scheduler" {
		return value.At("scheduler")
	}
	return nil
}

func checkBool(s *Scenario, value *Tree) error {
	if _, ok := value.IsBool(); !ok {
		return value.At("true or false")
	}
	s.NeedsLease = true
	return nil
}

func checkDuration(_ *Scenario, value *Tree) error {
	_, err := value.AsDuration()
	return err
}

func checkText(_ *Scenario, value *Tree) error {
	_, err := value.AsText()
	return err
}

func checkShow(_ *Scenario, value *Tree) error {
	if value.Type != List {
		return value.At("a list of pods, workloads, queues or nodes")
	}
	for _, pair := range value.Pairs {
		if !contains("pods workloads queues nodes", pair.Value.Text) {
			return pair.Value.At("pods, workloads, queues or nodes")
		}
	}
	return nil
}

var hooks = "admit observe pre_enqueue pre_filter filter post_filter reserve unreserve permit " +
	"bind post_bind command tick drain ack inspect manifest"

func checkSend(_ *Scenario, value *Tree) error {
	hook := value.Get("hook")
	if hook == nil || !contains(hooks, hook.Text) {
		if hook == nil {
			hook = value
		}
		return hook.At("a map with the name of a hook")
	}
	if (value.Get("message") == nil) == (value.Get("bytes") == nil) {
		return value.At("a map with either message or bytes")
	}
	return nil
}

// checkDocument finds amounts and numbers of a document that the API server could only refuse in
// its own words, which name no line.
func checkDocument(ref string, doc *Tree) error {
	kind, _, _ := SplitRef(ref)
	switch kind {
	case "node":
		for _, key := range []string{"allocatable", "capacity"} {
			if err := checkAmounts(doc.Find("status", key)); err != nil {
				return err
			}
		}
	case "pod":
		return checkPodSpec(doc.Get("spec"))
	case "job", "replicaset", "statefulset", "deployment":
		if _, err := copiesOf(kind, doc); err != nil {
			return err
		}
		if doc.Find("spec", "template", "spec", "containers") == nil {
			return doc.Say("spec.template.spec.containers is missing in %s", ref)
		}
		return checkPodSpec(doc.Find("spec", "template", "spec"))
	}
	return nil
}

// copiesOf is how many pods a Job and the like make.
func copiesOf(kind string, doc *Tree) (int64, error) {
	spec, err := doc.Typed("spec", Map)
	if err != nil {
		return 0, err
	}
	return spec.IntOf(ownerKinds[kind].count, 0, 1000000, 1)
}

func checkPodSpec(spec *Tree) error {
	if _, err := spec.IntOf("priority", -1<<31, 1<<31-1, 0); err != nil {
		return err
	}
	gates, err := spec.Typed("schedulingGates", List)
	if err != nil {
		return err
	}
	if gates != nil {
		for _, gate := range gates.Pairs {
			if gate.Value.Get("name") == nil {
				return gate.Value.At("a map with the gate's name: {name: example.com/ready}")
			}
		}
	}
	for _, key := range []string{"containers", "initContainers"} {
		list, err := spec.Typed(key, List)
		if err != nil {
			return err
		}
		if list == nil {
			continue
		}
		for _, container := range list.Pairs {
			if err := checkResources(container.Value); err != nil {
				return err
			}
		}
	}
	if err := checkAmounts(spec.Get("overhead")); err != nil {
		return err
	}
	return checkResources(spec)
}

func checkResources(of *Tree) error {
	for _, key := range []string{"requests", "limits"} {
		if err := checkAmounts(of.Find("resources", key)); err != nil {
			return err
		}
	}
	return nil
}

func checkAmounts(amounts *Tree) error {
	if amounts == nil {
		return nil
	}
	for _, pair := range amounts.Pairs {
		amount, err := resource.ParseQuantity(pair.Value.Text)
		if pair.Value.Type != Text || err != nil {
			return pair.Value.At("a quantity, such as 2, 500m or 16Gi")
		}
		if amount.Sign() < 0 {
			return pair.Value.At("a quantity that is not negative")
		}
	}
	return nil
}

// findBeyond notes what this executor cannot do: nobody outside of the scheduler's process can.
func (s *Scenario) findBeyond() {
	note := func(where *Tree, whole bool, why string) {
		s.OutOfReach = append(s.OutOfReach, &Beyond{Where: where, Why: why, Whole: whole})
	}
	for _, doc := range s.Documents {
		least := doc.Find("spec", "minMember")
		if least != nil && strings.HasPrefix(least.Text, "-") {
			note(least, true, "minMember: the API server takes no negative one from anybody")
		}
	}
	for _, step := range s.Steps {
		for _, pair := range step.Tree.Pairs {
			switch pair.Key {
			case "send":
				note(pair.Value, false, "send speaks to the library, which is in another process")
			case "delete":
				for _, one := range pair.Value.Pairs {
					if s.Workloads && s.names(one.Value.Text) {
						note(one.Value, true, "delete: the scheduler keeps what a ClusterQueue names ("+
							one.Value.Text+")")
					}
				}
			case "fault":
				if acks := pair.Value.Get("acks"); acks != nil {
					note(acks, true, "acks: acknowledgements do not leave the scheduler's process")
				}
				observe := pair.Value.Get("observe")
				if observe != nil && contains("reorder late", observe.Text) {
					note(observe, true, "observe: the API server's watch never does that ("+
						observe.Text+")")
				}
			}
		}
	}
	sort.SliceStable(s.OutOfReach, func(i, j int) bool {
		return s.OutOfReach[i].Whole && !s.OutOfReach[j].Whole
	})
}
