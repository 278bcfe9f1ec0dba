// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sight is one look at the cluster: each thing is asked for once.
type sight struct {
	t         *telling
	pods      map[string]answer
	queues    map[string]answer
	groups    map[string]answer
	workloads map[string]answer // and LocalQueues
	world     map[string]string
}

func (t *telling) newSight() *sight {
	return &sight{
		t: t, pods: map[string]answer{}, queues: map[string]answer{},
		groups: map[string]answer{}, workloads: map[string]answer{}, world: map[string]string{},
	}
}

func number[N int | int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// ofPod is what is seen of a pod where an expectation names it.
func (l *sight) ofPod(pod *corev1.Pod, key, inner string) string {
	reason, message := unscheduled(pod)
	switch key {
	case "gates":
		var names []string
		for _, gate := range pod.Spec.SchedulingGates {
			names = append(names, gate.Name)
		}
		return strings.Join(names, ", ")
	case "reason":
		return reason
	case "message":
		return message
	case "node":
		return pod.Spec.NodeName
	case "phase":
		return string(pod.Status.Phase)
	case "annotations":
		return pod.Annotations[inner]
	case "nodeSelector":
		return pod.Spec.NodeSelector[inner]
	case "patches":
		return number(l.t.host.writesTo(string(pod.UID)))
	case "events":
		return l.countEvents("Pod", pod.Namespace, pod.Name)
	case "told":
		return l.lastEvent(pod)
	}
	found := l.engineOf(pod)
	switch key {
	case "state":
		return found.text("state", "unknown")
	case "hold":
		return found.text("reason", "unknown")
	case "why":
		return found.text("message", "unknown")
	case "queue", "group":
		return found.text(key, "unknown")
	}
	return number(found.number("position"))
}

// engineOf is what the engine says about a pod. Of another pod of its name it says nothing.
func (l *sight) engineOf(pod *corev1.Pod) answer {
	ref := podRef(pod)
	if found, ok := l.pods[ref]; ok {
		return found
	}
	found := l.ask("pod", url.Values{"namespace": {pod.Namespace}, "name": {pod.Name}})
	if found.text("uid", string(pod.UID)) != string(pod.UID) {
		found = nil
	}
	l.pods[ref] = found
	return found
}

func (l *sight) ask(what string, query url.Values) answer {
	found, err := l.t.host.debug.ask(l.t.ctx, what, query)
	if err != nil {
		l.t.warn(err)
	}
	return found
}

var queueKinds = map[string]string{
	"queue": "Queue", "clusterqueue": "ClusterQueue", "cohort": "Cohort",
}

// ofQueue is what is seen of a queue, and whether it is an amount in base units.
func (l *sight) ofQueue(ref, key, inner string) (string, bool) {
	found, ok := l.queues[ref]
	if !ok {
		word, _, name := SplitRef(ref)
		found = l.ask("queue", url.Values{"kind": {queueKinds[word]}, "name": {name}})
		l.queues[ref] = found
	}
	if found == nil {
		return "gone", false
	}
	switch key {
	case "state", "reason", "parent", "own":
		return found.text(key, ""), false
	case "known", "byParent", "written":
		return strconv.FormatBool(found.truth(key)), false
	case "writes":
		return number(l.t.host.writesTo(ref)), false
	case "events":
		_, _, name := SplitRef(ref)
		return l.countEvents("Queue", "default", name), false
	}
	if inner == "" {
		return number(found.number(key)), false
	}
	return number(sumOf(found, key, inner)), true
}

// sumOf is an amount over all flavors; of one flavor if inner is "flavor:resource".
func sumOf(queue answer, key, inner string) int64 {
	flavor, resource, one := strings.Cut(inner, ":")
	if !one {
		resource = inner
	}
	rows, _ := queue["quota"].([]any)
	var sum int64
	for _, each := range rows {
		row, _ := each.(map[string]any)
		is := answer(row)
		if is.text("resource", "") == resource && (!one || is.text("flavor", "") == flavor) {
			sum += is.number(key)
		}
	}
	return sum
}

// ofWorld is what is seen of the whole.
func (l *sight) ofWorld(key string) string {
	if seen, ok := l.world[key]; ok {
		return seen
	}
	seen := ""
	switch key {
	case "nodes":
		seen = number(len(l.t.world.nodes))
	case "podgroups":
		seen = number(l.t.world.groups.count())
	case "bought":
		seen = number(l.t.autoscaler.bought)
	case "effects":
		seen = l.countEffects()
	case "unknownAcks":
		seen = l.unknownAcks()
	case "leader":
		seen = strconv.FormatBool(l.t.host.isLeader(l.t.ctx))
	}
	l.world[key] = seen
	return seen
}

func (l *sight) countEffects() string {
	sum, from := 0, "0"
	for {
		page := l.ask("effects", url.Values{"from": {from}})
		rows, _ := page["effects"].([]any)
		for _, row := range rows {
			effect, _ := row.(map[string]any)
			if effect["kind"] != "queueStatus" {
				sum++
			}
		}
		next, _ := page["from"].(json.Number)
		if next == "" || next == "0" || len(rows) == 0 {
			return number(sum)
		}
		from = next.String()
	}
}

// countEvents counts those that the engine asked for; what the scheduler itself tells of its pods
// has another source.
func (l *sight) countEvents(kind, namespace, name string) string {
	events, err := l.eventsOf(kind, namespace, name)
	if err != nil {
		l.t.warn(err)
		return "unknown"
	}
	return number(len(events))
}

func (l *sight) eventsOf(kind, namespace, name string) ([]corev1.Event, error) {
	events, err := l.t.world.client.CoreV1().Events(namespace).List(l.t.ctx, metav1.ListOptions{
		FieldSelector: "source=sluice-scheduler,involvedObject.kind=" + kind +
			",involvedObject.name=" + name})
	if err != nil {
		return nil, err
	}
	return events.Items, nil
}

// lastEvent is the reason of the one that was written last: one that happens again is changed.
func (l *sight) lastEvent(pod *corev1.Pod) (reason string) {
	events, err := l.eventsOf("Pod", pod.Namespace, pod.Name)
	if err != nil {
		l.t.warn(err)
		return "unknown"
	}
	newest := -1
	for _, event := range events {
		if version, _ := strconv.Atoi(event.ResourceVersion); version > newest {
			newest, reason = version, event.Reason
		}
	}
	return reason
}

// refusesCommand tells whether the scheduler has said that it cannot use a command, in these words:
// an API server takes any.
func (l *sight) refusesCommand(ref, words string) bool {
	_, namespace, name := SplitRef(ref)
	events, err := l.t.world.client.CoreV1().Events(namespace).List(l.t.ctx, metav1.ListOptions{
		FieldSelector: "reason=SluiceRefused,involvedObject.kind=Command,involvedObject.name=" +
			name})
	if err != nil {
		l.t.warn(err)
		return false
	}
	return slices.ContainsFunc(events.Items, func(event corev1.Event) bool {
		return strings.Contains(event.Message, words)
	})
}

func (l *sight) unknownAcks() string {
	found, err := l.t.host.debug.metrics(l.t.ctx)
	if err != nil {
		l.t.warn(err)
		return "unknown"
	}
	count, ok := found.unknownAcks()
	if !ok {
		l.t.warn(fmt.Errorf("no metric of the scheduler counts unknown acknowledgements"))
		return "unknown"
	}
	return number(count)
}
