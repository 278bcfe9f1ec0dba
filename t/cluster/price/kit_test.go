// SPDX-License-Identifier: Apache-2.0

package price

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	space = "price"
	gate  = "scheduling.volcano.sh/queue-allocation-gate"
	queue = "scheduling.volcano.sh/queue-name"

	warm    = 20  // how many come first and are not counted
	counted = 600 // how many of a kind are
	parts   = 2   // in which they are counted
	writers = 4   // how many requests are under way
)

// cluster is an API server with the shipped manifests, and no scheduler.
type cluster struct {
	*testing.T
	*plane.Plane
	people, scheduler kubernetes.Interface
	made              int
}

func start(t *testing.T) *cluster {
	t.Helper()
	us := plane.ServiceAccountUser(shipped.Namespace, shipped.Name)
	p, err := plane.Start(t.Context(), plane.Options{Name: "price", Users: []plane.User{us}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{T: t, Plane: p}
	if _, err := shipped.Apply(t.Context(), p, "overlays/on-bind"); errors.Is(err,
		shipped.ErrNoAddress) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	c.people, c.scheduler = c.client(plane.Admin), c.client(us.Name)
	_, err = c.people.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c.until("a pod that opts in gets its gate", func() bool { return c.gates() == 1 })
	c.until("forged stamps are refused", func() bool {
		_, err := c.create(c.pod(forge), metav1.DryRunAll)
		return err != nil
	})
	return c
}

// withdraw takes the policies away.
func (c *cluster) withdraw() {
	c.Helper()
	if _, err := c.Kubectl(c.Context(), "delete", "-l", "app.kubernetes.io/part-of=sluice",
		"mutatingadmissionpolicies,mutatingadmissionpolicybindings,validatingadmissionpolicies,"+
			"validatingadmissionpolicybindings"); err != nil {
		c.Fatal(err)
	}
	c.until("a pod that opts in gets no gate", func() bool { return c.gates() == 0 })
	c.until("forged stamps are taken", func() bool {
		_, err := c.create(c.pod(forge), metav1.DryRunAll)
		return err == nil
	})
}

// client speaks as the programs of a cluster do.
func (c *cluster) client(user string) kubernetes.Interface {
	c.Helper()
	config := rest.CopyConfig(c.REST(user))
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		c.Fatal(err)
	}
	return client
}

func (c *cluster) pod(change func(*corev1.Pod)) *corev1.Pod {
	c.made++
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", c.made),
			Annotations: map[string]string{queue: "load"}},
		Spec: corev1.PodSpec{SchedulerName: shipped.Name,
			Containers: []corev1.Container{{Name: "main", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("1")}}}}},
	}
	change(pod)
	return pod
}

func optIn(p *corev1.Pod) { p.Annotations[gate] = "true" }
func bring(p *corev1.Pod) {
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gate}}
}
func forge(p *corev1.Pod) { p.Annotations["sluice.sh/granted"] = "1" }

func hasGate(p *corev1.Pod) bool {
	return slices.Contains(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: gate})
}

func (c *cluster) create(pod *corev1.Pod, dry ...string) (*corev1.Pod, error) {
	return c.people.CoreV1().Pods(space).Create(c.Context(), pod, metav1.CreateOptions{DryRun: dry})
}

// gates is how many a pod has that opts in, or -1.
func (c *cluster) gates() int {
	made, err := c.create(c.pod(optIn), metav1.DryRunAll)
	if err != nil {
		return -1
	}
	return len(made.Spec.SchedulingGates)
}

func (c *cluster) clear() {
	c.Helper()
	now := int64(0)
	if err := c.people.CoreV1().Pods(space).DeleteCollection(c.Context(),
		metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}); err != nil {
		c.Fatal(err)
	}
}

// bytes is what the API server allocates for one of many of the same kind. What it does besides,
// now and then, only adds to that: so the least of the parts counts.
func (c *cluster) bytes(do func(int) error) float64 {
	c.Helper()
	next := 0
	run := func(count int) {
		if err := atOnce(next, next+count, do); err != nil {
			c.Fatal(err)
		}
		next += count
	}
	run(warm)
	// What the question itself takes is nearly the same each time, and little beside its subject.
	asked := c.allocated()
	before := c.allocated()
	asked = before - asked
	least := math.Inf(1)
	for range parts {
		run(counted / parts)
		after := c.allocated()
		least = min(least, (after-before-asked)/(counted/parts))
		before = after
	}
	return least
}

// atOnce does something for each number, a few at a time, and returns what went wrong.
func atOnce(from, to int, do func(int) error) error {
	numbers := make(chan int, to-from)
	for i := from; i < to; i++ {
		numbers <- i
	}
	close(numbers)
	problems := make([]error, writers)
	var work sync.WaitGroup
	for i := range writers {
		work.Go(func() {
			for number := range numbers {
				problems[i] = errors.Join(problems[i], do(number))
			}
		})
	}
	work.Wait()
	return errors.Join(problems...)
}

func (c *cluster) allocated() float64 {
	c.Helper()
	bytes, err := c.Allocated(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return bytes
}

// until waits for what the API server learns by a watch.
func (c *cluster) until(what string, so func() bool) {
	c.Helper()
	for end := time.Now().Add(30 * time.Second); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			c.Fatalf("not within 30 s: %s", what)
		}
	}
}
