// SPDX-License-Identifier: Apache-2.0

package workloads

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// TestEdited edits owners whose pods wait. None of their pods has ever run, so their controllers
// make the new ones in part only, and go on when those run.
func TestEdited(t *testing.T) {
	bothWays(t, func(c *cluster) {
		must(c, func(ctx context.Context) (*schedulingv1.PriorityClass, error) {
			return c.Client.SchedulingV1().PriorityClasses().Create(ctx, &schedulingv1.PriorityClass{
				ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 100}, metav1.CreateOptions{})
		})
		for _, step := range []struct {
			name string
			test func(*cluster)
		}{
			{"fewer cpus", testFewerCPUs},
			{"more cpus, and then fewer", testEditedTwice},
			{"and undone", testUndone},
			{"another queue", testOtherQueue},
			{"a smaller minimum", testSmallerMinimum},
			{"another priority class", testOtherClass},
			{"a StatefulSet", testEditedSet},
			{"a Job", testEditedJob},
			{"another leader in the middle of it", testOtherLeader},
		} {
			if !c.T.Run(step.name, func(t *testing.T) { step.test(c.on(t)) }) {
				return
			}
		}
	})
}

// large is a template of pods of so many cpus.
func large(workload, queue string, cpu, minimum int) corev1.PodTemplateSpec {
	made := template(workload, queue, minimum)
	made.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] =
		*resource.NewQuantity(int64(cpu), resource.DecimalSI)
	return made
}

func requests(cpu int) string {
	return fmt.Sprintf(`{"spec": {"containers": [{"name": "c", "resources": {"requests": `+
		`{"cpu": "%d"}}}]}}`, cpu)
}

func annotated(key, value string) string {
	return fmt.Sprintf(`{"metadata": {"annotations": {%q: %q}}}`, key, value)
}

// waiting is a Deployment of five pods, in a queue of its own name, that never have room in it: all
// of them are there, and say why they wait.
func (c *cluster) waiting(name string, queue, cpu int) {
	c.Helper()
	c.createQueue(name, queue)
	must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.Client.AppsV1().Deployments(space).Create(ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(5)), Selector: selector(name),
				Template: large(name, name, cpu, 5)},
		}, metav1.CreateOptions{})
	})
	c.wait(name, 5, "QueueCapacity")
}

// wait waits until so many pods are there, and all of them wait for the same.
func (c *cluster) wait(name string, pods int, reason string) {
	c.Helper()
	c.until(fmt.Sprintf("%d pods of %s wait: %s", pods, name, reason), func() error {
		found := c.pods(name)
		for i := range found {
			if a := c.asked(found[i].Name); a.Reason != reason {
				return fmt.Errorf("%s: %+v", found[i].Name, a)
			}
		}
		if len(found) != pods {
			return fmt.Errorf("there are %d", len(found))
		}
		return nil
	})
}

func (c *cluster) edit(name, template string) {
	c.Helper()
	c.patchDeployment(name, `{"spec": {"template": `+template+`}}`)
}

// ends waits until all pods are of the template that is asked for, and run, and their PodGroup
// says the same; then all of it goes.
func (c *cluster) ends(name, owner string, minimum int64, queue, class string) {
	c.Helper()
	c.runs(name, 5, 5)
	c.until("the PodGroup says what its pods ask for", func() error {
		g := c.groupOf(owner)
		object, err := c.custom.Resource(podGroups).Namespace(space).Get(c.Context(), g.name,
			metav1.GetOptions{})
		if err != nil {
			return err
		}
		in, _, _ := unstructured.NestedString(object.Object, "spec", "queue")
		of, _, _ := unstructured.NestedString(object.Object, "spec", "priorityClassName")
		if g.minimum != minimum || in != queue || of != class || g.phase != "Running" {
			return fmt.Errorf("it is %+v, in queue %q, of class %q", g, in, of)
		}
		return nil
	})
	for _, pod := range c.pods(name) {
		if in := pod.Annotations[grantedIn]; in != "queue/"+queue {
			c.Errorf("pod %s was granted in %q, want queue/%s", pod.Name, in, queue)
		}
	}
}

func testFewerCPUs(c *cluster) {
	c.waiting("fewer", 10, 4)
	c.edit("fewer", requests(1))
	c.ends("fewer", "Deployment/fewer", 5, "fewer", "")
	c.remove("fewer")
}

func testEditedTwice(c *cluster) {
	c.waiting("twice", 10, 4)
	c.edit("twice", requests(8))
	c.until("the new template has pods", func() error {
		if found := c.pods("twice"); len(found) != 7 {
			return fmt.Errorf("there are %d pods", len(found))
		}
		return nil
	})
	c.edit("twice", requests(1))
	c.ends("twice", "Deployment/twice", 5, "twice", "")
	c.remove("twice")
}

// The pods of the template that is asked for are the oldest ones then.
func testUndone(c *cluster) {
	c.waiting("undone", 10, 4)
	c.edit("undone", requests(3))
	c.until("the new template has pods", func() error {
		if found := c.pods("undone"); len(found) != 7 {
			return fmt.Errorf("there are %d pods", len(found))
		}
		return nil
	})
	c.edit("undone", requests(4))
	c.until("the newer ones are superseded", func() error {
		for _, pod := range c.pods("undone") {
			a := c.asked(pod.Name)
			newer := pod.Spec.Containers[0].Resources.Requests.Cpu().Value() == 3
			if newer != (a.Reason == "Superseded") {
				return fmt.Errorf("%s: %+v", pod.Name, a)
			}
		}
		return nil
	})
	must(c, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return c.custom.Resource(queues).Patch(ctx, "undone", types.MergePatchType,
			[]byte(`{"spec": {"capability": {"cpu": "24"}}}`), metav1.PatchOptions{})
	})
	c.ends("undone", "Deployment/undone", 5, "undone", "")
	c.remove("undone")
}

func testOtherQueue(c *cluster) {
	c.createQueue("roomy", 8)
	c.waiting("moved", 4, 1)
	c.edit("moved", annotated(queueName, "roomy"))
	c.ends("moved", "Deployment/moved", 5, "roomy", "")
	c.remove("moved")
}

func testSmallerMinimum(c *cluster) {
	const name = "lesser"
	c.createQueue(name, 10)
	made := template(name, name, 9)
	must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.Client.AppsV1().Deployments(space).Create(ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(5)), Selector: selector(name),
				Template: made},
		}, metav1.CreateOptions{})
	})
	c.wait(name, 5, "GroupIncomplete")
	c.edit(name, annotated(minMember, "3"))
	c.ends(name, "Deployment/"+name, 3, name, "")
	c.remove(name)
}

// With fewer cpus, for else the class changes nothing for who waits.
func testOtherClass(c *cluster) {
	c.waiting("ranked", 10, 4)
	c.edit("ranked", strings.Replace(requests(1), `"containers"`,
		`"priorityClassName": "urgent", "containers"`, 1))
	c.ends("ranked", "Deployment/ranked", 5, "ranked", "urgent")
	c.remove("ranked")
}

func testOtherLeader(c *cluster) {
	c.waiting("led", 10, 4)
	if err := c.first.Kill(); err != nil {
		c.Fatal(err)
	}
	c.edit("led", requests(1))
	c.until("the new template has pods", func() error {
		if found := c.pods("led"); len(found) != 7 {
			return fmt.Errorf("there are %d pods", len(found))
		}
		return nil
	})
	c.first = c.run("b")
	c.ends("led", "Deployment/led", 5, "led", "")
	c.remove("led")
}

// The controller takes the last one's place first, and waits until that runs.
func testEditedSet(c *cluster) {
	const name = "set-edited"
	c.createQueue(name, 10)
	must(c, func(ctx context.Context) (*appsv1.StatefulSet, error) {
		return c.Client.AppsV1().StatefulSets(space).Create(ctx, &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.StatefulSetSpec{Replicas: new(int32(5)), Selector: selector(name),
				ServiceName: name, PodManagementPolicy: appsv1.ParallelPodManagement,
				Template: large(name, name, 4, 5)},
		}, metav1.CreateOptions{})
	})
	c.wait(name, 5, "QueueCapacity")
	must(c, func(ctx context.Context) (*appsv1.StatefulSet, error) {
		return c.Client.AppsV1().StatefulSets(space).Patch(ctx, name,
			types.StrategicMergePatchType, []byte(`{"spec": {"template": `+requests(1)+`}}`),
			metav1.PatchOptions{})
	})
	c.ends(name, "StatefulSet/"+name, 5, name, "")
	if err := c.Client.AppsV1().StatefulSets(space).Delete(c.Context(), name,
		background()); err != nil {
		c.Fatal(err)
	}
	c.nothingLeft(name)
}

// A Job's template may be edited while it is suspended, and has no pods.
func testEditedJob(c *cluster) {
	const name = "job-edited"
	c.createQueue(name, 4)
	c.createQueue(name+"-roomy", 8)
	pods := template(name, name, 5)
	pods.Spec.RestartPolicy = corev1.RestartPolicyNever
	jobs := c.Client.BatchV1().Jobs(space)
	must(c, func(ctx context.Context) (*batchv1.Job, error) {
		return jobs.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: batchv1.JobSpec{Parallelism: new(int32(5)), Completions: new(int32(5)),
				Template: pods},
		}, metav1.CreateOptions{})
	})
	c.wait(name, 5, "QueueCapacity")
	patch := func(what string) {
		must(c, func(ctx context.Context) (*batchv1.Job, error) {
			return jobs.Patch(ctx, name, types.StrategicMergePatchType, []byte(what),
				metav1.PatchOptions{})
		})
	}
	patch(`{"spec": {"suspend": true}}`)
	c.until("it has no pods", func() error {
		job, err := jobs.Get(c.Context(), name, metav1.GetOptions{})
		if err == nil && (len(c.pods(name)) > 0 || job.Status.StartTime != nil) {
			err = fmt.Errorf("it has %d, and %+v", len(c.pods(name)), job.Status)
		}
		return err
	})
	patch(`{"spec": {"template": ` + annotated(queueName, name+"-roomy") + `}}`)
	patch(`{"spec": {"suspend": false}}`)
	c.ends(name, "Job/"+name, 5, name+"-roomy", "")
	if err := jobs.Delete(c.Context(), name, background()); err != nil {
		c.Fatal(err)
	}
	c.nothingLeft(name)
}
