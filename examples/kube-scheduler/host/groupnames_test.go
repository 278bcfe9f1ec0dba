// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// The owner takes the pod out of the queues while its group is being written.
func TestNobodyIsNamedWhoAsksNoMore(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil)
	pod := w.create(member("p1", nil))
	w.until("the lister has it", func() bool {
		_, err := w.pods.lister.Pods("default").Get("p1")
		return err == nil
	})
	w.typed.to("patch", "pods", func(clienttesting.Action) (bool, runtime.Object,
		error) {
		left := pod.DeepCopy()
		delete(left.Annotations, facts.GroupMinMember)
		_ = w.client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), left, "default")
		return false, nil, nil
	})
	ack := w.carryOut(context.Background(), &sluice.Effect{Kind: sluice.SetGroup,
		UID: string(pod.UID), Namespace: "default", Name: "p1", Group: "g"})
	if ack.Result == sluice.Done {
		t.Error("it was written")
	}
	if got, is := w.seen("p1").Annotations[facts.GroupName]; is {
		t.Errorf("its group is %q", got)
	}
}
