// SPDX-License-Identifier: Apache-2.0

package sluice

import "testing"

func TestANativeGroupAsItIsWritten(t *testing.T) {
	var w writer
	w.podGroup(&Group{Native: true, UID: "u", Namespace: "ns", Name: "g", Created: 7,
		ResourceVersion: 8, MinMember: 3, GoesWhole: true, Condition: &Condition{
			"sluice.sh/QuotaReserved", "False", "QueueCapacity", "m"}})
	same(t, readBack(t, w), map[string]any{
		"native": true, "uid": "u", "namespace": "ns", "name": "g", "created": int64(7),
		"resourceVersion": int64(8), "minMember": int64(3), "goesWhole": true,
		"condition": map[string]any{"type": "sluice.sh/QuotaReserved", "status": "False",
			"reason": "QueueCapacity", "message": "m"},
	})
}

func TestAMemberOfANativeGroupAsItIsWritten(t *testing.T) {
	pod := gated("p", 1)
	for name, write := range map[string]func(*writer, *Pod){
		"a pod": (*writer).pod, "a pod that is being created": (*writer).newPod,
	} {
		var without, with writer
		pod.SchedulingGroup = ""
		write(&without, pod)
		if _, has := readBack(t, without)["schedulingGroup"]; has {
			t.Errorf("%s without a group has one", name)
		}
		pod.SchedulingGroup = "g"
		write(&with, pod)
		same(t, readBack(t, with)["schedulingGroup"], "g")
	}
}

func TestTheConditionOfANativeGroup(t *testing.T) {
	same(t, effectOf(t, func(w *writer) {
		w.putMap(5)
		w.text("kind", SetGroupStatus)
		w.text("uid", "u")
		w.int("resourceVersion", 12)
		w.bool("native", true)
		w.putKey("condition")
		w.putMap(4)
		w.text("type", "sluice.sh/QuotaReserved")
		w.text("status", "True")
		w.text("reason", "r")
		w.text("message", "m")
	}), Effect{Kind: SetGroupStatus, UID: "u", ResourceVersion: 12, GroupStatus: &GroupStatus{
		Native:     true,
		Conditions: []Condition{{"sluice.sh/QuotaReserved", "True", "r", "m"}}}})
}

func TestWhatALibraryKnowsOfNativeGroups(t *testing.T) {
	if e, _ := open(t, Config{}); e.KnowsNativeGroups() {
		t.Error("it was not told how members are scheduled")
	}
	for _, partial := range []bool{false, true} {
		if e, _ := open(t, Config{PartialGroups: &partial}); !e.KnowsNativeGroups() {
			t.Errorf("partial %v: the library is too old", partial)
		}
	}
	known := partialGroups
	defer func() { partialGroups = known }()
	partialGroups = "ofTomorrow"
	yes := true
	if e, _ := open(t, Config{PartialGroups: &yes}); e.KnowsNativeGroups() {
		t.Error("a library that refuses the key knows what it means")
	}
}

// Two PodGroups of one name are two, and the end of the one is not that of the other.
func TestANativeGroupBesideOneOfItsName(t *testing.T) {
	yes := true
	e, _ := leading(t, Config{Effects: []string{AnswerPermit, SetGroupStatus},
		PartialGroups: &yes}, 2)
	for _, group := range []*Group{
		{UID: "u-1", Namespace: "default", Name: "g", Created: epoch, MinMember: 1, Queue: "q"},
		{Native: true, UID: "u-2", Namespace: "default", Name: "g", Created: epoch, MinMember: 1,
			Queue: "q"},
	} {
		_, err := e.ObserveGroup(group)
		must(t, err)
	}
	pod := gated("p", 1)
	pod.SchedulingGroup = "g"
	_, err := e.ObservePod(pod)
	must(t, err)
	state := func() string {
		answer, err := e.Inspect(Query{What: "pod", UID: pod.UID})
		must(t, err)
		return answer["state"].(string)
	}
	_, err = e.ForgetGroup("u-1", "default", "g")
	must(t, err)
	same(t, state(), "reserved")
	verdict, _, err := e.TryReserve(pod.UID, "n")
	must(t, err)
	same(t, verdict.Pass, true)
	same(t, state(), "reserved") // it was only tried
	_, err = e.TryUnreserve(pod.UID, "n")
	must(t, err)
	verdict, _, err = e.Reserve(pod.UID, "n")
	must(t, err)
	same(t, verdict.Pass, true)
	same(t, state(), "allocated")
	allow, _, _, err := e.Permit(pod.UID, "n")
	must(t, err)
	same(t, allow, true)
	_, err = e.ForgetNativeGroup("u-2", "default", "g")
	must(t, err)
}
