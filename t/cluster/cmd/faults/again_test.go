// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// losesFirst lets a client's first write of a kind be done, and its answer be lost.
func losesFirst(t *testing.T, client *fake.Clientset, verb string, tries *int) {
	t.Helper()
	client.PrependReactor(verb, "pods", func(asked k8stesting.Action) (bool, runtime.Object, error) {
		if *tries++; *tries > 1 {
			return false, nil, nil
		}
		if _, _, err := k8stesting.ObjectReaction(client.Tracker())(asked); err != nil {
			t.Error(err)
		}
		return true, nil, context.DeadlineExceeded
	})
}

func TestCrowdWritesAgainWhereAnAnswerWasLost(t *testing.T) {
	client := fake.NewClientset()
	var created, deleted int
	losesFirst(t, client, "create", &created)
	losesFirst(t, client, "delete", &deleted)
	c := quietCrowd()
	c.client = client
	pod := state("1", true, "", false)
	if err := c.create(t.Context(), pod); err != nil || created != 2 {
		t.Fatalf("created by %d tries, want 2: %v", created, err)
	}
	uid, err := c.remove(t.Context(), pod.Name)
	if err != nil || uid != pod.UID {
		t.Errorf("it was %q that was removed, want %q: %v", uid, pod.UID, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 3*retryFault)
	defer cancel()
	if _, err := c.remove(soon, "nobody"); err == nil {
		t.Error("a pod was removed that never was")
	}
}
