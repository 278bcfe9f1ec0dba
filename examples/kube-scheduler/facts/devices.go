// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"sluice/kube-scheduler/sluice"
)

// DeviceClass begins the name by which a queue's amounts count the devices of a class, as in
// Volcano: deviceclass/<class>.
const DeviceClass = "deviceclass/"

// Names are at most so long: those of resources, and of what a pod misses.
const mostOfAName = 253

// DeviceNames are the resources by which Kueue's queues count devices, by the name of their class:
// the configuration's deviceClassMappings.
type DeviceNames map[string]string

// Devices are how many devices of which classes are asked for, by the name of the class.
type Devices []sluice.Amount

// add counts so many devices more. The sum stops where the engine's amounts do.
func (d Devices) add(class string, count int64) Devices {
	at, there := slices.BinarySearchFunc(d, class, func(one sluice.Amount, name string) int {
		return strings.Compare(one.Name, name)
	})
	if !there {
		return slices.Insert(d, at, sluice.Amount{Name: class, Value: min(count, mostAmount)})
	}
	d[at].Value += min(count, mostAmount-d[at].Value)
	return d
}

// ClaimDevices are those that a ResourceClaim has, or, as long as it has none (allocation is nil),
// asks for. Administrators' access takes no device from anybody, and does not count.
//
// Two things are not known before: which of several alternatives it will be, so the most that any
// of them asks for counts of each class; and how many all devices are, so as many count as no quota
// has room for.
func ClaimDevices(spec *resourcev1.ResourceClaimSpec,
	allocation *resourcev1.AllocationResult) (devices Devices) {
	if allocation != nil {
		return allocated(spec, allocation)
	}
	for i := range spec.Devices.Requests {
		request := &spec.Devices.Requests[i]
		switch exactly := request.Exactly; {
		case exactly == nil:
			for _, one := range mostOfAny(request.FirstAvailable) {
				devices = devices.add(one.Name, one.Value)
			}
		case exactly.AdminAccess == nil || !*exactly.AdminAccess:
			devices = devices.add(exactly.DeviceClassName,
				deviceCount(exactly.AllocationMode, exactly.Count))
		}
	}
	return devices
}

func mostOfAny(alternatives []resourcev1.DeviceSubRequest) (most Devices) {
	for i := range alternatives {
		one := &alternatives[i]
		count := deviceCount(one.AllocationMode, one.Count)
		at := slices.IndexFunc(most, func(a sluice.Amount) bool { return a.Name == one.DeviceClassName })
		if at < 0 {
			most = most.add(one.DeviceClassName, count)
			continue
		}
		most[at].Value = max(most[at].Value, count)
	}
	return most
}

func deviceCount(mode resourcev1.DeviceAllocationMode, count int64) int64 {
	if mode == resourcev1.DeviceAllocationModeAll {
		return mostAmount
	}
	return min(max(count, 1), mostAmount) // the API server writes 1 where none is said
}

func allocated(spec *resourcev1.ResourceClaimSpec,
	allocation *resourcev1.AllocationResult) (devices Devices) {
	for i := range allocation.Devices.Results {
		result := &allocation.Devices.Results[i]
		if result.AdminAccess != nil && *result.AdminAccess {
			continue
		}
		if class := classOf(spec, result.Request); class != "" {
			devices = devices.add(class, 1)
		}
	}
	return devices
}

// classOf is the class that a request asks for; of an alternative the name is request/alternative.
func classOf(spec *resourcev1.ResourceClaimSpec, name string) string {
	name, alternative, _ := strings.Cut(name, "/")
	for i := range spec.Devices.Requests {
		request := &spec.Devices.Requests[i]
		if request.Name != name {
			continue
		}
		if request.Exactly != nil {
			return request.Exactly.DeviceClassName
		}
		for k := range request.FirstAvailable {
			if request.FirstAvailable[k].Name == alternative {
				return request.FirstAvailable[k].DeviceClassName
			}
		}
	}
	return ""
}

// CountDevices adds devices to what a pod asks for, under the names by which the queues of its tree
// count them: Kueue's by the names of the configuration, all others by deviceclass/<class>. What is
// no name of a resource, because it is too long, no queue can count.
func CountDevices(requests []sluice.Amount, devices Devices, names DeviceNames) []sluice.Amount {
	for _, one := range devices {
		name := names[one.Name]
		if name == "" {
			name = DeviceClass + one.Name
		}
		if len(name) <= mostOfAName {
			requests = Devices(requests).add(name, one.Value)
		}
	}
	return requests
}

// A ClaimName is which ResourceClaim one of a pod's claims is.
type ClaimName struct {
	Name    string // "": it is not made yet, if there is a template
	Missing string // names what is missing if it is not there
}

// ClaimNames are the ResourceClaims that a pod needs. Those that are made from templates are known
// by their names once they are made, which a controller does as soon as the pod is there; the
// status also says so of those that a pod of a native group shares with the others.
func ClaimNames(pod *v1.Pod, visit func(ClaimName)) {
	for i := range pod.Spec.ResourceClaims {
		claim := &pod.Spec.ResourceClaims[i]
		switch {
		case claim.ResourceClaimName != nil:
			visit(ClaimName{*claim.ResourceClaimName, missing("resourceclaim", *claim.ResourceClaimName)})
		case claim.ResourceClaimTemplateName != nil:
			one := ClaimName{Missing: missing("resourceclaim-from-template",
				*claim.ResourceClaimTemplateName)}
			if at := slices.IndexFunc(pod.Status.ResourceClaimStatuses,
				func(made v1.PodResourceClaimStatus) bool { return made.Name == claim.Name }); at >= 0 {
				made := pod.Status.ResourceClaimStatuses[at].ResourceClaimName
				if made == nil {
					continue // it needs none
				}
				one.Name = *made
			}
			visit(one)
		}
	}
}

func missing(kind, name string) string {
	return kind + "/" + name[:min(len(name), mostOfAName-len(kind)-1)]
}
