// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/sluice"
)

func TestCommand(t *testing.T) {
	command := &bus.Command{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default", UID: "u",
			CreationTimestamp: created},
		Action: "SuspendQueue", TargetObject: &metav1.OwnerReference{Kind: "Queue", Name: "q",
			UID: "uid-q"}}
	want := &sluice.Command{UID: "u", Namespace: "default", Name: "c",
		Created: created.UnixNano(), Action: "SuspendQueue", TargetKind: "Queue", TargetName: "q",
		TargetUID: "uid-q"}
	same(t, Command(command), want)
	command.TargetObject = nil
	want.TargetKind, want.TargetName, want.TargetUID = "", "", ""
	same(t, Command(command), want)
}

// Of a queue's annotations only those are told that the engine reads.
func TestMarks(t *testing.T) {
	queue := &volcano.Queue{ObjectMeta: metav1.ObjectMeta{Name: "q", UID: "u",
		ResourceVersion: "12", Annotations: map[string]string{"other": "x",
			CreateSuspended: "true", SuspendedByParent: "Open"}}}
	var got sluice.Queue
	if err := Queue(queue, &got); err != nil {
		t.Fatal(err)
	}
	same(t, got.Annotations, [][2]string{{SuspendedByParent, "Open"}, {CreateSuspended, "true"}})
	if got.UID != "u" || got.ResourceVersion != 12 {
		t.Errorf("got %+v", got)
	}
}
