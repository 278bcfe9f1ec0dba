// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

func TestSelectorsNarrowBeforeTheyWiden(t *testing.T) {
	var s selectors
	red, blue := labels.Set{"team": "red"}, labels.Set{"team": "blue"}
	only := func(team string) queueTerms {
		return queueTerms{namespaces: &metav1.LabelSelector{
			MatchLabels: map[string]string{"team": team}}}
	}
	is := func(what string, wantRed, wantBlue bool) {
		t.Helper()
		if s.selects("q", red) != wantRed || s.selects("q", blue) != wantBlue {
			t.Errorf("%s: red %v, blue %v", what, s.selects("q", red), s.selects("q", blue))
		}
	}
	is("a queue that is not known", true, true)
	if !s.narrow("q", only("red")) || s.widen("q") {
		t.Error("a new queue narrows, and no more")
	}
	is("red", true, false)
	if s.narrow("q", only("red")) || s.widen("q") {
		t.Error("the same again is a change")
	}
	if !s.narrow("q", only("blue")) {
		t.Error("another one is no change")
	}
	is("as long as the engine has not heard of it", false, false)
	if !s.widen("q") || s.widen("q") {
		t.Error("it widens once")
	}
	is("blue", false, true)
	s.narrow("q", queueTerms{namespaces: &metav1.LabelSelector{}})
	s.widen("q")
	is("an empty one", true, true)
	if !s.narrow("q", queueTerms{}) {
		t.Error("no selector is the empty one")
	}
	is("none", false, false)
	s.narrow("q", queueTerms{namespaces: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: "Odd"}}}})
	s.widen("q")
	is("one that cannot be used", false, false)
	s.forget("q")
	is("a queue that is gone", true, true)
}

func TestTermsHoldForAllBelow(t *testing.T) {
	var s selectors
	all := &metav1.LabelSelector{}
	says := func(name, parent string, namespaces *metav1.LabelSelector) {
		s.narrow(name, queueTerms{namespaces: namespaces, parent: parent})
		s.widen(name)
	}
	red, blue := labels.Set{"team": "red"}, labels.Set{"team": "blue"}
	says("root", "", all)
	says("mine", "root", all)
	says("leaf", "mine", all)
	if s.areBound() || !s.selects("leaf", blue) {
		t.Error("nobody said anything")
	}
	says("mine", "root", &metav1.LabelSelector{MatchLabels: map[string]string{"team": "red"}})
	if !s.areBound() || s.selects("leaf", blue) || !s.selects("leaf", red) ||
		!s.selects("root", blue) {
		t.Error("what a queue says holds for itself and all below it, and for nobody else")
	}
	if !s.isAtOrBelow("leaf", "mine") || s.isAtOrBelow("root", "mine") || s.isAtOrBelow("x", "mine") {
		t.Error("who is below whom")
	}
	s.narrow("leaf", queueTerms{namespaces: all, parent: "root"})
	if s.selects("leaf", blue) {
		t.Error("it is below both until the engine has heard that it moves")
	}
	s.widen("leaf")
	if !s.selects("leaf", blue) {
		t.Error("it has moved")
	}
	says("mine", "leaf", all)
	says("leaf", "mine", all)
	if s.selects("leaf", blue) != true || s.areBound() {
		t.Error("a cycle of parents ends")
	}
	s.forget("mine")
	s.narrow("leaf", queueTerms{namespaces: all, systemPriorities: true})
	if s.countSystemPriorities("leaf") {
		t.Error("system priorities count before the engine has heard of it")
	}
	s.widen("leaf")
	if !s.countSystemPriorities("leaf") || s.countSystemPriorities("root") {
		t.Error("system priorities count where the queue says so")
	}
}

// clusterQueueOf is a ClusterQueue with room for eight pods of one cpu.
func clusterQueueOf(selector any) *unstructured.Unstructured {
	spec := map[string]any{"resourceGroups": []any{map[string]any{
		"coveredResources": []any{"cpu"}, "flavors": []any{map[string]any{"name": "f",
			"resources": []any{map[string]any{"name": "cpu", "nominalQuota": "8"}}}}}}}
	if selector != nil {
		spec["namespaceSelector"] = selector
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kueue.SchemeGroupVersion.String(), "kind": "ClusterQueue",
		"metadata": map[string]any{"name": "cq"}, "spec": spec}}
}

func TestAPodWaitsWhereItsNamespaceIsNotSelected(t *testing.T) {
	for _, removal := range []string{config.OnBind, config.OnAdmission} {
		t.Run(removal, func(t *testing.T) {
			w := newWorld(t, config.Args{Removal: removal}, nil)
			w.kueueQueues.flavorSeen(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": kueue.SchemeGroupVersion.String(), "kind": "ResourceFlavor",
				"metadata": map[string]any{"name": "f"}, "spec": map[string]any{}}})
			w.kueueQueues.local.set("default", "lq", "cq")
			w.kueueQueues.clusterQueueSeen(clusterQueueOf(map[string]any{"matchLabels": map[string]any{
				"team": "red"}}))
			pod := gatedPod("p")
			pod.Labels = map[string]string{facts.LocalQueueLabel: "lq"}
			pod = w.create(pod)
			w.until("it is held", w.is("p", "held"))
			verdict, err := w.PreEnqueue(pod)
			if err != nil || verdict.Pass || verdict.Reason != sluice.ReasonNotSelected {
				t.Errorf("of a namespace that is not known: %+v %v", verdict, err)
			}

			spaces := w.client.CoreV1().Namespaces()
			space := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
			if _, err = spaces.Create(context.Background(), space, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			space.Labels = map[string]string{"team": "red"}
			if _, err = spaces.Update(context.Background(), space, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			w.until("it is granted when its namespace is selected", w.is("p", "reserved"))
			w.until("the scheduler hears of it", w.wasActivated("p"))

			w.kueueQueues.clusterQueueSeen(clusterQueueOf(nil))
			second := gatedPod("second")
			second.Labels = pod.Labels
			w.create(second)
			w.until("no selector selects nothing", w.is("second", "held"))
			if w.state("p") != "reserved" {
				t.Errorf("what was granted is now %s", w.state("p"))
			}
			w.kueueQueues.clusterQueueSeen(clusterQueueOf(map[string]any{}))
			w.until("an empty one selects everything", w.is("second", "reserved"))
			if removal == config.OnAdmission {
				w.until("its gate is taken off", func() bool {
					return len(w.seen("second").Spec.SchedulingGates) == 0
				})
			}
		})
	}
}

// Nobody names a ClusterQueue but through a LocalQueue.
func TestAClusterQueueIsNotNamedDirectly(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	w.kueueQueues.clusterQueueSeen(clusterQueueOf(map[string]any{}))
	pod := gatedPod("p")
	pod.Annotations[facts.QueueName] = "cq"
	w.create(pod)
	w.until("it waits for a Volcano queue of that name", func() bool {
		answer, err := w.Engine().Inspect(sluice.Query{What: "pod", Namespace: "default", Name: "p"})
		return err == nil && answer["queueKind"] == sluice.KindQueue &&
			answer["reason"] == sluice.ReasonQueueUnknown
	})
}
