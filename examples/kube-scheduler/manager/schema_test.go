// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestSchemaHasTheFields compares the schema with what is decoded. t/schemas looks at its values,
// by the same good and bad configurations as the test below.
func TestSchemaHasTheFields(t *testing.T) {
	text, err := os.ReadFile("../../deploy/config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]object `json:"properties"`
		Closed     any               `json:"additionalProperties"`
	}
	var schema struct {
		Definitions struct {
			Manager object `json:"manager"`
		} `json:"definitions"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	manager := schema.Definitions.Manager
	same := func(what string, of reflect.Type, told object, more ...string) {
		names := more
		for i := range of.NumField() {
			if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if known := slices.Sorted(maps.Keys(told.Properties)); !slices.Equal(names, known) {
			t.Errorf("%s: the fields are\n%q, in the schema\n%q", what, names, known)
		}
		if told.Closed != false {
			t.Errorf("%s: the schema takes fields that it does not name", what)
		}
	}
	config := Config{}
	same("the configuration", reflect.TypeOf(config), manager, "apiVersion", "kind")
	same("limits", reflect.TypeOf(config.Limits), manager.Properties["limits"])
	same("effects", reflect.TypeOf(config.Effects), manager.Properties["effects"])
	same("leaderElection", reflect.TypeOf(config.LeaderElection), manager.Properties["leaderElection"])
}

func TestGoodAreTakenAndBadAreRefused(t *testing.T) {
	for file, good := range map[string]bool{"testdata/good.yaml": true, "testdata/bad.yaml": false} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range bytes.Split(text, []byte("\n---\n")) {
			if _, err := Decode(one); (err == nil) != good {
				t.Errorf("%s:\n%s\n%v", file, one, err)
			}
		}
	}
}
