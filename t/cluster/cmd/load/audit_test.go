// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/plane"
)

func written(user, verb, resource, subresource, name string, code int32) auditv1.Event {
	e := auditv1.Event{Verb: verb, ResponseStatus: &metav1.Status{Code: code},
		ObjectRef: &auditv1.ObjectReference{Namespace: loadSpace, Resource: resource,
			Subresource: subresource, Name: name}}
	e.User.Username = user
	return e
}

func TestPodsThatCostMoreThanTheyMay(t *testing.T) {
	us := plane.ServiceAccountUser(accountNamespace, account).Name
	all := func(pod string) []auditv1.Event {
		return []auditv1.Event{
			written(us, "create", "events", "", pod+".17f3", 201),
			written(us, "create", "pods", "binding", pod, 201),
			written(us, "patch", "pods", "", pod, 200),
			written(plane.Admin, "create", "pods", "", pod, 201),
		}
	}
	right, refused := all("right"), all("refused")
	refused[2].ResponseStatus.Code = 409
	twice := append(all("twice"), written(us, "patch", "pods", "status", "twice", 200))
	for _, each := range []struct {
		name   string
		events []auditv1.Event
		right  int
	}{
		{"one of each", right, 1},
		{"a refused write is another one", refused, 0},
		{"a condition", twice, 0},
		{"no event", all("bare")[1:], 0},
	} {
		if got := reportPods(podWrites(each.events)); got != each.right {
			t.Errorf("%s: %d pods are right, want %d", each.name, got, each.right)
		}
	}
}
