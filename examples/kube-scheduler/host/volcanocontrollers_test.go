// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

func groupMadeBy(manager, name, owner string, at time.Time) *unstructured.Unstructured {
	group := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
		"metadata": map[string]any{"name": name, "namespace": "default", "uid": "uid-" + name},
		"spec":     map[string]any{"minMember": int64(1)},
	}}
	group.SetCreationTimestamp(metav1.NewTime(at))
	group.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner, Kind: "Job", Name: "j"}})
	group.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, Operation: "Update"}})
	return group
}

func TestWhoMakesPodGroups(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	after, before := began.Add(time.Minute), began.Add(-time.Minute)
	r := &volcanoControllers{since: began}
	for _, one := range []struct {
		manager, owner string
		at             time.Time
		want           string
	}{
		{"vc-controller-manager", "batch/v1", after, "vc-controller-manager"},
		{"vc-controller-manager", "batch/v1", before, ""},
		{"vc-controller-manager", "batch.volcano.sh/v1alpha1", after, ""},
		{"sluice-scheduler", "batch/v1", after, ""},
	} {
		if got := r.made(groupMadeBy(one.manager, "g", one.owner, one.at)); got != one.want {
			t.Errorf("%+v: %q", one, got)
		}
	}
}

// Volcano's controller makes PodGroups for pods of the schedulers that it was told: if they are
// ours, that is said, and once.
func TestPodGroupsOfVolcanosControllerAreTold(t *testing.T) {
	w := newWorld(t, config.Args{Removal: sluice.OnBind}, nil)
	w.queue("q", "4")
	later := time.Now().Add(time.Hour)
	for _, name := range []string{"others", "ours", "ours-too"} {
		_, err := w.dynamic.Resource(podGroups).Namespace("default").Create(context.Background(),
			groupMadeBy("vc-controller-manager", name, "apps/v1", later), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if name == "others" {
			continue
		}
		pod := gatedPod("of-" + name)
		pod.Annotations["scheduling.k8s.io/group-name"] = name
		w.create(pod)
	}
	told := func() (events []string) {
		list, err := w.client.EventsV1().Events("default").List(context.Background(),
			metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			if list.Items[i].Reason == "SluiceRival" {
				events = append(events, list.Items[i].Regarding.Name+": "+list.Items[i].Note)
			}
		}
		return events
	}
	for _, name := range []string{"of-ours", "of-ours-too"} {
		w.until(name+" is known", func() bool { return w.state(name) != "unknown" })
	}
	// Its status is written when it has members, by whoever does that, and so it is seen once more.
	for _, name := range []string{"others", "ours", "ours-too"} {
		group := w.groupNow(name)
		group.SetAnnotations(map[string]string{"seen": "again"})
		_, err := w.dynamic.Resource(podGroups).Namespace("default").Update(context.Background(),
			group, metav1.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.until("somebody is told", func() bool { return w.controllers.toldOfGroups.Load() })
	for _, text := range told() {
		if strings.HasPrefix(text, "others") || !strings.Contains(text, "-pg-controller") {
			t.Error(text)
		}
	}
}
