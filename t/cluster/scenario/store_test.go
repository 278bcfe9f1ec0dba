// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"sluice/cluster/plane"
)

func startPlane(t *testing.T) *Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs a control plane: not with -short")
	}
	p, err := plane.Start(context.Background(), plane.Options{Name: "story"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	etcd, err := etcdURL(p)
	if err != nil {
		t.Fatal(err)
	}
	return &Cluster{Admin: p.REST(plane.Admin), Etcd: etcd, Dir: t.TempDir()}
}

// What the store makes is a pod like any other: admitted, watched, and to be changed; but it has
// the time, the UID and the status that the story gives it.
func TestStoredPodsArePods(t *testing.T) {
	cluster := startPlane(t)
	ctx := context.Background()
	client, err := dynamic.NewForConfig(cluster.Admin)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := kubernetes.NewForConfig(cluster.Admin)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := typed.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	document, err := Parse("story.yaml", []byte(`
kind: Pod
metadata: {name: p, annotations: {n: 1}}
spec:
  priority: -5
  schedulingGates: [{name: example.com/a}]
  overhead: {cpu: 250m}
  containers: [{resources: {requests: {cpu: 1, example.com/gpu: 2}}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	of := objectOf(document.Pairs[0].Value, "pod/p")
	for _, class := range split(of, false) {
		for _, k := range kinds {
			if k.name != class.GetKind() {
				continue
			}
			_, err := client.Resource(k.resource).Create(ctx, class, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	s := &store{client: client, etcd: cluster.Etcd, http: http.DefaultClient}
	at := time.Date(2026, 1, 1, 0, 0, 7, 0, time.UTC)
	how := born{at: at, uid: "00000001-0000-4000-8000-000000000001", status: func(now object) {
		takeStatus(now, &Tree{Type: Map, Pairs: []Pair{
			{"nominatedNodeName", &Tree{Type: Text, Text: "n"}},
		}})
	}}
	if err := s.create(ctx, kinds["pod"], of, how); err != nil {
		t.Fatal(err)
	}
	if err := s.create(ctx, kinds["pod"], of, how); err == nil {
		t.Error("a pod was stored over another of its name")
	}
	select {
	case event := <-watch.ResultChan():
		if event.Type != "ADDED" {
			t.Errorf("the watch tells %s", event.Type)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the watch tells nothing")
	}
	pods := typed.CoreV1().Pods("default")
	pod, err := pods.Get(ctx, "p", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !pod.CreationTimestamp.Equal(&metav1.Time{Time: at}) || string(pod.UID) != how.uid ||
		pod.Status.NominatedNodeName != "n" || pod.Generation != 1 {
		t.Errorf("it is not as the story wants it: %+v %+v", pod.ObjectMeta, pod.Status)
	}
	if *pod.Spec.Priority != -5 || pod.Spec.Overhead.Cpu().String() != "250m" ||
		pod.Spec.Containers[0].Image == "" || len(pod.Status.Conditions) == 0 ||
		pod.Annotations["n"] != "1" {
		t.Errorf("it was not admitted: %+v %+v", pod.Spec, pod.Status)
	}
	patch := []byte(`[{"op":"test","path":"/metadata/uid","value":"` + how.uid +
		`"},{"op":"replace","path":"/spec/schedulingGates","value":[]}]`)
	pod, err = pods.Patch(ctx, "p", types.JSONPatchType, patch, metav1.PatchOptions{})
	if err != nil || len(pod.Spec.SchedulingGates) != 0 || pod.Generation != 2 {
		t.Errorf("it is not to be changed: %v %+v", err, pod)
	}
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("it is not listed: %v %+v", err, list)
	}
}
