// SPDX-License-Identifier: Apache-2.0

package host

import (
	"encoding/json"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Whatever cannot be made a Workload stays as it came, so that somebody hears of it.
func TestTyped(t *testing.T) {
	read := func(text string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), &object.Object); err != nil {
			t.Fatal(err)
		}
		return object
	}
	good := `{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": "w",
		"managedFields": [{"manager": "x"}]}, "spec": {"queueName": "q"}}`
	made, err := typed(read(good))
	w, is := made.(*kueue.Workload)
	if err != nil || !is || w.Spec.QueueName != "q" || w.Kind != "Workload" ||
		len(w.ManagedFields) > 0 {
		t.Errorf("it is %+v, %v", made, err)
	}
	bad := read(`{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
		"metadata": {"name": "w"}, "spec": {"queueName": 7}}`)
	if made, err := typed(bad); err != nil || !reflect.DeepEqual(made, bad) {
		t.Errorf("it is %+v, %v", made, err)
	}
}

func TestIndexes(t *testing.T) {
	yes := true
	w := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
		OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "batch/v1", Kind: "Job", Name: "j", UID: "u", Controller: &yes}}}}
	uids, _ := controllerUID(w)
	names, _ := ownerName(w)
	if !reflect.DeepEqual(uids, []string{"u"}) || !reflect.DeepEqual(names, []string{"ns/j"}) {
		t.Errorf("the indexes are %v, %v", uids, names)
	}
	w.OwnerReferences[0].Kind = "JobSet"
	if names, _ := ownerName(w); len(names) > 0 {
		t.Errorf("a JobSet is taken for a Job: %v", names)
	}
}
