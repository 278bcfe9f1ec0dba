// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

// replicaSet is one of a Deployment, for the informer and for the reader.
func replicaSet(name, revision string, by *unstructured.Unstructured) (*appsv1.ReplicaSet,
	*unstructured.Unstructured) {
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name,
		UID:             types.UID("uid-" + name),
		OwnerReferences: []metav1.OwnerReference{referTo(by)},
		Annotations:     map[string]string{revisionOfSet: revision}}}
	return set, owned("apps/v1", "ReplicaSet", name, by, nil)
}

// superseded is what the engine is told of a pod's template.
func (w *world) superseded(pod *v1.Pod) bool {
	into := new(sluice.Pod)
	return w.describer.fill(pod, into) && into.Controller != nil && into.Controller.Supersedes
}

func TestADeploymentSupersedesThePodsOfItsOlderTemplates(t *testing.T) {
	web := deployment(2)
	older, olderRead := replicaSet("web-1", "1", web)
	newer, newerRead := replicaSet("web-2", "2", web)
	w := newWorld(t, config.Args{Removal: config.OnBind}, nil, web, olderRead, newerRead)
	sets := w.client.AppsV1().ReplicaSets("default")
	create := func(set *appsv1.ReplicaSet) {
		if _, err := sets.Create(context.Background(), set, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create(older)
	first := w.create(member("p1", olderRead))
	w.until("the engine knows the pod", func() bool { return w.state("p1") != "unknown" })
	if w.superseded(first) {
		t.Error("the only template is older than another")
	}
	create(newer)
	second := w.create(member("p2", newerRead))
	w.until("the older template is superseded", func() bool { return w.superseded(first) })
	w.until("the newer one's pod is known", func() bool { return w.state("p2") != "unknown" })
	if w.superseded(second) {
		t.Error("the newest template is older than another")
	}
	older.Annotations[revisionOfSet] = "3"
	if _, err := sets.Update(context.Background(), older, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("who goes back to a template supersedes the other",
		func() bool { return !w.superseded(first) && w.superseded(second) })
}

func TestWhomAStatefulSetReplaces(t *testing.T) {
	partition := int32(2)
	onDelete := appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	from2 := appsv1.StatefulSetUpdateStrategy{
		RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &partition}}
	for name, test := range map[string]struct {
		strategy appsv1.StatefulSetUpdateStrategy
		revision string
		index    string
		want     bool
	}{
		"the older revision":    {revision: "s-1", index: "2", want: true},
		"the newest revision":   {revision: "s-2", index: "2"},
		"no revision":           {index: "2"},
		"whom its user deletes": {revision: "s-1", index: "2", strategy: onDelete},
		"below its partition":   {revision: "s-1", index: "1", strategy: from2},
		"from its partition on": {revision: "s-1", index: "2", want: true, strategy: from2},
	} {
		set := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{UpdateStrategy: test.strategy},
			Status: appsv1.StatefulSetStatus{UpdateRevision: "s-2"}}
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
			appsv1.ControllerRevisionHashLabelKey: test.revision,
			appsv1.PodIndexLabel:                  test.index}}}
		if got := replacedInOrder(set, pod); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
