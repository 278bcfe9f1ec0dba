// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Defaults are what the API server would add to a pod when it is created.
type Defaults struct {
	Overhead func(runtimeClass string) v1.ResourceList // nil: there is no such class, or it has none
	Ranges   []*v1.LimitRange                          // of the namespace, in the order of their names
}

// Spec is the spec of the pods as they will be: with the overhead of their RuntimeClass, the
// defaults of LimitRanges, and limits as requests where no request is written.
func (d *Defaults) Spec(set *kueue.PodSet) *v1.PodSpec {
	spec := set.Template.Spec.DeepCopy()
	if spec.RuntimeClassName != nil && len(spec.Overhead) == 0 && d.Overhead != nil {
		spec.Overhead = d.Overhead(*spec.RuntimeClassName)
	}
	each(spec, func(_ string, of *v1.ResourceRequirements) {
		for _, limit := range d.of(v1.LimitTypeContainer) {
			of.Limits = keepFirst(of.Limits, limit.Default)
			of.Requests = keepFirst(of.Requests, limit.DefaultRequest)
		}
	})
	if spec.Resources != nil {
		for _, limit := range d.of(v1.LimitTypePod) {
			spec.Resources.Limits = keepFirst(spec.Resources.Limits, limit.Default)
			spec.Resources.Requests = keepFirst(spec.Resources.Requests, limit.DefaultRequest)
		}
		spec.Resources.Requests = keepFirst(spec.Resources.Requests, spec.Resources.Limits)
	}
	each(spec, func(_ string, of *v1.ResourceRequirements) {
		of.Requests = keepFirst(of.Requests, of.Limits)
	})
	return spec
}

// Requests is what one of the pods asks for, as the scheduler counts it.
func Requests(spec *v1.PodSpec) v1.ResourceList {
	return resourcehelper.PodRequests(&v1.Pod{Spec: *spec}, resourcehelper.PodResourcesOptions{})
}

// Wrong says why the API server would refuse such pods; "": it would not.
func (d *Defaults) Wrong(spec *v1.PodSpec) (why string) {
	blame := func(format string, values ...any) {
		if why == "" {
			why = fmt.Sprintf(format, values...)
		}
	}
	each(spec, func(name string, of *v1.ResourceRequirements) {
		if over := above(of.Requests, of.Limits); over != "" {
			blame("container %s: its request of %s is above its limit", name, over)
		}
		for _, limit := range d.of(v1.LimitTypeContainer) {
			for _, list := range []v1.ResourceList{of.Requests, of.Limits} {
				if over := above(list, limit.Max); over != "" {
					blame("container %s: more %s than a LimitRange allows", name, over)
				}
			}
			if under := below(of.Requests, limit.Min); under != "" {
				blame("container %s: less %s than a LimitRange wants", name, under)
			}
			if far := apart(of, limit.MaxLimitRequestRatio); far != "" {
				blame("container %s: its limit of %s is further above its request than a LimitRange allows",
					name, far)
			}
		}
	})
	if of := spec.Resources; of != nil {
		if over := above(of.Requests, of.Limits); over != "" {
			blame("the pod: its request of %s is above its limit", over)
		}
	}
	total := Requests(spec)
	for _, limit := range d.of(v1.LimitTypePod) {
		if over := above(total, limit.Max); over != "" {
			blame("more %s than a LimitRange allows a pod", over)
		}
		if under := below(total, limit.Min); under != "" {
			blame("less %s than a LimitRange wants of a pod", under)
		}
	}
	return why
}

// apart is the first resource whose limit is too many times its request, or that lacks one of them;
// "": none.
func apart(of *v1.ResourceRequirements, ratios v1.ResourceList) string {
	for _, name := range slices.Sorted(maps.Keys(ratios)) {
		request, limit, most := of.Requests[name], of.Limits[name], ratios[name]
		if request.IsZero() || limit.IsZero() || float64(limit.MilliValue())/
			float64(request.MilliValue()) > most.AsApproximateFloat64() {
			return string(name)
		}
	}
	return ""
}

func each(spec *v1.PodSpec, visit func(name string, of *v1.ResourceRequirements)) {
	for i := range spec.InitContainers {
		visit(spec.InitContainers[i].Name, &spec.InitContainers[i].Resources)
	}
	for i := range spec.Containers {
		visit(spec.Containers[i].Name, &spec.Containers[i].Resources)
	}
}

func (d *Defaults) of(kind v1.LimitType) (items []*v1.LimitRangeItem) {
	for _, limits := range d.Ranges {
		for i := range limits.Spec.Limits {
			if limits.Spec.Limits[i].Type == kind {
				items = append(items, &limits.Spec.Limits[i])
			}
		}
	}
	return items
}

func keepFirst(first, second v1.ResourceList) v1.ResourceList {
	for name, quantity := range second {
		if _, has := first[name]; !has {
			if first == nil {
				first = v1.ResourceList{}
			}
			first[name] = quantity
		}
	}
	return first
}

// above is the first resource of which there is more than allowed; "": none.
func above(of, most v1.ResourceList) string {
	for _, name := range slices.Sorted(maps.Keys(most)) {
		is, has := of[name]
		if limit := most[name]; has && is.Cmp(limit) > 0 {
			return string(name)
		}
	}
	return ""
}

// below is the first resource of which there is less than wanted; "": none.
func below(of, least v1.ResourceList) string {
	for _, name := range slices.Sorted(maps.Keys(least)) {
		if is := of[name]; is.Cmp(least[name]) < 0 {
			return string(name)
		}
	}
	return ""
}
