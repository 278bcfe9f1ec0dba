// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

var errLost = errors.New("no answer in time")

// The first create is done, and who asked for it does not learn that.
func TestCreateIsTriedAgainWhereItsAnswerWasLost(t *testing.T) {
	client := fake.NewClientset()
	tries := 0
	lose := func(asked k8stesting.Action) (bool, runtime.Object, error) {
		if tries++; tries > 1 {
			return false, nil, nil
		}
		if _, _, err := k8stesting.ObjectReaction(client.Tracker())(asked); err != nil {
			t.Error(err)
		}
		return true, nil, errLost
	}
	client.PrependReactor("create", "pods", lose)
	eventuallyMade(t, "its pod is there", func() error {
		_, err := createPodBy(t.Context(), client, "a")
		return err
	})
	if tries != 2 {
		t.Errorf("it was tried %d times, want 2", tries)
	}
	_, err := client.CoreV1().Pods("default").Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil {
		t.Error(err)
	}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "a", errLost)
	for _, err := range []error{errLost, forbidden} {
		if got := Made(err); got != err {
			t.Errorf("Made(%v) is %v", err, got)
		}
	}
}
