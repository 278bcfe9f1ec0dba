// SPDX-License-Identifier: Apache-2.0

package workloads

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestLives(t *testing.T) {
	bothWays(t, func(c *cluster) {
		for _, step := range []struct {
			name string
			test func(*cluster)
		}{
			{"rollout with room for a surge", testSurge},
			{"rollout in a queue that is full", testFull},
			{"recreated all at once", testRecreate},
			{"scaled below its minimum and above", testScale},
			{"deleted, and made anew under its name", testAnew},
			{"deleted while it is made", testBrief},
			{"StatefulSet", testSet},
			{"StatefulSet, one after the other", testOrdered},
			{"Job", testJob},
		} {
			if !c.T.Run(step.name, func(t *testing.T) { step.test(c.on(t)) }) {
				return
			}
		}
	})
}

// template is pods of one cpu that want to run together with others.
func template(workload, queue string, minimum int) corev1.PodTemplateSpec {
	spec := podSpec()
	spec.Containers[0].Resources.Requests = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1")}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels: map[string]string{"app": workload},
			Annotations: map[string]string{gateName: "true", queueName: queue,
				minMember: fmt.Sprint(minimum)},
		},
		Spec: spec,
	}
}

func selector(workload string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": workload}}
}

// deployment of so many pods, which has a queue of its own name.
func (c *cluster) deployment(name string, cpu, replicas, minimum int,
	how appsv1.DeploymentStrategy) *appsv1.Deployment {
	c.Helper()
	c.createQueue(name, cpu)
	made := must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.Client.AppsV1().Deployments(space).Create(ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(replicas)), Selector: selector(name),
				Template: template(name, name, minimum), Strategy: how},
		}, metav1.CreateOptions{})
	})
	c.Cleanup(func() {
		// What failed has said so.
		_ = c.Client.AppsV1().Deployments(space).Delete(context.Background(), name, background())
	})
	return made
}

func rolling(surge, unavailable int) appsv1.DeploymentStrategy {
	most, fewest := intstr.FromInt32(int32(surge)), intstr.FromInt32(int32(unavailable))
	return appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &most, MaxUnavailable: &fewest}}
}

func (c *cluster) patchDeployment(name, patch string) {
	c.Helper()
	must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.Client.AppsV1().Deployments(space).Patch(ctx, name,
			types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	})
}

// rollOut changes the pods of a Deployment, and waits until all are new ones that run.
func (c *cluster) rollOut(name string, replicas int32) {
	c.Helper()
	c.patchDeployment(name,
		`{"spec": {"template": {"metadata": {"annotations": {"example.com/release": "2"}}}}}`)
	c.until("the rollout of "+name+" is over", func() error {
		now, err := c.Client.AppsV1().Deployments(space).Get(c.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		s := now.Status
		if s.ObservedGeneration == now.Generation && s.Replicas == replicas &&
			s.UpdatedReplicas == replicas && s.AvailableReplicas == replicas {
			return nil
		}
		var says []string
		for _, pod := range c.pods(name) {
			says = append(says, fmt.Sprintf("%s (release %s) %s", pod.Name,
				pod.Annotations["example.com/release"], c.why(pod.Name)))
		}
		return fmt.Errorf("%d pods, %d of them new, %d available:\n%s", s.Replicas,
			s.UpdatedReplicas, s.AvailableReplicas, strings.Join(says, "\n"))
	})
}

// remove deletes a Deployment; nothing of it stays.
func (c *cluster) remove(name string) {
	c.Helper()
	err := c.Client.AppsV1().Deployments(space).Delete(c.Context(), name, background())
	if err != nil {
		c.Fatal(err)
	}
	c.nothingLeft(name)
}

// rolls rolls a Deployment of four out, and looks at the group before and after.
func (c *cluster) rolls(name string, cpu int, how appsv1.DeploymentStrategy) {
	c.Helper()
	c.deployment(name, cpu, 4, 4, how)
	c.runs(name, 4, 4)
	before := c.groupOf("Deployment/" + name)
	c.rollOut(name, 4)
	c.runs(name, 4, 4)
	after := c.groupOf("Deployment/" + name)
	if after.uid != before.uid || after.minimum != 4 {
		c.Errorf("after the rollout its PodGroup is %+v, before it was %+v", after, before)
	}
	c.whole(name, after.name)
	c.remove(name)
}

func testSurge(c *cluster) { c.rolls("surge", 6, rolling(2, 1)) }

func testFull(c *cluster) { c.rolls("full", 4, rolling(1, 1)) }

func testRecreate(c *cluster) {
	c.rolls("again", 4, appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType})
}

// Who runs goes on below the minimum; whoever comes then waits until there are enough.
func testScale(c *cluster) {
	const name = "scaled"
	c.deployment(name, 8, 4, 4, rolling(1, 1))
	c.runs(name, 4, 4)
	c.patchDeployment(name, `{"spec": {"replicas": 2}}`)
	c.runs(name, 2, 2)
	first := c.pods(name)[0].Name
	err := c.Client.CoreV1().Pods(space).Delete(c.Context(), first, metav1.DeleteOptions{})
	if err != nil {
		c.Fatal(err)
	}
	c.until("the one in its place is held, and says why", func() error {
		var says []string
		for _, pod := range c.pods(name) {
			a := c.asked(pod.Name)
			if pod.Name != first && a.State == "held" && strings.Contains(a.Message, "4") {
				return nil
			}
			says = append(says, fmt.Sprintf("%s %+v", pod.Name, a))
		}
		return fmt.Errorf("it is not: %s", strings.Join(says, "; "))
	})
	c.runs(name, 2, 1)
	c.patchDeployment(name, `{"spec": {"replicas": 6}}`)
	c.runs(name, 6, 6)
	c.groupOf("Deployment/" + name)
	c.remove(name)
}

func testAnew(c *cluster) {
	const name = "anew"
	c.deployment(name, 8, 4, 4, rolling(1, 1))
	c.runs(name, 4, 4)
	before := c.groupOf("Deployment/" + name)
	c.remove(name)
	must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.Client.AppsV1().Deployments(space).Create(ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(4)), Selector: selector(name),
				Template: template(name, name, 4)},
		}, metav1.CreateOptions{})
	})
	c.runs(name, 4, 4)
	if after := c.groupOf("Deployment/" + name); after.uid == before.uid ||
		after.name == before.name {
		c.Errorf("another Deployment has the same PodGroup %+v", after)
	}
	c.remove(name)
}

// A Deployment that goes as soon as it came leaves no PodGroup, whoever was quicker.
func testBrief(c *cluster) {
	const name = "brief"
	c.createQueue(name, 8)
	deployments := c.Client.AppsV1().Deployments(space)
	for i := range 10 {
		must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
			return deployments.Create(ctx, &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec: appsv1.DeploymentSpec{Replicas: new(int32(4)), Selector: selector(name),
					Template: template(name, name, 4)},
			}, metav1.CreateOptions{})
		})
		c.until("its first pods are there", func() error {
			if len(c.pods(name)) == 0 {
				return fmt.Errorf("none is")
			}
			return nil
		})
		time.Sleep(time.Duration(i) * 5 * time.Millisecond)
		c.remove(name)
	}
}

func testSet(c *cluster) {
	const name = "set"
	c.createQueue(name, 3)
	c.statefulSet(name, appsv1.ParallelPodManagement)
	c.runs(name, 3, 3)
	found := c.groupOf("StatefulSet/" + name)
	c.whole(name, found.name)
	// A pod that is made anew under its name takes its own place.
	err := c.Client.CoreV1().Pods(space).Delete(c.Context(), name+"-1", metav1.DeleteOptions{})
	if err != nil {
		c.Fatal(err)
	}
	c.until("the pod is another one", func() error {
		for _, pod := range c.pods(name) {
			if pod.Name == name+"-1" && pod.DeletionTimestamp == nil && isRunning(&pod) {
				return nil
			}
		}
		return fmt.Errorf("%s-1 does not run", name)
	})
	c.runs(name, 3, 3)
	c.removeSet(name)
}

func (c *cluster) statefulSet(name string, how appsv1.PodManagementPolicyType) {
	c.Helper()
	must(c, func(ctx context.Context) (*appsv1.StatefulSet, error) {
		return c.Client.AppsV1().StatefulSets(space).Create(ctx, &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3)), Selector: selector(name),
				Template: template(name, name, 3), PodManagementPolicy: how},
		}, metav1.CreateOptions{})
	})
}

func (c *cluster) removeSet(name string) {
	c.Helper()
	err := c.Client.AppsV1().StatefulSets(space).Delete(c.Context(), name, background())
	if err != nil {
		c.Fatal(err)
	}
	c.nothingLeft(name)
}

// It makes the second pod when the first one runs, which waits for the second one.
func testOrdered(c *cluster) {
	const name = "ordered"
	c.createQueue(name, 3)
	c.statefulSet(name, appsv1.OrderedReadyPodManagement)
	c.until("its first pod is held, and says why", func() error {
		a := c.asked(name + "-0")
		if a.State != "held" || !strings.Contains(a.Message, "podManagementPolicy: Parallel") {
			return fmt.Errorf("the answer is %+v", a)
		}
		return nil
	})
	c.runs(name, 1, 0)
	c.removeSet(name)
}

func testJob(c *cluster) {
	const name = "job"
	c.createQueue(name, 3)
	pods := template(name, name, 3)
	pods.Labels[ends] = "well"
	pods.Spec.RestartPolicy = corev1.RestartPolicyNever
	must(c, func(ctx context.Context) (*batchv1.Job, error) {
		return c.Client.BatchV1().Jobs(space).Create(ctx, &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: batchv1.JobSpec{Parallelism: new(int32(3)), Completions: new(int32(3)),
				Template: pods},
		}, metav1.CreateOptions{})
	})
	c.until("it is complete, and so is its group", func() error {
		job, err := c.Client.BatchV1().Jobs(space).Get(c.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		complete := slices.ContainsFunc(job.Status.Conditions, func(one batchv1.JobCondition) bool {
			return one.Type == batchv1.JobComplete && one.Status == corev1.ConditionTrue
		})
		if groups := c.groups(); !complete || len(groups) != 1 || groups[0].phase != "Completed" {
			return fmt.Errorf("its status is %+v, the PodGroups are %+v", job.Status, groups)
		}
		return nil
	})
	c.groupOf("Job/" + name)
	err := c.Client.BatchV1().Jobs(space).Delete(c.Context(), name, background())
	if err != nil {
		c.Fatal(err)
	}
	c.nothingLeft(name)
}
