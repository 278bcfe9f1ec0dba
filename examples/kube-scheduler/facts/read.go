// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// quantities are where the kinds that Read knows carry quantities: `*` stands for every key of a
// map, `[]` for every item of a list.
var quantities = map[string][]string{
	"Queue":   {"spec.capability.*", "spec.deserved.*", "spec.guarantee.resource.*"},
	KindGroup: {"spec.minResources.*"},
	"ClusterQueue": {
		"spec.resourceGroups.[].flavors.[].resources.[].nominalQuota",
		"spec.resourceGroups.[].flavors.[].resources.[].borrowingLimit",
		"spec.resourceGroups.[].flavors.[].resources.[].lendingLimit",
	},
}

func init() { quantities["Cohort"] = quantities["ClusterQueue"] }

// Read turns an object of a dynamic client into its type. A quantity that cannot be parsed is an
// *Error; anything else that its type cannot take is the converter's own error.
func Read(object *unstructured.Unstructured, into any) error {
	name := object.GetKind() + "/" + object.GetName()
	for _, path := range quantities[object.GetKind()] {
		if err := parseAt(name, "", strings.Split(path, "."), object.Object); err != nil {
			return err
		}
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into)
	if err != nil {
		return fmt.Errorf("%s cannot be read as %T: %w", name, into, named(object, into, err))
	}
	return nil
}

// named is the error with the field in it, which the converter does not name.
func named(object *unstructured.Unstructured, into any, err error) error {
	text, unwritten := object.MarshalJSON()
	if unwritten != nil {
		return err
	}
	if better := json.Unmarshal(text, into); better != nil {
		return better
	}
	return err
}

// parseAt follows the path; where the object has something else on the way, its type's reader will
// say so.
func parseAt(object, field string, path []string, value any) error {
	if len(path) == 0 {
		return parse(object, field, value)
	}
	switch in := value.(type) {
	case map[string]any:
		if path[0] != "*" {
			return parseKey(object, field, path, in)
		}
		for _, key := range slices.Sorted(maps.Keys(in)) {
			at := fmt.Sprintf("%s[%s]", field, key)
			if err := parseAt(object, at, path[1:], in[key]); err != nil {
				return err
			}
		}
	case []any:
		if path[0] != "[]" {
			return nil
		}
		for i := range in {
			at := fmt.Sprintf("%s[%d]", field, i)
			if err := parseAt(object, at, path[1:], in[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func parseKey(object, field string, path []string, in map[string]any) error {
	value, has := in[path[0]]
	if !has || value == nil {
		return nil
	}
	if field != "" {
		field += "."
	}
	return parseAt(object, field+path[0], path[1:], value)
}

func parse(object, field string, value any) error {
	switch value := value.(type) {
	case int64, float64, nil:
		return nil
	case string:
		if _, err := resource.ParseQuantity(value); err == nil {
			return nil
		}
	}
	return &Error{Object: object, Field: field, Value: fmt.Sprint(value),
		Want: "a quantity such as 500m, 2 or 16Gi"}
}
