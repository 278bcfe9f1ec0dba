// SPDX-License-Identifier: Apache-2.0

package check

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The kinds under which rules.yaml knows what is in the ConfigMaps of Volcano's scheduler and of
// Kueue. The first one has no kind of its own: `actions` and `plugins` have its parts by name.
const (
	volcanoConfiguration = "SchedulerConfiguration"
	kueueConfiguration   = "Configuration"
)

// configurations are those of Volcano's scheduler and of Kueue that are in a ConfigMap.
func configurations(object *unstructured.Unstructured) (all []*unstructured.Unstructured) {
	if object.GetKind() != "ConfigMap" {
		return nil
	}
	data, _, _ := unstructured.NestedStringMap(object.Object, "data")
	for _, key := range slices.Sorted(maps.Keys(data)) {
		var content map[string]any
		if yaml.Unmarshal([]byte(data[key]), &content) != nil {
			continue // a file of another form
		}
		kind, version := volcanoConfiguration, "volcano.sh/v1"
		switch said, _ := content["apiVersion"].(string); {
		case strings.HasPrefix(said, "config.kueue.x-k8s.io/"):
			kind, version = kueueConfiguration, said
		case content["actions"] != nil && content["tiers"] != nil:
			content = byNames(content)
		default:
			continue
		}
		read := &unstructured.Unstructured{Object: content}
		read.SetAPIVersion(version)
		read.SetKind(kind)
		read.SetNamespace(object.GetNamespace())
		read.SetName(object.GetName())
		all = append(all, read)
	}
	return all
}

// lookForUnknown says of the parts of a configuration that no page knows that they are not known:
// the rows of the pages name all others.
func (f *findings) lookForUnknown(read *unstructured.Unstructured) {
	name := nameOf(read)
	if read.GetKind() == kueueConfiguration {
		known := f.rules.namesIn("MIGRATE-KUEUE.md")
		for _, field := range slices.Sorted(maps.Keys(read.Object)) {
			if !known[field] && !slices.Contains([]string{"apiVersion", "kind", "metadata"}, field) {
				f.say("unknownField", name, field, textOf(read.Object[field]), "")
			}
		}
		return
	}
	known := f.rules.namesIn("MIGRATE-VOLCANO.md")
	for _, part := range []string{"actions", "plugins"} {
		all, _ := read.Object[part].(map[string]any)
		for _, one := range slices.Sorted(maps.Keys(all)) {
			if !known[one] {
				f.say("unknownPart", name, part+"."+one, one, "")
			}
		}
	}
}

// byNames is the configuration of Volcano's scheduler with its actions and plugins by their names.
func byNames(content map[string]any) map[string]any {
	actions, plugins := map[string]any{}, map[string]any{}
	said, _ := content["actions"].(string)
	for name := range strings.SplitSeq(said, ",") {
		if name = strings.TrimSpace(name); name != "" {
			actions[name] = name
		}
	}
	tiers, _ := content["tiers"].([]any)
	for _, one := range tiers {
		tier, _ := one.(map[string]any)
		list, _ := tier["plugins"].([]any)
		for _, one := range list {
			plugin, _ := one.(map[string]any)
			if name, _ := plugin["name"].(string); name != "" {
				plugins[name] = name
			}
		}
	}
	return map[string]any{"actions": actions, "plugins": plugins}
}
