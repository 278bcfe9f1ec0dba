// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// dryHost tells the engine of all objects, as a host does after its first listing, and asks of each
// what the webhook asks. It carries nothing out.
type dryHost struct {
	engine Engine
	setup  *Setup
	world  *world
	found  *findings
}

// run tells of those first who are named by others.
func (d *dryHost) run() error {
	for _, tell := range []func() error{d.nodes, d.queues, d.commands, d.kueue, d.jobs, d.groups,
		d.pods, d.limits} {
		if err := tell(); err != nil {
			return err
		}
	}
	return nil
}

// refused says of an object why the engine, or the package facts, cannot use it. What is the fault
// of no object is the answer.
func (d *dryHost) refused(rule string, object *unstructured.Unstructured, err error) error {
	var field *facts.Error
	var failed *sluice.Error
	switch {
	case err == nil:
	case errors.As(err, &field):
		d.found.say(rule, nameOf(object), field.Field, field.Value, "want "+field.Want)
	case !errors.As(err, &failed): // its type cannot take it
		d.found.say(rule, nameOf(object), "", "", err.Error())
	case failed.Code == sluice.CodeField, failed.Code == sluice.CodeLimit:
		d.found.say(rule, nameOf(object), failed.Key, failed.Value, "want "+failed.Want)
	case failed.Code == sluice.CodeMessage:
		d.found.say(rule, nameOf(object), "", "", failed.Error())
	default:
		return err
	}
	return nil
}

// answered says what the engine refuses.
func (d *dryHost) answered(rule string, object *unstructured.Unstructured,
	admission sluice.Admission, err error) error {
	if err == nil && !admission.Allow {
		d.found.say(rule, nameOf(object), "", "", admission.Reason)
	}
	return d.refused(rule, object, err)
}

func (d *dryHost) nodes() error {
	for _, object := range d.world.kinds["Node"] {
		var node v1.Node
		var seen sluice.Node
		err := facts.Read(object, &node)
		if err == nil {
			facts.Node(&node, &seen)
			_, _, err = d.engine.ObserveNode(&seen)
		}
		if err := d.refused("node", object, err); err != nil {
			return err
		}
	}
	return nil
}

// queues are created one after the other, who is above before who is below.
func (d *dryHost) queues() error {
	for _, object := range parentsFirst(d.world.kinds["Queue."+volcanoGroup]) {
		var queue volcano.Queue
		var seen sluice.Queue
		err := facts.Read(object, &queue)
		if err == nil {
			err = facts.Queue(&queue, &seen)
		}
		if err == nil {
			_, err = facts.UsersOf(queue.Annotations)
		}
		if err == nil {
			if ignored := facts.DeviceQuota(&queue); ignored != "" {
				d.found.say("deviceQuota", nameOf(object), "", "", ignored)
			}
			var admission sluice.Admission
			admission, _, err = d.engine.AdmitQueue("CREATE", &seen)
			if err = d.answered("queue", object, admission, err); err != nil {
				return err
			}
			_, err = d.engine.ObserveQueue(&seen)
		}
		if err := d.refused("queue", object, err); err != nil {
			return err
		}
	}
	return nil
}

// parentsFirst has each queue after the one above it; those of a cycle come last.
func parentsFirst(queues []*unstructured.Unstructured) (sorted []*unstructured.Unstructured) {
	byName, placed := map[string]*unstructured.Unstructured{}, map[string]bool{}
	for _, queue := range queues {
		byName[queue.GetName()] = queue
	}
	var place func(queue *unstructured.Unstructured, above []string)
	place = func(queue *unstructured.Unstructured, above []string) {
		name := queue.GetName()
		if placed[name] || slices.Contains(above, name) {
			return
		}
		parent, _, _ := unstructured.NestedString(queue.Object, "spec", "parent")
		if parent == "" && name != facts.RootQueue {
			parent = facts.RootQueue
		}
		if next := byName[parent]; next != nil {
			place(next, append(above, name))
		}
		placed[name] = true
		sorted = append(sorted, queue)
	}
	for _, queue := range queues {
		place(queue, nil)
	}
	return sorted
}

func (d *dryHost) commands() error {
	for _, object := range d.world.kinds["Command.bus.volcano.sh"] {
		var command bus.Command
		err := facts.Read(object, &command)
		var admission sluice.Admission
		if err == nil {
			admission, _, err = d.engine.AdmitCommand("CREATE", facts.Command(&command))
		}
		if err := d.answered("command", object, admission, err); err != nil {
			return err
		}
	}
	return nil
}

// madeUp is the uid of who is asked about before there is one.
const madeUp = "not-created-yet"

// groups that are there already were let in by somebody, whatever their queue's state is now.
func (d *dryHost) groups() error {
	for _, object := range d.world.kinds["PodGroup."+volcanoGroup] {
		var group volcano.PodGroup
		var seen sluice.Group
		err := facts.Read(object, &group)
		if err == nil {
			err = facts.Group(&group, nil, &seen)
		}
		if err == nil {
			there := seen.UID != ""
			seen.UID = cmp.Or(seen.UID, madeUp)
			var admission sluice.Admission
			if group.Status.Phase == "" || group.Spec.MinMember < 0 {
				admission, _, err = d.engine.AdmitGroup("CREATE", &seen)
				if err = d.answered("group", object, admission, err); err != nil {
					return err
				}
			}
			if there {
				_, err = d.engine.ObserveGroup(&seen)
			}
		}
		if err := d.refused("group", object, err); err != nil {
			return err
		}
	}
	return nil
}

// pods that are there are counted, those of templates are asked about as if they were created now.
func (d *dryHost) pods() error {
	for _, object := range d.world.kinds["Pod"] {
		if err := d.pod(object, object); err != nil {
			return err
		}
	}
	for _, object := range d.world.objects {
		for _, template := range templatesOf(object) {
			if err := d.pod(template.podOf(object), object); err != nil {
				return err
			}
		}
	}
	return nil
}

// pod is told of; what is wrong with it is said of the object that it is, or is made for.
func (d *dryHost) pod(object, of *unstructured.Unstructured) error {
	var pod v1.Pod
	if err := facts.Read(object, &pod); err != nil {
		return d.refused("pod", of, err)
	}
	pod.Spec.SchedulerName = cmp.Or(pod.Spec.SchedulerName, v1.DefaultSchedulerName)
	if !d.setup.schedules(pod.Spec.SchedulerName) {
		if wantsQueue(&pod) && facts.WorkloadOf(&pod) == "" {
			d.found.say("scheduler", nameOf(of), "spec.schedulerName", pod.Spec.SchedulerName, "")
		}
		return nil
	}
	var seen sluice.Pod
	queue, labels := d.world.space(pod.Namespace)
	facts.Pod(&pod, queue, &seen)
	if local := facts.LocalQueue(&pod); local != "" {
		facts.InClusterQueue(&seen, local, d.clusterQueue(pod.Namespace, local))
		seen.NotSelected = !d.selects(pod.Namespace, local, labels)
	}
	if seen.UID == "" {
		admission, _, err := d.engine.Admit("CREATE", &seen)
		return d.answered("pod", of, admission, err)
	}
	if facts.WorkloadOf(&pod) != "" { // its Workload counts
		return nil
	}
	_, err := d.engine.ObservePod(&seen)
	return d.refused("pod", of, err)
}

// wantsQueue tells whether a pod says anything of queues.
func wantsQueue(pod *v1.Pod) bool {
	said := pod.Annotations
	return facts.Grouped(pod) || said[facts.GateLong] == "true" || said[facts.GateShort] == "true" ||
		said[facts.QueueName] != "" || facts.LocalQueue(pod) != ""
}

// limits are those above which queues are already: they grant nothing before they are below.
func (d *dryHost) limits() error {
	if _, err := d.engine.Synced(); err != nil {
		return err
	}
	for from, more := int64(0), true; more; more = from != 0 {
		answer, err := d.engine.Inspect(sluice.Query{What: "queues", From: from})
		if err != nil {
			return err
		}
		queues, _ := answer["queues"].([]any)
		for _, one := range queues {
			queue, _ := one.(map[string]any)
			d.limitsOf(queue)
		}
		from, _ = answer["from"].(int64)
	}
	return nil
}

func (d *dryHost) limitsOf(queue map[string]any) {
	quotas, _ := queue["quota"].([]any)
	for _, one := range quotas {
		quota, _ := one.(map[string]any)
		usage, _ := quota["usage"].(int64)
		ceiling, limited := quota["ceiling"].(int64)
		if !limited || usage <= ceiling {
			continue
		}
		name, _ := quota["resource"].(string)
		d.found.say("over", fmt.Sprintf("%s/%s", queue["kind"], queue["name"]),
			fmt.Sprintf("%s/%s", name, quota["flavor"]), quantity(name, usage),
			fmt.Sprintf("what runs counts, and is above the limit of %s: nothing is granted until it is "+
				"below", quantity(name, ceiling)))
	}
}

// quantity is an amount of the engine as Kubernetes writes it.
func quantity(name string, amount int64) string {
	switch v1.ResourceName(name) {
	case v1.ResourceCPU:
		return resource.NewMilliQuantity(amount, resource.DecimalSI).String()
	case v1.ResourceMemory, v1.ResourceEphemeralStorage:
		return resource.NewQuantity(amount, resource.BinarySI).String()
	}
	return resource.NewQuantity(amount, resource.DecimalSI).String()
}
