// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

const minMember = "scheduling.volcano.sh/group-min-member"

// asking is a template of pods with a minimum, and nothing else that says that they opt in.
func (s *tale) asking(minimum string) corev1.PodTemplateSpec {
	pod := s.pod(s.name, "", "")
	return corev1.PodTemplateSpec{Spec: pod.Spec, ObjectMeta: metav1.ObjectMeta{
		Labels:      map[string]string{"of": s.name},
		Annotations: map[string]string{queueName: s.name, minMember: minimum}}}
}

// jobOf makes a Job of so many pods that ask for a group.
func (s *tale) jobOf(minimum string, pods int32, suspended bool) *batchv1.Job {
	s.Helper()
	template := s.asking(minimum)
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	made, err := s.Client.BatchV1().Jobs(s.name).Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: s.name},
		Spec: batchv1.JobSpec{Parallelism: &pods, Completions: &pods, Suspend: &suspended,
			Template: template}}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return made
}

// made waits for the group that was made for a controller, with this minimum.
func (s *tale) made(of types.UID, minimum int64) {
	s.Helper()
	s.until(fmt.Sprintf("a group of %d is made for %s", minimum, of), func() error {
		is, err := s.custom.Resource(s.groups.Resource()).Namespace(s.name).Get(s.Context(),
			groupOf(of), metav1.GetOptions{})
		if err != nil {
			return err
		}
		count, _, _ := unstructured.NestedInt64(is.Object, "spec", "schedulingPolicy", "gang",
			"minCount")
		owner := metav1.GetControllerOf(is)
		if count != minimum || owner == nil || owner.UID != of {
			return fmt.Errorf("it is of %d, and of %v", count, owner)
		}
		return nil
	})
}

func groupOf(controller types.UID) string { return "podgroup-" + string(controller) }

// selected waits for so many pods of the story, in a group of Kubernetes' own or not.
func (s *tale) selected(count int, grouped bool) (names []string) {
	s.Helper()
	s.until(fmt.Sprintf("%d pods are there", count), func() error {
		list, err := s.Client.CoreV1().Pods(s.name).List(s.Context(),
			metav1.ListOptions{LabelSelector: "of=" + s.name})
		if err != nil {
			return err
		}
		names = nil
		for i := range list.Items {
			if pod := &list.Items[i]; (pod.Spec.SchedulingGroup != nil) == grouped {
				names = append(names, pod.Name)
			}
		}
		if len(names) != count {
			return fmt.Errorf("there are %d of %d", len(names), len(list.Items))
		}
		return nil
	})
	return names
}

// A minimum that the pods of a Job carry, and nothing else, makes a gang of them.
func TestMinimums(t *testing.T) {
	c := leading(t, plan{overlay: "native-minimums", server: true, scheduler: true,
		controllers: true})
	c.namesGroups()
	t.Run("gang", func(t *testing.T) { testGangOfAMinimum(c, c.in(t, 2, 3)) })
	t.Run("theirs", func(t *testing.T) { testGroupOfOthers(c.in(t, 3, 3)) })
	t.Run("follows", func(t *testing.T) { testMinimumChanges(c.in(t, 3, 3)) })
	t.Run("ranked", func(t *testing.T) { testRankOfAMinimum(c.in(t, 2, 2)) })
	t.Run("deployment", func(t *testing.T) { testLeftToVolcano(c.in(t, 1, 2)) })
}

// namesGroups waits until the policy is in force.
func (c *cluster) namesGroups() {
	c.Helper()
	pod := c.pod("default", "try", "")
	pod.Annotations[minMember] = "3"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job",
		Name: "none", UID: "none", Controller: new(true)}}
	c.until("who has a minimum names a group", func() error {
		made, err := c.Client.CoreV1().Pods("default").Create(c.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil && made.Spec.SchedulingGroup == nil {
			err = fmt.Errorf("it names none")
		}
		return err
	})
}

func testGangOfAMinimum(c *cluster, s *tale) {
	job := s.jobOf("3", 3, false)
	pods := s.selected(3, true)
	s.made(job.UID, 3)
	s.held(pods...)
	s.nothingReserved()
	s.condition(groupOf(job.UID), "False")

	before := s.Replicas()[0]
	next, err := c.Sluice.Run(c.Context(), "b")
	if err == nil {
		err = s.AwaitReady(s.Context(), next)
	}
	if err == nil {
		err = before.Kill()
	}
	if err == nil {
		err = s.Refresh(s.Context())
	}
	if err != nil {
		s.Fatal(err)
	}
	s.held(pods...)
	s.ceiling(3)
	s.bound(pods...)
	s.neverSpurious(pods...)
	s.condition(groupOf(job.UID), "True")
	for _, pod := range pods {
		if group := s.of(pod).pod.Annotations["scheduling.k8s.io/group-name"]; group != "" {
			s.Errorf("%s was told the group %s, which is none of Volcano's", pod, group)
		}
	}

	// What was made goes with its owner.
	background := metav1.DeletePropagationBackground
	if err := s.Client.BatchV1().Jobs(s.name).Delete(s.Context(), job.Name,
		metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		s.Fatal(err)
	}
	s.until("the group is gone", func() error {
		_, err := s.custom.Resource(s.groups.Resource()).Namespace(s.name).Get(s.Context(),
			groupOf(job.UID), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there: %v", err)
	})
}

// A group of that name that others made, and of another minimum, answers nothing.
func testGroupOfOthers(s *tale) {
	job := s.jobOf("3", 3, true)
	s.gang(groupOf(job.UID), 1)
	_, err := s.Client.BatchV1().Jobs(s.name).Patch(s.Context(), job.Name, types.MergePatchType,
		[]byte(`{"spec": {"suspend": false}}`), metav1.PatchOptions{})
	if err != nil {
		s.Fatal(err)
	}
	pods := s.selected(3, true)
	s.held(pods...)
	if why := s.why(pods[0]); !strings.Contains(why, "another minimum than its pods ask for") {
		s.Errorf("of %s is said %s", pods[0], why)
	}
	s.nothingReserved()
	s.says(groupOf(job.UID), "GroupInvalid", "the group has another minimum than its pods ask for ("+
		minMember+"), and others made it")
}

// The group has the priority of the pods that it was made for: else nobody would schedule them.
func testRankOfAMinimum(s *tale) {
	s.class()
	template := s.asking("2")
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	template.Spec.PriorityClassName = s.name
	_, err := s.Client.BatchV1().Jobs(s.name).Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: s.name},
		Spec: batchv1.JobSpec{Parallelism: new(int32(2)), Completions: new(int32(2)),
			Template: template}}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	pods := s.selected(2, true)
	s.bound(pods...)
	s.neverSpurious(pods...)
}

// A StatefulSet whose newest pods carry another minimum.
func testMinimumChanges(s *tale) {
	replicas := int32(3)
	template := s.asking("2")
	set, err := s.Client.AppsV1().StatefulSets(s.name).Create(s.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: s.name},
		Spec: appsv1.StatefulSetSpec{Replicas: &replicas, Template: template,
			Selector:            &metav1.LabelSelector{MatchLabels: template.Labels},
			PodManagementPolicy: appsv1.ParallelPodManagement,
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{
				Type: appsv1.OnDeleteStatefulSetStrategyType}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	pods := s.selected(3, true)
	s.made(set.UID, 2)
	s.bound(pods...)
	_, err = s.Client.AppsV1().StatefulSets(s.name).Patch(s.Context(), s.name, types.MergePatchType,
		fmt.Appendf(nil, `{"spec": {"template": {"metadata": {"annotations": {%q: "3"}}}}}`,
			minMember), metav1.PatchOptions{})
	if err != nil {
		s.Fatal(err)
	}
	time.Sleep(time.Second) // in which others were created as well: the newest is to be another
	before := s.of(pods[0]).pod.UID
	s.delete(pods[0])
	if s.groups.Whole {
		s.made(set.UID, 3)
	} else { // whose API server changes nothing of a group
		s.warned("SluiceMinimumStays")
		s.made(set.UID, 2)
	}
	s.until("the new pod runs", func() error {
		if is := s.of(pods[0]); is.pod.UID == before || is.pod.Spec.NodeName == "" {
			return fmt.Errorf("sluice: %s", s.why(pods[0]))
		}
		return nil
	})
	s.neverSpurious(pods...)
}

// warned waits until somebody is told for this reason.
func (s *tale) warned(reason string) {
	s.Helper()
	s.until("an event says "+reason, func() error {
		list, err := s.Client.EventsV1().Events(s.name).List(s.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			if list.Items[i].Reason == reason {
				return nil
			}
		}
		return fmt.Errorf("there are %d others", len(list.Items))
	})
}

// The pods of two ReplicaSets may be one group, which no policy sees.
func testLeftToVolcano(s *tale) {
	replicas := int32(2)
	template := s.asking("2")
	set, err := s.Client.AppsV1().Deployments(s.name).Create(s.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: s.name},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Template: template,
			Selector: &metav1.LabelSelector{MatchLabels: template.Labels}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	pods := s.selected(2, false)
	s.held(pods...)
	s.ceiling(2)
	s.bound(pods...)
	s.neverSpurious(pods...)
	for _, pod := range pods {
		if got := s.of(pod).pod.Annotations["scheduling.k8s.io/group-name"]; got != groupOf(set.UID) {
			s.Errorf("%s is in %q", pod, got)
		}
	}
}

// An API server without such groups drops their name from the pods: they wait, and it is said for
// what.
func TestMinimumsThatNobodyServes(t *testing.T) {
	c := leading(t, plan{overlay: "native-minimums", controllers: true})
	c.says("serves no podgroups.scheduling.k8s.io")
	t.Run("unserved", func(t *testing.T) {
		s := c.in(t, 3, 3)
		s.jobOf("3", 3, false)
		pods := s.selected(3, false)
		s.held(pods...)
		why := s.why(pods[0])
		t.Log(why)
		if !strings.Contains(why, "GroupMissing") ||
			!strings.Contains(why, "serves no podgroups.scheduling.k8s.io") {
			t.Errorf("why says %s", why)
		}
		s.nothingReserved()
	})
}
