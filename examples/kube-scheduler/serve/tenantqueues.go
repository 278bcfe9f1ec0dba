// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

// allQueues is for who may list them in all namespaces.
func allQueues(h *host.Host) (any, error) {
	rows, _, err := h.List(sluice.Query{What: "queues"}, "queues", mostRows)
	if err != nil {
		return nil, err
	}
	found := queueSet{}
	found.add(rows)
	return found.list(), nil
}

// queueSet are queues by kind and name.
type queueSet map[[2]string]object

func (s queueSet) add(path any) {
	rows, _ := path.([]any)
	for _, row := range rows {
		if queue, is := row.(map[string]any); is {
			s[[2]string{text(queue, "kind"), text(queue, "name")}] = queue
		}
	}
}

func (s queueSet) has(kind, name string) bool {
	_, has := s[[2]string{kind, name}]
	return has
}

func (s queueSet) list() *list {
	answer := &list{TypeMeta: kind("QueueList"), Items: []item{}}
	for name, queue := range s {
		answer.Items = append(answer.Items, item{kind("Queue"), metadata{Name: name[1]}, queue})
	}
	slices.SortFunc(answer.Items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.Metadata.Name, b.Metadata.Name),
			cmp.Compare(text(a.Status, "kind"), text(b.Status, "kind")))
	})
	return answer
}

// queues are those that something of the namespace is in, or may be through its LocalQueues, and
// those above them.
func (t *tenant) queues() (any, error) {
	found := queueSet{}
	locals, err := t.list(sluice.Query{What: "localQueues"}, "localQueues")
	if err != nil {
		return nil, err
	}
	for _, local := range locals {
		if !found.has(sluice.KindClusterQueue, text(local, "clusterQueue")) {
			t.addPath(found, "localQueue", text(local, "name"))
		}
	}
	groups, err := t.list(sluice.Query{What: "groups"}, "groups")
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		if !found.has(text(group, "queueKind"), text(group, "queue")) {
			t.addPath(found, "group", text(group, "name"))
		}
	}
	pods, err := t.pods.Pods(t.namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, pod := range pods {
		if says := queueWords(pod); !asked[says] {
			asked[says] = t.addPath(found, "pod", pod.Name)
		}
	}
	return found.list(), nil
}

// addPath tells whether the engine knows the object. One that has just gone is in no queue.
func (t *tenant) addPath(found queueSet, what, name string) bool {
	_, path, err := t.ask(what, name)
	found.add(path)
	return err == nil
}

// queueWords is all that a pod says of its queue: pods that say the same are in the same one, and
// one of them is asked about.
func queueWords(pod *v1.Pod) string {
	return strings.Join([]string{pod.Spec.SchedulerName, pod.Labels[facts.LocalQueueLabel],
		pod.Annotations[facts.QueueName], pod.Annotations[facts.GroupName],
		pod.Annotations[facts.GrantedIn]}, "\x00")
}
