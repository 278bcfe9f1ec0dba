// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// has tells whether a plugin takes part: the case brings it, and its tiers name it.
func (c *upstreamCase) has(name string) bool {
	return slices.Contains(c.Plugins, name) && c.plugin(name) != nil
}

func (c *upstreamCase) plugin(name string) *plugin {
	for _, tier := range c.Given.Tiers {
		for i := range tier.Plugins {
			if tier.Plugins[i].Name == name {
				return &tier.Plugins[i]
			}
		}
	}
	return nil
}

func (c *upstreamCase) acts(action string) bool { return slices.Contains(c.Actions, action) }

// story is a case as sluice-sim tells it: all is there before anything is decided, as in a session,
// and half a minute later all is as `ends` says.
func (c *upstreamCase) story(ends object) string {
	documents := c.documents()
	all := []string{}
	for _, document := range documents {
		all = append(all, ref(document))
	}
	effects := []string{"answerPermit", "setGroupStatus"}
	if c.acts("preempt") || c.acts("reclaim") {
		effects = append(effects, "evictPod")
	}
	story := []object{{
		"apiVersion": "sluice/v1", "kind": "Scenario", "metadata": object{"name": "case"},
		"spec": object{
			"config": object{"rootCeiling": "cluster", "effects": effects},
			"steps": []object{
				{"say": c.Test + ": " + c.Name},
				// Some tables have queues that contradict each other: nobody is asked about them.
				{"fault": object{"webhook": "pods"}},
				{"leader": false},
				{"apply": all},
				{"at": "1s", "leader": true},
				{"at": "30s", "expect": ends},
				// Before a group whose pods nobody makes gives its place to another one.
				{"at": "60s", "say": "the end"},
			},
		},
	}}
	var text strings.Builder
	for _, document := range append(story, documents...) {
		line, err := json.MarshalIndent(document, "", " ")
		if err != nil {
			panic(err) // it was read from JSON
		}
		fmt.Fprintf(&text, "---\n%s\n", line)
	}
	return text.String()
}

// documents are the case's objects, with what sluice reads of them.
func (c *upstreamCase) documents() (all []object) {
	for _, class := range c.Given.PriorityClasses {
		all = append(all, object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
			"metadata": metadata(class), "value": class["value"]})
	}
	for _, queue := range c.Given.Queues {
		all = append(all, c.queue(queue))
	}
	for _, node := range c.Given.Nodes {
		all = append(all, object{"apiVersion": "v1", "kind": "Node", "metadata": metadata(node),
			"status": object{"allocatable": c.offers(node)}})
	}
	for _, group := range c.Given.PodGroups {
		all = append(all, object{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
			"metadata": metadata(group),
			"spec": only(at(group, "spec"), "minMember", "minResources", "queue",
				"priorityClassName"),
			"status": only(at(group, "status"), "phase")})
	}
	for _, pod := range c.Given.Pods {
		all = append(all, c.pod(pod))
	}
	return all
}

// queue is one as the actions of the case would have it: without `preempt` nobody in it goes for
// another one, without `reclaim` nobody of another queue does.
func (c *upstreamCase) queue(queue object) object {
	kept := []string{"capability", "deserved", "guarantee", "reclaimable", "priority"}
	if hierarchy := c.plugin("capacity").EnabledHierarchy; hierarchy != nil && *hierarchy {
		kept = append(kept, "parent")
	}
	annotations := object{}
	if !c.acts("preempt") {
		annotations["sluice.sh/preempt-within-queue"] = "Never"
	}
	if !c.acts("reclaim") {
		annotations["sluice.sh/reclaim-from-queues"] = "Never"
	}
	about := metadata(queue)
	about["annotations"] = annotations
	made := object{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
		"metadata": about, "spec": only(at(queue, "spec"), kept...)}
	if state := at(queue, "status")["state"]; state != nil {
		made["status"] = object{"state": state}
	}
	return made
}

// pod has its group's priority where it has none: a pod of Volcano's Job does.
func (c *upstreamCase) pod(pod object) object {
	spec := only(at(pod, "spec"), "nodeName", "nodeSelector", "tolerations", "priority",
		"preemptionPolicy", "schedulingGates")
	resources, _ := at(pod, "spec")["containers"].([]any)[0].(object)["resources"].(object)
	spec["containers"] = []object{{"name": "work", "resources": c.withDevices(pod, resources)}}
	spec["terminationGracePeriodSeconds"] = 1
	if spec["priority"] == nil {
		spec["priority"] = c.priority(pod)
	}
	about := metadata(pod)
	for _, key := range []string{"annotations", "labels"} {
		if said := at(pod, "metadata")[key]; said != nil {
			about[key] = said
		}
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec}
}

// withDevices is what a pod's container asks for, with the devices of the claims that the pod
// names: sluice-sim knows no claims, and what a host tells the engine of them are requests.
func (c *upstreamCase) withDevices(pod, resources object) object {
	claims, _ := at(pod, "spec")["resourceClaims"].([]any)
	if len(claims) == 0 {
		return resources
	}
	requests := object{}
	maps.Copy(requests, at(resources, "requests"))
	for _, named := range claims {
		c.devices(func(claim, resource string, count any) {
			if claim == named.(object)["resourceClaimName"] {
				requests[resource] = count
			}
		})
	}
	return object{"requests": requests}
}

// offers is what a node has, with as many devices as are asked for: no driver says how many there
// are in these cases.
func (c *upstreamCase) offers(node object) object {
	offers := object{}
	maps.Copy(offers, at(at(node, "status"), "allocatable"))
	c.devices(func(_, resource string, _ any) { offers[resource] = "1000" })
	return offers
}

// devices visits what the claims of the case ask for.
func (c *upstreamCase) devices(visit func(claim, resource string, count any)) {
	for _, claim := range c.Given.ResourceClaims {
		requests, _ := at(at(claim, "spec"), "devices")["requests"].([]any)
		for _, each := range requests {
			exactly := at(each.(object), "exactly")
			visit(name(claim), fmt.Sprint("deviceclass/", exactly["deviceClassName"]), exactly["count"])
		}
	}
}

// priority is that of the class of a pod's group.
func (c *upstreamCase) priority(pod object) any {
	named := at(at(pod, "metadata"), "annotations")["scheduling.k8s.io/group-name"]
	for _, group := range c.Given.PodGroups {
		for _, class := range c.Given.PriorityClasses {
			if at(group, "metadata")["name"] == named &&
				at(class, "metadata")["name"] == at(group, "spec")["priorityClassName"] {
				return class["value"]
			}
		}
	}
	return 0
}

// ends is how Volcano's session leaves the case, for a story's expectations. Who is pipelined runs
// when the victims are gone. Without the action `allocate` nobody is bound, whoever fits.
func (c *upstreamCase) ends() object {
	ends := object{}
	grouped := map[string]bool{}
	for _, pod := range c.Given.Pods {
		key := at(pod, "metadata")["namespace"].(string) + "/" + at(pod, "metadata")["name"].(string)
		grouped[fmt.Sprint(at(at(pod, "metadata"), "annotations")["scheduling.k8s.io/group-name"])] = true
		ran := at(pod, "spec")["nodeName"] != nil
		switch {
		case slices.Contains(c.Evicted, key):
			ends["pod/"+name(pod)] = "gone"
		case ran, slices.Contains(c.Bound, key), slices.Contains(c.Pipelined, key):
			ends["pod/"+name(pod)] = object{"phase": "Running"}
		case c.acts("allocate"):
			ends["pod/"+name(pod)] = object{"node": ""}
		}
	}
	for key, phase := range c.Phases {
		_, group, _ := strings.Cut(key, "/")
		if !grouped[group] && c.acts("enqueue") {
			ends["podgroup/"+group] = object{"phase": phase}
		}
	}
	return ends
}

func name(of object) string { return at(of, "metadata")["name"].(string) }

func word(of object) string { return strings.ToLower(of["kind"].(string)) }

func ref(of object) string { return word(of) + "/" + name(of) }

// metadata is the name alone: each case is in one namespace.
func metadata(of object) object {
	about := object{"name": name(of)}
	if labels := at(of, "metadata")["labels"]; labels != nil {
		about["labels"] = labels
	}
	return about
}

// at is a part of an object; one that is not there is empty.
func at(of object, key string) object {
	part, _ := of[key].(object)
	return part
}

// only are these keys of a part, where they say something.
func only(of object, keys ...string) object {
	kept := object{}
	for _, key := range keys {
		if of[key] != nil && of[key] != "" {
			kept[key] = of[key]
		}
	}
	return kept
}
