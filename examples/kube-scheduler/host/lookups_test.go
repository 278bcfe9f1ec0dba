// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/config"
)

// Forged owners cost the API server no more than a bound says: one that is not there is asked about
// once, and of ever new ones a namespace has so many.
func TestForgedOwnersAreBounded(t *testing.T) {
	set := owned("apps/v1", "StatefulSet", "db", nil, map[string]any{"replicas": int64(3)})
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, set)
	reads := func() (n int) {
		for _, action := range w.dynamic.Actions() {
			if action.GetVerb() == "get" {
				n++
			}
		}
		return n
	}
	ask := func(space, owner string) error {
		pod := gatedPod("forged")
		pod.Namespace = space
		pod.Annotations["scheduling.volcano.sh/group-min-member"] = "2"
		controller := true
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet",
			Name: owner, UID: types.UID("u-" + owner), Controller: &controller}}
		_, err := w.Newcomer(t.Context(), pod)
		return err
	}
	before := reads()
	for range 20 {
		if err := ask("mine", "none"); err != nil {
			t.Fatal(err)
		}
	}
	if n := reads() - before; n != 1 {
		t.Errorf("an owner that is not there was read %d times, want once", n)
	}
	refused := 0
	for i := range 5 * lookupsAtOnce {
		if ask("mine", fmt.Sprint("forged-", i)) != nil {
			refused++
		}
	}
	if n := reads() - before; refused == 0 || n > 2*lookupsAtOnce {
		t.Errorf("ever new owners were read %d times, and %d refused; want %d at once", n, refused,
			lookupsAtOnce)
	}
	if err := ask("theirs", "db"); err != nil {
		t.Errorf("a pod of another namespace: %v", err)
	}
}
