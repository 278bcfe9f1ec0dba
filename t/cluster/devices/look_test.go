// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// sightings are what was seen of pods at any time, by namespace/name.
type sightings struct {
	mutex sync.Mutex
	pods  map[string]*sighting
}

type sighting struct {
	pod           *corev1.Pod
	unschedulable bool // at any time
}

func (s *sightings) see(pod *corev1.Pod) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := pod.Namespace + "/" + pod.Name
	one := s.pods[key]
	if one == nil {
		one = &sighting{}
		s.pods[key] = one
	}
	one.pod = pod
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status != corev1.ConditionTrue &&
			condition.Reason == corev1.PodReasonUnschedulable {
			one.unschedulable = true
		}
	}
}

// watch sees every version of every pod that a watch tells of.
func (c *cluster) watch() {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { c.seen.see(pod.(*corev1.Pod)) },
		UpdateFunc: func(_, pod any) { c.seen.see(pod.(*corev1.Pod)) },
	})
	if err != nil {
		c.Fatal(err)
	}
	factory.Start(c.Context().Done())
}

// sight is what was seen of a pod.
func (c *cluster) sight(name string) sighting {
	c.seen.mutex.Lock()
	defer c.seen.mutex.Unlock()
	if one := c.seen.pods[c.space+"/"+name]; one != nil {
		return *one
	}
	return sighting{}
}

// why is what the scheduler says of a pod.
func (c *cluster) why(pod string) string {
	body, err := c.Client.CoreV1().RESTClient().Get().Namespace(shipped.Namespace).
		Resource("services").SubResource("proxy").Name("https:"+shipped.Name+":https").
		Suffix("debug/sluice/pod").Param("namespace", c.space).Param("name", pod).
		// The API server's proxy keeps the credentials to itself.
		SetHeader("Sluice-Token", c.REST(plane.Admin).BearerToken).DoRaw(c.Context())
	said := map[string]any{}
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	if err != nil {
		return fmt.Sprintf("%v: %s", err, body)
	}
	return fmt.Sprint(said["state"], " ", said["reason"], " ", said["message"])
}

// until waits until nothing is wrong any more.
func (c *cluster) until(what string, wrong func() error) {
	c.Helper()
	problem := errors.New("not looked at yet")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(lookTurn) {
		if problem = wrong(); problem == nil {
			return
		}
	}
	c.Fatalf("after %s it is not so that %s: %v", patience, what, problem)
}

// stays looks whether nothing goes wrong for a while.
func (c *cluster) stays(what string, wrong func() error) {
	c.Helper()
	for end := time.Now().Add(staysFor); time.Now().Before(end); time.Sleep(lookTurn) {
		if err := wrong(); err != nil {
			c.Fatalf("it does not stay so that %s: %v", what, err)
		}
	}
}

// bound waits until these pods have nodes; none of them was Unschedulable at any time.
func (c *cluster) bound(names ...string) {
	c.Helper()
	c.haveNodes(names...)
	for _, name := range names {
		if c.sight(name).unschedulable {
			c.Errorf("%s was Unschedulable: an autoscaler would have bought a node for it", name)
		}
	}
}

// haveNodes waits until these pods do.
func (c *cluster) haveNodes(names ...string) {
	c.Helper()
	c.until(strings.Join(names, ", ")+" are bound", func() error {
		for _, name := range names {
			if is := c.sight(name); is.pod == nil || is.pod.Spec.NodeName == "" {
				return fmt.Errorf("%s is not bound; sluice: %s", name, c.why(name))
			}
		}
		return nil
	})
}

// held waits until a pod is held with this in what sluice says, and looks whether it stays so: with
// its gate, and without an Unschedulable at any time.
func (c *cluster) held(name, said string) {
	c.Helper()
	c.until(name+" says "+said, func() error {
		if why := c.why(name); !strings.Contains(why, said) {
			return fmt.Errorf("it says %q", why)
		}
		return nil
	})
	c.stays(name+" waits for the queue, and no autoscaler sees it", func() error {
		switch is := c.sight(name); {
		case is.pod == nil:
			return fmt.Errorf("it is not seen")
		case is.unschedulable:
			return fmt.Errorf("it was Unschedulable; sluice: %s", c.why(name))
		case len(is.pod.Spec.SchedulingGates) != 1 || is.pod.Spec.NodeName != "":
			return fmt.Errorf("it has the gates %v and the node %q; sluice: %s",
				is.pod.Spec.SchedulingGates, is.pod.Spec.NodeName, c.why(name))
		}
		return nil
	})
}

// holds waits until the queue's status says that so many devices are given away.
func (c *cluster) holds(want int64) {
	c.Helper()
	c.until(fmt.Sprintf("the queue holds %d devices", want), func() error {
		queue, err := c.of("Queue").Get(c.Context(), c.space, metav1.GetOptions{})
		if err != nil {
			return err
		}
		sum := int64(0)
		for _, of := range []string{"allocated", "reserved"} {
			text, _, _ := unstructured.NestedFieldNoCopy(queue.Object, "status", of,
				"deviceclass/"+class)
			var amount int64
			if text != nil {
				if _, err := fmt.Sscan(fmt.Sprint(text), &amount); err != nil {
					return err
				}
			}
			sum += amount
		}
		if sum != want {
			return fmt.Errorf("its status is %v", queue.Object["status"])
		}
		return nil
	})
}
