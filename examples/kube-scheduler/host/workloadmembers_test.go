// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/workload"
)

// payer is a workload of two pods of 1 cpu, and of one of 2, for the Job of this uid.
func payer(job types.UID) *kueue.Workload {
	set := func(name, cpu string, count int32) kueue.PodSet {
		return kueue.PodSet{Name: kueue.PodSetReference(name), Count: count,
			Template: v1.PodTemplateSpec{Spec: v1.PodSpec{Containers: []v1.Container{{
				Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
					"cpu": resource.MustParse(cpu)}}}}}}}
	}
	w := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "w",
		UID: "uid-w", ResourceVersion: "1"}}
	w.OwnerReferences = controlledBy("Job", "batch/v1", &metav1.ObjectMeta{Name: "job", UID: job})
	w.Spec.PodSets = []kueue.PodSet{set("small", "1", 2), set("large", "2", 1)}
	return w
}

type membership struct {
	*workloadMembers
	t    *testing.T
	w    *kueue.Workload
	pods map[string]*v1.Pod
}

func newMembership(t *testing.T) *membership {
	m := &membership{t: t, w: payer("uid-job"), pods: map[string]*v1.Pod{}}
	m.workloadMembers = &workloadMembers{
		find:   func(types.NamespacedName) *kueue.Workload { return m.w },
		around: func(*kueue.Workload) *facts.Around { return &facts.Around{} },
		below: func(pod *v1.Pod, owner types.UID) bool {
			by := metav1.GetControllerOf(pod)
			return by != nil && by.UID == owner
		},
		of: map[types.UID]types.NamespacedName{}, all: map[types.NamespacedName]*claimants{},
	}
	return m
}

// pod is the one of this name, which says that it is of the workload.
func (m *membership) pod(name, set, cpu string, change ...func(*v1.Pod)) *v1.Pod {
	pod := gatedPod(name)
	pod.CreationTimestamp = metav1.NewTime(time.Unix(int64(len(m.pods)), 0))
	pod.Annotations[kueue.WorkloadAnnotation] = "w"
	pod.Labels = map[string]string{workload.PodSetLabel: set}
	pod.OwnerReferences = controlledBy("Job", "batch/v1",
		&metav1.ObjectMeta{Name: "job", UID: "uid-job"})
	pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse(cpu)
	for _, each := range change {
		each(pod)
	}
	m.pods[name] = pod
	return pod
}

// want compares who is a member, and for whom that was news.
func (m *membership) want(members string, news []*v1.Pod, told string) {
	m.t.Helper()
	var are, heard []string
	for name, pod := range m.pods {
		if m.has(pod) {
			are = append(are, name)
		}
	}
	for _, pod := range news {
		heard = append(heard, pod.Name)
	}
	slices.Sort(are)
	slices.Sort(heard)
	if got := strings.Join(are, " "); got != members {
		m.t.Errorf("members are %q, want %q", got, members)
	}
	if got := strings.Join(slices.Compact(heard), " "); got != told {
		m.t.Errorf("it is news for %q, want %q", got, told)
	}
}

func (m *membership) gone(name string) []*v1.Pod {
	pod := m.pods[name]
	delete(m.pods, name)
	return m.workloadMembers.gone(pod.UID)
}

func TestAWorkloadPaysForWhatItHolds(t *testing.T) {
	m := newMembership(t)
	m.want("a", m.seen(m.pod("a", "small", "1")), "")
	m.want("a", m.seen(m.pod("asks-more", "small", "1001m")), "")
	m.want("a", m.seen(m.pod("asks-else", "small", "1", func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Requests["x.io/gpu"] = resource.MustParse("1")
	})), "")
	m.want("a", m.seen(m.pod("of-no-set", "other", "1")), "")
	m.want("a", m.seen(m.pod("says-no-set", "", "1")), "")
	m.want("a", m.seen(m.pod("of-another", "small", "1", func(pod *v1.Pod) {
		pod.OwnerReferences[0].UID = "another"
	})), "")
	m.want("a", m.seen(m.pod("of-nobody", "small", "1", func(pod *v1.Pod) {
		pod.OwnerReferences = nil
	})), "")
	m.want("a large", m.seen(m.pod("large", "large", "2")), "")
	m.want("a b large", m.seen(m.pod("b", "small", "500m")), "")
	m.want("a b large", m.seen(m.pod("c", "small", "1")), "")
	m.want("b c large", m.gone("a"), "c")
	if old := m.pod("old", "small", "1", func(pod *v1.Pod) {
		pod.CreationTimestamp = metav1.NewTime(time.Unix(-1, 0))
	}); true {
		m.want("b large old", m.seen(old), "c")
	}
}

func TestAPodInThePlaceOfOneThatGoes(t *testing.T) {
	m := newMembership(t)
	for _, name := range []string{"a", "b"} {
		m.seen(m.pod(name, "small", "1"))
	}
	going := m.pods["a"].DeepCopy()
	now := metav1.Now()
	going.DeletionTimestamp = &now
	m.pods["a"] = going
	m.want("a b", m.seen(going), "")
	m.want("b c", m.seen(m.pod("c", "small", "1")), "a")
	m.want("b c", m.gone("a"), "")
}

func TestAPodThatWaitsTakesNobodysPlace(t *testing.T) {
	m := newMembership(t)
	runs := func(pod *v1.Pod) { pod.Spec.NodeName = "n" }
	m.seen(m.pod("old", "small", "1"))
	m.seen(m.pod("runs", "small", "1", runs))
	m.want("late runs", m.seen(m.pod("late", "small", "1", runs)), "old")
}

func TestAWorkloadThatChanges(t *testing.T) {
	m := newMembership(t)
	for _, name := range []string{"a", "b", "c"} {
		m.seen(m.pod(name, "small", "1"))
	}
	m.want("a b", nil, "")
	name := types.NamespacedName{Namespace: "default", Name: "w"}
	m.w = m.w.DeepCopy()
	m.w.ResourceVersion, m.w.Spec.PodSets[0].Count = "2", 3
	m.want("a b c", m.changed(name), "c")
	m.want("a b c", m.changed(name), "")
	m.w = nil
	m.want("", m.changed(name), "a b c")
	m.w = payer("another")
	m.want("", m.changed(name), "")
	m.w = payer("uid-job")
	m.w.ResourceVersion = "9"
	m.want("a b", m.changed(name), "a b")
	elsewhere := m.pods["a"].DeepCopy()
	delete(elsewhere.Annotations, kueue.WorkloadAnnotation)
	news := m.seen(elsewhere)
	delete(m.pods, "a")
	m.want("b c", news, "c")
	for _, pod := range []string{"b", "c"} {
		m.gone(pod)
	}
	if len(m.of) > 0 || len(m.all) > 0 {
		t.Errorf("kept of pods that are gone: %v, %v", m.of, m.all)
	}
}

func TestManyPodsOfAWorkload(t *testing.T) {
	m := newMembership(t)
	m.w.Spec.PodSets[0].Count = 20000
	began := time.Now()
	for i := range 20000 {
		if news := m.seen(m.pod(fmt.Sprint("pod-", i), "small", "1")); len(news) > 0 {
			t.Fatalf("news for %d", len(news))
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("20,000 pods took %s", took)
	}
}
