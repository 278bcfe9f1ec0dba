// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// fillLoad adds what the API server asks of a Workload, and no story cares for.
func fillLoad(plain object, name string) {
	child(plain, "metadata")["ownerReferences"] = ownerOfLoad(name)
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
	fillConditions(status, time.Now())
	if spec := child(plain, "spec"); spec["controllerName"] == nil {
		spec["controllerName"] = "sim.sluice.sh/story"
	}
}

// fillConditions adds what the API server asks of conditions, and no story cares for.
func fillConditions(status object, at time.Time) {
	for _, each := range list(status, "conditions") {
		one, ok := each.(object)
		if !ok {
			continue
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
}
