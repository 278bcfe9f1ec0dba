// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

const schema = "../../deploy/config.schema.json"

// TestSchemaHasTheFields compares the schema with what is decoded: field by field, and the types.
// t/schemas looks at its values, by the same good and bad arguments as the tests below.
func TestSchemaHasTheFields(t *testing.T) {
	text, err := os.ReadFile(schema)
	if err != nil {
		t.Fatal(err)
	}
	var whole struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	sameFields(t, "args", reflect.TypeFor[Args](), whole.Definitions["args"])
}

func sameFields(t *testing.T, path string, of reflect.Type, schema map[string]any) {
	// A value that may also be null stands in a list of choices.
	choices, _ := schema["anyOf"].([]any)
	for _, one := range choices {
		if choice := one.(map[string]any); choice["type"] == "object" {
			schema = choice
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if schema["additionalProperties"] != false {
		t.Errorf("%s: the schema takes fields that it does not name", path)
	}
	var names []string
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
		property, known := properties[name].(map[string]any)
		if !known {
			t.Errorf("%s.%s: is not in the schema", path, name)
			continue
		}
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Slice {
			kind = kind.Elem()
			property, _ = property["items"].(map[string]any)
		}
		if kind.Kind() == reflect.Struct && kind.PkgPath() == of.PkgPath() &&
			kind != reflect.TypeFor[Ceiling]() {
			sameFields(t, path+"."+name, kind, property)
		}
	}
	for name := range properties {
		if !slices.Contains(names, name) {
			t.Errorf("%s.%s: is in the schema, and nobody reads it", path, name)
		}
	}
}

// documents of a file of tests, as JSON.
func documents(t *testing.T, file string) (all [][]byte) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range bytes.Split(text, []byte("\n---\n")) {
		one, err := yaml.YAMLToJSON(part)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", file, err, part)
		}
		all = append(all, one)
	}
	return all
}

func TestGoodArgumentsAreTaken(t *testing.T) {
	for _, text := range documents(t, "testdata/good.yaml") {
		if _, err := Decode(&runtime.Unknown{Raw: text}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestBadArgumentsAreRefused(t *testing.T) {
	for _, text := range documents(t, "testdata/bad.yaml") {
		if args, err := Decode(&runtime.Unknown{Raw: text}); err == nil {
			t.Errorf("%s is taken, as %+v", text, args)
		}
	}
}
