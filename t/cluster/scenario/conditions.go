// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func sortedKeys(of object) []string { return slices.Sorted(maps.Keys(of)) }

// named is the item of a list of maps whose key says so; nil: there is none.
func named(list []any, key, value string) object {
	for _, each := range list {
		if one, ok := each.(object); ok && one[key] == value {
			return one
		}
	}
	return nil
}

// conditionOf is the status, the reason or the like of a condition; "": it is not there.
func conditionOf(of *unstructured.Unstructured, kind, key string) string {
	if of == nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(of.Object, "status", "conditions")
	text, _ := named(conditions, "type", kind)[key].(string)
	return text
}

func conditionIs(of *unstructured.Unstructured, kind string) bool {
	return conditionOf(of, kind, "status") == "True"
}

// setCondition writes a condition at the story's time, which stays where only reason and message
// are other ones.
func (t *telling) setCondition(status object, kind string, is bool, reason, message string) {
	word := "False"
	if is {
		word = "True"
	}
	conditions := list(status, "conditions")
	one := named(conditions, "type", kind)
	if one == nil {
		one = object{"type": kind}
		status["conditions"] = append(conditions, one)
	}
	if one["status"] != word {
		one["lastTransitionTime"] = t.stamp()
	}
	one["status"], one["reason"], one["message"] = word, reason, message
}

// stamp is the story's time as objects carry it.
func (t *telling) stamp() string { return t.clock.Wall().UTC().Format(time.RFC3339) }
