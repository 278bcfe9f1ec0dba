// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// fillWorkload adds what the API server asks of a Workload, and no story cares for.
func fillWorkload(plain object, name string) {
	child(plain, "metadata")["ownerReferences"] = ownerOfWorkload(name)
	for _, each := range list(child(plain, "spec"), "podSets") {
		set, ok := each.(object)
		if !ok {
			continue
		}
		if set["name"] == nil {
			set["name"] = "main"
		}
		if set["count"] == nil {
			set["count"] = int64(1)
		}
		fillPodSpec(child(child(set, "template"), "spec"))
	}
}

// fillCheck plays the controller of an admission check, which is there unless the story says
// otherwise.
func fillCheck(plain object) {
	status := child(plain, "status")
	if named(list(status, "conditions"), "type", "Active") == nil {
		active := object{"type": "Active", "status": "True"}
		status["conditions"] = append(list(status, "conditions"), active)
	}
	for _, each := range list(status, "conditions") {
		fillCondition(each, time.Now())
	}
	if spec := child(plain, "spec"); spec["controllerName"] == nil {
		spec["controllerName"] = "sim.sluice.sh/story"
	}
}

// fillCondition adds what the API server asks of a condition, and no story cares for.
func fillCondition(of any, at time.Time) {
	one, ok := of.(object)
	if !ok {
		return
	}
	otherwise := object{
		"reason": "Story", "message": "", "lastTransitionTime": at.UTC().Format(time.RFC3339),
	}
	for key, value := range otherwise {
		if one[key] == nil {
			one[key] = value
		}
	}
}

// names tells whether a ClusterQueue of the story names a flavor or a check.
func (s *Scenario) names(ref string) bool {
	_, _, name := SplitRef(ref)
	isNamed := func(list *Tree) bool {
		for i := 0; list != nil && i < len(list.Pairs); i++ {
			if one := list.Pairs[i].Value.Get("name"); one != nil && one.Text == name {
				return true
			}
		}
		return false
	}
	for queue, doc := range s.Documents {
		if !isOf(queue, "clusterqueue") {
			continue
		}
		checks := doc.Find("spec", "admissionChecksStrategy", "admissionChecks")
		if isOf(ref, "admissioncheck") && isNamed(checks) {
			return true
		}
		groups := doc.Find("spec", "resourceGroups")
		for i := 0; groups != nil && i < len(groups.Pairs); i++ {
			if isOf(ref, "resourceflavor") && isNamed(groups.Pairs[i].Value.Get("flavors")) {
				return true
			}
		}
	}
	return false
}
