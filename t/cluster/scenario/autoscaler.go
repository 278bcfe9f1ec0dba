// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// autoscaler is what Cluster Autoscaler and Karpenter have in common. It knows nothing of queues:
// it reads the condition PodScheduled (False, Unschedulable; no node, none nominated; of whatever
// age), asks itself how many new nodes of its template those pods need that fit nowhere else, and
// has them after a delay. It looks at once when a pod becomes Unschedulable, and every 10 s while
// one is.
type autoscaler struct {
	scanning bool // it looks regularly, as a pod is Unschedulable
	planned  bool // the next of these looks is planned
	hurrying bool // an extra one is
	stale    bool // something has changed since its latest look
	scanned  time.Duration
	bought   int64
	coming   int64
	template *corev1.Node
}

const scanEvery = 10 * time.Second

func wantsNode(pod *corev1.Pod) bool {
	reason, _ := unscheduled(pod)
	return !isOver(pod) && pod.DeletionTimestamp == nil && pod.Spec.NodeName == "" &&
		pod.Status.NominatedNodeName == "" && reason == corev1.PodReasonUnschedulable
}

// hearPod is the autoscaler's look at a change.
func (t *telling) hearPod(pod *corev1.Pod) {
	a := &t.autoscaler
	a.stale = true
	if t.s.Autoscaler == nil {
		return
	}
	t.planScan()
	if a.hurrying || !wantsNode(pod) {
		return
	}
	a.hurrying = true
	t.timers.at(t.clock.Now()+time.Millisecond, func() error {
		a.hurrying = false
		if a.scanning {
			_, err := t.look()
			return err
		}
		return t.scan()
	})
}

// planScan plans the next regular look, unless nothing has changed: it would be like the latest.
func (t *telling) planScan() {
	a := &t.autoscaler
	if !a.scanning || a.planned || !a.stale {
		return
	}
	a.planned = true
	turns := (t.clock.Now()-a.scanned)/scanEvery + 1
	t.timers.at(a.scanned+turns*scanEvery, func() error {
		a.planned = false
		return t.scan()
	})
}

func (t *telling) scan() error {
	a := &t.autoscaler
	wanted, err := t.look()
	a.scanning, a.scanned = wanted, t.clock.Now()
	t.planScan()
	return err
}

// look buys what those pods need that fit nowhere. False: there are none.
func (t *telling) look() (bool, error) {
	a := &t.autoscaler
	var wanting []*corev1.Pod
	pods := t.world.sortedPods()
	for _, pod := range pods {
		if wantsNode(pod) {
			wanting = append(wanting, pod)
		}
	}
	if len(wanting) == 0 || !a.stale {
		return len(wanting) > 0, nil
	}
	a.stale = false
	if err := t.readTemplate(); err != nil {
		return true, err
	}
	places := t.placesOf(pods)
	for _, pod := range wanting {
		found := placeFor(places, pod)
		fresh := &place{node: a.template}
		if found == nil && a.bought < t.s.Autoscaler.Max && fresh.fits(pod) {
			t.buy()
			places = append(places, fresh)
			found = fresh
		}
		if found != nil {
			found.put(pod)
		}
	}
	return true, nil
}

func placeFor(places []*place, pod *corev1.Pod) *place {
	for _, each := range places {
		if each.fits(pod) {
			return each
		}
	}
	return nil
}

// placesOf are the nodes that are there with their pods, and those that are coming.
func (t *telling) placesOf(pods []*corev1.Pod) []*place {
	byName := map[string]*place{}
	var places []*place
	for _, node := range t.world.sortedNodes() {
		byName[node.Name] = &place{node: node}
		places = append(places, byName[node.Name])
	}
	for _, pod := range pods {
		if on := byName[pod.Spec.NodeName]; on != nil && !isOver(pod) {
			on.put(pod)
		}
	}
	for range t.autoscaler.coming {
		places = append(places, &place{node: t.autoscaler.template})
	}
	return places
}

func (t *telling) readTemplate() error {
	if t.autoscaler.template != nil {
		return nil
	}
	text, err := json.Marshal(objectOf(t.s.Autoscaler.Template, "node/"+t.s.Autoscaler.Name).Object)
	if err != nil {
		return err
	}
	template := &corev1.Node{}
	if err := json.Unmarshal(text, template); err != nil {
		return t.s.Autoscaler.Template.Say("the template is no node: %v", err)
	}
	delete(template.Labels, corev1.LabelHostname)
	t.autoscaler.template = template
	return nil
}

func (t *telling) buy() {
	a := &t.autoscaler
	a.bought++
	a.coming++
	name := fmt.Sprintf("%s-%d", t.s.Autoscaler.Name, a.bought)
	t.tell("the autoscaler buys node/%s; it will be there in %v", name, t.s.Autoscaler.Delay)
	t.timers.at(t.clock.Now()+t.s.Autoscaler.Delay, func() error {
		a.coming--
		of := objectOf(t.s.Autoscaler.Template, "node/"+name)
		_, err := t.clientFor(kinds["node"], "").Create(t.ctx, of, metav1.CreateOptions{})
		return err
	})
}
