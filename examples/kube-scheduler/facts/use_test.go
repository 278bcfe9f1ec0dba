// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubelabels "k8s.io/apimachinery/pkg/labels"

	"sluice/kube-scheduler/sluice"
)

func TestUsersOf(t *testing.T) {
	in := func(name string, more ...string) kubelabels.Set {
		set := kubelabels.Set{"kubernetes.io/metadata.name": name}
		for i := 0; i < len(more); i += 2 {
			set[more[i]] = more[i+1]
		}
		return set
	}
	for _, c := range []struct {
		list, selector string
		yes, no        kubelabels.Set
	}{
		{"a, b", "", in("b"), in("c")},
		{"", "team in (x, y)", in("a", "team", "y"), in("a", "team", "z")},
		{"", "!guest", in("a"), in("a", "guest", "")},
		{"a", "team=x", in("a", "team", "x"), in("a", "team", "y")},
		{"a", "team=x", in("a", "team", "x"), in("b", "team", "x")},
	} {
		said := map[string]string{}
		if c.list != "" {
			said[Namespaces] = c.list
		}
		if c.selector != "" {
			said[NamespaceSelector] = c.selector
		}
		users, err := UsersOf(said)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		selector, err := metav1.LabelSelectorAsSelector(users)
		if err != nil || !selector.Matches(c.yes) || selector.Matches(c.no) {
			t.Errorf("%+v: %v, selects %v and %v", c, err, selector.Matches(c.yes), selector.Matches(c.no))
		}
	}
	if users, err := UsersOf(nil); err != nil || users == nil || len(users.MatchExpressions) != 0 {
		t.Errorf("nothing said is everybody: %v %v", users, err)
	}
	for key, text := range map[string]string{Namespaces: "a b", NamespaceSelector: "team in"} {
		users, err := UsersOf(map[string]string{key: text})
		if err == nil || users != nil || !strings.Contains(err.Error(), key) ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("%s: %q: %v %v", key, text, users, err)
		}
	}
	if _, err := UsersOf(map[string]string{Namespaces: ""}); err == nil {
		t.Error("an empty list is no list")
	}
}

func TestQueueOf(t *testing.T) {
	pod := &sluice.Pod{NamespaceQueue: "theirs",
		Annotations: [][2]string{{GateLong, "true"}, {QueueName, "own"}, {Preemptable, "true"}}}
	if QueueOf(pod) != "own" {
		t.Errorf("its own: %s", QueueOf(pod))
	}
	Bind(pod)
	if QueueOf(pod) != "theirs" || len(pod.Annotations) != 2 || pod.Annotations[1][0] != Preemptable {
		t.Errorf("bound: %s %v", QueueOf(pod), pod.Annotations)
	}
	pod.NamespaceQueue = ""
	if QueueOf(pod) != DefaultQueue {
		t.Errorf("none: %s", QueueOf(pod))
	}
}

func TestCommonPriority(t *testing.T) {
	for priority, want := range map[int32]int32{-5: -5, 1000000000: 1000000000, 1000000001: 0,
		2000001000: 0} {
		if got := CommonPriority(priority); got != want {
			t.Errorf("%d: %d, want %d", priority, got, want)
		}
	}
}

func TestMemberPriority(t *testing.T) {
	const system = 2000001000
	for _, c := range []struct {
		own   int32
		group *int32
		want  int32
	}{
		{5, nil, 5}, {system, nil, 0}, {5, new(int32(5)), 5}, {5, new(int32(0)), 5},
		{0, new(int32(5)), 0}, {system, new(int32(system)), 0},
		// Which of them do not count does not make them the same.
		{system, new(int32(0)), system}, {0, new(int32(system)), system},
		{system - 1, new(int32(system)), system}, {system, new(int32(5)), 0},
	} {
		if got := MemberPriority(c.own, c.group); got != c.want {
			t.Errorf("%d in a group of %v: %d, want %d", c.own, c.group, got, c.want)
		}
	}
}
