// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/sluice"
)

// Annotations of Volcano's Queue. The first two say that its state is its parent's doing.
const (
	ClosedByParent    = "volcano.sh/closed-by-parent"
	SuspendedByParent = "volcano.sh/suspended-by-parent"
	CreateSuspended   = "sluice.sh/create-suspended" // "true": without a state it begins Suspended

	// Whose room its pods may take: the words of Kueue's withinClusterQueue and
	// reclaimWithinCohort.
	PreemptWithinQueue = "sluice.sh/preempt-within-queue"
	ReclaimFromQueues  = "sluice.sh/reclaim-from-queues"
)

// Queue writes over `into` what the engine wants to know of Volcano's Queue. After an error it is
// as it was.
func Queue(queue *volcano.Queue, into *sluice.Queue) error {
	object := sluice.KindQueue + "/" + queue.Name
	spec := &queue.Spec
	if err := notNegative(object, "spec.capability", spec.Capability); err != nil {
		return err
	}
	if err := notNegative(object, "spec.deserved", spec.Deserved); err != nil {
		return err
	}
	err := notNegative(object, "spec.guarantee.resource", spec.Guarantee.Resource)
	if err != nil {
		return err
	}
	*into = sluice.Queue{
		Kind:           sluice.KindQueue,
		Name:           queue.Name,
		UID:            string(queue.UID),
		Parent:         spec.Parent,
		Created:        nanoseconds(queue.CreationTimestamp),
		Priority:       spec.Priority,
		Strategy:       string(spec.DequeueStrategy),
		State:          string(queue.Status.State),
		Deleted:        queue.DeletionTimestamp != nil,
		NotReclaimable: spec.Reclaimable != nil && !*spec.Reclaimable,
		Capability:     amounts(spec.Capability, nil),
		Deserved:       amounts(spec.Deserved, nil),
		Guarantee:      amounts(spec.Guarantee.Resource, nil),
		Annotations:    marks(queue.Annotations),

		ResourceVersion: Version(queue.ResourceVersion),
	}
	return nil
}

// DeviceQuota says which of a queue's amounts are of a dimension of devices, such as their memory,
// which nothing counts here; "": none of them.
func DeviceQuota(queue *volcano.Queue) string {
	for _, amounts := range []struct {
		field string
		of    v1.ResourceList
	}{
		{"spec.capability", queue.Spec.Capability},
		{"spec.deserved", queue.Spec.Deserved},
		{"spec.guarantee.resource", queue.Spec.Guarantee.Resource},
	} {
		for _, name := range slices.Sorted(maps.Keys(amounts.of)) {
			if dimension, class, is := strings.Cut(string(name), "."+DeviceClass); is {
				return fmt.Sprintf("%s[%s]: %s of devices is not counted, as quota of device "+
					"classes counts whole devices: %s%s", amounts.field, name, dimension,
					DeviceClass, class)
			}
		}
	}
	return ""
}

// marks are the annotations of a queue that the engine reads.
func marks(annotations map[string]string) [][2]string {
	var read [][2]string
	for _, name := range []string{ClosedByParent, SuspendedByParent, CreateSuspended,
		PreemptWithinQueue, ReclaimFromQueues} {
		if value, has := annotations[name]; has {
			read = append(read, [2]string{name, value})
		}
	}
	return read
}

// ClusterQueue writes over `into` what the engine wants to know of Kueue's ClusterQueue. After an
// error it is as it was.
func ClusterQueue(queue *kueue.ClusterQueue, into *sluice.Queue) error {
	groups, err := resourceGroups(sluice.KindClusterQueue+"/"+queue.Name, queue.Spec.ResourceGroups)
	if err != nil {
		return err
	}
	*into = sluice.Queue{
		Kind:     sluice.KindClusterQueue,
		Name:     queue.Name,
		Parent:   string(queue.Spec.CohortName),
		Created:  nanoseconds(queue.CreationTimestamp),
		Deleted:  queue.DeletionTimestamp != nil,
		Strategy: string(queue.Spec.QueueingStrategy),
		Groups:   groups,
	}
	if queue.Spec.StopPolicy != nil {
		into.StopPolicy = string(*queue.Spec.StopPolicy)
	}
	if said := queue.Spec.Preemption; said != nil {
		into.Preemption = preemption(said)
	}
	if said := queue.Spec.FlavorFungibility; said != nil {
		into.WhenCanBorrow = string(said.WhenCanBorrow)
		into.WhenCanPreempt = string(said.WhenCanPreempt)
		if said.Preference != nil {
			into.Preference = string(*said.Preference)
		}
	}
	if said := queue.Spec.AdmissionChecksStrategy; said != nil {
		for i := range said.AdmissionChecks {
			check := sluice.QueueCheck{Name: string(said.AdmissionChecks[i].Name)}
			for _, flavor := range said.AdmissionChecks[i].OnFlavors {
				check.Flavors = append(check.Flavors, string(flavor))
			}
			into.Checks = append(into.Checks, check)
		}
	}
	return nil
}

func preemption(said *kueue.ClusterQueuePreemption) sluice.Preemption {
	read := sluice.Preemption{
		WithinClusterQueue:  string(said.WithinClusterQueue),
		ReclaimWithinCohort: string(said.ReclaimWithinCohort),
	}
	if borrow := said.BorrowWithinCohort; borrow != nil {
		read.BorrowWithinCohort = string(borrow.Policy)
		read.MaxPriorityThreshold = borrow.MaxPriorityThreshold
	}
	return read
}

// Cohort writes over `into` what the engine wants to know of Kueue's Cohort. After an error it is
// as it was.
func Cohort(cohort *kueue.Cohort, into *sluice.Queue) error {
	groups, err := resourceGroups(sluice.KindCohort+"/"+cohort.Name, cohort.Spec.ResourceGroups)
	if err != nil {
		return err
	}
	*into = sluice.Queue{
		Kind:    sluice.KindCohort,
		Name:    cohort.Name,
		Parent:  string(cohort.Spec.ParentName),
		Created: nanoseconds(cohort.CreationTimestamp),
		Deleted: cohort.DeletionTimestamp != nil,
		Groups:  groups,
	}
	return nil
}

func resourceGroups(object string, groups []kueue.ResourceGroup) ([]sluice.ResourceGroup, error) {
	var read []sluice.ResourceGroup
	for g := range groups {
		group := sluice.ResourceGroup{}
		for _, resource := range groups[g].CoveredResources {
			group.Resources = append(group.Resources, string(resource))
		}
		for f := range groups[g].Flavors {
			field := fmt.Sprintf("spec.resourceGroups[%d].flavors[%d]", g, f)
			flavor, err := flavorQuotas(object, field, &groups[g].Flavors[f])
			if err != nil {
				return nil, err
			}
			group.Flavors = append(group.Flavors, flavor)
		}
		read = append(read, group)
	}
	return read, nil
}

func flavorQuotas(object, field string, flavor *kueue.FlavorQuotas) (sluice.FlavorQuotas, error) {
	read := sluice.FlavorQuotas{Name: string(flavor.Name)}
	for r := range flavor.Resources {
		from := &flavor.Resources[r]
		at := fmt.Sprintf("%s.resources[%d]", field, r)
		name := string(from.Name)
		if err := checkSign(object, at+".nominalQuota", &from.NominalQuota); err != nil {
			return read, err
		}
		if err := checkSign(object, at+".borrowingLimit", from.BorrowingLimit); err != nil {
			return read, err
		}
		if err := checkSign(object, at+".lendingLimit", from.LendingLimit); err != nil {
			return read, err
		}
		quota := sluice.Quota{Resource: name, Nominal: amount(name, from.NominalQuota)}
		if from.BorrowingLimit != nil {
			borrowing := amount(name, *from.BorrowingLimit)
			quota.Borrowing = &borrowing
		}
		if from.LendingLimit != nil {
			lending := amount(name, *from.LendingLimit)
			quota.Lending = &lending
		}
		read.Quotas = append(read.Quotas, quota)
	}
	return read, nil
}
