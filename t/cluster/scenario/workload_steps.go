// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Steps of stories with Workloads: somebody sets a preemption gate; the controller of an admission
// check answers.

const (
	gateExample  = "a map such as {workload/w: {example.com/mine: Open}}"
	checkExample = "a map such as {workload/w: {budget: Ready}}, with Pending, Ready, Retry, " +
		"Rejected or {state: Retry, after: 1m}"
)

// checkWorkloads wants {workload/NAME: {...}, ...}, none of them empty.
func checkWorkloads(value *Tree, example string) error {
	if value.Type != Map || len(value.Pairs) == 0 {
		return value.At("%s", example)
	}
	for _, pair := range value.Pairs {
		if !isOf(pair.Key, "workload") || pair.Value.Type != Map || len(pair.Value.Pairs) == 0 {
			return value.At("%s", example)
		}
	}
	return nil
}

func checkGate(_ *Scenario, value *Tree) error {
	if err := checkWorkloads(value, gateExample); err != nil {
		return err
	}
	for _, workload := range value.Pairs {
		for _, gate := range workload.Value.Pairs {
			text, err := gate.Value.AsText()
			if err != nil {
				return err
			}
			if !contains("Open Closed", text) {
				return gate.Value.At("Open or Closed")
			}
		}
	}
	return nil
}

// stateOf is the state of an answer, which may stand in a map.
func stateOf(answer *Tree) *Tree {
	if answer.Type == Map {
		return answer.Get("state")
	}
	return answer
}

func checkCheck(_ *Scenario, value *Tree) error {
	if err := checkWorkloads(value, checkExample); err != nil {
		return err
	}
	for _, workload := range value.Pairs {
		for _, answer := range workload.Value.Pairs {
			state := stateOf(answer.Value)
			if state == nil || state.Type != Text ||
				!contains("Pending Ready Retry Rejected", state.Text) {
				return answer.Value.At("%s", checkExample)
			}
			if _, err := afterOf(answer.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// afterOf is in how long an answer wants to be asked again; 0: it does not say.
func afterOf(answer *Tree) (time.Duration, error) {
	after := answer.Get("after")
	if after == nil {
		return 0, nil
	}
	length, err := after.AsDuration()
	if err == nil && length < 0 {
		err = after.At("a duration that is not negative")
	}
	return length, err
}

// workloadNow is the Workload that a step names, as the API server has it.
func (t *telling) workloadNow(pair Pair) (*unstructured.Unstructured, error) {
	_, namespace, name := SplitRef(pair.Key)
	now, err := t.clientFor(kinds["workload"], namespace).Get(t.ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, pair.Value.Say("%s does not exist at that time", pair.Key)
	}
	return now, err
}

func (t *telling) gate(value *Tree) error {
	for _, pair := range value.Pairs {
		now, err := t.workloadNow(pair)
		if err != nil {
			return err
		}
		has, _, _ := unstructured.NestedSlice(now.Object, "spec", "preemptionGates")
		for _, gate := range pair.Value.Pairs {
			if named(has, "name", gate.Key) == nil {
				return pair.Value.Say("%s has no gate %s", pair.Key, gate.Key)
			}
			t.tell("the gate %s of %s is set: %s", gate.Key, pair.Key, gate.Value.Text)
		}
		if err := t.writeWorkload(pair.Key, func(status object) {
			for _, gate := range pair.Value.Pairs {
				t.setGate(status, gate.Key, gate.Value.Text)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

func (t *telling) setGate(status object, name, position string) {
	one := named(list(status, "preemptionGates"), "name", name)
	if one == nil {
		one = object{"name": name}
		status["preemptionGates"] = append(list(status, "preemptionGates"), one)
	}
	if one["position"] != position {
		one["position"], one["lastTransitionTime"] = position, t.stamp()
	}
}

func (t *telling) check(value *Tree) error {
	for _, pair := range value.Pairs {
		now, err := t.workloadNow(pair)
		if err != nil {
			return err
		}
		asked, _, _ := unstructured.NestedSlice(now.Object, "status", "admissionChecks")
		for _, answer := range pair.Value.Pairs {
			if named(asked, "name", answer.Key) == nil {
				return pair.Value.Say("%s is not asked by %s at that time", answer.Key, pair.Key)
			}
			t.tell("the check %s of %s says %s", answer.Key, pair.Key, stateOf(answer.Value).Text)
		}
		if err := t.writeWorkload(pair.Key, func(status object) {
			for _, answer := range pair.Value.Pairs {
				t.answer(status, answer)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

func (t *telling) answer(status object, answer Pair) {
	one := named(list(status, "admissionChecks"), "name", answer.Key)
	if one == nil {
		return // the scheduler has taken the question back meanwhile
	}
	one["state"], one["message"] = stateOf(answer.Value).Text, ""
	one["lastTransitionTime"] = t.stamp()
	delete(one, "requeueAfterSeconds")
	if after, _ := afterOf(answer.Value); after > 0 {
		one["requeueAfterSeconds"] = int64(after / time.Second)
	}
}
