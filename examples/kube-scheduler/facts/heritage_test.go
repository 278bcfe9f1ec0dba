// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"maps"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestHeir(t *testing.T) {
	for name, one := range map[string]struct{ own, said, want map[string]string }{
		"all of it": {nil,
			map[string]string{QueueName: "q", GroupMinMember: "3", GateLong: "true", "x": "y"},
			map[string]string{QueueName: "q", GroupMinMember: "3"}},
		"nothing": {map[string]string{"x": "y"}, nil, map[string]string{"x": "y"}},
		"its own comes first": {map[string]string{QueueName: "mine", "x": "y"},
			map[string]string{QueueName: "q", GroupName: "g"},
			map[string]string{QueueName: "mine", GroupName: "g", "x": "y"}},
		"also what is empty": {map[string]string{QueueName: ""}, map[string]string{QueueName: "q"},
			map[string]string{QueueName: ""}},
		"a group of its own": {map[string]string{GroupMinMember: "2"},
			map[string]string{GroupName: "g", GroupMinMember: "3"},
			map[string]string{GroupMinMember: "2"}},
		"the group that was made": {map[string]string{GroupName: "podgroup-1"},
			map[string]string{GroupMinMember: "3"},
			map[string]string{GroupName: "podgroup-1", GroupMinMember: "3"}},
	} {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: maps.Clone(one.own)}}
		got := Heir(pod, Bequest(&metav1.ObjectMeta{Annotations: one.said}))
		if !maps.Equal(got.Annotations, one.want) {
			t.Errorf("%s: %v, want %v", name, got.Annotations, one.want)
		}
		if !maps.Equal(pod.Annotations, one.own) {
			t.Errorf("%s: the pod itself was changed: %v", name, pod.Annotations)
		}
		if same := maps.Equal(one.own, one.want); same != (got == pod) {
			t.Errorf("%s: a copy was made: %v", name, got != pod)
		}
	}
}
