// SPDX-License-Identifier: Apache-2.0

package workloads

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What pods do not say for themselves, the metadata of their Deployment or Job says for them.
func TestInherited(t *testing.T) {
	bothWays(t, func(c *cluster) {
		c.createQueue("few", 3)
		c.createQueue("many", 1500)
		for _, step := range []struct {
			name string
			test func(*cluster)
		}{
			{"queue of a Deployment, edited", testInheritedQueue},
			{"group of a Job", testInheritedGroup},
			{"300 pods", testManyHeirs},
			{"queue over a restart", func(step *cluster) {
				c.run("b") // outlives the step
				testInheritedOverARestart(step)
			}},
		} {
			if !c.T.Run(step.name, func(t *testing.T) { step.test(c.on(t)) }) {
				return
			}
		}
	})
}

// heirs is a template of pods that say nothing of their queue and their group.
func heirs(workload string) corev1.PodTemplateSpec {
	made := template(workload, "", 0)
	delete(made.Annotations, queueName)
	delete(made.Annotations, minMember)
	return made
}

func (c *cluster) heirsOf(name string, replicas int, said map[string]string) {
	c.Helper()
	must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.Client.AppsV1().Deployments(space).Create(ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: said},
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(replicas)), Selector: selector(name),
				Template: heirs(name)},
		}, metav1.CreateOptions{})
	})
}

func testInheritedQueue(c *cluster) {
	c.heirsOf("web", 4, map[string]string{queueName: "few"})
	c.runs("web", 4, 3)
	for _, pod := range c.pods("web") {
		if a := c.asked(pod.Name); !isRunning(&pod) && a.Reason != "QueueCapacity" {
			c.Errorf("the one that waits: %+v", a)
		}
	}
	c.patchDeployment("web", fmt.Sprintf(`{"metadata": {"annotations": {%q: "many"}}}`, queueName))
	c.runs("web", 4, 4)
}

// Who leads next counts the pods that run where their stamps say: as many as there was room for
// have gone where their Deployment says.
func testInheritedOverARestart(c *cluster) {
	c.patchDeployment("web", fmt.Sprintf(`{"metadata": {"annotations": {%q: "few"}}}`, queueName))
	c.until("three have moved, and their stamps say so", func() error {
		moved := 0
		for _, pod := range c.pods("web") {
			if pod.Annotations[grantedIn] == "queue/few" {
				moved++
			}
		}
		if moved != 3 {
			return fmt.Errorf("%d have", moved)
		}
		return nil
	})
	if err := c.first.Kill(); err != nil {
		c.Fatal(err)
	}
	c.patchDeployment("web", `{"spec": {"replicas": 5}}`)
	c.until("the queue is full, and the fifth waits", func() error {
		for _, pod := range c.pods("web") {
			if a := c.asked(pod.Name); !isRunning(&pod) && a.Reason == "QueueCapacity" {
				return nil
			}
		}
		return errors.New("none waits")
	})
	c.runs("web", 5, 4)
}

func testInheritedGroup(c *cluster) {
	run := template("run", "", 0)
	run.Annotations = nil
	run.Labels = map[string]string{"app": "run"}
	run.Spec.RestartPolicy = corev1.RestartPolicyNever
	must(c, func(ctx context.Context) (*batchv1.Job, error) {
		return c.Client.BatchV1().Jobs(space).Create(ctx, &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: "run", Annotations: map[string]string{
				queueName: "few", minMember: "4"}},
			Spec: batchv1.JobSpec{Parallelism: new(int32(4)), Completions: new(int32(4)),
				Template: run},
		}, metav1.CreateOptions{})
	})
	c.until("all four wait for room for four", func() error {
		waiting := 0
		for _, pod := range c.pods("run") {
			if c.asked(pod.Name).Reason == "QueueCapacity" {
				waiting++
			}
		}
		if waiting != 4 {
			return fmt.Errorf("%d do", waiting)
		}
		return nil
	})
	if g := c.groupOf("Job/run"); g.minimum != 4 {
		c.Errorf("its minimum is %d", g.minimum)
	}
	patch := []byte(fmt.Sprintf(`{"metadata": {"annotations": {%q: "many"}}}`, queueName))
	must(c, func(ctx context.Context) (*batchv1.Job, error) {
		return c.Client.BatchV1().Jobs(space).Patch(ctx, "run", "application/merge-patch+json", patch,
			metav1.PatchOptions{})
	})
	c.runs("run", 4, 4)
	if err := c.Client.BatchV1().Jobs(space).Delete(c.Context(), "run", background()); err != nil {
		c.Fatal(err)
	}
	c.nothingLeft("run")
}

const (
	crowd = 300
	// The controller manager makes 20 pods a second at most.
	crowdTakes = 2 * time.Minute
)

// Controllers are followed, and not asked for.
func testManyHeirs(c *cluster) {
	before := c.gets()
	c.heirsOf("crowd", crowd, map[string]string{queueName: "many"})
	for end := time.Now().Add(crowdTakes); len(c.pods("crowd")) < crowd && time.Now().Before(end); {
		time.Sleep(time.Second)
	}
	c.runs("crowd", crowd, crowd)
	made := c.gets() - before
	c.Logf("%d requests for single ReplicaSets, Deployments and Jobs, of whoever made them", made)
	if made > 10 {
		c.Errorf("%d requests for single controllers while %d pods of one Deployment came", made,
			crowd)
	}
}

// gets is how often the API server was asked for one controller.
func (c *cluster) gets() (count int) {
	c.Helper()
	text, err := c.Client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line := lines.Text()
		if !strings.HasPrefix(line, "apiserver_request_total{") ||
			!strings.Contains(line, `verb="GET"`) {
			continue
		}
		for _, kind := range []string{"replicasets", "deployments", "jobs"} {
			if strings.Contains(line, fmt.Sprintf("resource=%q", kind)) {
				value, err := strconv.Atoi(line[strings.LastIndex(line, " ")+1:])
				if err != nil {
					c.Fatalf("%s: %v", line, err)
				}
				count += value
			}
		}
	}
	return count
}
