// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// odd is an object that is not as it should be, and what must come of it.
type odd struct {
	name   string
	change func(*corev1.Pod)
	// want is the engine's reason to hold it, or bound; "": whatever it is, it must be told.
	want string
}

const bound = "bound"

func annotated(key, value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Annotations[key] = value }
}

func asking(cpu string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(cpu)
	}
}

func ofClass(name string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.PriorityClassName = name }
}

const minMember = "scheduling.volcano.sh/group-min-member"

// oddPods are in a queue of their own, "odd", unless they name another one.
var oddPods = []odd{
	{"min-member-word", annotated(minMember, "x"), ""},
	{"min-member-huge", annotated(minMember, "99999999999999999999999"), ""},
	{"min-member-negative", annotated(minMember, "-1"), ""},
	{"group-name-odd", annotated("scheduling.k8s.io/group-name", "No/Such Group!"), ""},
	{"queue-name-long", annotated(queueAnnotation, strings.Repeat("q", 300)), ""},
	{"queue-name-odd", annotated(queueAnnotation, "../../etc/\u00e9\x01"), ""},
	{"queue-name-empty", annotated(queueAnnotation, ""), bound}, // the queue `default`
	{"cpu-most", asking("9223372036854775807"), "QueueCapacity"},
	{"cpu-beyond-64-bits", asking("99999999999999999999999"), "QueueCapacity"},
	{"cpu-nano", asking("1n"), bound},
	{"priority-most", ofClass("most"), bound},
	{"priority-least", ofClass("least"), bound},
	{"queue-is-negative", annotated(queueAnnotation, "negative"), "QueueUnknown"},
	{"queue-in-a-cycle", annotated(queueAnnotation, "cycle-a"), ""},
	{"queue-of-itself", annotated(queueAnnotation, "self"), ""},
	{"queue-too-deep", annotated(queueAnnotation, "deep-12"), ""},
	{"queue-comes-later", annotated(queueAnnotation, "later"), "QueueUnknown"},
	{"queue-edited-badly", annotated(queueAnnotation, "edited"), "Queue"}, // it is full as it was
}

// oddQueues are created beside them; the API server refuses some.
var oddQueues = []struct {
	name string
	spec object
}{
	{"odd", object{"capability": object{"cpu": "5"}}},
	{"edited", object{"capability": object{"cpu": "1"}}},
	{"negative", object{"capability": object{"cpu": "-5"}}},
	{"negative-deserved", object{"deserved": object{"cpu": "-1m"}}},
	{"negative-guarantee", object{"guarantee": object{"resource": object{"memory": "-1Gi"}}}},
	{"malformed", object{"capability": object{"cpu": "10x"}}},
	{"malformed-list", object{"capability": object{"cpu": []any{"1"}}}},
	{"huge", object{"capability": object{"cpu": "99999999999999999999E"}}},
	{"weight-huge", object{"weight": int64(math.MaxInt64)}},
	{"priority-huge", object{"priority": int64(math.MaxInt64)}},
	{"parent-odd", object{"parent": strings.Repeat("p", 300)}},
	{"cycle-a", object{"parent": "cycle-b"}},
	{"cycle-b", object{"parent": "cycle-a"}},
	{"self", object{"parent": "self"}},
}

const deepest = 12

// malform puts all of it among the pods that are well. They must go on as if it were not there.
func malform(t *trial, round int) error {
	if err := t.flows(1); err != nil {
		return err
	}
	o := t.result
	if round > 0 {
		// What is there already meets a scheduler that starts anew.
		if err := t.killAndStart(); err != nil {
			return err
		}
		return t.judgeOdd(o, round)
	}
	if err := t.createOdd(o); err != nil {
		return err
	}
	return t.judgeOdd(o, round)
}

func (t *trial) createOdd(o *outcome) error {
	b := t.bench
	for name, value := range map[string]int32{"most": 1_000_000_000, "least": math.MinInt32} {
		class := &schedulingv1.PriorityClass{Value: value}
		class.Name = name
		classes := b.client.SchedulingV1().PriorityClasses()
		_, err := classes.Create(t.ctx, class, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	all := oddQueues
	for i := range deepest {
		spec := object{"parent": fmt.Sprint("deep-", i)}
		if i == 0 {
			spec = object{}
		}
		all = append(all, struct {
			name string
			spec object
		}{fmt.Sprint("deep-", i+1), spec})
	}
	for _, each := range all {
		if err := b.createQueue(t.ctx, each.name, each.spec); err != nil {
			o.note("queue %s: the API server refuses it: %s", each.name, brief(err))
		}
	}
	if err := t.editBadly(o); err != nil {
		return err
	}
	pods := b.client.CoreV1().Pods(space)
	for i := range oddPods {
		pod := newPod(oddPods[i].name, "odd")
		oddPods[i].change(pod)
		if _, err := pods.Create(t.ctx, pod, metav1.CreateOptions{}); err != nil {
			o.note("pod %s: the API server refuses it: %s", pod.Name, brief(err))
		}
	}
	return nil
}

// editBadly fills a queue, and then changes its limit to what is none.
func (t *trial) editBadly(o *outcome) error {
	const first = "before-the-edit"
	pod := newPod(first, "edited")
	_, err := t.bench.client.CoreV1().Pods(space).Create(t.ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := t.awaitBound(first); err != nil {
		o.blame("pod %s: %v", first, err)
	}
	_, err = t.bench.custom.Resource(queues).Patch(t.ctx, "edited", types.MergePatchType,
		[]byte(`{"spec":{"capability":{"cpu":"-1"}}}`), metav1.PatchOptions{})
	if err != nil {
		o.note("queue edited: the API server refuses the change: %s", brief(err))
	}
	return nil
}

func (t *trial) awaitBound(name string) error {
	return awaitTrue(t.ctx, settleTakes, func(ctx context.Context) error {
		seen, err := t.stateOf(ctx, name)
		if err == nil && seen != bound {
			err = errors.New(seen)
		}
		return err
	})
}

// judgeOdd looks what became of the odd pods; in the end the queue that was missing comes.
func (t *trial) judgeOdd(o *outcome, round int) error {
	list, err := t.bench.client.CoreV1().Pods(space).List(t.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for i := range list.Items {
		there[list.Items[i].Name] = true
	}
	for _, one := range oddPods {
		if !there[one.name] {
			continue
		}
		var seen string
		problem := awaitTrue(t.ctx, settleTakes/2, func(ctx context.Context) (err error) {
			seen, err = t.stateOf(ctx, one.name)
			if err == nil && one.want != "" && !strings.HasPrefix(seen, one.want) {
				err = fmt.Errorf("is %s, want %s", seen, one.want)
			}
			return err
		})
		if problem != nil {
			o.blame("round %d: pod %s: %v", round+1, one.name, problem)
		}
		if round == 0 {
			o.note("pod %s: %s", one.name, seen)
		}
	}
	if err := t.only().debug.check(t.ctx); err != nil {
		o.blame("round %d: %v", round+1, err)
	}
	if round < t.bench.options.rounds-1 {
		return nil
	}
	return errors.Join(t.queueComes(o), t.repair(o))
}

// stateOf says where an odd pod is: bound, or the reason and the words with which it is held. A pod
// that waits must have its gate and say so nowhere else.
func (t *trial) stateOf(ctx context.Context, name string) (string, error) {
	pod, err := t.bench.client.CoreV1().Pods(space).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if pod.Spec.NodeName != "" {
		return bound, nil
	}
	answer, err := t.only().debug.pod(ctx, name)
	if err != nil {
		told, problem := t.refusals(ctx)
		if why := told["Pod/"+name]; problem == nil && why != "" && hasGate(pod) {
			return "refused: " + why, nil
		}
		return "", fmt.Errorf("neither the engine nor an event tells of it: %w", err)
	}
	said := fmt.Sprintf("%s (%s): %s", answer.Reason, answer.State, answer.Message)
	if !hasGate(pod) {
		return said, errors.New("its gate is gone, but it is not bound: " + said +
			", the condition's reason is " + reasonOf(pod))
	}
	if reasonOf(pod) == corev1.PodReasonUnschedulable {
		return said, errors.New("it waits for its queue, but is Unschedulable")
	}
	return said, nil
}

func (t *trial) queueComes(o *outcome) error {
	b := t.bench
	capability := object{"capability": object{"cpu": "1"}}
	if err := b.createQueue(t.ctx, "later", capability); err != nil {
		return err
	}
	if err := t.awaitBound("queue-comes-later"); err != nil {
		o.blame("the queue `later` has come, but its pod is not bound: %v", err)
		return nil
	}
	o.note("pod queue-comes-later: bound when its queue had come")
	told, err := t.refusals(t.ctx)
	if err != nil {
		return err
	}
	for _, about := range slices.Sorted(maps.Keys(told)) {
		o.note("event on %s: %s", about, told[about])
	}
	if told["Queue/negative"] == "" {
		o.blame("no event SluiceRefused tells that the queue `negative` cannot be used")
	}
	return nil
}

// repair corrects a pod that the engine has refused.
func (t *trial) repair(o *outcome) error {
	const name = "queue-name-long"
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"odd"}}}`, queueAnnotation)
	_, err := t.bench.client.CoreV1().Pods(space).Patch(t.ctx, name, types.MergePatchType, patch,
		metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if err := t.awaitBound(name); err != nil {
		o.blame("pod %s was corrected, but is not bound: %v", name, err)
		return nil
	}
	o.note("pod %s: bound when it was corrected", name)
	return nil
}

// refusals are what events say about objects that cannot be used.
func (t *trial) refusals(ctx context.Context) (map[string]string, error) {
	events, err := t.bench.client.CoreV1().Events("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	told := map[string]string{}
	for i := range events.Items {
		if event := &events.Items[i]; event.Reason == "SluiceRefused" {
			about := event.InvolvedObject.Kind + "/" + event.InvolvedObject.Name
			told[about] = brief(errors.New(event.Message))
		}
	}
	return told, nil
}

// brief is the beginning of a long text.
func brief(err error) string {
	const most = 200
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	if len(text) > most {
		text = text[:most] + "..."
	}
	return text
}
