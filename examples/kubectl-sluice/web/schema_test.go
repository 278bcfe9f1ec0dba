// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sluice/kubectl-sluice/ask"
)

type definition struct {
	Required   []string                   `json:"required"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// TestSchema holds what is written against examples/board/board.schema.json: each key is one of it,
// and what it requires is always there.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../../board/board.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		definition
		Definitions map[string]definition `json:"definitions"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	nested := func(of, property string) definition {
		var array struct {
			definition
			Items definition `json:"items"`
		}
		if err := json.Unmarshal(schema.Definitions[of].Properties[property], &array); err != nil {
			t.Fatal(err)
		}
		if array.Items.Properties != nil {
			return array.Items
		}
		return array.definition
	}
	for value, want := range map[any]definition{
		reflect.TypeFor[Document](): schema.definition,
		reflect.TypeFor[Frame]():    schema.Definitions["frame"],
		reflect.TypeFor[Queue]():    schema.Definitions["queue"],
		reflect.TypeFor[Quota]():    schema.Definitions["quota"],
		reflect.TypeFor[Claim]():    schema.Definitions["claim"],
		reflect.TypeFor[Line]():     schema.Definitions["line"],
		reflect.TypeFor[Place]():    schema.Definitions["cluster"],
		reflect.TypeFor[Dispatch](): schema.Definitions["dispatch"],
		reflect.TypeFor[Event]():    schema.Definitions["event"],
		reflect.TypeFor[Replica]():  nested("dispatch", "replicas"),
		reflect.TypeFor[PodSet]():   nested("claim", "podSets"),
		reflect.TypeFor[On]():       nested("claim", "on"),
	} {
		kind := value.(reflect.Type)
		var always []string
		for i := range kind.NumField() {
			name, options, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if _, is := want.Properties[name]; !is {
				t.Errorf("%s: the schema knows no %s", kind.Name(), name)
			}
			if options == "" {
				always = append(always, name)
			}
		}
		for _, name := range want.Required {
			if !slices.Contains(always, name) {
				t.Errorf("%s: the schema requires %s, which may be left out", kind.Name(), name)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]string{"Pod/a/b": pod, "Gang/a/b": gang,
		"Workload/a/b": workload, "Queue/a/b": "", "Pod/a": "", "": "", "Pod/a/b/c": ""} {
		if kind, namespace, name := claimNamed(key); kind != want ||
			want != "" && claimKey(kind, namespace, name) != key {
			t.Errorf("%q is read as %q %q %q", key, kind, namespace, name)
		}
	}
}

// An older scheduler says nothing of a range.
func TestNoRangeOfAnOlderScheduler(t *testing.T) {
	row := podRow(&ask.Pod{Outlook: ask.Outlook{Estimate: 60e9}})
	if row.Earliest != nil || row.Latest != nil || row.Estimate == nil || *row.Estimate != 60000 {
		t.Errorf("it says %v, between %v and %v", row.Estimate, row.Earliest, row.Latest)
	}
}
