// SPDX-License-Identifier: Apache-2.0

package alike

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// stripped is an object without what no two API servers write alike.
func stripped(object *unstructured.Unstructured) map[string]any {
	whole := maps.Clone(object.Object)
	delete(whole, "apiVersion")
	delete(whole, "kind")
	meta := map[string]any{}
	for _, key := range []string{"labels", "annotations", "finalizers", "ownerReferences",
		"deletionTimestamp"} {
		if value, is := object.Object["metadata"].(map[string]any)[key]; is {
			meta[key] = value
		}
	}
	whole["metadata"] = meta
	return whole
}

// flatten gives each field its path. A list whose members have names or types goes by those.
func (s *side) flatten(fields map[string]string, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, one := range value {
			s.flatten(fields, path+"."+key, one)
		}
	case []any:
		for i, one := range value {
			s.flatten(fields, fmt.Sprintf("%s[%s]", path, nameIn(one, i)), one)
		}
	default:
		fields[path] = s.plain(fmt.Sprint(value))
		if strings.HasSuffix(path, ".accumulatedPastExecutionTimeSeconds") {
			fields[path] = "SECONDS"
		}
	}
}

func nameIn(member any, place int) string {
	if fields, is := member.(map[string]any); is {
		for _, key := range []string{"type", "name"} {
			if name, is := fields[key].(string); is {
				return name
			}
		}
	}
	return fmt.Sprint(place)
}

var (
	timeOf = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( \+0000 UTC|Z)?`)
	uidOf  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	hashOf = regexp.MustCompile(`\bjob-([a-z0-9-]+)-[0-9a-f]{5}\b`)
	tookOf = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?(s|ms)\b`)
)

// plain is a text without times, UIDs and the hashes in names.
func (s *side) plain(text string) string {
	text = timeOf.ReplaceAllString(text, "TIME")
	text = uidOf.ReplaceAllStringFunc(text, func(uid string) string {
		if name := s.names[uid]; name != "" {
			return "UID of " + name
		}
		return "UID of nothing"
	})
	return hashOf.ReplaceAllString(text, "job-$1-HASH")
}

// event is one as a path: how often it was said does not count, nor by whom.
func (s *side) event(object *unstructured.Unstructured) string {
	text := func(fields ...string) string {
		found, _, _ := unstructured.NestedString(object.Object, fields...)
		return s.plain(found)
	}
	return fmt.Sprintf("%s/%s event %s %s: %s", text("regarding", "kind"), text("regarding", "name"),
		text("type"), text("reason"), tookOf.ReplaceAllString(text("note"), "SECONDS"))
}

// difference is one field that is not alike.
type difference struct {
	path, kueue, sluice string // "": it has no such field
}

func (d difference) String() string {
	return fmt.Sprintf("%s\n    Kueue  %q\n    sluice %q", d.path, d.kueue, d.sluice)
}

// apart are the fields that differ, by their paths.
func apart(kueue, sluice map[string]string) []difference {
	var found []difference
	paths := maps.Clone(kueue)
	maps.Copy(paths, sluice)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if kueue[path] != sluice[path] {
			found = append(found, difference{path, kueue[path], sluice[path]})
		}
	}
	return found
}

func told(differences []difference) string {
	var text strings.Builder
	for _, one := range differences {
		fmt.Fprintf(&text, "\n  %s", one)
	}
	return text.String()
}
