// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/job"
	"sluice/kube-scheduler/sluice"
	"sluice/kube-scheduler/workload"
)

// kueue tells of Kueue's objects. Those of v1beta1 are refused by a policy, and are not looked at.
func (d *dryHost) kueue() error {
	for _, kind := range []struct {
		name string
		tell func(*unstructured.Unstructured) error
	}{
		{"ResourceFlavor", d.flavor}, {"AdmissionCheck", d.admissionCheck}, {"Cohort", d.cohort},
		{"ClusterQueue", d.cluster}, {"LocalQueue", d.localQueue}, {"Workload", d.workload},
	} {
		for _, object := range d.world.kinds[kind.name+"."+kueueGroup] {
			if object.GetAPIVersion() != kueue.SchemeGroupVersion.String() {
				continue
			}
			if err := d.refused("kueue", object, kind.tell(object)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *dryHost) flavor(object *unstructured.Unstructured) error {
	var flavor kueue.ResourceFlavor
	if err := facts.Read(object, &flavor); err != nil {
		return err
	}
	if wrong := workload.UnsupportedFlavor(&flavor); wrong != "" {
		d.found.say("topology", nameOf(object), "spec.topologyName", string(*flavor.Spec.TopologyName),
			wrong)
		return nil
	}
	var seen sluice.Flavor
	facts.Flavor(&flavor, &seen)
	_, err := d.engine.ObserveFlavor(&seen)
	return err
}

// admissionCheck is believed to be active before its controller has said anything.
func (d *dryHost) admissionCheck(object *unstructured.Unstructured) error {
	var check kueue.AdmissionCheck
	if err := facts.Read(object, &check); err != nil {
		return err
	}
	_, err := d.engine.ObserveCheck(check.Name, !apimeta.IsStatusConditionFalse(
		check.Status.Conditions, kueue.AdmissionCheckActive))
	return err
}

func (d *dryHost) cohort(object *unstructured.Unstructured) error {
	var cohort kueue.Cohort
	var seen sluice.Queue
	err := facts.Read(object, &cohort)
	if err == nil {
		err = facts.Cohort(&cohort, &seen)
	}
	if err == nil {
		_, err = d.engine.ObserveQueue(&seen)
	}
	return err
}

func (d *dryHost) cluster(object *unstructured.Unstructured) error {
	var cluster kueue.ClusterQueue
	var seen sluice.Queue
	err := facts.Read(object, &cluster)
	if err == nil {
		if wrong := workload.UnsupportedQueue(&cluster); wrong != "" {
			d.found.say("clusterQueue", nameOf(object), "", "", wrong)
		}
		err = facts.ClusterQueue(&cluster, &seen)
	}
	if err == nil {
		_, err = d.engine.ObserveQueue(&seen)
	}
	return err
}

func (d *dryHost) localQueue(object *unstructured.Unstructured) error {
	var queue kueue.LocalQueue
	if err := facts.Read(object, &queue); err != nil {
		return err
	}
	if queue.UID == "" {
		return nil // nobody is in it yet
	}
	_, labels := d.world.space(queue.Namespace)
	_, err := d.engine.ObserveLocalQueue(facts.WorkloadQueue(&queue,
		d.selects(queue.Namespace, queue.Name, labels)))
	return err
}

// clusterQueue is the one behind a LocalQueue; "": there is none.
func (d *dryHost) clusterQueue(namespace, local string) string {
	for _, object := range d.world.kinds["LocalQueue."+kueueGroup] {
		if object.GetNamespace() == namespace && object.GetName() == local {
			name, _, _ := unstructured.NestedString(object.Object, "spec", "clusterQueue")
			return name
		}
	}
	return ""
}

// selects tells whether the ClusterQueue of a LocalQueue takes what is in a namespace of these
// labels.
func (d *dryHost) selects(namespace, local string, of map[string]string) bool {
	name := d.clusterQueue(namespace, local)
	for _, object := range d.world.kinds["ClusterQueue."+kueueGroup] {
		var cluster kueue.ClusterQueue
		if object.GetName() != name || facts.Read(object, &cluster) != nil {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(cluster.Spec.NamespaceSelector)
		return err == nil && selector.Matches(labels.Set(of))
	}
	return false
}

// workload is looked at with what other objects say of its pods.
func (d *dryHost) workload(object *unstructured.Unstructured) error {
	var w kueue.Workload
	if err := facts.Read(object, &w); err != nil {
		return err
	}
	if workload.Finished(&w) {
		return nil
	}
	seen := facts.Workload(&w, d.around(w.Namespace))
	if seen.Unsupported != "" && !seen.AdmissionGated {
		d.found.say("workload", nameOf(object), "", "", seen.Unsupported)
	}
	if seen.UID == "" || !d.setup.has("workloads") {
		return nil
	}
	_, err := d.engine.ObserveWorkerWorkload(seen)
	return err
}

// jobs that name a queue are looked at by the workload that would be made for them, unless there is
// one.
func (d *dryHost) jobs() error {
	made := map[types.UID]bool{}
	for _, object := range d.world.kinds["Workload."+kueueGroup] {
		if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
			made[owner.UID] = true
		}
	}
	for _, object := range d.world.kinds["Job.batch"] {
		var j batchv1.Job
		if err := facts.Read(object, &j); err != nil {
			if err := d.refused("workload", object, err); err != nil {
				return err
			}
			continue
		}
		_, _, ended := job.Ended(&j)
		if job.Queue(&j) == "" || ended || j.UID != "" && made[j.UID] {
			continue
		}
		seen := facts.Workload(job.Workload(&j, job.Priority{}), d.around(j.Namespace))
		if seen.Unsupported != "" && !seen.AdmissionGated {
			d.found.say("workload", nameOf(object), "", "", seen.Unsupported)
		}
	}
	return nil
}

func (d *dryHost) around(namespace string) *facts.Around {
	around := &facts.Around{DeviceNames: d.setup.Args.DeviceNames()}
	around.Defaults.Overhead = func(name string) v1.ResourceList {
		for _, object := range d.world.kinds["RuntimeClass.node.k8s.io"] {
			var class nodev1.RuntimeClass
			if object.GetName() == name && facts.Read(object, &class) == nil && class.Overhead != nil {
				return class.Overhead.PodFixed
			}
		}
		return nil
	}
	around.ClaimTemplate = func(name string) *resourcev1.ResourceClaimSpec {
		for _, object := range d.world.kinds["ResourceClaimTemplate.resource.k8s.io"] {
			var template resourcev1.ResourceClaimTemplate
			if object.GetNamespace() == namespace && object.GetName() == name &&
				facts.Read(object, &template) == nil {
				return &template.Spec.Spec
			}
		}
		return nil
	}
	for _, object := range d.world.kinds["LimitRange"] {
		var limits v1.LimitRange
		if object.GetNamespace() == namespace && facts.Read(object, &limits) == nil {
			around.Defaults.Ranges = append(around.Defaults.Ranges, &limits)
		}
	}
	slices.SortFunc(around.Defaults.Ranges, func(a, b *v1.LimitRange) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return around
}
