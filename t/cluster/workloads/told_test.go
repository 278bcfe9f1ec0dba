// SPDX-License-Identifier: Apache-2.0

package workloads

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// What `kubectl describe pod` shows, of each cause that does not end by itself, and of its end; and
// what a pod costs that only waits for room.
func TestTold(t *testing.T) {
	bothWays(t, func(c *cluster) {
		c.T.Run("of each cause", func(t *testing.T) { testCauses(c.on(t)) })
		c.T.Run("who waits for room is told nothing", func(t *testing.T) { testNobody(c.on(t)) })
	})
}

func (c *cluster) createPod(name, queue, group string, cpu int) error {
	pod := template(name, queue, 0)
	delete(pod.Annotations, minMember)
	pod.Name = name
	if group != "" {
		pod.Annotations[groupName] = group
	}
	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(fmt.Sprint(cpu))
	_, err := c.Client.CoreV1().Pods(space).Create(c.Context(),
		&corev1.Pod{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}, metav1.CreateOptions{})
	return err
}

func (c *cluster) createGroup(name, queue string, minimum int) {
	c.Helper()
	if err := c.put(podGroups, space, object{"apiVersion": podGroups.GroupVersion().String(),
		"kind": "PodGroup", "metadata": object{"name": name},
		"spec": object{"queue": queue, "minMember": minimum}}); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) changeQueue(name, patch string) {
	c.Helper()
	if _, err := c.custom.Resource(queues).Patch(c.Context(), name, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{}); err != nil {
		c.Fatal(err)
	}
}

// order sends a command to a queue that is known, and waits until it was obeyed.
func (c *cluster) order(queue, action string) {
	c.Helper()
	name := strings.ToLower(action)
	var of *unstructured.Unstructured
	c.until("the status of "+queue+" is written", func() (err error) {
		of, err = c.custom.Resource(queues).Get(c.Context(), queue, metav1.GetOptions{})
		if err == nil && of.Object["status"] == nil {
			err = errors.New("it has none")
		}
		return err
	})
	if err := c.put(commands, space, object{"apiVersion": commands.GroupVersion().String(),
		"kind": "Command", "metadata": object{"name": name}, "action": action,
		"target": object{"apiVersion": queues.GroupVersion().String(), "kind": "Queue",
			"name": queue, "uid": string(of.GetUID())}}); err != nil {
		c.Fatal(err)
	}
	c.until(action+" is obeyed", func() error {
		_, err := c.custom.Resource(commands).Namespace(space).Get(c.Context(), name,
			metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there: %v", err)
	})
}

// isTold waits until a pod was told this, and nothing else.
func (c *cluster) isTold(pod string, want ...string) {
	c.Helper()
	slices.Sort(want)
	c.until(pod+" is told", func() error {
		got, err := c.Told(c.Context(), space, pod)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("events\n%s\nwant\n%s\nit is %s", strings.Join(got, "\n"),
				strings.Join(want, "\n"), c.why(pod))
		}
		return nil
	})
}

func testCauses(c *cluster) {
	told := []struct {
		pod, queue, group string
		cpu               int
		want              string
	}{
		{"nowhere", "unmade", "", 1, "Warning QueueUnknown queue unmade does not exist"},
		{"inner", "above", "", 1,
			"Warning QueueInactive queue above has queues below it: only leaves hold pods"},
		{"large", "small", "", 3,
			"Warning NeverFits the pod asks for 3 cpu, and queue small may never have more than 2"},
		{"elsewhere", "theirs", "", 1,
			"Warning NamespaceNotSelected queue theirs is not for namespace default"},
		{"groupless", "wide", "unmade", 1,
			"Warning GroupMissing its group default/unmade does not exist"},
		{"alone", "wide", "pair", 1,
			"Warning GroupIncomplete its group default/pair has 1 of the 2 members that it needs"},
		{"halted", "stopped", "", 1, "Normal QueueSuspended queue stopped is suspended"},
		{"shut", "closed", "", 1, "Warning QueueClosed queue closed is closed"},
	}
	const granted = "Normal Granted queue %s has room for it: it was granted, and a node is looked " +
		"for"

	c.createQueue("small", 2)
	for _, name := range []string{"above", "below", "wide", "theirs", "stopped", "closed"} {
		c.createQueue(name, 9)
	}
	c.changeQueue("below", `{"spec": {"parent": "above"}}`)
	c.changeQueue("theirs", `{"metadata": {"annotations": {"sluice.sh/namespaces": "others"}}}`)
	c.createGroup("pair", "wide", 2)
	c.order("stopped", "SuspendQueue")
	c.order("closed", "CloseQueue")
	for _, one := range told {
		if err := c.createPod(one.pod, one.queue, one.group, one.cpu); err != nil {
			c.Fatal(err)
		}
	}
	for _, one := range told {
		c.isTold(one.pod, one.want)
		c.Logf("%-10s %s", one.pod, one.want)
	}
	// Whoever leads next finds what was told, and tells it to nobody again.
	before := c.soFar()
	if err := c.first.Kill(); err != nil {
		c.Fatal(err)
	}
	c.first = c.run("b")
	c.until("it leads", func() error {
		if a := c.asked("halted"); a.Reason != "QueueSuspended" {
			return fmt.Errorf("it says %+v", a)
		}
		return nil
	})
	c.atRest(before)
	for _, one := range told {
		c.isTold(one.pod, one.want)
	}
	c.createQueue("unmade", 9)
	c.createGroup("unmade", "wide", 1)
	c.changeQueue("small", `{"spec": {"capability": {"cpu": "4"}}}`)
	c.changeQueue("theirs", `{"metadata": {"annotations": {"sluice.sh/namespaces": "default"}}}`)
	c.order("stopped", "ResumeQueue")
	c.order("closed", "OpenQueue")
	if err := c.createPod("other", "wide", "pair", 1); err != nil {
		c.Fatal(err)
	}
	for _, one := range []int{0, 2, 3, 4, 5, 6, 7} {
		c.until(told[one].pod+" runs", func() error {
			if pods := c.pods(told[one].pod); len(pods) != 1 || !isRunning(&pods[0]) {
				return fmt.Errorf("it is %s", c.why(told[one].pod))
			}
			return nil
		})
		c.isTold(told[one].pod, told[one].want, fmt.Sprintf(granted, told[one].queue))
	}
	if n := c.atRest(before)[us+": patch events"]; n > 0 {
		c.Errorf("%d events were dated anew, and nothing had come back", n)
	}
}

// testNobody has as many pods wait as are quick to make. Nothing is written about them but they.
func testNobody(c *cluster) {
	const count, name = 2000, "full"
	c.createQueue(name, 1)
	if err := c.createPod("first", name, "", 1); err != nil {
		c.Fatal(err)
	}
	c.runs("first", 1, 1)
	c.atRest(0)
	before := c.soFar()
	c.parallel(count, func(i int) error {
		return c.createPod(fmt.Sprintf("full-%d", i), name, "", 1)
	})
	c.until("the last one waits", func() error {
		if a := c.asked(fmt.Sprintf("full-%d", count-1)); a.Reason != "QueueCapacity" {
			return fmt.Errorf("it is %s %s", a.State, a.Reason)
		}
		return nil
	})
	c.compare(c.atRest(before), map[string]between{tester + ": create pods": exactly(count)})
}
