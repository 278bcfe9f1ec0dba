// SPDX-License-Identifier: Apache-2.0

package cast

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	var made unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(text), &made.Object); err != nil {
		t.Fatal(err)
	}
	return &made
}

const (
	aNode = `{apiVersion: v1, kind: Node, metadata: {name: n1, uid: u, labels: {zone: a}},
		spec: {podCIDR: x, taints: [{key: k, effect: NoSchedule}]},
		status: {allocatable: {cpu: "4"}, capacity: {cpu: "5"}}}`
	aQueue = `{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q},
		spec: {capability: {cpu: 4}, later: 1}, status: {state: Open}}`
	aClusterQueue = `{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: c},
		spec: {admissionChecks: [a], cohortName: o}}`
	aLocalQueue = `{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue,
		metadata: {name: l, namespace: lab}, spec: {clusterQueue: c}}`
)

func TestAScene(t *testing.T) {
	scene := Scene{Config: map[string]any{"preempt": true, "removal": "onBind",
		"undeclared": "unlimited", "headGuard": "0s"}, Pool: "n1=3"}
	for _, text := range []string{aNode, aQueue, aClusterQueue, aLocalQueue} {
		scene.Objects = append(scene.Objects, object(t, text))
	}
	written, err := scene.Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"allocatable":{"cpu":"4"}`, `"taints":[{`, `"capability":{"cpu":4}`,
		`"cohortName":"o"`, `"namespaceSelector":{}`, `"evictPod"`, `"undeclared":"unlimited"`,
		`"apply":["node/n1","queue/q","clusterqueue/c","localqueue/lab/l"]`, `"template":"node/n1"`,
		`"max":3`, `"removal":"onBind"`} {
		if !strings.Contains(string(written), part) {
			t.Errorf("no %s in\n%s", part, written)
		}
	}
	for _, part := range []string{"uid", "podCIDR", "capacity\"", "later", "state", "admissionChecks",
		"headGuard", "writeWorkload"} {
		if strings.Contains(string(written), part) {
			t.Errorf("%s stands in\n%s", part, written)
		}
	}
}

func TestNotes(t *testing.T) {
	scene := Scene{Objects: []*unstructured.Unstructured{object(t, aQueue), object(t, aClusterQueue)}}
	want := []string{"Admission checks are taken as ready at once, in c."}
	if got := scene.Notes(); !slices.Equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
	closed := strings.Replace(aQueue, "state: Open", "state: Suspended", 1)
	for i := range 10 {
		scene.Objects = append(scene.Objects,
			object(t, strings.Replace(closed, "name: q", fmt.Sprint("name: q", i), 1)))
	}
	want = append(want,
		"Queues are taken as open that are not: q0, q1, q2, q3, q4, q5, q6, q7 and 2 more.")
	if got := scene.Notes(); !slices.Equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
}

func TestAPoolThatIsNone(t *testing.T) {
	for _, pool := range []string{"n1", "other=3", "n1=many", "n1=-1"} {
		scene := Scene{Pool: pool, Objects: []*unstructured.Unstructured{object(t, aNode)}}
		if _, err := scene.Write(); err == nil || !strings.Contains(err.Error(), "want NODE=MOST") {
			t.Errorf("%s: %v", pool, err)
		}
	}
}

func TestArrivalsSayNoMoreThanIsRead(t *testing.T) {
	var arrivals Arrivals
	arrivals.Add([]*unstructured.Unstructured{object(t, `{kind: Pod, apiVersion: v1,
		metadata: {name: p, namespace: lab, annotations: {sluice.sh/queue: queue/q, secret: s}},
		spec: {priority: 3, nodeName: n, containers: [{name: c}]}, status: {phase: Running, podIP: x}}`)})
	text, err := arrivals.Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"sluice.sh/queue":"queue/q"`, `"priority":3`, `"phase":"Running"`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	for _, part := range []string{"secret", "podIP", "nodeName"} {
		if strings.Contains(string(text), part) {
			t.Errorf("%s stands in %s", part, text)
		}
	}
}
